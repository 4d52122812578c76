"""Applies splices to a file's bytes, so that a small change does not encode or copy the whole of a large
file."""

from __future__ import annotations

from collections.abc import Sequence

from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.textfile import TextFile

SMALL = 64 * 1024
"""Up to this many bytes, encoding everything is as fast."""

FEW = 4
"""Up to this many splices, the result stays in pieces, written one by one; and splices are searched for in
the bytes if bytes are not characters."""

MANY = 1000
"""From this many splices, encoding everything is as fast again."""

_AROUND = 40

Pieces = tuple[bytes | memoryview, ...]
"""Consecutive bytes, not joined: unchanged parts are views of the file."""


def patch(data: bytes, file: TextFile, splices: Sequence[Splice]) -> Pieces | None:
    """The bytes of `file` (now `data`) with its text's splices applied and all else untouched. None if a
    splice's place is uncertain or encoding the whole text is as fast.

    Raises UnicodeEncodeError if the file's encoding can't express the inserted text."""
    places = _places(data, file, splices)
    if places is None:
        return None
    kept = memoryview(data)
    pieces: list[bytes | memoryview] = []
    at = 0
    for splice, (start, end) in zip(splices, places, strict=True):
        pieces += kept[at:start], splice.text.encode("utf-8")
        at = end
    pieces.append(kept[at:])
    return tuple(pieces) if len(splices) <= FEW else (b"".join(pieces),)


def _places(data: bytes, file: TextFile, splices: Sequence[Splice]) -> list[tuple[int, int]] | None:
    """The splices' places in the bytes; None if uncertain or not worthwhile."""
    if file.encoding != "utf-8" or file.lossy or len(data) <= SMALL:
        return None
    if len(splices) > (MANY if file.text.isascii() else FEW):
        return None
    places = [place for splice in splices if (place := _place(data, file, splice))]
    return places if len(places) == len(splices) else None


def _place(data: bytes, file: TextFile, splice: Splice) -> tuple[int, int] | None:
    text = file.text
    if text.isascii():
        shift = len(file.bom)
        return splice.start + shift, splice.end + shift
    begin = max(splice.start - _AROUND, 0)
    known = text[begin : splice.end + _AROUND].encode("utf-8")
    found = data.find(known)
    if found < 0 or data.find(known, found + 1) >= 0:
        return None  # the same text occurs elsewhere; the bytes don't tell which is meant
    start = found + len(text[begin : splice.start].encode("utf-8"))
    return start, start + len(text[splice.start : splice.end].encode("utf-8"))
