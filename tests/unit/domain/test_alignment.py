"""The cost of a diff is bounded, whatever the texts."""

from random import Random

from agentfs_lsp.domain.diff.alignment import Effort, _shortest, common_head, common_tail, differing


def test_common_ends_of_long_texts_are_found_to_the_character() -> None:
    old, new = "a" * 700_001 + "x" + "b" * 600_003, "a" * 700_001 + "yz" + "b" * 600_003
    whole = (0, len(old), 0, len(new))
    assert common_head(old, new, whole) == 700_001
    assert common_tail(old, new, whole) == 600_003


def test_texts_that_share_little_are_one_block_once_the_effort_is_spent() -> None:
    old, new = "ab" * 4_000, "bca" * 3_000
    effort = Effort(1_000)
    assert len(differing("x" + old, "y" + new, effort)) == 1
    old = "".join(Random(1).choices("ab", k=4_000))
    new = "".join(Random(2).sample(old, len(old)))
    assert len(differing("x" + old, "y" + new, effort)) == 1


def test_the_effort_counts_across_searches() -> None:
    effort = Effort(2_000)
    old = "".join(map(chr, range(200, 300)))
    assert _shortest(old, old[::-1], (0, 100, 0, 100), effort) == []
    assert effort.steps <= 0
    assert _shortest("xa", "ya", (0, 2, 0, 2), effort) == []


def test_windows_that_overlap_in_one_text_alone_are_not_both_anchors() -> None:
    old = "bbbbaababbaaaaaabaabaaaaaabbbbababababbabaaaaabbaba"
    new = "aaaabaabaabbbbaababbaaaaaabaabaabababbababbabaaaaabbabababaaaaabbabaa"
    built, at = "", 0
    for a0, a1, b0, b1 in differing(old, new, Effort()):
        built += old[at:a0] + new[b0:b1]
        at = a1
    assert built + old[at:] == new


def test_a_moved_line_leaves_the_others_where_they_are() -> None:
    assert differing("0123456789", "1234567890", Effort()) == [(0, 1, 0, 0), (10, 10, 9, 10)]


def test_moved_blocks_keep_the_longest_common_order() -> None:
    assert differing("0123456789", "5678901234", Effort()) in (
        [(0, 5, 0, 0), (10, 10, 5, 10)],
        [(0, 0, 0, 5), (5, 10, 10, 10)],
    )
