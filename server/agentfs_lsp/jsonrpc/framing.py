"""Splits bytes into message bodies according to `Content-Length`, without I/O
(docs/protocol.md#1-start-and-transport).

Feed it input in pieces of any size, and iterate over the completed messages. No input stops the framer: it
reports invalid input once, and continues at the next line that looks like a header. JSON, file
descriptors, and responses are not part of this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_HEADER: Final = 4096
"""Maximum bytes of one message's headers."""

HEAD: Final = 1024
"""Bytes kept of a skipped body: enough to find the request's id."""

_USUAL = re.compile(rb"Content-Length: ([0-9]{1,12})\r\n\r\n")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_LINE_ENDS = re.compile(rb"[\r\n]*")
_LENGTH = re.compile(rb"^content-length[ \t]*:[ \t]*(.*?)[ \t\r]*$", re.IGNORECASE | re.MULTILINE)
# Up to 12 digits: a terabyte is a broken header rather than a message worth skipping.
_DIGITS = re.compile(rb"[0-9]{1,12}")
_PLAUSIBLE = re.compile(rb"content-length[ \t]{0,4}:[ \t]{0,4}[0-9]{1,12}[ \t]{0,4}\r?\n", re.IGNORECASE)
_LONGEST_PLAUSIBLE: Final = 64


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A body over the limit, skipped on arrival; `size` is in bytes, `head` its first bytes."""

    size: int
    head: bytes


@dataclass(frozen=True, slots=True)
class BadHeader:
    """Bytes that are not a header; everything up to the next plausible header is dropped."""

    detail: str


Frame = bytes | TooLarge | BadHeader
"""The whole body of one message, or why there is none."""


class Framer:
    """The receiving half of a connection; skips bodies of more than `max_body` bytes.

    Accepts header names in any case, with or without spaces around the colon, and lines ended by `\\n` only;
    ignores other headers and blank lines before them."""

    def __init__(self, max_body: int) -> None:
        self._max_body = max_body
        self._rest = b""  # the input; consumed up to `_at`
        self._at = 0
        self._seeking = False  # between a bad header and the next plausible one
        self._missing = 0  # remaining bytes of the current body
        self._body: list[bytes] = []  # its pieces so far
        self._kept = 0  # their bytes
        self._skipping: int | None = None  # the size of the current body if it is too large
        self._head: bytes | None = None  # the start of that body, until reported

    @property
    def held(self) -> int:
        """Bytes of incomplete input that are kept."""
        return len(self._rest) - self._at + self._kept

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take `data` at once, and yield the complete frames. A caller may stop in between and continue with
        `feed(b"")`."""
        # Slicing only here, not at every frame, keeps a read with thousands of messages linear.
        self._rest = self._rest[self._at :] + data if self._at < len(self._rest) else data
        self._at = 0
        return self._frames()

    def _frames(self) -> Iterator[Frame]:
        while self._at < len(self._rest):
            # Fast path: nearly every read is one message with the usual header.
            if not self._missing and (usual := _USUAL.match(self._rest, self._at)):
                begin, size = usual.end(), int(usual[1])
                if size <= self._max_body and begin + size <= len(self._rest):
                    self._seeking, self._at = False, begin + size
                    yield self._rest[begin : self._at]
                    continue
            at, seeking = self._at, self._seeking
            frame = self._step()
            if frame is not None:
                yield frame
            elif (self._at, self._seeking) == (at, seeking):
                return  # incomplete

    def _step(self) -> Frame | None:
        """Consume something: a header, a part of a body, or garbage."""
        if self._skipping is not None:
            return self._skip(self._skipping)
        if self._missing:
            return self._keep()
        if self._seeking:
            self._seek()
            return None
        return self._read_header()

    def _read_header(self) -> Frame | None:
        begin = _LINE_ENDS.match(self._rest, self._at)
        assert begin is not None
        self._at = start = begin.end()
        blank = _BLANK_LINE.search(self._rest, start, start + MAX_HEADER)
        if blank is None:
            too_long = len(self._rest) - start >= MAX_HEADER
            return self._lose("a header without an end") if too_long else None
        lengths = set(_LENGTH.findall(self._rest[start : blank.start()]))
        if len(lengths) != 1:
            return self._lose("several lengths" if lengths else "no Content-Length")
        (length,) = lengths
        if not _DIGITS.fullmatch(length):
            return self._lose("a Content-Length that is none")
        self._at = blank.end()
        self._missing = int(length)
        if self._missing > self._max_body:
            self._skipping, self._head = self._missing, b""
        return None if self._missing else b""

    def _keep(self) -> Frame | None:
        piece = self._take()
        self._body.append(piece)
        self._kept += len(piece)
        if self._missing:
            return None
        body, self._body, self._kept = b"".join(self._body), [], 0
        return body

    def _skip(self, size: int) -> Frame | None:
        piece = self._take()
        if not self._missing:
            self._skipping = None
        if self._head is None:
            return None
        self._head = (self._head + piece)[:HEAD]
        if len(self._head) < min(HEAD, size):
            return None
        head, self._head = self._head, None
        return TooLarge(size, head)

    def _take(self) -> bytes:
        """Consume and return the available part of the current body."""
        start = self._at
        self._at = min(start + self._missing, len(self._rest))
        self._missing -= self._at - start
        return self._rest[start : self._at]

    def _lose(self, detail: str) -> BadHeader:
        self._seeking = True
        self._at += 1  # otherwise the rejected header would be found again
        return BadHeader(detail)

    def _seek(self) -> None:
        found = _PLAUSIBLE.search(self._rest, self._at)
        if found is None:
            self._at = max(self._at, len(self._rest) - _LONGEST_PLAUSIBLE)
            return
        self._at = found.start()
        self._seeking = False
