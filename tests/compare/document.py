"""Writes docs/comparison.md from the results; no figure and no judgement in it is written by hand."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template
from typing import Any

from bench.results import AGENTFS, MCP, NPM
from compare.cases import GROUPS
from compare.verdicts import Kind, Verdict

OURS = "agentfs"
TEMPLATE = Template(Path(__file__).with_name("template.md").read_text("utf-8"))
COMMAND = ".venv/bin/python -m tests.compare"
MEASURED = {AGENTFS: OURS, NPM: "npm file server", MCP: "Python mcp server"}
"""The parties of the speed table, as they are called here."""


@dataclass(frozen=True, slots=True)
class Result:
    """Of one party in one case."""

    party: str
    case: str
    group: str
    verdict: Verdict


@dataclass
class Comparison:
    """A run. `parties`: each with its version and how it was run; `absent`: those that could not be had, and
    why; `speed`: the JSON of a run of the benchmark."""

    facts: str
    absent: dict[str, str]
    parties: dict[str, str]
    results: list[Result]
    speed: str | None

    def of(self, party: str, group: str = "") -> list[Result]:
        """The results of a party, in one group or in all."""
        return [one for one in self.results if one.party == party and group in ("", one.group)]

    @property
    def names(self) -> list[str]:
        """The parties that ran."""
        return [name for name in self.parties if name not in self.absent]


def to_json(comparison: Comparison) -> str:
    """Everything but the speed, which has a file of its own."""
    whole = asdict(comparison)
    del whole["speed"]
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def page(comparison: Comparison) -> str:
    """The whole page."""
    return TEMPLATE.substitute(
        command=COMMAND,
        facts=comparison.facts,
        parties=_parties(comparison),
        groups=_table(["cases", "what they ask"], GROUPS.items()),
        results=_results(comparison),
        better=_better(comparison),
        others=_others(comparison),
        speed=_speed(comparison),
    )


def _table(heads: list[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _parties(comparison: Comparison) -> str:
    rows = []
    for name in comparison.names:
        version, _, about = comparison.parties[name].partition(": ")
        rows.append([name, version, about])
    rows += [[name, "not available", reason] for name, reason in comparison.absent.items()]
    return _table(["party", "version", "how"], rows)


def _results(comparison: Comparison) -> str:
    rows = [
        [group or "all", *(_cell(comparison.of(name, group)) for name in comparison.names)]
        for group in (*GROUPS, "")
    ]
    return _table(["cases", *comparison.names], rows)


def _cell(results: list[Result]) -> str:
    counts = [sum(one.verdict.kind is kind for one in results) for kind in Kind]
    return " / ".join(map(str, counts)) if results else "-"


def _better(comparison: Comparison) -> str:
    """The cases in which a peer did more of what was asked for, and the operations in which it was faster."""
    ours = {one.case: one.verdict for one in comparison.of(OURS)}
    found: dict[str, list[str]] = {}
    for one in comparison.results:
        if one.verdict.kind is Kind.CORRECT and one.case in ours and ours[one.case].kind is not Kind.CORRECT:
            found.setdefault(one.case, []).append(one.party)
    lines = [
        f"- `{case}`: {', '.join(names)} correct; agentfs {ours[case].kind}: {_text(ours[case].detail)}"
        for case, names in found.items()
    ]
    for title, figures in _figures(comparison):
        own = figures.get(OURS)
        faster = [name for name, figure in figures.items() if own is not None and figure < own]
        lines += [f"- {title}: {', '.join(faster)} faster"] if faster else []
    return "\n".join(lines) or "In no case of this run."


def _others(comparison: Comparison) -> str:
    parts = []
    for name in comparison.names:
        rows = [
            [f"`{one.case}`", one.verdict.kind, _text(one.verdict.detail)]
            for one in comparison.of(name)
            if one.verdict.kind is not Kind.CORRECT
        ]
        again = f'Run one again: `{COMMAND} --peer "{name}" --case CASE`'
        told = [again, _table(["case", "verdict", "what happened"], rows)] if rows else ["None."]
        parts.append("\n\n".join([f"### {name}", *told]))
    return "\n\n".join(parts)


def _text(detail: str) -> str:
    """In a cell of a table, as code where Markdown would take signs in it for its own."""
    shown = detail.replace("|", "\\|").replace("\n", " ")
    return f"`` {shown} ``" if any(sign in shown for sign in "`*_<>[]\\") else shown


def _speed(comparison: Comparison) -> str:
    figures = list(_figures(comparison))
    if comparison.speed is None or not figures:
        return "Not measured in this run; `make bench` measures it."
    facts = json.loads(comparison.speed)["facts"]
    about = f"From `make bench`, which measures these three: medians in ms. {facts['durability']}"
    if "rounds" in facts:
        about += f" Rounds: {facts['rounds']}."
    names = list(MEASURED.values())
    rows = [
        [title, *(f"{those[name]:.3g}" if name in those else "-" for name in names)]
        for title, those in figures
    ]
    return f"{about}\n\n{_table(['operation', *names], rows)}"


def _figures(comparison: Comparison) -> Iterator[tuple[str, dict[str, float]]]:
    """The operations of which there is a figure of a peer."""
    measures: Iterable[dict[str, Any]] = json.loads(comparison.speed)["measures"] if comparison.speed else ()
    for measure in measures:
        parties = measure["parties"]
        figures = {name: parties[key]["median"] for key, name in MEASURED.items() if key in parties}
        if len(figures) > 1 and measure["unit"] == "ms":
            yield measure["name"], figures
