"""A large text is not searched line by line for a few lines."""

from random import Random

from agentfs_lsp.domain.matching.narrowing import where_possible

BLOCK = ["common 1", "common 2", "", "common 3"]


def text_of(words: int, block: list[str]) -> tuple[str, int, int]:
    """A text of common lines with the indented block in it, and the block's range."""
    choice = Random(1).choices([f"common {word}" for word in range(words)], k=3_000)
    before, there, after = ("".join(f"  {line}\n" for line in it) for it in (choice, block, choice[:1_000]))
    return before + there + after, len(before), len(before + there)


def test_a_block_of_common_lines_leaves_little_of_the_text() -> None:
    text, start, end = text_of(30, BLOCK)
    first, last = where_possible(text, BLOCK)
    assert start - 20 < first < start < end < last < end + 20


def test_it_is_known_that_a_block_is_nowhere_before_its_lines_are_compared() -> None:
    text, _, _ = text_of(30, BLOCK)
    assert where_possible(text, [*BLOCK, "elsewhere"]) == (0, 0)
    assert where_possible(text, ["common 1", "other", *BLOCK[1:]]) == (0, 0)


def test_what_is_not_looked_at_stays_possible() -> None:
    text, start, end = text_of(3, BLOCK)
    first, last = where_possible(text, BLOCK, effort=100)
    assert first < start - 1_000
    assert last > end + 1_000
