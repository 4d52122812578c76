"""`.editorconfig` properties of a file, read through the confined store (docs/protocol.md#5-agentfsread).

Consulted only when needed: for bytes that are not UTF-8, and for a new file's line ends.
"""

from __future__ import annotations

from collections.abc import Mapping

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


def charset_for(files: FileStore, location: Location) -> str | None:
    """The charset as a Python codec name; None if unspecified."""
    return _properties(files, location).get("charset")


def eol_for(files: FileStore, location: Location) -> str | None:
    """The line end for a new file, as characters; None if unspecified."""
    return _LINE_ENDS.get(_properties(files, location).get("end_of_line", ""))


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
