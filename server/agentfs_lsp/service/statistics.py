"""What the operation log says about agents' work, in numbers (docs/operations.md#statistics).

Pure, and one pass over the log's lines: besides counts, only durations are kept. Lines that are no records
are counted and skipped, since the log may be cut, or be another program's file.
"""

from __future__ import annotations

import heapq
import json
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from math import ceil
from typing import Any, Final, NamedTuple, TypedDict, get_args

from agentfs_lsp.domain.shapes import number_of
from agentfs_lsp.service.operations import Ending

MOST_ROWS: Final = 20
"""Entries of each list; the most frequent ones."""

SLOWEST: Final = 10

_LONGEST_MS: Final = 1e12
_SUCCEEDED: Final = frozenset({"success", "partial"})
_READING: Final = frozenset({"read", "history", "call"})
_BY_USER: Final = frozenset({"accepted", "amended", "rejected", "dismissed"})
_REVIEW_STEPS_MS: Final = (1_000, 5_000, 15_000, 60_000, 300_000)


class Count(TypedDict):
    """How often something is in the log."""

    name: str
    count: int


class Share(TypedDict):
    """So many of so many."""

    count: int
    of: int
    share: float | None
    """from 0 to 1; null if there are none"""


class OperationKind(TypedDict):
    """One kind of operation."""

    operation: str
    count: int
    succeeded: int
    median_ms: float
    """the median duration without the wait for the user"""


class FileType(TypedDict):
    """The operations on files of one type."""

    extension: str | None
    """null for files without one, and operations on several types"""
    operations: int
    lines_added: int
    lines_removed: int


class ReviewStep(TypedDict):
    """The reviews that took so long."""

    up_to_ms: int | None
    """null for the longest ones"""
    count: int


class ReviewTimes(TypedDict):
    """How long the user took to answer."""

    count: int
    total_ms: float
    median_ms: float | None
    p95_ms: float | None
    longest_ms: float | None
    steps: list[ReviewStep]


class SlowOperation(TypedDict):
    """An operation that took long."""

    time: str
    id: str | None
    operation: str
    path: str | None
    """the first of several"""
    files: int
    outcome: str
    own_ms: float
    """the duration without the wait for the user"""
    phase: str | None
    """the longest phase, other than the review"""


class Statistics(TypedDict):
    """The output of `agentfs-lsp stats --json`."""

    since: str | None
    """what `--since` asked for, in UTC; null for the whole log"""
    workspaces: list[str] | None
    """what `--workspace` asked for; null for all"""
    first: str | None
    """when the first of the operations arrived; null if there are none"""
    last: str | None
    """when the last of them arrived"""
    operations: int
    """the number of operations. Dry runs are not among them, nor in any number below"""
    dry_runs: int
    """the number of dry runs"""
    skipped_lines: int
    """lines of the log that are no records"""
    by_operation: list[OperationKind]
    """{keys}, for each kind of operation, the most frequent first; a write that creates a file is `"create"`,
    and one that replaces it `"update"`. `median_ms` is the duration without the wait for the user"""
    outcomes: list[Count]
    """{keys}, for each `outcome`"""
    success: Share
    """{keys}: operations that succeeded, whole or in part, of all; `share` is null if `of` is 0"""
    rejection: Share
    """{keys}: operations that the user rejected, of those that the user decided"""
    conflict: Share
    """{keys}: changes that ended in a conflict, of all changes"""
    amended: Share
    """{keys}: changes that the user amended, of those that the user accepted"""
    created: Share
    """{keys}: writes that created a file, of those that landed; the others replaced one"""
    lines_added: int
    """the lines added by what landed"""
    lines_removed: int
    """the lines removed by what landed"""
    file_types: list[FileType]
    """{keys}; the lines are those of what landed. `extension` is null for files without one, and for
    operations on several types"""
    review: ReviewTimes
    """{keys}: how long the user took to answer. `steps`: how many took up to 1, 5, 15, 60, and 300 s, and
    longer (`up_to_ms` null)"""
    errors: list[Count]
    """{keys}, for each `code`"""
    match_levels: list[Count]
    """{keys}, for each level at which an edit matched"""
    slowest: list[SlowOperation]
    """{keys}: the 10 operations that took longest without the wait for the user. `path` is the first of
    `files`, and `phase` the one that took longest, other than the review"""


