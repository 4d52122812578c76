"""A missed target is shown as missed, and a missing figure never counts as reached."""

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from bench import report
from bench.results import AGENTFS, BARE, FLOOR, MCP, NPM, PYGLS, Measure, Results
from bench.targets import Verdict, memory_of, verdicts


def _results(figures: dict[str, dict[str, float]], theme: str = "requests") -> Results:
    results = Results()
    for name, parties in figures.items():
        for party, figure in parties.items():
            results.add(Measure(theme, name), party, figure)
    return results


def _of(results: Results, measure: str) -> list[Verdict]:
    return [verdict for verdict in verdicts(results) if verdict.measure == measure]


def _printed(results: Results) -> str:
    out = StringIO()
    report.show(Console(file=out, width=170), results, verdicts(results), {"file system": "ext4 on /dev/vda"})
    return out.getvalue()


def test_the_table_says_which_target_was_reached_and_which_missed() -> None:
    results = _results({"edit 10 MB": {FLOOR: 10, AGENTFS: 25, NPM: 250, MCP: 100}})

    assert [str(verdict) for verdict in _of(results, "edit 10 MB")] == [
        "MISSED: 2.50 times the floor (at most 2)",
        "reached: 10.00 times faster than npm (at least 5)",
        "MISSED: 4.00 times faster than mcp (at least 5)",
    ]
    printed = _printed(results)
    assert "MISSED: 2.50 times the floor (at most 2)" in printed
    assert "reached: 10.00 times faster than npm (at least 5)" in printed
    assert "1 of " in printed
    assert " 2 missed" in printed
    assert "ext4 on /dev/vda" in printed


def test_a_missed_target_says_what_the_server_computes() -> None:
    results = _results({"edit 10 MB": {FLOOR: 10, AGENTFS: 25, NPM: 250, MCP: 250}})
    results.cpu["edit 10 MB", AGENTFS] = [(4, 30), (2, 20), (3, 10)]

    missed, *reached = map(str, _of(results, "edit 10 MB"))
    assert missed.endswith("; a request takes 3 ms CPU of the event loop and 20 ms of other threads")
    assert not any("CPU" in one for one in reached)


def test_a_value_equal_to_the_bound_meets_it() -> None:
    results = _results({"edit 10 MB": {FLOOR: 10, AGENTFS: 20, NPM: 100, MCP: 99.9}})

    assert [verdict.reached for verdict in _of(results, "edit 10 MB")] == [True, True, False]


def test_medians_are_judged_not_single_calls() -> None:
    results = _results({"read 10 MB": {AGENTFS: 10, NPM: 25, MCP: 24}})
    results.add(results.measures["read 10 MB"], AGENTFS, 1, 900)

    assert [verdict.reached for verdict in _of(results, "read 10 MB")] == [True, False]


@pytest.mark.parametrize(("own", "reached"), [(2.9, True), (3.1, False)])
def test_a_small_change_is_judged_by_what_is_above_the_floor(own: float, reached: bool) -> None:
    results = _results(
        {
            "read 1 KB": {BARE: 0.1, AGENTFS: 0.5},
            "edit 1 KB": {FLOOR: 0.5, AGENTFS: own, NPM: 4, MCP: 2},
        }
    )

    (above, npm, mcp) = _of(results, "edit 1 KB")

    assert above.reached is reached
    assert above.figure == f"{(own - 0.5) / 0.1:.1f} bare reads above the floor"
    assert (npm.reached, mcp.reached) == (True, False)
    assert f"{own - 0.5:.3g} ms, {(own - 0.5) / 0.1:.3g} reads, {own / 0.5:.3g}×" in _printed(results)


def test_a_small_read_is_held_against_the_bare_loops_read() -> None:
    results = _results(
        {"status": {BARE: 0.1, AGENTFS: 0.26, PYGLS: 0.78}, "read 1 KB": {BARE: 0.1, AGENTFS: 0.5}}
    )

    assert [verdict.reached for verdict in _of(results, "status")] == [False, True]
    assert [verdict.reached for verdict in _of(results, "read 1 KB")] == [True]


def test_a_load_is_compared_with_the_idle_server() -> None:
    results = _results(
        {
            "edit, nothing held": {AGENTFS: 1.0},
            "edit, 1,000 documents and 10,000 records": {AGENTFS: 1.3},
            "status, 10 MB open": {AGENTFS: 0.2},
            "status behind a keystroke in 10 MB": {AGENTFS: 1.1},
        },
        "load",
    )

    assert [verdict.reached for verdict in _of(results, "edit, 1,000 documents and 10,000 records")] == [
        False
    ]
    assert [verdict.reached for verdict in _of(results, "status behind a keystroke in 10 MB")] == [True]


def test_every_pair_of_texts_is_judged_by_time_and_memory() -> None:
    results = Results()
    results.add(Measure("diff", "diff reversed"), AGENTFS, 400)
    results.add(Measure("diff", memory_of("diff reversed"), "MB", shown=False), AGENTFS, 75)

    assert [str(verdict) for verdict in _of(results, "diff reversed")] == [
        "reached: 400 ms (at most 1000 ms)",
        "MISSED: 75 MB (at most 60 MB)",
    ]


def test_a_party_that_is_not_there_leaves_its_targets_not_measured() -> None:
    results = _results({"read 10 MB": {AGENTFS: 10, MCP: 30}})
    results.absent[NPM] = "Node is not installed"

    against_npm, against_mcp = _of(results, "read 10 MB")

    assert against_npm.reached is None
    assert str(against_npm) == "not measured: at least 2.5 times faster than npm (npm is not available)"
    assert against_mcp.reached is True
    assert "npm: not available: Node is not installed" in _printed(results)


def test_a_failure_outweighs_the_samples_before_it() -> None:
    results = _results({"read 10 MB": {AGENTFS: 1, NPM: 100, MCP: 100}})
    results.fail(results.measures["read 10 MB"], AGENTFS, "it ended")

    assert [verdict.reached for verdict in _of(results, "read 10 MB")] == [None, None]
    assert "agentfs: read 10 MB: it ended" in _printed(results)


def test_an_empty_run_reaches_nothing() -> None:
    judged = verdicts(Results())

    assert judged
    assert all(verdict.reached is None for verdict in judged)
    assert report.summary(judged).startswith("0 of ")


def test_the_stored_run_holds_figures_and_verdicts(tmp_path: Path) -> None:
    results = _results({"edit 10 MB": {FLOOR: 4, AGENTFS: 12}})
    file = tmp_path / "run.json"

    report.store(file, results, verdicts(results), {"file system": "ext4"})

    run = json.loads(file.read_text(encoding="utf-8"))
    (row,) = run["measures"]
    assert row["parties"][AGENTFS] == {"median": 12, "p95": 12, "samples": 1}
    assert [v["reached"] for v in run["verdicts"] if v["measure"] == "edit 10 MB"] == [False, None, None]
