"""Lossless conversion between bytes and text, which preserves untouched bytes
(docs/protocol.md#5-agentfsread).

`encode(decode(data, ...).text, like=...)` equals `data` for any bytes: an encoding for which this does not
hold is not used. The caller selects the encoding; `editorconfig` reads it from the user's configuration.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from agentfs_lsp.domain.cached import cached
from agentfs_lsp.domain.errors import BinaryFile, Unencodable
from agentfs_lsp.domain.text.byte_order_mark import MARK
from agentfs_lsp.domain.text.lines import line_of

Eol = Literal["lf", "crlf", "cr", "mixed", "none"]

# UTF-32 before UTF-16, whose little-endian mark is a prefix of UTF-32's.
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_FIRST_OF_MARKS = {mark[:1] for mark in MARKS}
# Error handlers that preserve undecodable bytes. No other encoding is used for bytes that do not fit.
_KEEP = dict.fromkeys(MARKS.values(), "surrogatepass") | {"utf-8": "surrogateescape"}
_ASCII = bytes(range(128))
# Every encoding that shifts from ASCII to other characters, or spells them in ASCII, has one of these.
_BEYOND_ASCII = "éあ中한"
_SURROGATE = re.compile("[\ud800-\udfff]")
# VS Code means more than Python by these names, and Python's characters would be saved as other ones.
_IN_EDITORS = {"shiftjis": "cp932", "euckr": "cp949", "gb2312": "gbk"}
_RUN_TOGETHER = re.compile(r"(utf|windows|iso8859|koi8|mac)[-_]?(\w+?)(?:[-_]?bom)?", re.IGNORECASE)


class LineEnds(NamedTuple):
    """How many line ends of each kind a text has, and whether it ends with one."""

    lf: int
    crlf: int
    cr: int
    final: bool

    @property
    def kind(self) -> Eol:
        """The only kind, "mixed", or "none"."""
        if not self.crlf and not self.cr:
            return "lf" if self.lf else "none"
        kinds: list[Eol] = [kind for kind, count in zip(_KINDS, self[:3], strict=True) if count]
        return kinds[0] if len(kinds) == 1 else "mixed"


_KINDS: tuple[Eol, ...] = ("lf", "crlf", "cr")


@dataclass(frozen=True)
class TextFile:
    """A decoded file. `text` has its own line ends and no byte-order mark.

    If `lossy`, lone surrogates represent undecodable bytes: in UTF-8 U+DC80..U+DCFF, one per byte (PEP 383);
    in UTF-16 and UTF-32 the unpaired surrogates of the file."""

    text: str
    encoding: str
    bom: bytes
    lossy: bool

    @cached
    def shown(self) -> str:
        """`text` with U+FFFD for each lone surrogate; offsets stay the same. Cached, as it takes a while."""
        if not self.lossy:
            return self.text
        if "\0" in self.text:
            return _SURROGATE.sub("\ufffd", self.text)
        # Far faster if there are many. "?" replaces each, and NUL stands for the others meanwhile.
        replaced = self.text.replace("?", "\0").encode("utf-8", "replace").decode()
        return replaced.replace("?", "\ufffd").replace("\0", "?")

    @property
    def tells_itself(self) -> bool:
        """Whether the bytes alone determine the encoding, without settings or editor."""
        return bool(self.bom) or (
            self.encoding == "utf-8" and not self.lossy and not self.text.startswith(MARK)
        )

    @cached
    def line_ends(self) -> LineEnds:
        """Its line ends, counted once."""
        return line_ends_of(self.text)

    @property
    def total_lines(self) -> int:
        """The number of lines, including an unterminated last one."""
        ends = self.line_ends
        return ends.lf + ends.crlf + ends.cr + (self.text != "" and not ends.final)


def decode(data: bytes, fallback_encoding: str, path: str = "") -> TextFile:
    """Decode a file: by its mark, else as strict UTF-8, else in `fallback_encoding` if that round-trips the
    bytes, else as UTF-8 that keeps undecodable bytes (`lossy`). An unknown `fallback_encoding` is ignored.

    Raises BinaryFile (with `path`) if the text has NUL, or if bytes with a UTF-16 or UTF-32 mark are invalid:
    shown as anything else, an edit would damage them."""
    mark, encoding = b"", "utf-8"
    if data[:1] in _FIRST_OF_MARKS:
        mark = mark_of(data)
        encoding = MARKS.get(mark, encoding)
    body = data[len(mark) :]
    text, lossy = _fit(body, encoding), False
    if not mark and (text is None or b"\0" in body):
        known = encoding_named(fallback_encoding)
        fallback = _fit(body, known) if known else None
        if known and fallback and "\0" not in fallback and _expressed(fallback, known) == body:
            text, encoding = fallback, known
    if text is None:
        text, lossy = _fit(body, encoding, _KEEP[encoding]), True
    # The bytes if they suffice: wide-character text is slow to search.
    if text is None or (b"\0" in body if encoding == "utf-8" else "\0" in text):
        raise BinaryFile(path)
    return TextFile(text, encoding, mark, lossy)


def decode_as(data: bytes, encoding: str, mark: bytes = b"") -> TextFile | None:
    """Decode a file known to be in `encoding` (from `encoding_named`) after `mark`, whatever its bytes look
    like. None if they do not fit, or the text has NUL."""
    if not data.startswith(mark):
        return None
    body = data[len(mark) :]
    text, lossy = _fit(body, encoding), False
    if text is None and encoding in _KEEP:
        text, lossy = _fit(body, encoding, _KEEP[encoding]), True
    if text is None or "\0" in text or (not lossy and _expressed(text, encoding) != body):
        return None
    return TextFile(text, encoding, mark, lossy)


def empty_as(name: str | None) -> TextFile:
    """An empty file to be written in the encoding the editor calls `name`, with the mark editors use for it
    (`utf8bom`, UTF-16 and UTF-32). UTF-8 for None or an unknown name."""
    encoding = (encoding_named(name) if name else None) or "utf-8"
    mark = next((mark for mark, known in MARKS.items() if known == encoding), b"")
    if encoding == "utf-8" and not (name or "").lower().endswith("bom"):
        mark = b""
    return TextFile("", encoding, mark, lossy=False)


def is_wide(encoding: str) -> bool:
    """Whether this encoding (from `encoding_named`) uses several bytes for an ASCII character."""
    return encoding.startswith(("utf-16", "utf-32"))


def mark_of(data: bytes) -> bytes:
    """The byte-order mark at the start of a file, or b""."""
    return next(filter(data.startswith, MARKS), b"")


def encoding_named(name: str) -> str | None:
    """The value of `TextFile.encoding` for a name, including editors' spellings such as `utf8bom`,
    `windows1252` and `iso88591`. None if unknown, or if it neither extends ASCII nor is UTF-16 or UTF-32."""
    name = _IN_EDITORS.get(name, name)
    run_together = _RUN_TOGETHER.fullmatch(name)
    for spelling in (name, *(run_together.expand(one) for one in (r"\1-\2", r"cp\2") if run_together)):
        try:
            known = codecs.lookup(spelling).name
        except (LookupError, ValueError):
            continue
        return known if extends_ascii(known) or is_wide(known) else None
    return None


@cache
def extends_ascii(encoding: str) -> bool:
    """Whether ASCII text is ASCII bytes, and other text is not. In other encodings, the landed bytes could be
    text that neither the user nor the search for secrets has seen. The second byte of a letter may still be
    an ASCII one, which `misreading` finds. `encoding` is a name from `codecs.lookup`."""
    try:
        ascii_text = _ASCII.decode("ascii")
        if ascii_text.encode(encoding) != _ASCII or _ASCII.decode(encoding) != ascii_text:
            return False
    except (LookupError, ValueError):
        return False
    found = (_expressed(character, encoding) for character in _BEYOND_ASCII)
    return not any(data.isascii() for data in found if data is not None)


def encode(text: str, like: TextFile) -> bytes:
    """Encode `text` like that file, with its mark. Raises Unencodable rather than alter it."""
    errors = _KEEP[like.encoding] if like.lossy else "strict"
    data = _expressed(text, like.encoding, errors)
    if data is None:
        raise _first_unfit(text, like, lambda it: _expressed(it, like.encoding, errors) is not None)
    return like.bom + data


def check_insertable(inserted: str, like: TextFile) -> None:
    """Check that the file's encoding can express the inserted text; a lossy file accepts ASCII only. Raises
    Unencodable with the first character that doesn't fit."""
    if inserted.isascii():
        return
    if like.lossy:
        raise _first_unfit(inserted, like, str.isascii)
    if _expressed(inserted, like.encoding) is None:
        raise _first_unfit(inserted, like, lambda it: _expressed(it, like.encoding) is not None)


