"""Splits bytes into message bodies according to `Content-Length`, without I/O
(docs/protocol.md#1-start-and-transport).

Feed it input in pieces of any size, and iterate over the completed messages. No input stops the framer: it
reports invalid input once, and continues at the next line that looks like a header. JSON, file
descriptors, and responses are not part of this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_HEADER: Final = 4096
"""Bytes that the headers of one message may take."""

HEAD: Final = 1024
"""Bytes kept of a body that is skipped: enough to find the request's id in."""

_USUAL = re.compile(rb"Content-Length: ([0-9]{1,12})\r\n\r\n")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_LINE_ENDS = re.compile(rb"[\r\n]*")
_LENGTH = re.compile(rb"^content-length[ \t]*:[ \t]*(.*?)[ \t\r]*$", re.IGNORECASE | re.MULTILINE)
# Up to 12 digits: a terabyte is a broken header rather than a message worth skipping.
_DIGITS = re.compile(rb"[0-9]{1,12}")
_PLAUSIBLE = re.compile(rb"content-length[ \t]{0,4}:[ \t]{0,4}[0-9]{1,12}[ \t]{0,4}\r?\n", re.IGNORECASE)
_LONGEST_PLAUSIBLE: Final = 64


@dataclass(frozen=True, slots=True)
class Body:
    """The body of one message, whole."""

    data: bytes


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A body over the limit. It is skipped as it arrives; `size` is in bytes, `head` its first ones."""

    size: int
    head: bytes


@dataclass(frozen=True, slots=True)
class BadHeader:
    """Bytes that are no header; everything up to the next plausible header is dropped."""

    detail: str


Frame = Body | TooLarge | BadHeader


class Framer:
    """The receiving half of a connection; bodies of more than `max_body` bytes are skipped, not kept.

    Header names in any case, with or without blanks round the colon; other headers are ignored, and so are
    blank lines before them; a `\\n` alone ends a header line too.
    """

    def __init__(self, max_body: int) -> None:
        self._max_body = max_body
        self._rest = b""  # what was fed; consumed up to `_at`
        self._at = 0
        self._seeking = False  # between a bad header and the next plausible one
        self._missing = 0  # bytes of the present body still to come
        self._pieces: list[bytes] = []  # of the present body
        self._skipping: int | None = None  # the size of the present body where it is too large
        self._head: bytes | None = None  # of that body, until it was told

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take `data`, at once, and give the frames that are whole now, as they are asked for: a caller may
        stop in between and go on with `feed(b"")`."""
        # Slicing only here, not at every frame, keeps a read with thousands of messages linear.
        self._rest = self._rest[self._at :] + data if self._at < len(self._rest) else data
        self._at = 0
        return self._frames()

    def _frames(self) -> Iterator[Frame]:
        while self._at < len(self._rest):
            # Nearly every read is one message with the usual header: no detours for it.
            if not self._missing and (usual := _USUAL.match(self._rest, self._at)):
                begin, size = usual.end(), int(usual[1])
                if size <= self._max_body and begin + size <= len(self._rest):
                    self._seeking, self._at = False, begin + size
                    yield Body(self._rest[begin : self._at])
                    continue
            at, seeking = self._at, self._seeking
            frame = self._step()
            if frame is not None:
                yield frame
            elif (self._at, self._seeking) == (at, seeking):
                return  # more is needed

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
        return None if self._missing else Body(b"")

    def _keep(self) -> Frame | None:
        self._pieces.append(self._take())
        if self._missing:
            return None
        body = b"".join(self._pieces)
        self._pieces.clear()
        return Body(body)

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
        """Consume what is there of the present body, and give it."""
        start = self._at
        self._at = min(start + self._missing, len(self._rest))
        self._missing -= self._at - start
        return self._rest[start : self._at]

    def _lose(self, detail: str) -> BadHeader:
        self._seeking = True
        self._at += 1  # or the header that was refused would be found again
        return BadHeader(detail)

    def _seek(self) -> None:
        found = _PLAUSIBLE.search(self._rest, self._at)
        if found is None:
            self._at = max(self._at, len(self._rest) - _LONGEST_PLAUSIBLE)
            return
        self._at = found.start()
        self._seeking = False
