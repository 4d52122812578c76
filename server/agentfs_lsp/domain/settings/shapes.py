"""Shapes that only settings use. Shapes that params share are in `domain/shapes.py`."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from agentfs_lsp.domain.errors import MalformedPath
from agentfs_lsp.domain.paths import path_of_uri
from agentfs_lsp.domain.shapes import Constraint, ShapeError, number_of
from agentfs_lsp.domain.text.textfile import extends_ascii


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time in seconds, including fractions."""

    minimum: float
    maximum: float

    def check(self, raw: object) -> float:
        number = number_of(raw)
        if number is not None and self.minimum <= number <= self.maximum:
            return number
        raise ShapeError(Constraint("seconds", (), self.minimum, self.maximum))


@dataclass(frozen=True, slots=True)
class Encoding:
    """The name of a text encoding that extends ASCII, because any other would seem to fit most files."""

    def check(self, raw: object) -> str:
        try:
            known = codecs.lookup(raw).name if isinstance(raw, str) else ""
        except (LookupError, ValueError):
            known = ""
        if extends_ascii(known):
            return known
        raise ShapeError(Constraint("encoding"))


@dataclass(frozen=True, slots=True)
class Folder:
    """The path of a folder: absolute, or below the user's home."""

    def check(self, raw: object) -> str:
        if isinstance(raw, str) and raw.startswith(("/", "~/")) and _may_be_on_disk(raw):
            return raw
        raise ShapeError(Constraint("folder"))


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
            raise ShapeError(Constraint("roots"))
        roots = tuple(_named_root(entry) for entry in raw)
        if len({root.name for root in roots}) < len(roots):
            raise ShapeError(Constraint("own_names"))
        return roots


def _may_be_on_disk(path: str) -> bool:
    """Whether a file system can store the path."""
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
                raise ShapeError(Constraint("absolute_paths")) from None
        case _:
            raise ShapeError(Constraint("roots"))
    if not path.startswith("/") or not _may_be_on_disk(path):
        raise ShapeError(Constraint("absolute_paths"))
    if not name.strip() or name in {".", ".."} or not name.isprintable() or set(name) & {"/", "\\"}:
        raise ShapeError(Constraint("plain_names"))
    return NamedRoot(path.rstrip("/") or "/", name)
