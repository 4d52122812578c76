"""Parses paths and selects their root (docs/protocol.md#4-paths-and-roots).

Nothing here accesses the disk. The caller resolves `..` and links, so a path that is valid here may still
lead outside.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple
from urllib.parse import unquote_to_bytes

from agentfs_lsp.domain.errors import (
    AbsolutePath,
    AmbiguousRoot,
    IsDirectory,
    MalformedPath,
    NoRoot,
    OutsideRoots,
    UnknownRoot,
)

PathMode = Literal["relative", "any"]


class Spelling(NamedTuple):
    """A parsed path: the index of its root, and the rest.

    `relative` is not empty and has no `.` or empty component; it may have `..`."""

    root: int
    relative: str


def parse(
    path: str,
    names: Sequence[str],
    mode: PathMode = "relative",
    folders: Mapping[str, int] | None = None,
    *,
    directory: bool = False,
) -> Spelling:
    """Parse a path from a caller.

    `names` are the roots' names, in order; if there are several, a path starts with one of them. `folders`
    maps the absolute paths by which roots are known to indexes in `names`; a root may have several (as given
    and real).

    Raises MalformedPath, AbsolutePath, NoRoot, UnknownRoot, AmbiguousRoot, OutsideRoots, and IsDirectory for
    a path that only a directory can have (it ends in a slash, or is a root), unless `directory` allows that:
    `relative` is then empty for a root."""
    wanted = _decoded(path, mode)
    if not names:
        raise NoRoot
    if wanted.startswith("/") and mode == "relative":
        raise AbsolutePath(path, outside=_is_outside(path, folders or {}))
    cleaned = _clean(wanted)
    if wanted.startswith("/"):
        root, relative = _inside(path, cleaned, folders or {})
    elif len(names) == 1:
        root, relative = 0, cleaned
    else:
        root, relative = _named(path, cleaned, names)
    if not directory and (not relative or wanted.endswith(("/", "/."))):
        raise IsDirectory(path)
    return Spelling(root, relative)


def check_new_name(relative: str) -> None:
    """Refuse to create a file whose name would not be displayed as it is, because of control or bidirectional
    characters. Raises MalformedPath."""
    if _CONTROL.search(relative):
        raise MalformedPath(relative, "control")
    if _BIDIRECTIONAL.search(relative):
        raise MalformedPath(relative, "bidi")


def display(root_name: str, relative: str, several_roots: bool) -> str:
    """The path as shown to agent and user; `parse` maps it back to the same file."""
    return f"{root_name}/{relative}" if several_roots else relative


def path_of_uri(uri: str) -> str:
    """The absolute path of a `file:` URI. Raises MalformedPath ("uri") for other URIs: another scheme or
    host, a fragment or query, invalid UTF-8 in escapes."""
    found = _FILE_URI.fullmatch(uri)
    if found is None:
        raise MalformedPath(uri, "uri")
    try:
        return unquote_to_bytes(found["path"]).decode("utf-8")
    except UnicodeError:
        raise MalformedPath(uri, "uri") from None


_LONGEST = 4 * 4096
"""Maximum characters of a path, enough for any file system, even as a URI. Longer ones are refused unread."""

_ORDINARY = re.compile("[\\w./ -]*", re.ASCII)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BIDIRECTIONAL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_URI = re.compile(r"file:/|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_FILE_URI = re.compile(r"file:(?://(?:localhost)?)?(?P<path>/(?!/)[^?#]*)", re.IGNORECASE)


def _decoded(path: str, mode: PathMode) -> str:
    if not path:
        raise MalformedPath(path, "empty")
    if len(path) > _LONGEST:
        raise MalformedPath(path, "too_long")
    _check_characters(path, path)
    if _URI.match(path):
        if mode == "relative":
            raise MalformedPath(path, "uri")
        decoded = path_of_uri(path)
        _check_characters(path, decoded)
        return decoded
    return path


def _check_characters(path: str, text: str) -> None:
    if _ORDINARY.fullmatch(text):
        return
    if "\\" in text:
        raise MalformedPath(path, "backslash")
    if _CONTROL.search(text):
        raise MalformedPath(path, "control")
    if _SURROGATE.search(text):
        raise MalformedPath(path, "unstorable")


def _inside(path: str, cleaned: str, folders: Mapping[str, int]) -> tuple[int, str]:
    """The innermost root of an absolute path, and the rest; `cleaned` lacks the first slash too."""
    for folder in sorted(folders, key=len, reverse=True):
        prefix = _clean(folder)
        below = _below(prefix, cleaned) if prefix else cleaned
        if below is not None:
            return folders[folder], below
    raise OutsideRoots(path)


def _is_outside(path: str, folders: Mapping[str, int]) -> bool:
    try:
        _inside(path, _clean(posixpath.normpath(path)), folders)
    except OutsideRoots:
        return True
    return False


def _named(path: str, cleaned: str, names: Sequence[str]) -> tuple[int, str]:
    """The root whose name the path starts with; names may contain slashes, and the longest match wins."""
    for name in sorted(names, key=len, reverse=True):
        below = _below(name, cleaned)
        if below is None:
            continue
        if names.count(name) > 1:
            raise AmbiguousRoot(path, name)
        return names.index(name), below
    raise UnknownRoot(path, tuple(names))


def _below(folder: str, path: str) -> str | None:
    """The part of `path` after `folder/`: empty for the folder itself, None outside it."""
    if path == folder:
        return ""
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else None


def _clean(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in ("", "."))
