"""The editor's open documents, updated by its notifications (docs/protocol.md#1-start-and-transport).

Takes params as they arrive and never raises: a change that can't be applied puts the document out of sync,
which fails closed, until the editor sends its whole text again. `domain/text/rope.py` has the text structure.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from traceback import format_tb
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

from agentfs_lsp.adapters.clock import SteadyClock
from agentfs_lsp.adapters.fs.resolving import as_listed, follow_links, real_path
from agentfs_lsp.domain.text.positions import Encoding
from agentfs_lsp.domain.text.rope import BadPosition, Position, Rope
from agentfs_lsp.service.files.store import Clock

K = TypeVar("K")

_MAX_FOLLOWED = 1000
"""How many paths are followed to compare them with one; every change does that, on the event loop."""

_log = logging.getLogger(__name__)


class OpenDocument:
    """A document as last reported by the editor; see `service.files.documents.Document`.

    `spelled`: the path in its URI, None if it names no file here. `paths`: that, and where it leads. `links`:
    the links on the way, with their targets."""

    def __init__(self, uri: str, version: int, rope: Rope, *, ends_last_line: bool) -> None:
        self.uri = uri
        self.ends_last_line = ends_last_line
        self.spelled = _path_in(uri)
        self.paths: tuple[str, ...] = ()
        self.links: dict[str, str | None] = {}
        self.version = version
        self.dirty_hint: bool | None = None
        self.encoding_hint: str | None = None
        self.edited = 0  # the count of its latest change since it was opened or saved; 0: none
        self.as_saved = False
        self.text_known = True  # whether the client has ever reported its text
        self.reset(rope)

    @property
    def text(self) -> str:
        """The whole text with its own line ends, joined once per change."""
        return self._rope.text

    @property
    def size(self) -> int:
        """The number of code points in `text`."""
        return self._rope.size

    @property
    def positions_reliable(self) -> bool:
        return not (self._rope.cr_has_column and self._rope.lone_crs)

    def reset(self, rope: Rope) -> None:
        """Take a whole text, which brings the document back in sync."""
        self._rope = rope
        self.in_sync = self.text_known = True

    def replace(self, start: Position, end: Position, text: str) -> None:
        """Apply one change. Raises BadPosition and changes nothing."""
        if not self.positions_reliable:
            raise BadPosition(start)
        self._rope.replace(start, end, text)


class OpenDocuments:
    """The open documents; implements `service.files.documents.Documents`. Use it on the event loop's thread
    only. `encoding`: the position encoding, as agreed on in `initialize`. `ends_last_line`: for documents
    opened from now on, see `Document`; `ends_lines_at_cr`, `tells_after_close`, and `least_version`, what
    version 0 counts as: see `EditorTraits`.
    `changed_at_ms`: when any document last changed, in monotonic milliseconds; None: never."""

    def __init__(self, encoding: Encoding = "utf-16", clock: Clock | None = None) -> None:
        self.encoding = encoding
        self.ends_last_line = False
        self.ends_lines_at_cr = True
        self.tells_after_close = False
        self.least_version = 0
        self._clock = clock or SteadyClock()
        self.changed_at_ms: float | None = None
        self._by_uri: dict[str, OpenDocument] = {}
        self._by_path: dict[str, list[OpenDocument]] = {}
        self._through: dict[tuple[str, str | None], list[OpenDocument]] = {}  # by link and its target
        self._watchers: dict[str, list[Callable[[], None]]] = {}
        self._watchers_of_texts: list[Callable[[str, OpenDocument], None]] = []
        self._edits = 0
        self._unsaved_elsewhere: set[str] = set()  # the paths as spelled

    # --- what the use cases ask ---

    def at(self, absolute: str, uri: str | None = None) -> OpenDocument | None:
        """The document that shows this file, under `uri` if given. If several do, the riskiest: one out of
        sync, else one the client calls dirty, else the one edited last since its save."""
        self._follow_switched_links()
        return max(
            (one for one in self._by_path.get(absolute, ()) if uri in (None, one.uri)),
            key=lambda one: (not one.in_sync, one.dirty_hint is True, one.edited),
            default=None,
        )

    def get(self, uri: str) -> OpenDocument | None:
        """The document opened under this URI, whatever its scheme."""
        return self._by_uri.get(uri)

    def is_unsaved_elsewhere(self, absolute: str) -> bool:
        """Whether `agentfs/documentState` says so of the file, or of too many others to tell."""
        if absolute in self._unsaved_elsewhere or len(self._unsaved_elsewhere) > _MAX_FOLLOWED:
            return True
        return any(_follow(path)[0] == absolute for path in self._unsaved_elsewhere)

    def leads_to(self, spelled: str, absolute: str) -> None:
        """A request found that this path leads to that file, and so do documents opened under it. A folder on
        the way may have become a link since."""
        for document in tuple(self._by_path.get(spelled, ())):
            if document.spelled == spelled and absolute not in document.paths:
                self._place(document, absolute)

    def watch(self, absolute: str, seen: Callable[[], None]) -> Callable[[], None]:
        """Call `seen` after every open, change, save, close and hint of this file's documents. Returns a
        function that ends the watch and may be called repeatedly."""
        watchers = self._watchers.setdefault(absolute, [])
        watchers.append(seen)

        def end() -> None:
            if seen in watchers:
                watchers.remove(seen)
            if not watchers and self._watchers.get(absolute) is watchers:
                del self._watchers[absolute]

        return end

    def watch_texts(self, seen: Callable[[str, OpenDocument], None]) -> Callable[[], None]:
        """Call `seen` after every `textDocument/didOpen` and `didChange`, and after a link was switched; see
        `Documents.watch_texts`."""
        self._watchers_of_texts.append(seen)
        return lambda: self._watchers_of_texts.remove(seen)

    # --- what the editor tells ---

    def opened(self, params: object) -> None:
        """`textDocument/didOpen`. A repeated one replaces the text."""
        document = self._open(_dict(_dict(params).get("textDocument")))
        if document is not None:
            self._tell_of_text(document)

    def changed(self, params: object) -> None:
        """`textDocument/didChange` with ranges or whole texts."""
        self.changed_at_ms = self._clock.now_ms()
        told = _dict(_dict(params).get("textDocument"))
        document = self._named(params)
        if document is None and not self.tells_after_close:
            # Neovim and Emacs do not open a document that gets another name: its text is unknown.
            document = self._open({**told, "text": None})
        if document is None:
            return
        version = _version(told, document.version)
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
        self._tell(document.paths)
        self._tell_of_text(document)

    def saved(self, params: object) -> None:
        """`textDocument/didSave`. Its text is ignored: eglot includes that of a narrowed part only."""
        document = self._named(params)
        if document is None:
            return
        if not document.text_known:  # now it is the file's
            self.closed(params)
            return
        document.edited = 0
        document.as_saved = True
        document.dirty_hint = None  # it described what has now been saved
        self._place(document)

    def closed(self, params: object) -> None:
        """`textDocument/didClose`."""
        document = self._named(params)
        if document is not None:
            self._forget(document.uri)
            self._tell(document.paths)

    def state_reported(self, params: object) -> None:
        """`agentfs/documentState` {uri, dirty, encoding, unsaved_elsewhere}
        (docs/protocol.md#91-review-clients)."""
        told = _dict(params)
        self._note_elsewhere(told.get("uri"), told.get("unsaved_elsewhere"))
        document = self._find(told.get("uri"))
        if document is None:
            return
        dirty, encoding = told.get("dirty"), told.get("encoding")
        if isinstance(dirty, bool):
            document.dirty_hint = dirty
        if isinstance(encoding, str):
            document.encoding_hint = encoding
        self._tell(document.paths)

    # --- details ---

    def _note_elsewhere(self, uri: object, unsaved: object) -> None:
        path = _path_in(uri) if isinstance(uri, str) else None
        if path is not None and unsaved is True:
            self._unsaved_elsewhere.add(path)
        elif path is not None and unsaved is False:
            self._unsaved_elsewhere.discard(path)

    def _tell_of_text(self, document: OpenDocument) -> None:
        if document.paths:
            path = document.paths[:2][-1]  # where its own path leads
            _call([partial(seen, path, document) for seen in self._watchers_of_texts])

    def _rope(self, text: str) -> Rope:
        return Rope(text, self.encoding, cr_has_column=not self.ends_lines_at_cr)

    def _open(self, told: Mapping[str, Any]) -> OpenDocument | None:
        uri, text = told.get("uri"), told.get("text")
        if not isinstance(uri, str):
            _log.warning("an opened document has no URI")
            return None
        self._forget(uri)
        rope = self._rope(text if isinstance(text, str) else "")
        version = _version(told, 0) or self.least_version
        document = OpenDocument(uri, version, rope, ends_last_line=self.ends_last_line)
        if not isinstance(text, str):
            document.text_known = False
            self._lose(document, "opened without a text")
        self._by_uri[uri] = document
        self._place(document)
        return document

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
        _log.warning("a document is out of sync: %s", why)
        document.in_sync = False

    def _named(self, params: object) -> OpenDocument | None:
        return self._find(_dict(_dict(params).get("textDocument")).get("uri"))

    def _find(self, uri: object) -> OpenDocument | None:
        document = self._by_uri.get(uri) if isinstance(uri, str) else None
        if document is None:
            _log.info("told of a document that is not open")
        return document

    def _forget(self, uri: str) -> None:
        document = self._by_uri.pop(uri, None)
        if document is not None:
            self._displace(document)

    def _place(self, document: OpenDocument, *known: str) -> None:
        """Index the document by where its path leads now, and by what else is `known` to lead to its file."""
        if document.spelled is None:
            return
        self._displace(document)
        real, crossed = _follow(document.spelled)
        before = document.paths
        document.paths = tuple(dict.fromkeys((document.spelled, real, *known)))
        # A link that is gone may come back.
        document.links = {**{link: _target(link) for link in document.links}, **crossed}
        for path in document.paths:
            self._by_path.setdefault(path, []).append(document)
        for link in document.links.items():
            self._through.setdefault(link, []).append(document)
        self._tell(dict.fromkeys((*before, *document.paths)))
        if before not in ((), document.paths):
            self._tell_of_text(document)

    def _displace(self, document: OpenDocument) -> None:
        for path in document.paths:
            _remove(self._by_path, path, document)
        for link in document.links.items():
            _remove(self._through, link, document)

    def _follow_switched_links(self) -> None:
        """Costs one call of the system per link, however many documents were opened through it."""
        switched = [found for link, found in self._through.items() if _target(link[0]) != link[1]]
        for document in {one: None for found in switched for one in found}:
            self._place(document)

    def _tell(self, paths: Iterable[str]) -> None:
        _call([one for path in paths for one in self._watchers.get(path, ())])


def _call(watchers: Iterable[Callable[[], None]]) -> None:
    for seen in watchers:
        try:
            seen()
        except Exception as error:  # noqa: BLE001  one watcher's defect is not the others', nor the editor's
            where = "".join(format_tb(error.__traceback__))  # its text may quote the document
            _log.error("%s while telling of a document\n%s", type(error).__name__, where)


def _remove(index: dict[K, list[OpenDocument]], key: K, document: OpenDocument) -> None:
    index[key].remove(document)
    if not index[key]:
        del index[key]


def _follow(spelled: str) -> tuple[str, dict[str, str]]:
    """Where an absolute path leads, and the links on the way with their targets."""
    crossed: dict[str, str] = {}
    try:
        real = "/" + "/".join(follow_links("/", spelled.split("/"), crossed))
        return as_listed("/", real), crossed
    except OSError:  # not permitted, or a loop
        return real_path(spelled), crossed


def _target(link: str) -> str | None:
    try:
        return os.readlink(link)
    except OSError:
        return None


def path_of(uri: str) -> str | None:
    """The real path of the file that a `file:` URI names on this machine, else None."""
    path = _path_in(uri)
    return None if path is None else real_path(path)


def _path_in(uri: str) -> str | None:
    """The absolute path in a `file:` URI on this machine, else None. `?` and `#` count as part of the name:
    some editors forget to escape them, and documents with a fragment don't exist."""
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
    except ValueError:  # a lone surrogate
        return None
    return path if path.startswith("/") and "\0" not in path else None


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