def eol_of(text: str) -> Eol:
    """The kind of line ends in `text`. Only `\\r` makes it necessary to count them."""
    return line_ends_of(text).kind if "\r" in text else "lf" if "\n" in text else "none"


def line_ends_of(text: str) -> LineEnds:
    returns = text.count("\r") if "\r" in text else 0  # rare, and counting visits every character
    both = text.count("\r\n") if returns else 0
    return LineEnds(text.count("\n") - both, both, returns - both, text.endswith(("\n", "\r")))


def _fit(data: bytes, encoding: str, errors: str = "strict") -> str | None:
    try:
        return data.decode(encoding, errors)
    except (LookupError, ValueError):
        return None


def _expressed(text: str, encoding: str, errors: str = "strict") -> bytes | None:
    """Encode `text`, or None if impossible. Some encoders substitute lookalikes (Shift JIS a backslash for a
    yen sign), so except for Unicode's the result is decoded for comparison."""
    try:
        data = text.encode(encoding, errors)
    except ValueError:
        return None
    return data if encoding in _KEEP or _fit(data, encoding) == text else None


def _first_unfit(text: str, like: TextFile, fits: Callable[[str], bool]) -> Unencodable:
    """The first character that doesn't fit on its own; the very first if only a combination doesn't."""
    fits = cache(fits)
    at = next((at for at, character in enumerate(text) if not fits(character)), 0)
    return Unencodable(text[at], like.encoding, line_of(text, at), ascii_only=like.lossy)
