"""What each session has read: the records the precondition compares with (docs/protocol.md#8-lock). Also its
approval mode and its last change.

A session is a name on one connection, and a process serves one connection. Nothing here reads files.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.domain.settings.setting import Mode


class ReadRecord(NamedTuple):
    """What a session knows of a file: its revision, and its text while memory allows. `in_editor`: the text
    was an unsaved document's, so a save may still change line ends and byte-order mark. `learned_at`: the
    logical time at which the session learned this content; its own landings don't advance it."""

    revision: Expected
    text: str | None
    in_editor: bool = False
    learned_at: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """What a session knew of a file at a logical time; None if that is no longer recorded."""

    record: ReadRecord | None
    moment: int


_Key = tuple[str, str]  # session, absolute path


class Sessions:
    """Read records of all sessions, limited in number and in bytes of text, approval modes, and last
    changes."""

    def __init__(self, max_records: int, max_text_bytes: int, max_sessions: int) -> None:
        self._records: OrderedDict[_Key, ReadRecord] = OrderedDict()
        self._texts: OrderedDict[_Key, int] = OrderedDict()  # sizes of the stored texts
        self._text_bytes = 0
        self._held: OrderedDict[str, set[str]] = OrderedDict()  # the paths recorded per session
        self._modes: dict[str, Mode] = {}
        self._mode: Mode | None = None
        self.last_change: dict[str, str] = {}
        """By session, the id of the latest change that landed or may have, whether or not history has it."""
        self.moment = 0
        self.resize(max_records, max_text_bytes, max_sessions)

    def resize(self, max_records: int, max_text_bytes: int, max_sessions: int) -> None:
        """Apply new limits, evicting the least recently used at once."""
        self._max_records = max_records
        self._max_text_bytes = max_text_bytes
        self._max_sessions = max_sessions
        self._evict()

    def get(self, session: str, absolute: str) -> ReadRecord | None:
        """The session's record of the file, if still stored."""
        key = (session, absolute)
        record = self._records.get(key)
        if record is not None:
            self._records.move_to_end(key)
            self._held.move_to_end(session)
            if key in self._texts:
                self._texts.move_to_end(key)
        return record

    def hash_read(self, session: str, absolute: str) -> str | None:
        """The hash in the record, if any. Not a use of it, and allowed on any thread."""
        record = self._records.get((session, absolute))
        return None if record is None else record.revision.hash

    def known(self, session: str, absolute: str, moment: int) -> Known:
        """What the session knew of the file at `moment`, for a later call of `basis`."""
        return Known(self.basis(session, absolute, Known(None, moment)), moment)

    def basis(self, session: str, absolute: str, then: Known) -> ReadRecord | None:
        """The record that a change sent at `then` builds on, updated by the session's own changes since, but
        not by its later reads."""
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
        """Store what the session has read, or, with `learned` false, what its own change left behind."""
        key = (session, absolute)
        known = self._records.get(key)
        learned_at = known.learned_at if known is not None else 0
        if learned and (known is None or known.revision.hash is None or known.revision.hash != revision.hash):
            self.moment += 1
            learned_at = self.moment
        self._drop(key)
        self._records[key] = ReadRecord(revision, text, in_editor, learned_at)
        self._held.setdefault(session, set()).add(absolute)
        self._held.move_to_end(session)
        if text is not None:
            self._texts[key] = size = text.__sizeof__()
            self._text_bytes += size
        self._evict()

    def complete(self, session: str, absolute: str, seen: Expected, revision: Expected, text: str) -> None:
        """Add the hash and text to the record of revision `seen`, once they are computed."""
        known = self._records.get((session, absolute))
        if known is not None and known.revision == seen and known.text is None:
            self.record(session, absolute, revision, text, learned=False)

    def forget(self, session: str, absolute: str) -> None:
        """Drop one record: the file's content is uncertain."""
        self._drop((session, absolute))

    def end_all(self, namespace: str) -> None:
        """Forget every session whose name begins with `namespace`: its connection has ended."""
        for key in [key for key in self._records if key[0].startswith(namespace)]:
            self._drop(key)
        for session in [session for session in self._modes if session.startswith(namespace)]:
            del self._modes[session]
        for session in [session for session in self.last_change if session.startswith(namespace)]:
            del self.last_change[session]

    def forget_files(self, gone: Callable[[str], bool]) -> None:
        """Drop the records of all files for whose absolute paths `gone` is true."""
        for key in [key for key in self._records if gone(key[1])]:
            self.forget(*key)

    def names(self) -> Iterator[str]:
        """Sessions that have read something or have a mode of their own."""
        return iter(dict.fromkeys([*self._held, *self._modes]))

    # --- approval, per session ----------------------------------------------------------------------------

    def mode_of(self, session: str, configured: Mode) -> Mode:
        """The session's mode: its own, else the one set for all, else the configured one."""
        return self._modes.get(session) or self._mode or configured

    def mode_for_all(self, configured: Mode) -> Mode:
        """The mode of sessions without one of their own."""
        return self._mode or configured

    def set_mode(self, mode: Mode, session: str | None = None) -> None:
        """Set one session's mode; with None, set everyone's and drop the sessions' own."""
        if session is None:
            self._modes.clear()
            self._mode = mode
        else:
            self._modes[session] = mode

    def forget_mode(self) -> None:
        """Return to the configured mode for sessions without one of their own."""
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
            self._records[key] = self._records[key]._replace(text=None)
