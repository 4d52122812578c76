"""`.editorconfig` properties of a file, read through the confined store (docs/protocol.md#5-agentfsread).

Consulted only when needed: for bytes that are not UTF-8, for a new file, and for a change with something to
correct.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentfs_lsp.domain.editorconfig import properties_for
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.text.textfile import decode
from agentfs_lsp.service.files.store import FileStore, Location, Root

FILENAME = ".editorconfig"
MAX_BYTES = 64 * 1024
MAX_BYTES_TOGETHER = 256 * 1024
"""Maximum total size of the `.editorconfig` files considered, nearest first; the rest are ignored. Any
workspace may contain them, and parsing goes line by line."""

_LINE_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


@dataclass(frozen=True, slots=True)
class Style:
    """How a file is to be written. `charset` is the property's value, `eol` a line end as characters; both
    None if unspecified."""

    charset: str | None = None
    eol: str | None = None
    final_newline: bool = False
    trims: bool = False


def charset_for(files: FileStore, location: Location) -> str | None:
    """The charset as a Python codec name; None if unspecified."""
    return _properties(files, location).get("charset")


def style_of(files: FileStore, location: Location) -> Style:
    """What the `.editorconfig` files say about the file."""
    told = _properties(files, location)
    return Style(
        told.get("charset"),
        _LINE_ENDS.get(told.get("end_of_line", "")),
        told.get("insert_final_newline") == "true",
        told.get("trim_trailing_whitespace") == "true",
    )


def _properties(files: FileStore, location: Location) -> Mapping[str, str]:
    found: list[tuple[str, str]] = []
    folder, left = location.relative, MAX_BYTES_TOGETHER
    while folder and left > 0:
        folder = folder.rpartition("/")[0]
        text = _text_of(files, location.root, f"{folder}/{FILENAME}" if folder else FILENAME)
        if text is not None:
            found.append((folder, text))
            left -= len(text)
    return properties_for(found, location.relative) if found else {}


def _text_of(files: FileStore, root: Root, relative: str) -> str | None:
    """The text, or None if it is missing or unreadable: `.editorconfig` is advice, not a rule."""
    try:
        return decode(files.read(files.resolve(root, relative), MAX_BYTES).data, "latin-1", relative).text
    except DomainError:
        return None
