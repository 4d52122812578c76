"""A run's measurements: samples by measure and party, and reasons for missing ones.

targets.py judges them, and report.py renders them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import median, quantiles

FLOOR = "floor"
BARE = "bare loop"
AGENTFS = "agentfs"
PYGLS = "pygls"
NPM = "npm"
MCP = "mcp"
PARTIES = (FLOOR, BARE, AGENTFS, PYGLS, NPM, MCP)
BARE_READ = "read 1 KB"
"""The measure whose time at the bare loop is the unit of what is above the floor."""


class NotMeasuredError(Exception):
    """There is no figure; says why."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table. `unit` is "ms" or "MB"; if not `shown`, only its verdict appears."""

    theme: str
    name: str
    unit: str = "ms"
    shown: bool = True


@dataclass
class Results:
    """Filled while measuring; rows are in order of first use. `progress` is told each round."""

    measures: dict[str, Measure] = field(default_factory=dict)
    samples: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    cpu: dict[tuple[str, str], list[tuple[float, float]]] = field(default_factory=dict)
    """By measure and party, for each turn: ms per call on a server's event loop and in its other threads."""
    failures: dict[tuple[str, str], str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    progress: Callable[[str], None] = field(default=lambda _: None, repr=False)

    def expect(self, measure: Measure) -> None:
        """Add the measure's row here."""
        self.measures.setdefault(measure.name, measure)

    def add(self, measure: Measure, party: str, *values: float) -> None:
        """Add samples in the measure's unit."""
        self.expect(measure)
        self.samples.setdefault((measure.name, party), []).extend(values)

    def fail(self, measure: Measure, party: str, reason: str) -> None:
        """Record that `party` gave no valid response, which invalidates its samples."""
        self.expect(measure)
        self.failures[measure.name, party] = reason

    def is_out(self, measure: Measure, party: str) -> bool:
        """Whether to ask nothing more of `party` here."""
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

    def above_floor(self, measure: str) -> tuple[float, float]:
        """This server's median less the floor's, in ms and in bare reads. Raises NotMeasuredError."""
        above = self.median(measure, AGENTFS) - self.median(measure, FLOOR)
        return above, above / self.median(BARE_READ, BARE)

    def cpu_of(self, measure: str) -> tuple[float, float] | None:
        """The medians of this server's CPU time per call, in ms: its event loop, and its other threads."""
        turns = self.cpu.get((measure, AGENTFS))
        return (median(loop for loop, _ in turns), median(others for _, others in turns)) if turns else None

    def p95(self, measure: str, party: str) -> float:
        """The 95th percentile of the samples; the largest if there are few."""
        values = self.samples[measure, party]
        return quantiles(values, n=20, method="inclusive")[-1] if len(values) >= 20 else max(values)

    def themes(self) -> Iterable[list[Measure]]:
        """The rows to show, by theme, each in order of appearance."""
        grouped: dict[str, list[Measure]] = {}
        for measure in self.measures.values():
            if measure.shown:
                grouped.setdefault(measure.theme, []).append(measure)
        return grouped.values()
