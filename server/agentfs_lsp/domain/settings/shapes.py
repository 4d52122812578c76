"""What the value of a setting may be: each shape checks a raw JSON value and turns it into what is used.

A shape knows nothing of the setting it belongs to. `null` never comes here: it means "not set".
"""

from __future__ import annotations

import codecs
import math
from dataclasses import dataclass
from typing import Literal, Protocol

from agentfs_lsp.domain.errors import MalformedPath
from agentfs_lsp.domain.paths import path_of_uri


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a shape takes. `options` are the words of a "choice"; the bounds are those of "whole" numbers and
    "seconds"."""

    kind: Literal[
        "choice",
        "flag",
        "whole",
        "seconds",
        "encoding",
        "roots",
        "absolute_paths",
        "plain_names",
        "own_names",
        "rules",
        "globs",
        "glob",
        "plain_paths",
        "plain_path",
        "switches",
        "switch_name",
    ]
    options: tuple[str, ...] = ()
    minimum: float = 0
    maximum: float = 0


class ShapeError(ValueError):
    """A value that the shape does not take; `wanted` is what it does take. Where that is about a part of it,
    `where` names the part, such as `[2].write`, and `given` is that part. `kept`: what of a list is right."""

    def __init__(self, wanted: Wanted, where: str = "", given: object = None, kept: object = None) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.where = where
        self.given = given
        self.kept = kept

    def within(self, part: str, value: object) -> ShapeError:
        """The same, told of what holds the `value` as its `part`."""
        return ShapeError(self.wanted, part + self.where, self.given if self.where else value, self.kept)


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
        raise ShapeError(Wanted("choice", self.options))

    def describe(self) -> str:
        return ", ".join(f'`"{option}"`' for option in self.options)


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false, and no number that could be taken for one."""

    def check(self, raw: object) -> bool:
        if isinstance(raw, bool):
            return raw
        raise ShapeError(Wanted("flag"))

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
        raise ShapeError(Wanted("whole", (), self.minimum, self.maximum))

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
        raise ShapeError(Wanted("seconds", (), self.minimum, self.maximum))

    def describe(self) -> str:
        return f"seconds, {self.minimum:g} to {self.maximum:g}"


@dataclass(frozen=True, slots=True)
class Encoding:
    """The name of a text encoding that writes ASCII as ASCII: any other would seem to fit most files."""

    def check(self, raw: object) -> str:
        if isinstance(raw, str) and _extends_ascii(raw):
            return codecs.lookup(raw).name
        raise ShapeError(Wanted("encoding"))

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
            raise ShapeError(Wanted("roots"))
        roots = tuple(_named_root(entry) for entry in raw)
        if len({root.name for root in roots}) < len(roots):
            raise ShapeError(Wanted("own_names"))
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


def _may_be_on_disk(path: str) -> bool:
    """Whether a file system can be asked for it at all."""
    try:
        return b"\0" not in path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False


def _named_root(entry: object) -> NamedRoot:
    match entry:
        case {"name": str(name), "path": str(path), **rest} if not rest:
            pass
        case {"name": str(name), "uri": str(uri), **rest} if not rest:
            try:
                path = path_of_uri(uri)
            except MalformedPath:
                raise ShapeError(Wanted("absolute_paths")) from None
        case _:
            raise ShapeError(Wanted("roots"))
    if not path.startswith("/") or not _may_be_on_disk(path):
        raise ShapeError(Wanted("absolute_paths"))
    if not name.strip() or name in {".", ".."} or not name.isprintable() or set(name) & {"/", "\\"}:
        raise ShapeError(Wanted("plain_names"))
    return NamedRoot(path.rstrip("/") or "/", name)
