"""The port `Documents` in memory."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(eq=False)
class MemoryDocument:
    """`service.files.documents.Document`; `path` is the real path of its file."""

    uri: str
    path: str
    text: str
    version: int = 1
    dirty_hint: bool | None = None
    encoding_hint: str | None = None
    as_saved: bool = False
    ends_last_line: bool = False
    ends_lines_at_cr: bool = True
    in_sync: bool = True
    edited: int = 0

    @property
    def size(self) -> int:
        return len(self.text)

    @property
    def positions_reliable(self) -> bool:
        return self.ends_lines_at_cr or self.text.count("\r") == self.text.count("\r\n")


class MemoryDocuments:
    """`service.files.documents.Documents`."""

    def __init__(self) -> None:
        self._open: dict[str, MemoryDocument] = {}
        self._watchers: list[tuple[str, Callable[[], None]]] = []
        self._watchers_of_texts: list[Callable[[str, MemoryDocument], None]] = []
        self._edits = 0
        self._unsaved_elsewhere: set[str] = set()

    def at(self, absolute: str, uri: str | None = None) -> MemoryDocument | None:
        return max(
            (one for one in self._open.values() if one.path == absolute and uri in (None, one.uri)),
            key=lambda one: (not one.in_sync, one.dirty_hint is True, one.edited),
            default=None,
        )

    def is_unsaved_elsewhere(self, absolute: str) -> bool:
        return absolute in self._unsaved_elsewhere

    def leads_to(self, spelled: str, absolute: str) -> None:
        """Documents are opened here with the path of their file, and no folder becomes a link."""

    def watch(self, absolute: str, seen: Callable[[], None]) -> Callable[[], None]:
        watcher = (absolute, seen)
        self._watchers.append(watcher)

        def end() -> None:
            self._watchers = [one for one in self._watchers if one is not watcher]

        return end

    def watch_texts(self, seen: Callable[[str, MemoryDocument], None]) -> Callable[[], None]:
        self._watchers_of_texts.append(seen)
        return lambda: self._watchers_of_texts.remove(seen)

    # --- what the editor does -----------------------------------------------------------------------------

    def open(self, uri: str, path: str, text: str, **traits: bool) -> None:
        """`traits`: `ends_last_line`, `ends_lines_at_cr`."""
        self._open[uri] = MemoryDocument(uri, path, text, **traits)
        self._tell(path)
        self._tell_of_text(self._open[uri])

    def change(self, uri: str, text: str) -> None:
        document = self._open[uri]
        self._edits += 1
        document.text, document.edited, document.as_saved = text, self._edits, False
        document.version += 1
        self._tell(document.path)
        self._tell_of_text(document)

    def save(self, uri: str) -> None:
        document = self._open[uri]
        document.edited, document.as_saved, document.dirty_hint = 0, True, None
        self._tell(document.path)

    def close(self, uri: str) -> None:
        self._tell(self._open.pop(uri).path)

    def hint(self, uri: str, *, dirty: bool | None = None, encoding: str | None = None) -> None:
        document = self._open[uri]
        document.dirty_hint = document.dirty_hint if dirty is None else dirty
        document.encoding_hint = encoding or document.encoding_hint
        self._tell(document.path)

    def hint_elsewhere(self, path: str, *, unsaved: bool) -> None:
        """`path`: the file's real path; it need not be open."""
        (self._unsaved_elsewhere.add if unsaved else self._unsaved_elsewhere.discard)(path)

    def lose_track(self, uri: str) -> None:
        """Put the document out of sync."""
        document = self._open[uri]
        document.in_sync = False
        self._tell(document.path)

    def _tell_of_text(self, document: MemoryDocument) -> None:
        for seen in list(self._watchers_of_texts):
            seen(document.path, document)

    def _tell(self, path: str) -> None:
        for watched, seen in list(self._watchers):
            if watched == path:
                seen()
