"""Spaces and tabs at ends of lines, in the lines that a change touches."""

from __future__ import annotations

from collections.abc import Sequence

from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.lines import count_lines, ends_between, split_lines, without_end

_BLANKS = (" ", "\t")
_AT_LINE_ENDS = tuple(blank + end for blank in _BLANKS for end in "\r\n")

MAX_RANGES = 10
"""How many lines, or ranges of them, are named."""


def has_trailing(hunks: Sequence[Splice]) -> bool:
    """Whether some line of the new text ends with blanks."""
    return any(_has_trailing(hunk.text) for hunk in hunks)


def trimmed(text: str, hunks: Sequence[Splice]) -> tuple[tuple[Splice, ...], list[int]]:
    """The hunks of `text`, in whole lines, without blanks at ends of the lines that are new in them, and the
    1-based numbers of these lines in the new text. A line that a hunk only moves stays as it is."""
    made: list[Splice] = []
    lines: list[int] = []
    shift, counted, line = 0, 0, 0
    for hunk in hunks:
        replaced = text[hunk.start : hunk.end]
        if _has_trailing(hunk.text):
            line += ends_between(text, counted, hunk.start)
            counted = hunk.start
            put, numbers = _trimmed(hunk.text, {without_end(line) for line in split_lines(replaced)})
            lines += [line + shift + number for number in numbers]
            made.append(Splice(hunk.start, hunk.end, put))
        else:
            made.append(hunk)
        shift += count_lines(hunk.text) - count_lines(replaced)
    return tuple(made), lines


def _has_trailing(text: str) -> bool:
    return text.endswith(_BLANKS) or any(pair in text for pair in _AT_LINE_ENDS)


def _trimmed(text: str, kept: set[str]) -> tuple[str, list[int]]:
    pieces: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(split_lines(text), 1):
        body = without_end(line)
        bare = body.rstrip(" \t")
        if bare != body and body not in kept:
            line = bare + line[len(body) :]  # noqa: PLW2901
            numbers.append(number)
        pieces.append(line)
    return "".join(pieces), numbers


def ranges_of(lines: Sequence[int]) -> str:
    """Line numbers in ascending order as text, such as "3, 5-7"."""
    ranges: list[list[int]] = []
    for line in lines:
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    told = [f"{first}-{last}" if last > first else f"{first}" for first, last in ranges[:MAX_RANGES]]
    return ", ".join((*told, "…") if len(ranges) > MAX_RANGES else told)
