"""Targets, as ratios within one run, and whether they were reached.

A bound compares this server's median with another party's of the same run. A missing figure is reported as
not measured, never as success.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .results import AGENTFS, BARE, BARE_READ, FLOOR, MCP, NPM, PYGLS, NotMeasuredError, Results

Judge = Callable[[Results], tuple[bool, str, str]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reached` is None without a figure; then `figure` is the target and `bound` says why. `cause`: what
    stands in the way of a missed target."""

    measure: str
    reached: bool | None
    figure: str
    bound: str
    cause: str = ""

    def __str__(self) -> str:
        word = {True: "reached", False: "MISSED", None: "not measured"}[self.reached]
        return f"{word}: {self.figure} ({self.bound}){self.cause and f'; {self.cause}'}"


@dataclass(frozen=True, slots=True)
class Target:
    """One bound, reported in the row `measure`. `judge` returns (reached, figure, bound) or raises
    NotMeasuredError."""

    measure: str
    bound: str
    judge: Judge


def verdicts(results: Results) -> list[Verdict]:
    """Every target's verdict, in the order of their rows."""
    targets = [*FIXED, *_diff_targets(results)]
    order = {name: at for at, name in enumerate(results.measures)}
    targets.sort(key=lambda target: order.get(target.measure, len(order)))
    return [_verdict(target, results) for target in targets]


def _verdict(target: Target, results: Results) -> Verdict:
    try:
        reached, figure, bound = target.judge(results)
    except NotMeasuredError as reason:
        return Verdict(target.measure, None, target.bound, str(reason))
    return Verdict(target.measure, reached, figure, bound, "" if reached else _cause(target.measure, results))


def _cause(measure: str, results: Results) -> str:
    """This server's own computing, which no faster disk shortens."""
    cpu = results.cpu_of(measure)
    if cpu is None or not any(cpu):
        return ""
    loop, others = cpu
    return f"a request takes {loop:.3g} ms CPU of the event loop and {others:.3g} ms of other threads"


def at_most_times(limit: float, measure: str, party: str, reference: str | None = None) -> Target:
    """This server's `measure` is at most `limit` times `party`'s `reference` (default: the same measure)."""
    bound, compared = f"at most {limit:g}", f"times {reference or f'the {party}'}"

    def judge(results: Results) -> tuple[bool, str, str]:
        ratio = results.median(measure, AGENTFS) / results.median(reference or measure, party)
        return ratio <= limit, f"{ratio:.2f} {compared}", bound

    return Target(measure, f"{bound} {compared}", judge)


def times_faster(limit: float, measure: str, party: str) -> Target:
    """`party` takes at least `limit` times as long as this server."""
    bound = f"at least {limit:g}"

    def judge(results: Results) -> tuple[bool, str, str]:
        ratio = results.median(measure, party) / results.median(measure, AGENTFS)
        return ratio >= limit, f"{ratio:.2f} times faster than {party}", bound

    return Target(measure, f"{bound} times faster than {party}", judge)


def at_most(limit: float, unit: str, measure: str, row: str | None = None) -> Target:
    """This server's `measure` is at most `limit`, in `unit`; reported in `row` (default: its own)."""
    bound = f"at most {limit:g} {unit}"

    def judge(results: Results) -> tuple[bool, str, str]:
        figure = results.median(measure, AGENTFS)
        return figure <= limit, f"{figure:.3g} {unit}", bound

    return Target(row or measure, bound, judge)


def at_most_over(limit_ms: float, measure: str, reference: str) -> Target:
    """This server's `measure` takes at most `limit_ms` longer than its `reference`."""
    bound = f"at most {limit_ms:g} ms"

    def judge(results: Results) -> tuple[bool, str, str]:
        extra = results.median(measure, AGENTFS) - results.median(reference, AGENTFS)
        return extra <= limit_ms, f"{extra:.3f} ms more than {reference}", bound

    return Target(measure, f"{bound} more than {reference}", judge)


def above_floor(limit: float, measure: str) -> Target:
    """This server's `measure` takes at most `limit` bare reads longer than the floor: a ratio to the floor
    would depend on the disk."""
    bound = f"at most {limit:g}"

    def judge(results: Results) -> tuple[bool, str, str]:
        _, reads = results.above_floor(measure)
        return reads <= limit, f"{reads:.1f} bare reads above the floor", bound

    return Target(measure, f"{bound} bare reads above the floor", judge)


FIXED = (
    at_most_times(2.5, "status", BARE),
    times_faster(3, "status", PYGLS),
    at_most_times(5, BARE_READ, BARE),
    above_floor(25, "write 1 KB"),
    times_faster(1, "write 1 KB", NPM),
    times_faster(1, "write 1 KB", MCP),
    above_floor(25, "edit 1 KB"),
    times_faster(1, "edit 1 KB", NPM),
    times_faster(1, "edit 1 KB", MCP),
    times_faster(2, "read 1 MB", MCP),
    times_faster(2.5, "read 10 MB", NPM),
    times_faster(2.5, "read 10 MB", MCP),
    at_most_times(4, "write 10 MB", FLOOR),
    times_faster(1, "write 10 MB", NPM),
    times_faster(1, "write 10 MB", MCP),
    at_most_times(2, "edit 10 MB", FLOOR),
    at_most_times(2, "batch, 100 files of 10 KB", FLOOR),
    times_faster(5, "edit 10 MB", NPM),
    times_faster(5, "edit 10 MB", MCP),
    at_most_times(1, "start to initialize answered", PYGLS),
    at_most_times(1, "start of the extension's server", PYGLS, "start to initialize answered"),
    at_most_times(1.2, "edit, 1,000 documents and 10,000 records", AGENTFS, "edit, nothing held"),
    at_most_over(1, "status behind a keystroke in 10 MB", "status, 10 MB open"),
    at_most_over(30, "edit 1 KB, extras on", "edit 1 KB, extras off"),
    at_most(20, "ms", "history, newest 50 of 10,000"),
    at_most(20, "ms", "history of one file among 10,000"),
    at_most(256 * 1.048576, "MB", "history, 10,000 changes on disk"),
    at_most(40, "ms", "match, trailing blanks"),
    at_most(40, "ms", "match, indentation"),
    at_most(40, "ms", "match, common lines"),
    at_most(40, "ms", "match, unicode in ASCII"),
    at_most(300, "ms", "match, unicode in non-ASCII"),
)


def memory_of(measure: str) -> str:
    """The name of the measure for the memory of the diff `measure`."""
    return f"{measure}, memory"


def _diff_targets(results: Results) -> Iterator[Target]:
    """Every bad pair has the same two bounds; the run determines the pairs."""
    pairs = [name for name, measure in results.measures.items() if measure.theme == "diff" and measure.shown]
    for name in pairs or ["diff"]:
        yield at_most(1000, "ms", name)
        yield at_most(60, "MB", memory_of(name), row=name)
