"""A run's table, and the same figures as JSON for later comparison."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .results import AGENTFS, FLOOR, PARTIES, Measure, NotMeasuredError, Results
from .targets import Verdict

STYLES = {True: "green", False: "bold red", None: "yellow"}
LEAST_WIDTH = 170


def show(console: Console, results: Results, verdicts: Sequence[Verdict], facts: Mapping[str, str]) -> None:
    """Print the environment, the table, the failures, and the count of targets."""
    for name, fact in facts.items():
        console.print(Text.assemble((f"{name}: ", "bold"), fact))
    console.print(_table(results, verdicts))
    for line in _notes(results):
        console.print(Text(line, "yellow"))
    console.print(Text(summary(verdicts), "bold"))


def machine() -> str:
    """Where and when a run takes place."""
    return (
        f"{platform.system()} {platform.release()} {platform.machine()}, {os.cpu_count()} CPUs, "
        f"Python {platform.python_version()}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    )


def standard_console() -> Console:
    """Standard output; wide enough to need no folding if it is not a terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, LEAST_WIDTH)
    return console


def summary(verdicts: Sequence[Verdict]) -> str:
    """How many targets were reached, missed and not measured."""
    reached, missed, unknown = (
        sum(verdict.reached is state for verdict in verdicts) for state in (True, False, None)
    )
    return f"{reached} of {len(verdicts)} targets reached, {missed} missed, {unknown} not measured."


def store(path: Path, results: Results, verdicts: Sequence[Verdict], facts: Mapping[str, str]) -> None:
    """Write the run to `path`: every measure's median, 95th percentile and count, and every verdict."""
    rows = [
        {
            **asdict(measure),
            "parties": {
                party: {
                    "median": results.median(measure.name, party),
                    "p95": results.p95(measure.name, party),
                    "samples": len(results.samples[measure.name, party]),
                }
                for party in PARTIES
                if _has_figure(results, measure, party)
            },
            "above_floor": _above_floor(results, measure),
        }
        for measure in results.measures.values()
    ]
    run = {
        "facts": dict(facts),
        "measures": rows,
        "verdicts": [asdict(verdict) for verdict in verdicts],
        "notes": _notes(results),
    }
    path.write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _table(results: Results, verdicts: Sequence[Verdict]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="Medians; the parties take turns in every round")
    table.add_column("", overflow="fold")
    for party in PARTIES:
        table.add_column(party, justify="right", no_wrap=True)
    table.add_column("above the floor", justify="right", no_wrap=True)
    table.add_column("target", overflow="fold")
    told = set()
    for theme in results.themes():
        for measure in theme:
            mine = [verdict for verdict in verdicts if verdict.measure == measure.name]
            told.update(mine)
            cells = [_cell(results, measure, party) for party in PARTIES]
            above = _above_floor(results, measure)
            table.add_row(Text(f"{measure.name}, {measure.unit}"), *cells, above, _lines(mine))
        table.add_section()
    for verdict in verdicts:
        if verdict not in told:
            table.add_row(verdict.measure, *("" for _ in PARTIES), "", _lines([verdict]))
    return table


def _lines(verdicts: Sequence[Verdict]) -> Text:
    return Text("\n").join(Text(str(verdict), STYLES[verdict.reached]) for verdict in verdicts)


def _cell(results: Results, measure: Measure, party: str) -> Text:
    if _has_figure(results, measure, party):
        figure = results.median(measure.name, party)
        digits = 3 if figure < 1 else 2 if figure < 10 else 1 if figure < 100 else 0
        return Text(f"{figure:.{digits}f}", "bold" if party == AGENTFS else "")
    if (measure.name, party) in results.failures:
        return Text("failed", "yellow")
    return Text("")


def _above_floor(results: Results, measure: Measure) -> str:
    """This server's time above the floor in ms and in bare reads, and its ratio to the floor."""
    try:
        above, reads = results.above_floor(measure.name)
        ratio = results.median(measure.name, AGENTFS) / results.median(measure.name, FLOOR)
    except NotMeasuredError:
        return ""
    return f"{above:.3g} ms, {reads:.3g} reads, {ratio:.3g}×"


def _has_figure(results: Results, measure: Measure, party: str) -> bool:
    try:
        results.median(measure.name, party)
    except NotMeasuredError:
        return False
    return True


def _notes(results: Results) -> list[str]:
    absent = [f"{party}: not available: {reason}" for party, reason in results.absent.items()]
    failed: dict[tuple[str, str], list[str]] = {}
    for (measure, party), reason in results.failures.items():
        failed.setdefault((party, reason), []).append(measure)
    return absent + [f"{party}: {', '.join(where)}: {reason}" for (party, reason), where in failed.items()]
