"""What a run measured: samples by measure and party, and the reasons for what could not be measured.

No verdicts (targets.py) and no rendering (report.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median, quantiles

FLOOR = "floor"
BARE = "bare loop"
AGENTFS = "agentfs"
PYGLS = "pygls"
NPM = "npm"
MCP = "mcp"
PARTIES = (FLOOR, BARE, AGENTFS, PYGLS, NPM, MCP)


class NotMeasuredError(Exception):
    """There is no figure; says why."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table. `unit` is "ms" or "MB"; one that is not `shown` is told only by its verdict."""

    theme: str
    name: str
    unit: str = "ms"
    shown: bool = True


@dataclass
class Results:
    """Filled while measuring; rows keep the order in which they were first heard of."""

    measures: dict[str, Measure] = field(default_factory=dict)
    samples: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def expect(self, measure: Measure) -> None:
        """Give `measure` its row, at this place."""
        self.measures.setdefault(measure.name, measure)

    def add(self, measure: Measure, party: str, *values: float) -> None:
        """Keep samples, in the measure's unit."""
        self.expect(measure)
        self.samples.setdefault((measure.name, party), []).extend(values)

    def fail(self, measure: Measure, party: str, reason: str) -> None:
        """Note that `party` gave no valid answer: what it did until then does not count as a figure."""
        self.expect(measure)
        self.failures[measure.name, party] = reason

    def is_out(self, measure: Measure, party: str) -> bool:
        """Whether nothing more is to be asked of `party` here."""
        return party in self.absent or (measure.name, party) in self.failures

    def median(self, measure: str, party: str) -> float:
        """The median of the samples. Raises NotMeasuredError with the reason."""
        if party in self.absent:
            raise NotMeasuredError(f"{party} is not available")
        if (measure, party) in self.failures:
            raise NotMeasuredError(f"{party} failed")
        values = self.samples.get((measure, party))
        if not values:
            raise NotMeasuredError(f"no figure of {party}")
        return median(values)

    def p95(self, measure: str, party: str) -> float:
        """The 95th percentile of the samples there are; the largest of them where they are few."""
        values = self.samples[measure, party]
        return quantiles(values, n=20, method="inclusive")[-1] if len(values) >= 20 else max(values)

    def themes(self) -> Iterable[list[Measure]]:
        """The rows to show, by theme, each in order of appearance."""
        grouped: dict[str, list[Measure]] = {}
        for measure in self.measures.values():
            if measure.shown:
                grouped.setdefault(measure.theme, []).append(measure)
        return grouped.values()