class _Record(NamedTuple):
    """The members of a record that count."""

    time: datetime
    raw: Mapping[str, Any]
    operation: str
    outcome: str
    duration_ms: float
    review_ms: float | None

    @property
    def own_ms(self) -> float:
        return max(self.duration_ms - (self.review_ms or 0), 0)

    def text(self, name: str) -> str | None:
        value = self.raw.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int:
        return round(number_of(self.raw.get(name)) or 0)

    @property
    def paths(self) -> Sequence[str]:
        several = self.raw.get("paths")
        named = several if isinstance(several, list) else [self.raw.get("path")]
        return [path for path in named if isinstance(path, str)]

    @property
    def longest_phase(self) -> str | None:
        own = [(took, name) for name, took in _phases(self.raw).items() if name != "review"]
        return max(own)[1] if own else None


def statistics(
    lines: Iterable[bytes], *, since: datetime | None = None, workspaces: Collection[str] | None = None
) -> Statistics:
    """Summarize the log's lines: those from `since` on, and of these folders (real paths) and the workspace
    folders in them."""
    summary = _Summary()
    for line in lines:
        record = _parsed(line)
        if record is None:
            summary.skipped_lines += 1
        elif (since is None or record.time >= since) and _is_in(workspaces, record.text("root")):
            summary.add(record)
    return summary.result(since, workspaces)


def _parsed(line: bytes) -> _Record | None:
    """The record, or None if it is none."""
    try:
        raw = json.loads(line)
        time = datetime.fromisoformat(raw["time"])
        operation, outcome, duration_ms = raw["operation"], raw["outcome"], _milliseconds(raw["duration_ms"])
        time = time.replace(tzinfo=time.tzinfo or UTC).astimezone(UTC)
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return None
    if duration_ms is None or not isinstance(operation, str) or outcome not in get_args(Ending):
        return None
    return _Record(time, raw, operation, outcome, duration_ms, _phases(raw).get("review"))


def _milliseconds(value: object) -> float | None:
    number = number_of(value)
    return number if number is not None and 0 <= number < _LONGEST_MS else None


def _phases(raw: Mapping[str, Any]) -> dict[str, float]:
    phases = raw.get("phases")
    times = phases.items() if isinstance(phases, dict) else ()
    return {name: ms for name, value in times if (ms := _milliseconds(value)) is not None}


def _is_in(workspaces: Collection[str] | None, root: str | None) -> bool:
    if workspaces is None:
        return True
    return root is not None and any(
        root == folder or root.startswith(folder.rstrip("/") + "/") for folder in workspaces
    )


