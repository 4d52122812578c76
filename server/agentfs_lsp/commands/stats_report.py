"""Prints the statistics of `agentfs-lsp stats` as tables with bars.

All text from the log is escaped by `visible`. Tables, bars, and styles are rich's, so the terminal's width,
NO_COLOR, and pipes are respected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Column, Table
from rich.text import Text

from agentfs_lsp.adapters.terminal.console import TerminalConsole
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.statistics import Count, SlowOperation, Statistics

_BAR = 20
_ENOUGH_FOR_BARS = 60
"""Columns."""

_COLOR = "cyan"
_COLORS = {"success": "green", "rejected": "red", "conflict": "yellow", "error": "red"}
_NO_COLORS: Mapping[str, str] = {}


def print_statistics(numbers: Statistics, path: str, translate: Translate) -> None:
    """Print them to standard output."""
    screen = TerminalConsole(highlight=False, markup=False)
    report = _Report(screen, numbers, translate)
    if numbers["operations"] == 0:
        report.nothing(path)
    else:
        report.heading()
        for title, table in report.tables():
            if table.row_count:
                screen.print()
                screen.print(Text(title, "bold"))
                caption, table.caption = table.caption, None  # rich would wrap it to the table's width
                screen.print(table)
                if caption is not None:
                    screen.print(caption, style="dim")
    report.notes()


class _Report:
    def __init__(self, screen: Console, numbers: Statistics, translate: Translate) -> None:
        self._screen = screen
        self._numbers = numbers
        self._translate = translate
        self._bar = _BAR if screen.width >= _ENOUGH_FOR_BARS else 0

    def nothing(self, path: str) -> None:
        """Why there is nothing, and what to do."""
        numbers, translate = self._numbers, self._translate
        if numbers["workspaces"] is not None:
            told = translate(
                "No operations were found in {folders}. Name the folder that was open in the editor, or omit "
                "--workspace to see all folders.",
                folders=", ".join(f"'{visible(folder)}'" for folder in numbers["workspaces"]),
            )
        elif numbers["since"] is not None:
            told = translate(
                "No operations were found since {time}. Name an earlier time, or omit --since to see all.",
                time=_local(numbers["since"]),
            )
        else:
            told = translate(
                "No operations are logged in '{path}'. Agents' reads and changes are logged there while the "
                "setting log.operations is on, so let an agent work, and run this again.",
                path=visible(path),
            )
        self._screen.print(told, soft_wrap=True)  # paths stay whole

    def heading(self) -> None:
        numbers, translate = self._numbers, self._translate
        told = translate(
            "{count} operation, {first} to {last}",
            plural="{count} operations, {first} to {last}",
            count=numbers["operations"],
            first=_local(numbers["first"] or ""),
            last=_local(numbers["last"] or ""),
        )
        self._screen.print(Text(told, "bold"))
        folders = numbers["workspaces"]
        self._screen.print(
            translate("in all workspace folders")
            if folders is None
            else translate("in {folders}", folders=", ".join(map(visible, folders)))
        )

    def notes(self) -> None:
        """What was not counted."""
        dry_runs, skipped = self._numbers["dry_runs"], self._numbers["skipped_lines"]
        told = self._translate(
            "Not counted: {count} dry run.", plural="Not counted: {count} dry runs.", count=dry_runs
        )
        lines = self._translate(
            "Skipped: {count} line of the log that is no record.",
            plural="Skipped: {count} lines of the log that are no records.",
            count=skipped,
        )
        if dry_runs or skipped:
            self._screen.print()
        if dry_runs:
            self._screen.print(told, style="dim")
        if skipped:
            self._screen.print(lines, style="dim")

    def tables(self) -> Iterator[tuple[str, Table]]:
        """Each with its title; empty if there is nothing to show."""
        numbers, translate = self._numbers, self._translate
        yield translate("Operations"), self._operations()
        yield translate("Outcomes"), self._counts(translate("outcome"), numbers["outcomes"], _COLORS)
        yield translate("Rates"), self._rates()
        yield translate("File types"), self._file_types()
        yield translate("Time in review"), self._review()
        yield translate("Errors"), self._counts(translate("code"), numbers["errors"])
        yield translate("Match levels"), self._counts(translate("level"), numbers["match_levels"])
        yield translate("Slowest operations, without the wait for you"), self._slowest()

    def _operations(self) -> Table:
        translate = self._translate
        heads = translate("count"), translate("succeeded"), translate("median")
        table = self._table(translate("operation"), *map(_number, heads))
        kinds = self._numbers["by_operation"]
        most = max(kind["count"] for kind in kinds)
        for kind in kinds:
            share = f"{kind['succeeded'] / kind['count']:.0%}"
            cells = (
                visible(kind["operation"]),
                str(kind["count"]),
                share,
                _duration(kind["median_ms"], translate),
            )
            self._add(table, *cells, bar=(kind["count"], most))
        return table

    def _counts(self, head: str, counts: list[Count], colors: Mapping[str, str] = _NO_COLORS) -> Table:
        table = self._table(head, _number(self._translate("count")))
        most = max((one["count"] for one in counts), default=1)
        for one in counts:
            color = colors.get(one["name"], _COLOR)
            self._add(table, visible(one["name"]), str(one["count"]), bar=(one["count"], most), color=color)
        return table

    def _rates(self) -> Table:
        translate, numbers = self._translate, self._numbers
        table = self._table(translate("rate"), _number(translate("share")), "")
        success, rejection, amended = numbers["success"], numbers["rejection"], numbers["amended"]
        conflict, created = numbers["conflict"], numbers["created"]
        rates = (
            (translate("succeeded"), success, translate("{count} of {of} operations", **success)),
            (translate("rejected by you"), rejection, translate("{count} of {of} you decided", **rejection)),
            (translate("changed by you"), amended, translate("{count} of {of} you accepted", **amended)),
            (translate("conflicts"), conflict, translate("{count} of {of} changes", **conflict)),
            (
                translate("files created"),
                created,
                translate("{count} of {of} files written", **created),
            ),
        )
        for name, rate, of in rates:
            if rate["share"] is not None:
                self._add(table, name, f"{rate['share']:.0%}", of, bar=(rate["count"], rate["of"]))
        return table

    def _file_types(self) -> Table:
        translate, types = self._translate, self._numbers["file_types"]
        table = self._table(translate("type"), *map(_number, (translate("count"), "+", "-")))
        most = max((one["operations"] for one in types), default=1)
        for one in types:
            name = translate("other") if one["extension"] is None else visible(one["extension"])
            lines = Text(f"+{one['lines_added']}", "green"), Text(f"-{one['lines_removed']}", "red")
            self._add(table, name, str(one["operations"]), *lines, bar=(one["operations"], most))
        return table

    def _review(self) -> Table:
        translate, review = self._translate, self._numbers["review"]
        table = self._table(translate("answered within"), _number(translate("count")))
        if review["count"] == 0:
            return table
        table.caption = translate(
            "median {median}, 95% within {p95}, longest {longest}, {total} in all",
            median=_duration(review["median_ms"] or 0, translate),
            p95=_duration(review["p95_ms"] or 0, translate),
            longest=_duration(review["longest_ms"] or 0, translate),
            total=_duration(review["total_ms"], translate),
        )
        most = max(step["count"] for step in review["steps"])
        for step in review["steps"]:
            up_to = step["up_to_ms"]
            name = translate("longer") if up_to is None else _bound(up_to, translate)
            self._add(table, name, str(step["count"]), bar=(step["count"], most))
        return table

    def _slowest(self) -> Table:
        translate, is_wide = self._translate, self._bar > 0
        heads = translate("operation"), *([translate("mostly")] * is_wide), translate("file")
        table = self._table(_number(translate("time")), *heads, bars=False)
        for one in self._numbers["slowest"]:
            phase = [visible(one["phase"] or "")] * is_wide
            cells = visible(one["operation"]), *phase, self._file(one)
            table.add_row(_duration(one["own_ms"], translate), *cells)
        return table

    def _file(self, one: SlowOperation) -> str:
        name = visible(one["path"] or "")
        others = one["files"] - 1
        return self._translate("{file} and {count} more", file=name, count=others) if others > 0 else name

    def _table(self, *heads: str | Column, bars: bool = True) -> Table:
        table = Table(*heads, box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
        if bars and self._bar:
            table.add_column()
        for column in table.columns:
            column.overflow = "fold"
        return table

    def _add(self, table: Table, *cells: str | Text, bar: tuple[int, int], color: str = _COLOR) -> None:
        number, of = bar
        drawn = ProgressBar(max(of, 1), number, self._bar, complete_style=color, finished_style=color)
        table.add_row(*cells, *([drawn] if self._bar else []))


def _number(head: str) -> Column:
    return Column(head, justify="right", no_wrap=True)


def _local(time: str) -> str:
    """In the terminal's time zone."""
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def _bound(ms: int, translate: Translate) -> str:
    if ms < 60_000:
        return translate("{number} s", number=ms // 1000)
    return translate("{number} min", number=ms // 60_000)


def _duration(ms: float, translate: Translate) -> str:
    if ms < 10:
        return translate("{number} ms", number=f"{ms:.1f}")
    if ms < 1000:
        return translate("{number} ms", number=round(ms))
    seconds = round(ms / 1000)
    if seconds < 60:
        return translate("{number} s", number=f"{ms / 1000:.1f}".removesuffix(".0"))
    if seconds < 3600:
        return translate("{minutes} min {seconds} s", minutes=seconds // 60, seconds=seconds % 60)
    return translate("{hours} h {minutes} min", hours=seconds // 3600, minutes=seconds % 3600 // 60)
