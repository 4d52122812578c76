"""Reads lines from an open file of any size without loading it (docs/protocol.md#5-agentfsread).

Works on bytes; with a UTF-16 or UTF-32 mark, finds line ends in code units. The caller decodes. Blocks before
the range are only counted.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from agentfs_lsp.domain.errors import BadRange
from agentfs_lsp.domain.text.textfile import MARKS, mark_of

HEAD_BYTES = 4096
_BLOCK = 1 << 20
_WINDOW = 1 << 16


@dataclass(frozen=True, slots=True)
class _Units:
    """The file's code units: byte-order mark, and codec."""

    mark: bytes
    codec: str

    @property
    def width(self) -> int:
        return len("\0".encode(self.codec))

    @property
    def carriage_return(self) -> bytes:
        return "\r".encode(self.codec)

    @property
    def ends(self) -> re.Pattern[bytes]:
        cr, lf = re.escape(self.carriage_return), re.escape("\n".encode(self.codec))
        return re.compile(cr + lf + b"|" + cr + b"|" + lf)

    def cut(self, data: bytes, at: int) -> int:
        """`at`, or slightly before it so as not to split a character or CR LF."""
        at -= at % self.width
        if at > self.width and self.ends.fullmatch(data, at - self.width, at + self.width):
            return at - self.width
        if self.width == 1:
            back = 0
            while back < 3 and back < at and data[at - back] & 0xC0 == 0x80:
                back += 1
            return at - back if data[at - back] & 0xC0 == 0xC0 else at
        if self.width == 2:
            unit = int.from_bytes(data[at - 2 : at], "little" if self.codec.endswith("le") else "big")
            return at - 2 if 0xD800 <= unit < 0xDC00 else at
        return at


def read_line_range(
    fd: int, start_line: int, lines: int, max_bytes: int, stopped: Callable[[], bool] = lambda: False
) -> tuple[bytes, int, bool, bytes]:
    """Read `lines` lines (0: all) from the 1-based `start_line`, at most `max_bytes`. Returns the bytes
    without the file's mark, the number of lines, whether more follow, and the file's first bytes.

    Returns whole lines, unless the first alone exceeds `max_bytes`; that one is cut between characters.
    Raises BadRange past the end, and OSError, also once `stopped` returns true."""
    head = os.pread(fd, HEAD_BYTES, 0)
    mark = mark_of(head)
    units = _Units(mark, MARKS.get(mark, "utf-8"))
    return *_Scan(fd, units, stopped).lines(start_line, lines, max_bytes), head


class _Scan:
    def __init__(self, fd: int, units: _Units, stopped: Callable[[], bool]) -> None:
        self._fd = fd
        self._stopped = stopped
        self._units = units
        self._ends = units.ends

    def lines(self, start_line: int, lines: int, max_bytes: int) -> tuple[bytes, int, bool]:
        start = self._begin_of(start_line)
        pieces: list[bytes] = []
        size = count = 0
        for block, ends in self._blocks(start):
            if lines and count + ends >= lines:
                pieces.append(block[: self._nth_end(block, lines - count)])
                break
            pieces.append(block)
            count += ends
            size += len(block)
            if size > max_bytes:
                break
        data = b"".join(pieces)
        if len(data) > max_bytes:
            data = data[: self._last_end(data, max_bytes) or self._units.cut(data, max_bytes)]
        more = bool(os.pread(self._fd, 1, start + len(data)))
        return data, self._count(data) + self._is_open(data), more

    def _begin_of(self, line: int) -> int:
        """The offset at which the line starts. Raises BadRange."""
        offset = len(self._units.mark)
        if line == 1:
            return offset
        missing = line - 1
        unended = False
        for block, ends in self._blocks(offset):
            if ends >= missing:
                offset += self._nth_end(block, missing)
                missing = 0
                if os.pread(self._fd, 1, offset):
                    return offset
                break
            missing -= ends
            offset += len(block)
            unended = self._is_open(block)
        raise BadRange(line, line - 1 - missing + (unended and missing > 0))

    def _blocks(self, offset: int) -> Iterator[tuple[bytes, int]]:
        """The bytes from `offset` in pieces, each with its number of line ends. No piece splits a CR LF."""
        cr = self._units.carriage_return
        while block := os.pread(self._fd, _BLOCK, offset):
            if self._stopped():
                raise OSError(errno.ECANCELED, os.strerror(errno.ECANCELED))
            if len(block) == _BLOCK and block.endswith(cr):
                block = block[: -len(cr)]
            yield block, self._count(block)
            offset += len(block)

    def _count(self, data: bytes) -> int:
        if self._units.width == 1:
            carriage_returns = data.count(b"\r")
            return data.count(b"\n") + carriage_returns - (carriage_returns and data.count(b"\r\n"))
        return sum(1 for _ in self._ends_in(data, 0, len(data)))

    def _is_open(self, data: bytes) -> bool:
        """Whether the last line of `data` has no line end."""
        tail = data[-self._units.width :]
        return bool(tail) and not self._ends.fullmatch(tail)

    def _nth_end(self, data: bytes, number: int) -> int:
        return next(islice(self._ends_in(data, 0, len(data)), number - 1, None), len(data))

    def _last_end(self, data: bytes, limit: int) -> int:
        """The last line end at or before `limit`, 0 if none. If the limit splits a CR LF, its CR doesn't
        count."""
        width, high = self._units.width, limit - limit % self._units.width
        split = self._ends.fullmatch(data, high - width, high + width)
        high -= width if split else 0
        while high > 0:
            low = max(0, high - _WINDOW)
            if found := max(self._ends_in(data, low, high), default=0):
                return found
            high = low
        return 0

    def _ends_in(self, data: bytes, low: int, high: int) -> Iterator[int]:
        width = self._units.width
        for end in self._ends.finditer(data, low, high):
            if not end.start() % width:  # else parts of two code units that look like a line end
                yield end.end()