class _Summary:
    """The numbers so far."""

    def __init__(self) -> None:
        self.skipped_lines = 0
        self.dry_runs = 0
        self.first: datetime | None = None
        self.last: datetime | None = None
        self.own_ms: dict[str, array[float]] = {}
        self.succeeded: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.changes = self.conflicts = self.decided = self.accepted = self.amended = 0
        self.types: Counter[str | None] = Counter()
        self.added: Counter[str | None] = Counter()
        self.removed: Counter[str | None] = Counter()
        self.review_ms = array("d")
        self.errors: Counter[str] = Counter()
        self.match_levels: Counter[str] = Counter()
        self.slowest: list[tuple[float, int, _Record]] = []
        self._number = count()

    def add(self, record: _Record) -> None:
        if record.raw.get("dry_run") is True:
            self.dry_runs += 1
            return
        self.first = min(self.first or record.time, record.time)
        self.last = max(self.last or record.time, record.time)
        self.own_ms.setdefault(record.operation, array("d")).append(record.own_ms)
        self.outcomes[record.outcome] += 1
        self.succeeded[record.operation] += record.outcome in _SUCCEEDED
        for name, counter in (("code", self.errors), ("match", self.match_levels)):
            if (found := record.text(name)) is not None:
                counter[found] += 1
        self._add_decision(record)
        self._add_type(record)
        heapq.heappush(self.slowest, (record.own_ms, -next(self._number), record))
        if len(self.slowest) > SLOWEST:
            heapq.heappop(self.slowest)

    def _add_decision(self, record: _Record) -> None:
        decision = record.text("decision")
        if decision in _BY_USER or record.outcome == "rejected":
            self.decided += 1
            if record.review_ms is not None:  # of those that nobody answered, it says nothing
                self.review_ms.append(record.review_ms)
        if record.operation in _READING:
            return
        self.changes += 1
        self.conflicts += record.outcome == "conflict"
        self.accepted += decision in {"accepted", "amended"}
        self.amended += decision == "amended"

    def _add_type(self, record: _Record) -> None:
        extension = record.text("extension")
        if extension is not None or record.paths:
            self.types[extension] += 1
        if record.outcome in _SUCCEEDED and record.operation not in _READING:
            self.added[extension] += record.number("lines_added")
            self.removed[extension] += record.number("lines_removed")

    def result(self, since: datetime | None, workspaces: Collection[str] | None) -> Statistics:
        total = self.outcomes.total()
        created, replaced = self.succeeded["create"], self.succeeded["update"]
        kinds = sorted(self.own_ms.items(), key=lambda kind: -len(kind[1]))
        return {
            "since": None if since is None else _utc(since),
            "workspaces": None if workspaces is None else list(workspaces),
            "first": None if self.first is None else _utc(self.first),
            "last": None if self.last is None else _utc(self.last),
            "operations": total,
            "dry_runs": self.dry_runs,
            "skipped_lines": self.skipped_lines,
            "by_operation": [
                {
                    "operation": name,
                    "count": len(times),
                    "succeeded": self.succeeded[name],
                    "median_ms": _quantile(sorted(times), 0.5),
                }
                for name, times in kinds[:MOST_ROWS]
            ],
            "outcomes": _most_common(self.outcomes),
            "success": _share(self.succeeded.total(), total),
            "rejection": _share(self.outcomes["rejected"], self.decided),
            "conflict": _share(self.conflicts, self.changes),
            "amended": _share(self.amended, self.accepted),
            "created": _share(created, created + replaced),
            "lines_added": self.added.total(),
            "lines_removed": self.removed.total(),
            "file_types": [
                {
                    "extension": extension,
                    "operations": number,
                    "lines_added": self.added[extension],
                    "lines_removed": self.removed[extension],
                }
                for extension, number in self.types.most_common(MOST_ROWS)
            ],
            "review": self._review(),
            "errors": _most_common(self.errors),
            "match_levels": _most_common(self.match_levels),
            "slowest": [_slow(record) for _, _, record in sorted(self.slowest, reverse=True)],
        }

    def _review(self) -> ReviewTimes:
        times = sorted(self.review_ms)
        steps = Counter(bisect_left(_REVIEW_STEPS_MS, time) for time in times)
        return {
            "count": len(times),
            "total_ms": round(sum(times), 2),
            "median_ms": _quantile(times, 0.5) if times else None,
            "p95_ms": _quantile(times, 0.95) if times else None,
            "longest_ms": times[-1] if times else None,
            "steps": [
                {"up_to_ms": most, "count": steps[number]}
                for number, most in enumerate((*_REVIEW_STEPS_MS, None))
            ],
        }


def _most_common(counter: Counter[str]) -> list[Count]:
    return [{"name": name, "count": number} for name, number in counter.most_common(MOST_ROWS)]


def _share(number: int, of: int) -> Share:
    return {"count": number, "of": of, "share": round(number / of, 4) if of else None}


def _quantile(ordered: Sequence[float], part: float) -> float:
    """The smallest of the values that is at least as large as this part of them."""
    return round(ordered[ceil(part * len(ordered)) - 1], 2)


def _slow(record: _Record) -> SlowOperation:
    paths = record.paths
    return {
        "time": _utc(record.time),
        "id": record.text("id"),
        "operation": record.operation,
        "path": paths[0] if paths else None,
        "files": max(record.number("files"), len(paths)),
        "outcome": record.outcome,
        "own_ms": round(record.own_ms, 2),
        "phase": record.longest_phase,
    }


def _utc(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
