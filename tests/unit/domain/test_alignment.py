"""The effort that a difference may cost is bounded, whatever the texts."""

from __future__ import annotations

from agentfs_lsp.domain.alignment import Effort, common_head, common_tail, differing


def test_common_ends_of_long_texts_are_found_to_the_character() -> None:
    old, new = "a" * 700_001 + "x" + "b" * 600_003, "a" * 700_001 + "yz" + "b" * 600_003
    whole = (0, len(old), 0, len(new))
    assert common_head(old, new, whole) == 700_001
    assert common_tail(old, new, whole) == 600_003


def test_texts_that_share_little_are_one_block_once_the_effort_is_spent() -> None:
    old, new = "ab" * 4_000, "bca" * 3_000
    effort = Effort(1_000)
    assert len(differing("x" + old, "y" + new, effort)) == 1
    assert effort.steps > -10_000


def test_moved_blocks_keep_the_longest_common_order() -> None:
    assert differing("0123456789", "5678901234", Effort()) in (
        [(0, 5, 0, 0), (10, 10, 5, 10)],
        [(0, 0, 0, 5), (5, 10, 10, 10)],
    )
