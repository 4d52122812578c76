"""Compares the files on disk after the demo with the expected state.

This is independent of the server: the expected state is computed from requests and responses, the actual
state is read from the disk. Texts have `\\n` line endings; the files' own line endings are compared with
those before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.domain.text.textfile import line_ends_of
from agentfs_lsp.domain.translation import Translate


@dataclass(frozen=True, slots=True)
class Finding:
    """A file at the end of the turn. `size` in bytes; `ok` if it has the accepted text."""

    path: str
    outcome: str
    size: int
    line_ends: str
    encoding: str
    check: str
    ok: bool


@dataclass
class _Entry:
    before: bytes | None
    expected: str | None  # None: the file should not exist
    outcomes: list[str] = field(default_factory=list)


@dataclass
class Ledger:
    """The files of one turn, in the order of first use."""

    root: Path
    translate: Translate
    _entries: dict[str, _Entry] = field(default_factory=dict)

    def touch(self, path: str) -> None:
        """Record a file's state before anything happens to it."""
        if path not in self._entries:
            file = self.root / path
            before = file.read_bytes() if file.exists() else None
            expected = None if before is None else normalize(before.decode(_encoding(before)))
            self._entries[path] = _Entry(before, expected)

    def note(self, path: str, outcome: str) -> None:
        """Record the outcome of a change, in a word or two."""
        self._entries[path].outcomes.append(outcome)

    def replace(self, path: str, old: str, new: str) -> None:
        entry = self._entries[path]
        assert entry.expected is not None
        entry.expected = entry.expected.replace(old, new, 1)

    def become(self, path: str, text: str) -> None:
        self._entries[path].expected = normalize(text)

    def findings(self) -> list[Finding]:
        """Every touched file's current state on disk, compared with what it should be."""
        return [self._find(path, entry) for path, entry in self._entries.items()]

    def _find(self, path: str, entry: _Entry) -> Finding:
        translate, file = self.translate, self.root / path
        outcome = ", ".join(entry.outcomes) or translate("untouched")
        if not file.exists():
            ok = entry.expected is None
            check = translate("does not exist") if ok else translate("missing")
            return Finding(path, outcome, 0, "", "", check, ok)
        data = file.read_bytes()
        encoding = _encoding(data if entry.before is None else entry.before)
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            return Finding(path, outcome, len(data), "?", encoding, translate("other encoding"), ok=False)
        problem = self._problem(text, entry, encoding)
        told = translate("as before") if data == entry.before else translate("as expected")
        line_ends = describe_line_ends(text) or translate("none")
        return Finding(path, outcome, len(data), line_ends, encoding, problem or told, not problem)

    def _problem(self, text: str, entry: _Entry, encoding: str) -> str:
        if entry.expected != normalize(text):
            return self.translate("differs from the accepted text")
        before = _line_ends(entry.before.decode(encoding)) if entry.before is not None else {}
        if before and _line_ends(text).keys() - before.keys():
            return self.translate("line endings changed")
        return ""


def describe_line_ends(text: str) -> str:
    """`"CRLF ×5"`, `"CRLF ×1, LF ×2"`; empty if there are none."""
    return ", ".join(f"{name} ×{count}" for name, count in _line_ends(text).items())


def _line_ends(text: str) -> dict[str, int]:
    """How often each kind occurs, without kinds that don't."""
    ends = line_ends_of(text)
    counts = {"CRLF": ends.crlf, "LF": ends.lf, "CR": ends.cr}
    return {name: count for name, count in counts.items() if count}


def _encoding(data: bytes) -> str:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"
