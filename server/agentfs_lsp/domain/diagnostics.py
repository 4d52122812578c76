"""Syntax errors that a change introduces (docs/protocol.md#95-diagnostics): what a parser finds in the text
before and after it, without what was there before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.lines import count_lines, ends_between, split_lines

MAX_SYNTAX_ERRORS = 10
"""How many syntax errors of a file are reported: after the first, others are often its consequences."""

LONGEST_EXCERPT = 60
"""Maximum characters of the line that a message quotes."""


class Fault(NamedTuple):
    """A place that does not parse. `missing`: what the parser expected there, "" if it can't place what is
    there. Lines count from 0."""

    missing: str
    first: int
    last: int


class SyntaxProblem(NamedTuple):
    """A syntax error in `line`, which counts from 1. `near`: the beginning of that line."""

    line: int
    missing: str
    near: str

    @property
    def detail(self) -> str:
        """As the detail of a warning, before `wording.detail_text` translates it."""
        return f"missing {self.missing}" if self.missing else f"near {self.near}"


class Diagnostic(NamedTuple):
    """What a program in the editor says about `line`, which counts from 1."""

    line: int
    message: str
    severity: Literal["error", "warning"]
    source: str


class _Hunk(NamedTuple):
    """Whole lines that are replaced, counted from 0; the ends are exclusive."""

    old: int
    old_end: int
    new: int
    new_end: int


def new_problems(
    before: str, after: str, hunks: Sequence[Splice], old: Sequence[Fault], new: Sequence[Fault]
) -> tuple[SyntaxProblem, ...]:
    """The faults of `after` that `before` did not have. Both texts end lines at `\\n`; `hunks` are the whole
    lines in which they differ. A fault is an old one if its line was kept and already was part of a fault, or
    if the same is wrong in a line that reads the same."""
    lines, lines_before = split_lines(after), split_lines(before)
    places = _places(before, hunks)
    known = Counter((one.missing, _line(lines_before, one.first)) for one in old)
    found: dict[int, SyntaxProblem] = {}
    for fault in new:
        kept = _line_before(fault.first, places)
        if kept is not None and any(one.first <= kept <= one.last for one in old):
            known[fault.missing, _line(lines, fault.first)] -= 1
            continue
        same = (fault.missing, _line(lines, fault.first))
        if known[same] > 0:
            known[same] -= 1
            continue
        number = _changed_line(fault, places)
        near = _line(lines, number)[:LONGEST_EXCERPT]
        found.setdefault(number, SyntaxProblem(number + 1, fault.missing, near))
    return tuple(found[number] for number in sorted(found))[:MAX_SYNTAX_ERRORS]


def introduced(
    before: str, hunks: Sequence[Splice], old: Sequence[Diagnostic], new: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Those of `new` that `old` did not have, by line. `old` are about the text `before`, in which `hunks`
    were replaced since. The same message is an old one in the line in which it was, wherever that is now, or
    else as often as it was there."""
    places = _places(before, hunks)
    rest = Counter(old)
    moved: list[Diagnostic] = []
    for one in new:
        line = _line_before(one.line - 1, places)
        there = one._replace(line=0 if line is None else line + 1)
        if rest[there] > 0:
            rest[there] -= 1
        else:
            moved.append(one)
    left = Counter(one._replace(line=0) for one in rest.elements())
    found: list[Diagnostic] = []
    for one in moved:
        if left[one._replace(line=0)] > 0:
            left[one._replace(line=0)] -= 1
        else:
            found.append(one)
    return tuple(sorted(found))


def _places(before: str, hunks: Sequence[Splice]) -> list[_Hunk]:
    places: list[_Hunk] = []
    counted = line = shift = 0
    for hunk in hunks:
        line += ends_between(before, counted, hunk.start)
        counted = hunk.start
        removed, added = count_lines(before[hunk.start : hunk.end]), count_lines(hunk.text)
        places.append(_Hunk(line, line + removed, line + shift, line + shift + added))
        shift += added - removed
    return places


def _line_before(line: int, places: Sequence[_Hunk]) -> int | None:
    """Where a line was before the change; None if the change wrote it."""
    shift = 0
    for one in places:
        if line < one.new:
            break
        if line < one.new_end:
            return None
        shift = one.old_end - one.new_end
    return line + shift


def _changed_line(fault: Fault, places: Sequence[_Hunk]) -> int:
    """The first line of the fault that the change wrote, or else its first line: a parser may give up long
    before the place that the change broke."""
    for one in places:
        first = max(fault.first, one.new)
        if first <= fault.last and first < one.new_end:
            return first
    return fault.first


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number].strip() if number < len(lines) else ""
