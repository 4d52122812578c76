"""What each session has read: the records that the precondition compares with
(docs/protocol.md#8-lock).

A session is a name on one connection; one process serves one connection. Nothing here looks at files.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentfs_lsp.domain.revision import Expected
    from agentfs_lsp.domain.settings.setting import Mode


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """What a session knows of a file: its revision, and its text while there is room for it. `in_editor`: it
    was a document's unsaved text, whose line ends and mark a save may make the file's. `learned_at`: the
    moment at which the session got to know it; its own landings keep it up."""

    revision: Expected
    text: str | None
    in_editor: bool = False
    learned_at: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """What a session knew of a file at a moment."""

    record: ReadRecord | None
    moment: int


_Key = tuple[str, str]  # session, absolute path


class Sessions:
    """The records of every session, bounded in number and in bytes of text, and the approval modes."""

    def __init__(self, max_records: int, max_text_bytes: int, max_sessions: int) -> None:
        self._max_records = max_records
        self._max_text_bytes = max_text_bytes
        self._max_sessions = max_sessions
        self._records: OrderedDict[_Key, ReadRecord] = OrderedDict()
        self._texts: OrderedDict[_Key, int] = OrderedDict()  # sizes of the texts still held
        self._text_bytes = 0
        self._held: OrderedDict[str, set[str]] = OrderedDict()  # the paths each session has records of
        self._modes: dict[str, Mode] = {}
        self._mode: Mode | None = None
        self._moment = 0

    def resize(self, max_records: int, max_text_bytes: int, max_sessions: int) -> None:
        """Take new limits; what no longer fits goes at once, least recently used first."""
        self._max_records = max_records
        self._max_text_bytes = max_text_bytes
        self._max_sessions = max_sessions
        self._evict()

    def get(self, session: str, absolute: str) -> ReadRecord | None:
        """What this session read of the file, if it is still known."""
        key = (session, absolute)
        record = self._records.get(key)
        if record is not None:
            self._records.move_to_end(key)
            self._held.move_to_end(session)
            if key in self._texts:
                self._texts.move_to_end(key)
        return record

    def known(self, session: str, absolute: str) -> Known:
        """What the session knows of the file now, to be held against `basis` later."""
        return Known(self.get(session, absolute), self._moment)

    def basis(self, session: str, absolute: str, then: Known) -> ReadRecord | None:
        """What a change builds on that was sent when `then` was known: that, kept up by what the session's
        own changes made of it. What the session has read since is not what the change was made of."""
        record = self.get(session, absolute)
        return record if record is None or record.learned_at <= then.moment else then.record

    def record(
        self,
        session: str,
        absolute: str,
        revision: Expected,
        text: str | None,
        *,
        in_editor: bool = False,
        learned: bool = True,
    ) -> None:
        """Remember what the session has just seen, or, where it has not `learned` anything, what its own
        change has left."""
        key = (session, absolute)
        known = self._records.get(key)
        learned_at = known.learned_at if known is not None else 0
        if learned and (known is None or known.revision.hash is None or known.revision.hash != revision.hash):
            self._moment += 1
            learned_at = self._moment
        self._drop(key)
        self._records[key] = ReadRecord(revision, text, in_editor, learned_at)
        self._held.setdefault(session, set()).add(absolute)
        self._held.move_to_end(session)
        if text is not None:
            self._texts[key] = size = text.__sizeof__()
            self._text_bytes += size
        self._evict()

    def complete(self, session: str, absolute: str, seen: Expected, revision: Expected, text: str) -> None:
        """Give the record that was made of `seen` its hash and text, which were not at hand then."""
        known = self._records.get((session, absolute))
        if known is not None and known.revision == seen and known.text is None:
            self.record(session, absolute, revision, text, learned=False)

    def forget(self, session: str, absolute: str) -> None:
        """Drop one record: nobody knows what the file is now."""
        self._drop((session, absolute))

    def forget_below(self, folder: str) -> None:
        """Drop the records of every file below a root that is gone."""
        prefix = folder.rstrip("/") + "/"
        for key in [key for key in self._records if key[1].startswith(prefix)]:
            self.forget(*key)

    def names(self) -> Iterator[str]:
        """Every session that has read something or has a mode of its own."""
        return iter(dict.fromkeys([*self._held, *self._modes]))

    # --- approval, per session ----------------------------------------------------------------------------

    def mode_of(self, session: str, configured: Mode) -> Mode:
        """The session's own mode, else the one set for all, else what the settings say."""
        return self._modes.get(session) or self.mode_for_all(configured)

    def mode_for_all(self, configured: Mode) -> Mode:
        """The mode of a session that has none of its own."""
        return self._mode or configured

    def set_mode(self, mode: Mode, session: str | None = None) -> None:
        """Set one session's mode, or with None everybody's, which ends what single sessions were allowed."""
        if session is None:
            self._modes.clear()
            self._mode = mode
        else:
            self._modes[session] = mode

    def forget_mode(self) -> None:
        """From here on the settings' mode counts again for all that have none of their own."""
        self._mode = None

    # --- bounds -------------------------------------------------------------------------------------------

    def _drop(self, key: _Key) -> None:
        if self._records.pop(key, None) is None:
            return
        self._text_bytes -= self._texts.pop(key, 0)
        session, absolute = key
        self._held[session].remove(absolute)
        if not self._held[session]:
            del self._held[session]

    def _evict(self) -> None:
        while len(self._held) > self._max_sessions:
            session, paths = next(iter(self._held.items()))
            for absolute in tuple(paths):
                self._drop((session, absolute))
        while len(self._records) > self._max_records:
            self._drop(next(iter(self._records)))
        while self._text_bytes > self._max_text_bytes and self._texts:
            key, size = self._texts.popitem(last=False)
            self._text_bytes -= size
            self._records[key] = replace(self._records[key], text=None)
