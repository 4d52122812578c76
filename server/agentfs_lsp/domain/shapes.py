"""What the value of a setting may be: each shape checks a raw JSON value and turns it into what is used.

A shape knows nothing of the setting it belongs to. `null` never comes here: it means "not set".
"""

from __future__ import annotations

import codecs
import math
from dataclasses import dataclass
from typing import Protocol

from agentfs_lsp.domain.errors import MalformedPath
from agentfs_lsp.domain.paths import path_of_uri


class ShapeError(ValueError):
    """A value that the shape does not take; the text says what it does take, as a part of a sentence."""


class Shape(Protocol):
    """A kind of value."""

    def check(self, raw: object) -> object:
        """The value that is used. Raises ShapeError."""

    def describe(self) -> str:
        """What is taken, with its unit, as docs/configuration.md shows it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words. `any_case`: for names that are written in several ways, such as language tags."""

    options: tuple[str, ...]
    any_case: bool = False

    def check(self, raw: object) -> str:
        word = raw.lower() if self.any_case and isinstance(raw, str) else raw
        for option in self.options:
            if word == option:
                return option
        raise ShapeError("must be one of " + ", ".join(f'"{option}"' for option in self.options))

    def describe(self) -> str:
        return ", ".join(f'`"{option}"`' for option in self.options)


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false, and no number that could be taken for one."""

    def check(self, raw: object) -> bool:
        if isinstance(raw, bool):
            return raw
        raise ShapeError("must be true or false")

    def describe(self) -> str:
        return "`true`, `false`"


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `minimum` to `maximum`; 3.0 is one too, as some editors know no other numbers."""

    unit: str
    minimum: int
    maximum: int

    def check(self, raw: object) -> int:
        number = _number(raw)
        if number is not None and number == int(number) and self.minimum <= number <= self.maximum:
            return int(number)
        raise ShapeError(f"must be a whole number from {self.minimum} to {self.maximum}")

    def describe(self) -> str:
        return f"{self.unit}, {self.minimum} to {self.maximum}"


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time in seconds, fractions included."""

    minimum: float
    maximum: float

    def check(self, raw: object) -> float:
        number = _number(raw)
        if number is not None and self.minimum <= number <= self.maximum:
            return number
        raise ShapeError(f"must be a number of seconds from {self.minimum:g} to {self.maximum:g}")

    def describe(self) -> str:
        return f"seconds, {self.minimum:g} to {self.maximum:g}"


@dataclass(frozen=True, slots=True)
class Encoding:
    """The name of a text encoding that writes ASCII as ASCII: any other would seem to fit most files."""

    def check(self, raw: object) -> str:
        if isinstance(raw, str) and _extends_ascii(raw):
            return codecs.lookup(raw).name
        raise ShapeError("must be the name of an encoding that extends ASCII, such as utf-8 or windows-1252")

    def describe(self) -> str:
        return "an encoding that extends ASCII"


@dataclass(frozen=True, slots=True)
class NamedRoot:
    """A workspace folder's absolute path, and the name that paths in it begin with."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class NamedRoots:
    """A list of `{"path" or "uri": where, "name": name}`, each name once."""

    def check(self, raw: object) -> tuple[NamedRoot, ...]:
        if not isinstance(raw, list):
            raise ShapeError(_NAMED_ROOTS)
        roots = tuple(_named_root(entry) for entry in raw)
        if len({root.name for root in roots}) < len(roots):
            raise ShapeError("must give each folder a name of its own")
        return roots

    def describe(self) -> str:
        return '`[{"path": …, "name": …}]`, or `"uri"` for `"path"`'


# In UTF-7, in HZ, in the escaping codecs and in those for host names some of these stand for something else.
_PROBE = "A+AGE- .. ~{ \\u0041 z"


def _extends_ascii(encoding: str) -> bool:
    plain = _PROBE.encode("ascii")
    try:
        return _PROBE.encode(encoding) == plain and plain.decode(encoding) == _PROBE
    except (LookupError, ValueError):
        return False


def _number(raw: object) -> float | int | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    return raw if isinstance(raw, int) or math.isfinite(raw) else None


_NAMED_ROOTS = 'must be a list of {"path": ..., "name": ...}'


def _named_root(entry: object) -> NamedRoot:
    match entry:
        case {"name": str(name), "path": str(path), **rest} if not rest:
            pass
        case {"name": str(name), "uri": str(uri), **rest} if not rest:
            try:
                path = path_of_uri(uri)
            except MalformedPath:
                raise ShapeError("must name folders by absolute paths or file: URIs") from None
        case _:
            raise ShapeError(_NAMED_ROOTS)
    if not path.startswith("/"):
        raise ShapeError("must name folders by absolute paths or file: URIs")
    if not name.strip() or name in {".", ".."} or not name.isprintable() or set(name) & {"/", "\\"}:
        raise ShapeError("must give each folder a printable name without slashes")
    return NamedRoot(path.rstrip("/") or "/", name)
