"""Applies splices to a file's bytes, so that a small change does not encode or copy the whole of a large
file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentfs_lsp.domain.splices import Splice
    from agentfs_lsp.domain.text.textfile import TextFile

SMALL = 64 * 1024
"""Up to this many bytes encoding everything is as quick."""

FEW = 4
"""Up to so many splices leave pieces, each of which is written by itself, and are looked for in all
the bytes where those are not the characters."""

MANY = 1000
"""From so many splices on encoding everything is as quick again."""

_AROUND = 40

Pieces = tuple[bytes | memoryview, ...]
"""Bytes one behind the other, not put together: those of a file that stay are looked at where they are."""


def patch(data: bytes, file: TextFile, splices: Sequence[Splice]) -> Pieces | None:
    """The bytes of `file`, which are `data`, with the splices of its text made; nothing else is touched. None
    where the place of a splice is not certain, or encoding the whole text is as quick.

    Raises UnicodeEncodeError where the file's encoding can't express what is put in.
    """
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
    """Where the splices' texts lie in the bytes; None where that is not certain or not worth it."""
    if file.encoding != "utf-8" or file.lossy or len(data) <= SMALL:
        return None
    if len(splices) > (MANY if file.text.isascii() else FEW):
        return None
    places: list[tuple[int, int]] = []
    for splice in splices:
        place = _place(data, file, splice)
        if place is None:
            return None
        places.append(place)
    return places


def _place(data: bytes, file: TextFile, splice: Splice) -> tuple[int, int] | None:
    text = file.text
    if text.isascii():
        shift = len(file.bom)
        return splice.start + shift, splice.end + shift
    begin = max(splice.start - _AROUND, 0)
    known = text[begin : splice.end + _AROUND].encode("utf-8")
    found = data.find(known)
    if found < 0 or data.find(known, found + 1) >= 0:
        return None  # the same words elsewhere: which of the two cannot be told from the bytes
    start = found + len(text[begin : splice.start].encode("utf-8"))
    return start, start + len(text[splice.start : splice.end].encode("utf-8"))
