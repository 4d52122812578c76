"""The open files of the terminal client: texts, versions, and whether they are saved.

The client opens only UTF-8 files. Buffers keep the file's line endings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentfs_lsp.demo.connection import Connection
from agentfs_lsp.domain.splices import Splice, apply_splices
from agentfs_lsp.domain.text.lines import line_end, offset_of_line
from agentfs_lsp.domain.text.positions import Encoding, offset_at, to_position
from agentfs_lsp.domain.translation import Translate


class StaleEditError(Exception):
    """An edit for another version of a document, or for one that is not open; `str()` is the reason for the
    user."""


@dataclass
class Document:
    """An open file. `saved` is the text on disk as far as the client knows."""

    path: Path
    text: str
    saved: str
    version: int = 1

    @property
    def dirty(self) -> bool:
        """Whether it has unsaved changes."""
        return self.text != self.saved


@dataclass
class OpenDocuments:
    """All open files by URI, in sync with the server. Positions are in `units`."""

    connection: Connection
    translate: Translate
    units: Encoding = "utf-16"
    _open: dict[str, Document] = field(default_factory=dict)

    def open(self, path: Path) -> str:
        """Open a file as an editor does; returns its URI."""
        text = path.read_bytes().decode("utf-8")
        uri = path.as_uri()
        self._open[uri] = Document(path, text, text)
        item = {"uri": uri, "languageId": "plaintext", "version": 1, "text": text}
        self.connection.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def close(self, uri: str) -> None:
        """Close a document, discarding unsaved changes."""
        del self._open[uri]
        self.connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def get(self, uri: str) -> Document | None:
        """The open document, or None."""
        return self._open.get(uri)

    def type(self, uri: str, old: str, new: str) -> None:
        """Type: replace the first `old` by `new`, unsaved."""
        document = self._open[uri]
        at = document.text.index(old)
        ranges = {
            "start": _position(document.text, at, self.units),
            "end": _position(document.text, at + len(old), self.units),
        }
        self._change(uri, document, [{"range": ranges, "newText": new}])

    def apply(self, edit: Mapping[str, Any]) -> list[str]:
        """Apply a WorkspaceEdit entirely or not at all; returns the URIs. Raises StaleEditError."""
        pending: list[tuple[str, Document, list[dict[str, Any]]]] = []
        for change in edit.get("documentChanges", ()):
            if "textDocument" not in change:
                raise StaleEditError(self.translate("Only text edits are applied here."))
            uri, version = change["textDocument"]["uri"], change["textDocument"].get("version")
            document = self._open.get(uri)
            if document is None:
                raise StaleEditError(self.translate("The document is not open."))
            if version != document.version:
                raise StaleEditError(
                    self.translate(
                        "The document is at version {version}, not {wanted}.",
                        version=document.version,
                        wanted=version,
                    )
                )
            pending.append((uri, document, change["edits"]))
        for uri, document, edits in pending:
            self._change(uri, document, edits)
        return [uri for uri, _, _ in pending]

    def save(self, uri: str) -> None:
        """Write the document to disk and tell the server. Raises OSError."""
        document = self._open[uri]
        document.path.write_bytes(document.text.encode("utf-8"))
        document.saved = document.text
        self.connection.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        self._tell_state(uri, document)

    def _change(self, uri: str, document: Document, edits: Iterable[Mapping[str, Any]]) -> None:
        ordered = sorted(edits, key=lambda edit: _key(edit["range"]["start"]))
        document.text = apply_splices(document.text, [self._splice(document.text, e) for e in ordered])
        document.version += 1
        # Last first, so that no sent change moves the ranges of later ones.
        changes = [{"range": e["range"], "text": e["newText"]} for e in reversed(ordered)]
        identifier = {"uri": uri, "version": document.version}
        self.connection.notify(
            "textDocument/didChange", {"textDocument": identifier, "contentChanges": changes}
        )
        self._tell_state(uri, document)

    def _tell_state(self, uri: str, document: Document) -> None:
        state = {"uri": uri, "dirty": document.dirty, "encoding": "utf-8"}
        self.connection.notify("agentfs/documentState", state)

    def _splice(self, text: str, edit: Mapping[str, Any]) -> Splice:
        start, end = (_offset(text, edit["range"][end], self.units) for end in ("start", "end"))
        return Splice(start, end, edit["newText"])


def _key(position: Mapping[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]


def _offset(text: str, position: Mapping[str, int], units: Encoding) -> int:
    begin = offset_of_line(text, position["line"] + 1)
    line = text[begin : line_end(text, begin)].rstrip("\r\n")
    return begin + offset_at(line, position["character"], units)


def _position(text: str, offset: int, units: Encoding) -> dict[str, int]:
    line, character = to_position(text, offset, units)
    return {"line": line, "character": character}
