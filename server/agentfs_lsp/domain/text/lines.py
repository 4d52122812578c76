"""Lines of a text, which end at `\\n`, `\\r\\n`, and `\\r` only (docs/protocol.md#1-start-and-transport).

`str.splitlines` also splits at form feeds, U+2028, and others, which are content, so it is used only for
text without them. Offsets are code points; lines are 1-based. Nothing here iterates over single
characters, so that counting 10 MB takes milliseconds. `positions` handles columns and units of encodings;
`textfile` handles a file's own line endings.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import islice

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
LINE_END = re.compile(r"\r\n?|\n")
_CONTENT = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # line ends only to `str.splitlines`
_BLOCK = 1 << 16
_NEAR = 1 << 8


def split_lines(text: str) -> list[str]:
    """The lines of `text` with their ends (the last may have none)."""
    if any(map(text.__contains__, _CONTENT)):
        return _LINE.findall(text)
    return text.splitlines(keepends=True)


def blocks_of_lines(text: str, start: int, stop: int) -> Iterator[list[str]]:
    """`split_lines(text[start:stop])` in blocks, without building the whole list; `start` begins a line."""
    while start < stop:
        end = min(line_end(text, start + _BLOCK), stop)
        yield split_lines(text[start:end])
        start = end


def count_lines(text: str) -> int:
    """The number of lines: `"a\\nb"` has 2, `"a\\n"` 1, `""` 0."""
    return ends_between(text) + (text != "" and not is_ended(text))


def ends_between(text: str, start: int = 0, stop: int = sys.maxsize) -> int:
    """How many lines start in (start, stop]: after each `\\n`, and each `\\r` not followed by `\\n`."""
    carriages = 0
    if text.find("\r", start, stop) >= 0:  # rare; searching in vain is much cheaper than counting
        carriages = text.count("\r", start, stop) - text.count("\r\n", start, stop + 1)
    return text.count("\n", start, stop) + carriages


def line_of(text: str, offset: int) -> int:
    """The line that contains `offset`; a line end belongs to the line it ends."""
    return ends_between(text, 0, offset) + 1


def offset_of_line(text: str, line: int, start: int = 0) -> int:
    """The offset of line `line`, counted from the line start at `start`; `len(text)` if there are fewer."""
    if line <= 1:
        return start
    end = nth_line_end(text, line - 1, start)
    return end.end() if end else len(text)


def nth_line_end(text: str, number: int, start: int = 0) -> re.Match[str] | None:
    """The line end at which `number` (1 or more) lines from the line start at `start` are over; None if there
    are fewer. Counts blocks, and halves the last one until little of it is left."""
    if number > len(text) - start:
        return None
    at, width = start, min(_BLOCK, len(text) - start)
    while at + width < len(text) and (here := ends_between(text, at, at + width)) < number:
        number -= here
        at += width
    while width > _NEAR:
        width //= 2
        if (here := ends_between(text, at, at + width)) < number:
            number -= here
            at += width
    if at > start and text[at - 1 : at + 1] == "\r\n":
        at -= 1  # it counts where its `\n` is
    return next(islice(LINE_END.finditer(text, at), number - 1, None), None)


def starts_line(text: str, offset: int) -> bool:
    """Whether a line starts at `offset`, including `len(text)` after a final line end."""
    if offset == 0 or text[offset - 1] == "\n":
        return True
    return text[offset - 1] == "\r" and text[offset : offset + 1] != "\n"


def line_start(text: str, offset: int) -> int:
    """The start of the line that contains `offset`, in time proportional to the line."""
    if 0 < offset < len(text) and text[offset] == "\n" and text[offset - 1] == "\r":
        offset -= 1
    stop, width = offset, 256
    while stop > 0:
        begin = max(stop - width, 0)
        found = max(text.rfind("\n", begin, stop), text.rfind("\r", begin, stop))
        if found >= 0:
            return found + 1
        stop, width = begin, width * 2
    return 0


def line_end(text: str, offset: int) -> int:
    """The end of the line that contains `offset`, after its line end, in time proportional to the line."""
    begin, width = offset, 256
    while begin < len(text):
        stop = begin + width
        feed = text.find("\n", begin, stop)
        stop = stop if feed < 0 else feed
        carriage = text.find("\r", begin, stop)
        if carriage >= 0:
            return carriage + (2 if text.startswith("\n", carriage + 1) else 1)
        if feed >= 0:
            return feed + 1
        begin, width = stop, width * 2
    return len(text)


def is_ended(text: str) -> bool:
    """Whether the last line has a line end. False for ""."""
    return text.endswith(("\n", "\r"))


def without_end(text: str) -> str:
    """`text` without its final line end."""
    return text[:-2] if text.endswith("\r\n") else text[:-1] if is_ended(text) else text


def first_eol(text: str) -> str:
    """The first line end in `text`, or `\\n`."""
    found = LINE_END.search(text)
    return found.group() if found else "\n"


def lone_crs(text: str) -> int:
    """The number of `\\r` that belong to no `\\r\\n`."""
    return text.count("\r") - text.count("\r\n") if "\r" in text else 0  # rare


def with_eol(text: str, eol: str) -> str:
    """`text` with all line ends replaced by `eol`: `"\\n"`, `"\\r\\n"` or `"\\r"`."""
    text = normalize(text)
    return text if eol == "\n" else text.replace("\n", eol)


def normalize(text: str) -> str:
    """`text` with all line ends replaced by `\\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
