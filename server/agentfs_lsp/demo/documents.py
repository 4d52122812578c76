"""The open files of the terminal client: texts, versions, and whether they are saved.

The client opens only UTF-8 files. Buffers keep the file's line endings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentfs_lsp.demo.connection import Connection
from agentfs_lsp.domain.text.lines import line_end, offset_of_line
from agentfs_lsp.domain.text.positions import Encoding, PositionCounter, offset_at
from agentfs_lsp.domain.translation import Translate


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
        return self._open.get(uri)

    def type(self, uri: str, old: str, new: str) -> None:
        """Type: replace the first `old` by `new`, unsaved."""
        at = self._open[uri].text.index(old)
        ends = {"start": self._position(uri, at), "end": self._position(uri, at + len(old))}
        self._change(uri, [{"range": ends, "newText": new}])

    def apply(self, edit: Mapping[str, Any]) -> str:
        """Apply a WorkspaceEdit entirely or not at all; returns why not, for the user, or ""."""
        for change in edit["documentChanges"]:
            document = self._open.get(change["textDocument"]["uri"])
            wanted = change["textDocument"]["version"]
            if document is None:
                return self.translate("The document is not open.")
            if document.version != wanted:
                return self.translate(
                    "The document is at version {version}, not {wanted}.",
                    version=document.version,
                    wanted=wanted,
                )
        for change in edit["documentChanges"]:
            self._change(change["textDocument"]["uri"], change["edits"])
        return ""

    def save(self, uri: str) -> None:
        """Write the document to disk and tell the server. Raises OSError."""
        document = self._open[uri]
        document.path.write_bytes(document.text.encode("utf-8"))
        document.saved = document.text
        self.connection.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        self._tell_state(uri, document)

    def _change(self, uri: str, edits: Sequence[Mapping[str, Any]]) -> None:
        document = self._open[uri]
        # Last first, so that no change moves the ranges of those that follow.
        changes = [
            {"range": edit["range"], "text": edit["newText"]} for edit in sorted(edits, key=_start)[::-1]
        ]
        for change in changes:
            start, end = (self._offset(document.text, change["range"][end]) for end in ("start", "end"))
            document.text = document.text[:start] + change["text"] + document.text[end:]
        document.version += 1
        identifier = {"uri": uri, "version": document.version}
        self.connection.notify(
            "textDocument/didChange", {"textDocument": identifier, "contentChanges": changes}
        )
        self._tell_state(uri, document)

    def _tell_state(self, uri: str, document: Document) -> None:
        state = {"uri": uri, "dirty": document.dirty, "encoding": "utf-8"}
        self.connection.notify("agentfs/documentState", state)

    def _offset(self, text: str, position: Mapping[str, int]) -> int:
        begin = offset_of_line(text, position["line"] + 1)
        line = text[begin : line_end(text, begin)].rstrip("\r\n")
        return begin + offset_at(line, position["character"], self.units)

    def _position(self, uri: str, offset: int) -> dict[str, int]:
        line, character = PositionCounter(self._open[uri].text, self.units).at(offset)
        return {"line": line, "character": character}


def _start(edit: Mapping[str, Any]) -> tuple[int, int]:
    return edit["range"]["start"]["line"], edit["range"]["start"]["character"]
