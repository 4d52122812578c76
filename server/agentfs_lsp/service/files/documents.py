"""What the editor holds open, as a port (docs/protocol.md#1-start-and-transport)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Document(Protocol):
    """An open document as it is now."""

    @property
    def uri(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def dirty_hint(self) -> bool | None:
        """What the client told of unsaved changes (`agentfs/documentState`), None if it told nothing."""

    @property
    def as_saved(self) -> bool:
        """Whether the client told of a save, and of no change since."""

    @property
    def encoding_hint(self) -> str | None: ...
    @property
    def ends_last_line(self) -> bool:
        """Whether its editor keeps the line end of the last line apart from the text, and puts it in where an
        edit reaches past the last line (docs/protocol.md#93-how-it-lands)."""

    @property
    def places_certain(self) -> bool:
        """False where the text has a carriage return by itself, which the editor may not count as a line end:
        then it can be read, and no edit lands in it (docs/protocol.md#1-start-and-transport)."""

    @property
    def in_sync(self) -> bool:
        """False once a change could not be followed: then `text` is not what the user sees, and nothing may
        be read from it or landed in it until the editor sends the whole text again."""


class Documents(Protocol):
    """The open documents, by the real path of the file they show."""

    def at(self, absolute: str) -> Document | None:
        """The document that shows this file; where several do (through links), one with unsaved changes."""

    def watch(self, absolute: str, seen: Callable[[], None]) -> Callable[[], None]:
        """Call `seen` after every open, change, save and close of that file's documents, on the event loop.
        Returns what ends the watch."""
