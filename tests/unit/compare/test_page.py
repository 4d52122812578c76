"""docs/comparison.md is what `make compare` writes, with every party and every group of cases."""

import json

from bench.results import AGENTFS, NPM
from compare.cases import GROUPS
from compare.document import Comparison, Result, page
from compare.parties import PARTIES
from compare.verdicts import CORRECT, Kind, Verdict
from support.docs import section, table, text_of

GROUP = next(iter(GROUPS))
SPEED = {
    "facts": {"durability": "Only agentfs syncs."},
    "measures": [
        {"name": "edit 1 KB", "unit": "ms", "parties": {AGENTFS: {"median": 2.0}, NPM: {"median": 1.0}}},
        {"name": "read 1 KB", "unit": "ms", "parties": {AGENTFS: {"median": 1.0}, NPM: {"median": 2.0}}},
        {"name": "status", "unit": "ms", "parties": {AGENTFS: {"median": 1.0}}},
    ],
}


def compared() -> Comparison:
    results = [
        Result("agentfs", "edits/a", GROUP, CORRECT),
        Result("agentfs", "edits/b", GROUP, Verdict(Kind.REFUSED, "read it | again")),
        Result("other", "edits/a", GROUP, Verdict(Kind.LOST, "gone")),
        Result("other", "edits/b", GROUP, CORRECT),
    ]
    parties = {"agentfs": "agentfs 1: it", "other": "other 2: that", "third": ""}
    return Comparison("today", {"third": "no Node"}, parties, results, json.dumps(SPEED))


def test_the_page_has_every_party_and_group() -> None:
    results = section(text_of("comparison.md"), "Results")
    rows = table(results, "cases")
    assert [row["cases"] for row in rows] == [*GROUPS, "all"]
    absent = {
        row["party"]
        for row in table(section(text_of("comparison.md"), "What was run"), "party")
        if row["version"] == "not available"
    }
    assert set(rows[0]) == {"cases", *(party.name for party in PARTIES)} - absent


def test_the_counts_are_those_of_the_results() -> None:
    (first, *_, last) = table(section(page(compared()), "Results"), "cases")
    assert first == {"cases": GROUP, "agentfs": "1 / 1 / 0 / 0", "other": "1 / 0 / 0 / 1"}
    assert last["other"] == "1 / 0 / 0 / 1"


def test_where_a_peer_is_better_is_computed() -> None:
    better = section(page(compared()), "Where a peer is better").strip().split("\n")
    assert better == [
        "- `edits/b`: other correct; agentfs refused: `` read it \\| again ``",
        "- edit 1 KB: npm file server faster",
    ]


def test_every_result_that_is_not_correct_is_listed_and_can_be_run_again() -> None:
    others = section(page(compared()), "Every result that is not “correct”")
    assert '--peer "other" --case CASE' in section(others, "other")
    (row,) = table(section(others, "other"), "case")
    assert row == {"case": "`edits/a`", "verdict": "lost", "what happened": "gone"}


def test_a_party_that_cannot_be_had_is_named() -> None:
    parties = table(section(page(compared()), "What was run"), "party")
    assert {"party": "third", "version": "not available", "how": "no Node"} in parties
