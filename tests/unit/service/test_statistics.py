"""The numbers of the operation log (docs/operations.md#statistics)."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from agentfs_lsp.service.statistics import MOST_ROWS, SLOWEST, Statistics, statistics


def line(operation: str = "read", outcome: str = "success", duration_ms: float = 1, **more: Any) -> bytes:
    record = {"time": "2026-01-30T09:00:00.000Z", "operation": operation, "outcome": outcome}
    return json.dumps({**record, "duration_ms": duration_ms, **more}).encode()


def of(*lines: bytes, **more: Any) -> Statistics:
    return statistics(lines, **more)


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"\n",
        b"\xff\xfe",
        b"7",
        b'"time"',
        b"[1, 2]",
        b"{}",
        b"[" * 100_000,
        line()[:-5],
        line(time=7),
        line(time="yesterday"),
        line(time="0001-01-01T00:00:00+14:00"),
        line(operation=None),
        line(outcome="fine"),
        line(outcome=["success"]),
        line(duration_ms=float("nan")),
        line(duration_ms=-1),
        line(duration_ms=10**400),
        line(duration_ms=True),
    ],
)
def test_what_is_no_record_is_counted_and_skipped(broken: bytes) -> None:
    assert of(broken, line(), broken)["skipped_lines"] == 2
    assert of(broken, line(), broken)["operations"] == 1


def test_members_of_another_type_count_as_absent() -> None:
    odd = line("edit", code=7, match=[], extension={}, path=1, paths=2, files="x", phases=[], lines_added="3")
    told = of(odd, line("edit", phases={"review": "long", "land": None}, decision=[]))
    assert (told["operations"], told["skipped_lines"]) == (2, 0)
    assert (told["errors"], told["file_types"], told["lines_added"], told["review"]["count"]) == (
        [],
        [],
        0,
        0,
    )


def test_rates_are_of_what_they_can_be_of() -> None:
    accepted, amended = {"decision": "accepted"}, {"decision": "amended"}
    told = of(
        line("edit", **accepted),
        line("edit", **accepted),
        line("edit", **amended),
        line("edit", "rejected", decision="rejected"),
        line("read", "rejected", decision="rejected"),
        line("edit", "conflict", decision="allowed"),
        line("create", decision="allowed"),
        line("update", decision="allowed"),
        line("create", "partial", decision="allowed"),  # its diff is cut, for example
        line("update", "error"),
        line("read"),
    )
    assert told["success"] == {"count": 7, "of": 11, "share": 0.6364}
    assert told["rejection"] == {"count": 2, "of": 5, "share": 0.4}
    assert told["conflict"] == {"count": 1, "of": 9, "share": 0.1111}
    assert told["amended"] == {"count": 1, "of": 3, "share": 0.3333}
    assert told["created"] == {"count": 2, "of": 3, "share": 0.6667}
    assert of(line())["amended"] == {"count": 0, "of": 0, "share": None}


def test_dry_runs_and_what_did_not_land_count_no_lines() -> None:
    lines = {"lines_added": 5, "lines_removed": 3, "extension": ".py"}
    told = of(
        line("edit", "partial", dry_run=True, **lines),
        line("edit", "rejected", **lines),
        line("edit", **lines),
        line("batch", "partial", **lines),
    )
    assert (told["operations"], told["dry_runs"]) == (3, 1)
    assert (told["lines_added"], told["lines_removed"]) == (10, 6)
    assert told["file_types"] == [
        {"extension": ".py", "operations": 3, "lines_added": 10, "lines_removed": 6}
    ]


def test_the_wait_for_the_user_is_told_apart() -> None:
    waits = [500, 1_000, 4_000, 20_000, 400_000]
    told = of(
        line("edit", duration_ms=31, phases={"read": 1, "match": 30}),
        *(
            line("edit", duration_ms=wait + 2, phases={"review": wait, "land": 2}, decision="accepted")
            for wait in waits
        ),
        line("read", outcome="cancelled", duration_ms=9_000, phases={"review": 9_000}),  # nobody answered
    )
    assert told["review"] == {
        "count": 5,
        "total_ms": 425_500,
        "median_ms": 4_000,
        "p95_ms": 400_000,
        "longest_ms": 400_000,
        "steps": [
            {"up_to_ms": 1_000, "count": 2},
            {"up_to_ms": 5_000, "count": 1},
            {"up_to_ms": 15_000, "count": 0},
            {"up_to_ms": 60_000, "count": 1},
            {"up_to_ms": 300_000, "count": 0},
            {"up_to_ms": None, "count": 1},
        ],
    }
    assert [one["own_ms"] for one in told["slowest"]] == [31, 2, 2, 2, 2, 2, 0]
    assert [one["phase"] for one in told["slowest"][:2]] == ["match", "land"]
    assert told["by_operation"][0] == {"operation": "edit", "count": 6, "succeeded": 6, "median_ms": 2}


def test_lists_are_short_and_begin_with_the_most() -> None:
    lines = [line(duration_ms=one, extension=f".x{one}", path="a") for one in range(1, 101)]
    told = of(*lines, line(extension=".x50", path="a"))
    assert len(told["file_types"]) == MOST_ROWS
    assert told["file_types"][0]["extension"] == ".x50"
    assert [one["own_ms"] for one in told["slowest"]] == [*range(100, 100 - SLOWEST, -1)]


def test_only_what_is_asked_for_counts() -> None:
    early, late = line(time="2026-01-29T23:59:59.999Z"), line(time="2026-01-30T01:00:00+01:00")
    told = of(early, late, since=datetime(2026, 1, 30, tzinfo=UTC))
    assert (told["operations"], told["first"], told["last"]) == (1, *["2026-01-30T00:00:00.000Z"] * 2)
    roots = [{"root": root} for root in ("/a", "/a/b", "/ab", 7)]
    assert of(*(line(**root) for root in roots), line(), workspaces=["/a"])["operations"] == 2
    assert of(*(line(**root) for root in roots), line(), workspaces=["/"])["operations"] == 3
