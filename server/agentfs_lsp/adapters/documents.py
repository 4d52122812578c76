"""What the editor holds open, kept up from its notifications (docs/protocol.md#1-start-and-transport).

Fed with the params as they came. Whatever they are, nothing is raised: what can't be followed with certainty
puts the document out of sync, which fails closed, until the editor sends its whole text again. What is
deliberately not here: the text structure itself (`domain/text/rope.py`), and the disk's side of a file.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from agentfs_lsp.adapters.clock import SteadyClock
from agentfs_lsp.domain.text.rope import BadPosition, Position, Rope

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentfs_lsp.domain.text.positions import Encoding
    from agentfs_lsp.service.files.store import Clock

_log = logging.getLogger(__name__)


class OpenDocument:
    """A document as the editor last told; see `service.files.documents.Document`. `path` is the real path of
    the file it shows, None where it shows none."""

    def __init__(
        self,
        uri: str,
        path: str | None,
        version: int,
        rope: Rope | None,
        *,
        ends_last_line: bool,
        ends_lines_at_cr: bool,
    ) -> None:
        self.uri = uri
        self.ends_last_line = ends_last_line
        self.path = path
        self.version = version
        self.dirty_hint: bool | None = None
        self.encoding_hint: str | None = None
        self.edited = 0  # when it was last changed since it was opened or saved, by count; 0: not at all
        self.as_saved = False
        self._ends_lines_at_cr = ends_lines_at_cr
        self.reset(rope or Rope(""))
        self.in_sync = rope is not None

    @property
    def text(self) -> str:
        """The whole text, with its own line ends. Put together once a change."""
        return self._rope.text

    def reset(self, rope: Rope) -> None:
        """Take a whole text, with which the document is in sync again."""
        self._rope = rope
        self.in_sync = True
        self.places_certain = self._ends_lines_at_cr or not _has_lone_cr(rope.text)

    def replace(self, start: Position, end: Position, text: str) -> None:
        """Follow one change. Raises BadPosition, and nothing changed."""
        if not self.places_certain:
            raise BadPosition(start)
        self._rope.replace(start, end, text)
        self.places_certain = self._ends_lines_at_cr or not _has_lone_cr(text)


class OpenDocuments:
    """The open documents; implements `service.files.documents.Documents`. All on the event loop's thread.
    `ends_last_line`: what `service.files.documents.Document` says, of those opened from then on;
    `ends_lines_at_cr`: whether the editor ends lines at a carriage return by itself."""

    def __init__(self, encoding: Encoding = "utf-16", clock: Clock | None = None) -> None:
        self._encoding = encoding
        self.ends_last_line = False
        self.ends_lines_at_cr = True
        self._clock = clock or SteadyClock()
        self._changed_at_ms: float | None = None
        self._by_uri: dict[str, OpenDocument] = {}
        self._by_path: dict[str, list[OpenDocument]] = {}
        self._watchers: dict[str, list[Callable[[], None]]] = {}
        self._edits = 0

    def set_encoding(self, encoding: Encoding) -> None:
        """The position encoding agreed on in `initialize`, before the first document was opened."""
        self._encoding = encoding

    # --- what the use cases ask ---

    def at(self, absolute: str) -> OpenDocument | None:
        """The document that shows this file. Where several do, the one to be careful with: one out of sync
        before one that the client calls dirty, and then the one edited last since its save."""
        return max(
            self._by_path.get(absolute, ()),
            key=lambda one: (not one.in_sync, one.dirty_hint is True, one.edited),
            default=None,
        )

    def get(self, uri: str) -> OpenDocument | None:
        """The document that was opened under this URI, of whatever scheme."""
        return self._by_uri.get(uri)

    def changed_at_ms(self) -> float | None:
        """When any document was last changed, by the clock's monotonic milliseconds; None: never."""
        return self._changed_at_ms

    def watch(self, absolute: str, seen: Callable[[], None]) -> Callable[[], None]:
        """Call `seen` after every open, change, save, close and hint of this file's documents. Returns what
        ends the watch, which may be called more than once."""
        watchers = self._watchers.setdefault(absolute, [])
        watchers.append(seen)

        def end() -> None:
            if seen in watchers:
                watchers.remove(seen)
            if not watchers and self._watchers.get(absolute) is watchers:
                del self._watchers[absolute]

        return end

    # --- what the editor tells ---

    def opened(self, params: object) -> None:
        """`textDocument/didOpen`. Opened again, the new text counts."""
        told = _dict(_dict(params).get("textDocument"))
        uri, text = told.get("uri"), told.get("text")
        if not isinstance(uri, str):
            _log.warning("an opened document has no URI")
            return
        self._forget(uri)
        rope = self._rope(text) if isinstance(text, str) else None
        if rope is None:
            _log.warning("an opened document has no text: %s", uri)
        document = OpenDocument(
            uri,
            path_of(uri),
            _version(told, 0),
            rope,
            ends_last_line=self.ends_last_line,
            ends_lines_at_cr=self.ends_lines_at_cr,
        )
        self._by_uri[uri] = document
        if document.path is not None:
            self._by_path.setdefault(document.path, []).append(document)
        self._tell(document)

    def changed(self, params: object) -> None:
        """`textDocument/didChange`: pieces by range, or whole texts."""
        self._changed_at_ms = self._clock.now_ms()
        document = self._named(params)
        if document is None:
            return
        version = _version(_dict(_dict(params).get("textDocument")), document.version)
        if version < document.version:
            self._lose(document, "a version older than the one before")
        document.version = version
        changes = _dict(params).get("contentChanges")
        if isinstance(changes, list):
            for change in changes:
                self._follow(document, _dict(change))
        else:
            self._lose(document, "no list of changes")
        self._edits += 1
        document.edited = self._edits
        document.as_saved = False
        self._tell(document)

    def saved(self, params: object) -> None:
        """`textDocument/didSave`; a text that comes along counts."""
        document = self._named(params)
        if document is None:
            return
        text = _dict(params).get("text")
        if isinstance(text, str) and not (document.in_sync and text == document.text):
            document.reset(self._rope(text))
        document.edited = 0
        document.as_saved = True
        document.dirty_hint = None  # it was told of what is saved now
        self._tell(document)

    def closed(self, params: object) -> None:
        """`textDocument/didClose`."""
        document = self._named(params)
        if document is not None:
            self._forget(document.uri)
            self._tell(document)

    def hinted(self, params: object) -> None:
        """`agentfs/documentState` {uri, dirty, encoding} (docs/protocol.md#91-review-clients)."""
        told = _dict(params)
        document = self._find(told.get("uri"))
        if document is None:
            return
        dirty, encoding = told.get("dirty"), told.get("encoding")
        if isinstance(dirty, bool):
            document.dirty_hint = dirty
        if isinstance(encoding, str):
            document.encoding_hint = encoding
        self._tell(document)

    # --- details ---

    def _rope(self, text: str) -> Rope:
        return Rope(text, self._encoding)

    def _follow(self, document: OpenDocument, change: Mapping[str, Any]) -> None:
        text = change.get("text")
        if not isinstance(text, str):
            self._lose(document, "a change without a text")
        elif change.get("range") is None:
            document.reset(self._rope(text))
        elif document.in_sync:
            try:
                start, end = (_position(_dict(change["range"]).get(edge)) for edge in ("start", "end"))
                document.replace(start, end, text)
            except BadPosition:
                self._lose(document, "a range that is none")

    def _lose(self, document: OpenDocument, why: str) -> None:
        _log.warning("out of sync, %s: %s", why, document.uri)
        document.in_sync = False

    def _named(self, params: object) -> OpenDocument | None:
        return self._find(_dict(_dict(params).get("textDocument")).get("uri"))

    def _find(self, uri: object) -> OpenDocument | None:
        document = self._by_uri.get(uri) if isinstance(uri, str) else None
        if document is None:
            _log.info("told of a document that is not open: %s", uri if isinstance(uri, str) else "no URI")
        return document

    def _forget(self, uri: str) -> None:
        document = self._by_uri.pop(uri, None)
        if document is None or document.path is None:
            return
        same = self._by_path[document.path]
        same.remove(document)
        if not same:
            del self._by_path[document.path]

    def _tell(self, document: OpenDocument) -> None:
        if document.path is None:
            return
        for seen in tuple(self._watchers.get(document.path, ())):
            try:
                seen()
            except Exception:  # noqa: BLE001  one watcher's defect is not the others', nor the editor's
                _log.exception("while telling of a document")


def _has_lone_cr(text: str) -> bool:
    return text.count("\r") > text.count("\r\n")


def path_of(uri: str) -> str | None:
    """The real path of the file that a `file:` URI names on this machine, else None. `?` and `#` are taken
    as part of the name: editors that forget to escape them exist, documents with a fragment do not."""
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme.lower() != "file":
        return None
    if rest.startswith("//"):
        host, slash, rest = rest[2:].partition("/")
        if host.lower() not in {"", "localhost"}:
            return None
        rest = slash + rest
    try:
        path = os.fsdecode(unquote_to_bytes(rest))
        return os.path.realpath(path) if path.startswith("/") else None
    except (ValueError, OSError):  # NUL, a lone surrogate, a name that no file can have
        return None


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _version(told: Mapping[str, Any], known: int) -> int:
    version = told.get("version")
    return version if isinstance(version, int) and not isinstance(version, bool) else known


def _position(told: object) -> Position:
    line, column = _dict(told).get("line"), _dict(told).get("character")
    if type(line) is not int or type(column) is not int:
        raise BadPosition((-1, -1))
    return line, column
