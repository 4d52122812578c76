"""The byte-order mark in texts: a file's own is stored beside its text, but some editors keep it in there."""

from __future__ import annotations

from agentfs_lsp.domain.text.lines import normalize

MARK = "\ufeff"


def reads_same(one: str, other: str) -> bool:
    """Whether two texts are equal apart from line ends and a leading byte-order mark."""
    return normalize(one).removeprefix(MARK) == normalize(other).removeprefix(MARK)


def marked_like(known: str, text: str) -> str:
    """`text` with a byte-order mark in front if `known` has one: some editors keep the mark in the text."""
    return MARK * known.startswith(MARK) + text.removeprefix(MARK)


def both_marked_like(known: str, old: str, new: str) -> tuple[str, str]:
    """The same for two versions of a text, unless only one has it: then it is a character like any other."""
    if old.startswith(MARK) != new.startswith(MARK):
        return old, new
    return marked_like(known, old), marked_like(known, new)
