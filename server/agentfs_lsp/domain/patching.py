"""Splices made on a file's bytes: a small change of a large file neither encodes nor copies all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.change import apply_splices
from agentfs_lsp.domain.textfile import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentfs_lsp.domain.change import Splice
    from agentfs_lsp.domain.textfile import TextFile

SMALL = 64 * 1024
"""Up to this many bytes encoding everything is as quick."""

FEW = 4
"""Every splice is looked for in all the bytes, so there must be few."""

_AROUND = 40

Pieces = tuple[bytes | memoryview, ...]
"""Bytes one behind the other, not put together: those of a file that stay are looked at where they are."""


def patch(data: bytes, file: TextFile, splices: Sequence[Splice]) -> Pieces:
    """The bytes of `file`, which are `data`, with the splices of its text made; nothing else is touched.

    Raises UnicodeEncodeError where the file's encoding can't express what is put in.
    """
    places = _places(data, file, splices)
    if places is None:
        return (encode(apply_splices(file.text, splices), file),)
    kept = memoryview(data)
    pieces: list[bytes | memoryview] = []
    at = 0
    for splice, (start, end) in zip(splices, places, strict=True):
        pieces += kept[at:start], splice.text.encode("utf-8")
        at = end
    return (*pieces, kept[at:])


def _places(data: bytes, file: TextFile, splices: Sequence[Splice]) -> list[tuple[int, int]] | None:
    """Where the splices' texts lie in the bytes; None where that is not certain or not worth it."""
    if file.encoding != "utf-8" or file.lossy or len(data) <= SMALL or len(splices) > FEW:
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
