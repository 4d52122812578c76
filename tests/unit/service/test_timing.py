"""The phases of a request."""

from itertools import count

from agentfs_lsp.service.timing import UNTIMED, Span, Timing


def test_a_phase_counts_as_often_as_it_happens() -> None:
    timing = Timing(count(100).__next__)  # arrives at 100
    with timing.phase("read"):  # 101 to 102
        pass
    with timing.phase("match"):  # 103 to 104
        pass
    with timing.phase("read"):  # 105 to 106
        pass
    assert timing.spans == {"read": Span(1, 6, 2), "match": Span(3, 4, 1)}


def test_where_nobody_observes_nothing_is_kept() -> None:
    with UNTIMED.phase("read"):
        UNTIMED.follow(object())
    assert (UNTIMED.spans, UNTIMED.proposal) == ({}, None)
