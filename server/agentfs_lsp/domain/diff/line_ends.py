"""Restores a file's line endings in a text in which all of them are `\\n`.

Text amended by a reviewer or written whole by an agent has its own line endings. Lines that are unchanged
keep the file's line endings; other lines get those of their surroundings
(docs/protocol.md#91-review-clients, docs/protocol.md#6-agentfswrite).
"""

from __future__ import annotations

from collections.abc import Sequence

from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.lines import LINE_END, normalize, with_eol


def splices_towards(shown: str, wanted: str, lone_eol: str = "\n") -> tuple[Splice, ...]:
    """The line-sized splices of `shown` that turn it into `wanted`, whatever line ends that has.

    `lone_eol` is used if `shown` has no line end to copy."""
    return placed(shown, diff(normalize(shown), normalize(wanted)), lone_eol)


def splices_between(shown: str, wanted: str) -> tuple[Splice, ...]:
    """The same, but a line that `shown` lacks keeps the line end it has in `wanted`."""
    put: list[Splice] = []
    at_plain = at = there = 0  # the same place with LF line ends, in `shown`, and in `wanted`
    for piece in diff(normalize(shown), normalize(wanted)):
        start = _advance(shown, at, piece.start - at_plain)
        end = _advance(shown, start, piece.end - piece.start)
        begin = _advance(wanted, there, piece.start - at_plain)
        there = _advance(wanted, begin, len(piece.text))
        put.append(Splice(start, end, wanted[begin:there]))
        at_plain, at = piece.end, end
    return kept_apart(shown, put)


def placed(shown: str, pieces: Sequence[Splice], lone_eol: str = "\n") -> tuple[Splice, ...]:
    """Splices of `shown` with LF line ends, converted to its own. `lone_eol` as above."""
    if not LINE_END.search(shown):
        return tuple(Splice(piece.start, piece.end, with_eol(piece.text, lone_eol)) for piece in pieces)
    if "\r" not in shown:
        return tuple(pieces)
    put: list[Splice] = []
    at_plain = at = 0  # the same place with LF line ends, and with the file's
    for piece in pieces:
        start = _advance(shown, at, piece.start - at_plain)
        end = _advance(shown, start, piece.end - piece.start)
        put.append(Splice(start, end, with_eol(piece.text, surrounding_eol(shown, start, end))))
        at_plain, at = piece.end, end
    return kept_apart(shown, put)


def leaves_an_eol(text: str, splices: Sequence[Splice]) -> bool:
    """Whether `text` still has a line end after the splices."""
    at = 0
    for splice in splices:
        if LINE_END.search(text, at, splice.start) or LINE_END.search(splice.text):
            return True
        at = splice.end
    return LINE_END.search(text, at) is not None


def surrounding_eol(text: str, start: int, end: int) -> str:
    """The line end for text inserted at [start, end): the first one replaced, else that of the line before,
    else of the line after, else `\\n`."""
    inside = LINE_END.search(text, start, end)
    if inside:
        return inside.group()
    before = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start))
    if before >= 0:
        pair = text[before - 1 : before + 1]
        return "\r\n" if pair == "\r\n" else text[before]
    behind = LINE_END.search(text, end)
    return behind.group() if behind else "\n"


def kept_apart(text: str, splices: Sequence[Splice]) -> tuple[Splice, ...]:
    """The splices, changed so that a `\\r` and a `\\n` that were separate do not become one line end, which
    would lose a line. No splice starts or ends inside a `\\r\\n`."""
    if "\r" not in text:
        return tuple(splices)
    apart: list[Splice] = []
    at, before = 0, ""  # the end of the splices so far, and the last character they produce
    for number, splice in enumerate(splices):
        start, end, put = splice.start, splice.end, splice.text
        if start > at:
            before = text[start - 1]
        touched = number + 1 < len(splices) and splices[number + 1].start == end
        before_feed = not touched and text.startswith("\n", end)
        if before == "\r" and put.startswith("\n"):
            put = "\r" + put
        if before_feed and put.endswith("\r"):
            put += "\n"
        elif before_feed and before == "\r" and not put:
            end, put = end + 1, "\r\n"
        apart.append(Splice(start, end, put))
        at, before = end, put[-1:] or before
    return tuple(apart)


def _advance(text: str, start: int, plain: int) -> int:
    """The offset `plain` code points after `start`, counting `\\r\\n` as one."""
    end = start + plain
    while True:
        reached = start + plain + text.count("\r\n", start, end)
        if reached == end:
            break
        end = reached
    return end + 1 if text.startswith("\r\n", end - 1) and end > start else end
