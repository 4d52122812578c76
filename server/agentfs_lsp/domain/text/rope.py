"""A text that can be edited in place, by the editor's lines and columns
(docs/protocol.md#1-start-and-transport).

The text is stored in chunks, so that the cost of a change depends only on its size, even in a document or
a single line of 10 MB. Lines end at `\\n`, `\\r\\n`, and `\\r` only. Columns are in units of the
negotiated encoding. Versions, URIs, and the wire format of changes are not part of this module.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from agentfs_lsp.domain.text.lines import LINE_END, ends_between, lone_crs, nth_line_end
from agentfs_lsp.domain.text.positions import Encoding, offset_at, units

Position = tuple[int, int]
"""0-based line and column; the column in units of the position encoding."""

CHUNK: Final = 1 << 13
"""Code points per chunk: finding a chunk then costs about as much as searching in it."""

_NEAR: Final = 256


@dataclass(eq=False)
class BadPosition(Exception):
    """A range no text has: negative, reversed, or inside a character."""

    position: Position


class Rope:
    """`text`, with columns counted in `encoding`. `cr_has_column`: the `\\r` of a `\\r\\n` counts as its
    line's last character. `chunk` is for tests. `lone_crs`: how many `\\r` belong to no `\\r\\n`."""

    def __init__(
        self, text: str, encoding: Encoding = "utf-16", *, cr_has_column: bool = False, chunk: int = CHUNK
    ) -> None:
        self._size = chunk
        self._encoding = encoding
        self.cr_has_column = cr_has_column
        self.lone_crs = lone_crs(text)
        self._joined: str | None = text
        # No chunk is empty unless the text is; none ends within a line end.
        self._chunks = _split(text, chunk) or [""]
        self._breaks = _Sums(self._chunks, ends_between)
        self._units = _Sums(self._chunks, lambda piece: units(piece, encoding))

    @property
    def text(self) -> str:
        """The whole text, joined once per change."""
        if self._joined is None:
            self._joined = "".join(self._chunks)
        return self._joined

    @property
    def size(self) -> int:
        """The number of code points."""
        return sum(map(len, self._chunks))

    def replace(self, start: Position, end: Position, text: str) -> None:
        """Replace the text between two positions. A column past the line means its end, a line past the last
        one the end of the text. Raises BadPosition and changes nothing."""
        if end < start:
            raise BadPosition(start)
        first, head = self._locate(start)
        last, tail = (first, head) if end == start else self._locate(end)
        self._put(first, last + 1, self._chunks[first][:head] + text + self._chunks[last][tail:])
        self._joined = None

    # --- chunks ---

    def _put(self, first: int, stop: int, new: str) -> None:
        """Replace the chunks [first, stop) by `new`. Takes in preceding chunks if it would otherwise be too
        short or start within a line end or a character."""
        while first > 0 and (len(new) <= self._size // 4 or _belong(self._chunks[first - 1][-1], new[0])):
            first -= 1
            new = self._chunks[first] + new
        # Only the last chunk has a place at its end, so what follows can't belong to the end of `new`.
        if not new and stop < len(self._chunks):
            new = self._chunks[stop]
            stop += 1
        pieces = _split(_join_pairs(new), self._size) if len(new) > 2 * self._size else [_join_pairs(new)]
        self.lone_crs += sum(map(lone_crs, pieces)) - sum(map(lone_crs, self._chunks[first:stop]))
        self._chunks[first:stop] = pieces
        self._breaks.replace(first, stop, pieces)
        self._units.replace(first, stop, pieces)

    # --- places: the number of a chunk and an offset in it ---

    def _locate(self, position: Position) -> tuple[int, int]:
        line, column = position
        if line < 0 or column < 0:
            raise BadPosition(position)
        first, begin = self._line_start(line)
        last, end = self._line_end(line, first, begin)
        end += self.cr_has_column and self._chunks[last].startswith("\r\n", end)
        if first == last:
            piece = self._chunks[first][begin:end]
            if column >= units(piece, self._encoding):
                return last, end
            return first, begin + self._offset(piece, column, position)
        wanted = self._units.before(first) + units(self._chunks[first][:begin], self._encoding) + column
        if wanted >= self._units.before(last) + units(self._chunks[last][:end], self._encoding):
            return last, end
        at = self._units.holding(wanted + 1)
        return at, self._offset(self._chunks[at], wanted - self._units.before(at), position)

    def _line_start(self, line: int) -> tuple[int, int]:
        if line == 0:
            return 0, 0
        at = self._breaks.holding(line)
        if at == len(self._chunks):
            return at - 1, len(self._chunks[-1])
        return at, self._break(at, line).end()

    def _line_end(self, line: int, first: int, begin: int) -> tuple[int, int]:
        found = LINE_END.search(self._chunks[first], begin, begin + _NEAR)
        if found:
            return first, found.start()
        at = self._breaks.holding(line + 1)
        if at == len(self._chunks):
            return at - 1, len(self._chunks[-1])
        return at, self._break(at, line + 1).start()

    def _break(self, at: int, number: int) -> re.Match[str]:
        """The text's `number`th line end, from 1, which is in chunk `at`."""
        found = nth_line_end(self._chunks[at], number - self._breaks.before(at))
        assert found is not None
        return found

    def _offset(self, piece: str, column: int, position: Position) -> int:
        offset = offset_at(piece, column, self._encoding)
        if units(piece[:offset], self._encoding) != column:
            raise BadPosition(position)  # inside a character; no editor means that
        return offset


class _Sums:
    """The chunks' sizes and prefix sums, computed on demand and kept up to the first changed chunk, so that
    edits close together are cheap."""

    def __init__(self, chunks: list[str], measure: Callable[[str], int]) -> None:
        self._measure = measure
        self._each = [measure(chunk) for chunk in chunks]
        self._sums: list[int] = []

    def replace(self, first: int, stop: int, chunks: list[str]) -> None:
        self._each[first:stop] = [self._measure(chunk) for chunk in chunks]
        del self._sums[first:]

    def before(self, at: int) -> int:
        """The total of all chunks before `at`."""
        self._extend(at)
        return self._sums[at - 1] if at else 0

    def holding(self, count: int) -> int:
        """The chunk in which the total reaches `count`; one past the last if it never does."""
        while len(self._sums) < len(self._each) and (not self._sums or self._sums[-1] < count):
            self._extend(len(self._sums) + 64)
        return bisect_left(self._sums, count)

    def _extend(self, to: int) -> None:
        known = len(self._sums)
        if known < to:
            so_far = self._sums[-1] if known else 0
            self._sums += list(accumulate(self._each[known:to], initial=so_far))[1:]


def _split(text: str, size: int) -> list[str]:
    pieces: list[str] = []
    at = 0
    while at < len(text):
        stop = at + size
        if text[stop - 1 : stop] == "\r" and text[stop : stop + 1] == "\n":
            stop += 1
        pieces.append(text[at:stop])
        at = stop
    return pieces


def _belong(before: str, after: str) -> bool:
    """Whether two characters must stay in one chunk: a CR LF, or the halves of a surrogate pair, which
    editors may insert one by one."""
    if before == "\r":
        return after == "\n"
    return "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"


def _join_pairs(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text
