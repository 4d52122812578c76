"""The port to the editor's open documents (docs/protocol.md#1-start-and-transport)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Document(Protocol):
    """An open document in its current state."""

    @property
    def uri(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def size(self) -> int:
        """The number of code points in `text`, without putting it together."""

    @property
    def dirty_hint(self) -> bool | None:
        """Unsaved changes as reported in `agentfs/documentState`; None if not reported."""

    @property
    def as_saved(self) -> bool:
        """Whether the client reported a save, and no change since."""

    @property
    def encoding_hint(self) -> str | None: ...
    @property
    def ends_last_line(self) -> bool:
        """Whether the editor stores the last line end separately and inserts it when an edit reaches past the
        last line (docs/protocol.md#93-how-it-lands)."""

    @property
    def positions_reliable(self) -> bool:
        """False if the text has a lone CR, which the editor may not count as a line end: it can be read, but
        no edit lands in it (docs/protocol.md#1-start-and-transport)."""

    @property
    def in_sync(self) -> bool:
        """False after a change that could not be applied: `text` is not what the user sees, so the document
        can be neither read nor edited until the editor sends its whole text again."""


class Documents(Protocol):
    """The open documents, by the file's real path."""

    def at(self, absolute: str, uri: str | None = None) -> Document | None:
        """The file's document; if several show it (through links), the one under `uri`, or without that
        preferably one with unsaved changes."""

    def is_unsaved_elsewhere(self, absolute: str) -> bool:
        """Whether an editor that does not show the file as text, such as a notebook, has unsaved changes of
        it, as reported in `agentfs/documentState`."""

    def leads_to(self, spelled: str, absolute: str) -> None:
        """Documents opened under the path `spelled` show the file at `absolute`: a request found it there."""

    def watch(self, absolute: str, seen: Callable[[], None]) -> Callable[[], None]:
        """Call `seen` on the event loop after every open, change, save and close of the file's documents.
        Returns a function that ends the watch."""

    def watch_texts(self, seen: Callable[[str, Document], None]) -> Callable[[], None]:
        """Call `seen` on the event loop with a file's real path after every open and change of its document,
        and after a link on the way to it was switched. Returns a function that ends the watch."""
