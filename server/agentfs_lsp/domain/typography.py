"""Characters that are typed alike (docs/protocol.md#7-agentfsedit, level `unicode`).

Typographic quotes, dashes, no-break blanks, and letters with their marks composed or not. Not here, as they
change what a text says: compatibility forms (full width, ligatures), ellipses, guillemets, invisible signs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING
from unicodedata import is_normalized, normalize

from agentfs_lsp.domain.splicing import differing_elements

if TYPE_CHECKING:
    from collections.abc import Sequence

_TYPED = {
    "'": "‘’‚‛′",
    '"': "“”„‟″",
    "-": "‐‑‒–—―−",
    " ": "\u00a0\u2007\u202f",
}
_TOKEN = re.compile(r"\w[\w\u0300-\u036f]*|[^\w][\u0300-\u036f]*")


def fold(text: str) -> str:
    """`text` as it would be typed. Line ends stay; the number of code points may change."""
    if text.isascii():
        return text
    text = normalize("NFC", text)
    for typed, variants in _TYPED.items():
        for variant in variants:
            text = text.replace(variant, typed)
    return text


def unfolded_column(line: str, column: int) -> int | None:
    """The column in `line` that `column` of `fold(line)` stands for; None inside what folds as one."""
    if is_normalized("NFC", line):
        return column
    found = bisect_right(range(len(line) + 1), column, key=lambda at: len(fold(line[:at]))) - 1
    return found if fold(line[:found]) == fold(line)[:column] else None


def keep_characters(old: Sequence[str], new: Sequence[str], present: Sequence[str]) -> list[str]:
    """The new lines with the file's own characters wherever the request left a word or a sign as it was.

    `present` folds to the same as `old`. A paragraph on one line thus keeps its quotes when a word changes.
    """
    was, wanted = _tokens(old), _tokens(new)
    held = _tokens(present)
    if [fold(token) for token in was] != [fold(token) for token in held]:
        return list(new)
    pieces: list[str] = []
    at = 0
    for a0, a1, b0, b1 in differing_elements(was, wanted):
        pieces += held[at:a0] + wanted[b0:b1]
        at = a1
    return "".join(pieces + held[at:]).split("\n")


def _tokens(lines: Sequence[str]) -> list[str]:
    return _TOKEN.findall("\n".join(lines))
