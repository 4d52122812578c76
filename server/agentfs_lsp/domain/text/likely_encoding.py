"""The likely encoding of bytes that are not UTF-8, as a hint for the user (docs/protocol.md#5-agentfsread).

A file is decoded in it only if that gives the text that the editor shows. An encoding qualifies if all
bytes are valid in it, and most non-ASCII characters are common characters of its script.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from agentfs_lsp.domain.text.textfile import TextFile

_NEAR = 32 * 1024
"""Bytes to look at on either side of the first undecodable one."""

_SAMPLE = 4096
"""Bytes of them to examine, up to a line end that soon follows: a hint must not slow down reading a file."""

_CHUNK = 256 * 1024
"""Bytes to check at once. Decoding all of a large file would keep other threads from running."""

_ENOUGH = 0.8
"""The share of non-ASCII characters that must be common."""

# Not words in capitals: the capitals of one encoding are the small letters of the other.
_CYRILLIC = re.compile(r"[\u0410-\u042f]?[\u0430-\u044f\u0451]{2,}|[\u0410-\u042f][\u0430-\u044f\u0451]")
_HAN = r"\u3000-\u303f\uff01-\uff5e\u2014\u2018-\u201d\u2026"


class _Candidate(NamedTuple):
    """`usual`: runs of common characters. `leads`: the first bytes of common Chinese characters."""

    encoding: str
    usual: re.Pattern[str]
    leads: range = range(0)


# The first of equally good ones wins: Korean and Japanese also read as common Chinese, but not vice versa.
# Western text has its own letters singly, among others.
_CANDIDATES = (
    _Candidate("euc_kr", re.compile(rf"[\uac00-\ud7a3{_HAN}]+")),
    _Candidate("euc_jp", re.compile(rf"[\u3041-\u30fe{_HAN}]+"), range(0xB0, 0xD0)),
    _Candidate("shift_jis", re.compile(rf"[\u3041-\u30fe{_HAN}]+"), range(0x88, 0x98)),
    _Candidate("gbk", re.compile(rf"[{_HAN}\u00b7]+"), range(0xB0, 0xD8)),
    _Candidate("big5", re.compile(rf"[{_HAN}\u00b7]+"), range(0xA4, 0xC7)),
    _Candidate("cp1251", _CYRILLIC),
    _Candidate("koi8-r", _CYRILLIC),
    _Candidate(
        "cp1252",
        re.compile(
            r"(?<![\u00c0-\u00ff])[\u00c0-\u00ff]{1,2}(?![\u00c0-\u00ff])|[\u2013-\u2026\u20ac\xa7\xa9\xb0\xab\xbb]"
        ),
    ),
)
_JAPANESE = {"euc_jp", "shift_jis"}
_KANA = re.compile(r"[\u3041-\u30fe]")
_OTHER = re.compile(r"[^\x00-\x7f]")


def likely_encoding(data: bytes, text: TextFile) -> str | None:
    """The likely encoding of the bytes, which `text` decodes lossily. None if they are UTF-8 with a few
    damaged bytes, or nothing fits well."""
    near = _near_undecodable(data) if text.encoding == "utf-8" else b""
    others = _OTHER.findall(near.decode("utf-8", "surrogateescape"))
    if 2 * sum("\ud800" <= it <= "\udfff" for it in others) < len(others):
        return None
    told = b"\n".join(line for line in near.split(b"\n") if not line.isascii())
    end = told.find(b"\n", _SAMPLE, 2 * _SAMPLE)
    sample = told[: 2 * _SAMPLE] if end < 0 else told[:end]
    best, found = _ENOUGH, None
    for candidate in _CANDIDATES:
        share = _share(candidate, sample)
        is_better = share > best or (share == best and found is None)
        if is_better and _is_in(data, candidate.encoding):
            best, found = share, candidate.encoding
    return found


def _near_undecodable(data: bytes) -> bytes:
    """The bytes around the first that UTF-8 can't have; b"" if there is none. They begin with a character, in
    any encoding."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        at = error.start
    else:
        return b""
    low = max(0, at - _NEAR)
    blanks = [found for found in (data.find(b"\n", low, at), data.find(b" ", low, at)) if found >= 0]
    begin = (min(blanks) + 1 if blanks else at) if low else 0
    return data[begin : at + _NEAR]


def _is_in(data: bytes, encoding: str) -> bool:
    """Whether all of the bytes are text in this encoding, and the text has just these bytes."""
    decoder, checked = codecs.getincrementaldecoder(encoding)(), 0
    try:
        for begin in range(0, len(data), _CHUNK):
            text = decoder.decode(data[begin : begin + _CHUNK], begin + _CHUNK >= len(data))
            back = text.encode(encoding)
            if "\0" in text or not data.startswith(back, checked):
                return False
            checked += len(back)
    except ValueError:
        return False
    return checked == len(data)


def _text_of(sample: bytes, encoding: str) -> str:
    """The sample, which may end within a character; "" if it is not in this encoding."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
        return text if sample.startswith(text.encode(encoding)) else ""
    except ValueError:
        return ""


def _share(candidate: _Candidate, sample: bytes) -> float:
    """The share of non-ASCII text that is common in the candidate, from 0 to 1."""
    text = _text_of(sample, candidate.encoding)
    others = _OTHER.findall(text)
    if not others or (candidate.encoding in _JAPANESE and not _KANA.search(text)):
        return 0
    usual = sum(len(it[0]) for it in candidate.usual.finditer(text))
    usual += sum(
        it.encode(candidate.encoding)[0] in candidate.leads for it in others if "\u4e00" <= it <= "\u9fff"
    )
    return usual / len(others)
