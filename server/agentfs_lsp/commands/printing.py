"""Prints landed changes for the terminal.

All text from files and agents is escaped by `visible`. Styles are rich's, so NO_COLOR and dumb terminals
are respected.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.console import Console
from rich.text import Text

from agentfs_lsp.adapters.terminal.console import TerminalConsole
from agentfs_lsp.adapters.terminal.diffview import render_diff, wrapped
from agentfs_lsp.adapters.terminal.question import Line
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import whole
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.record import HistoryRecord, RecordedFile

_SIGNS = {"create": "A", "update": "M", "delete": "D"}


def console() -> Console:
    """The console: it does not wrap lines or interpret markup."""
    return TerminalConsole(highlight=False, markup=False, soft_wrap=True)


def diff_of(file: RecordedFile) -> str:
    """The change of the file as a unified diff; empty if its texts are not recorded."""
    if not file.texts_kept:
        return ""
    before = file.before or ""
    hunks = diff(before, file.after or "")
    return whole(before, hunks, file.relative, operation=file.operation)


def print_change(screen: Console, change: HistoryRecord, translate: Translate, *, diffs: bool) -> None:
    """The change's header, its files, and their diffs."""
    print_head(screen, change, translate, decided(change, translate))
    for file in change.files:
        print_file(screen, file)
        if diffs and not file.texts_kept:
            screen.print(translate("    its texts were not recorded"), style="dim")
        elif diffs:
            for line in diff_lines(diff_of(file)):
                put(screen, line)
    screen.print()


def print_head(screen: Console, change: HistoryRecord, translate: Translate, *more: str) -> None:
    """The change's id and time, who made it and `more` about that, and the agent's explanation."""
    head = Text(translate("change {id}", id=change.id), "bold yellow")
    screen.print(head.append(f"  {time_at_terminal(change.time_ms)}", "not bold dim"))
    session = translate("session {name}", name=change.session)
    who = [change.tool, change.agent, session, *more]
    put(screen, Line(Text("  " + " · ".join(visible(one) for one in who if one))))
    if change.explanation:
        explanation = " ".join(change.explanation.split())
        put(screen, Line(Text(f"  “{visible(explanation)}”", "italic")))


def print_file(screen: Console, file: RecordedFile) -> None:
    """The file's operation, path, and numbers of lines."""
    counts = Text(f"+{file.lines_added}", "green").append(f" -{file.lines_removed}", "red")
    put(screen, Line(Text(f"  {_SIGNS[file.operation]} {visible(file.relative)}  ").append_text(counts)))


def time_at_terminal(time_ms: int) -> str:
    """The time in the machine's time zone."""
    return datetime.fromtimestamp(time_ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def diff_lines(unified: str) -> Iterator[Line]:
    """The lines of a unified diff with colors and line numbers."""
    for line in render_diff(unified):
        yield Line(Text("    ").append_text(line.text), " " * (4 + line.margin))


def put(screen: Console, line: Line) -> None:
    """Print a line."""
    for row in wrapped(line.text, screen, line.head):
        screen.print(row)


def decided(change: HistoryRecord, translate: Translate) -> str:
    """How the change came to land."""
    ways = {
        "allowed": translate("accepted automatically"),
        "accepted": translate("accepted by you"),
        "amended": translate("accepted by you, with changes"),
        "withdrawn": translate("applied by you after the review had ended"),
    }
    unsaved = translate("left unsaved in the editor")
    return f"{ways[change.decision]} · {unsaved}" if change.landing == "editor" else ways[change.decision]
