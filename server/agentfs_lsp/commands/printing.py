"""Changes that landed as a person reads them in the terminal.

Every text that comes from a file or an agent passes `visible`. Styles are rich's, so NO_COLOR and dumb
terminals are respected.
"""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from agentfs_lsp.adapters.terminal.diffview import render_diff
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.domain.diff import diff
from agentfs_lsp.domain.unified import preview

if TYPE_CHECKING:
    from agentfs_lsp.service.kept import KeptChange, KeptFile

_UNLIMITED = 1 << 62
_SIGNS = {"create": "A", "update": "M", "delete": "D"}


def console() -> Console:
    """Where it is printed: no line is wrapped or coloured by what it says."""
    return Console(highlight=False, markup=False, soft_wrap=True)


def complain(command: str, words: str) -> int:
    """Say what went wrong; the exit code for it."""
    print(f"agentfs-lsp {command}: {visible(words)}", file=sys.stderr)
    return 1


def diff_of(file: KeptFile) -> str:
    """What the change did to the file, as a unified diff; empty where its texts are not kept."""
    if not file.texts_kept:
        return ""
    before = file.before or ""
    return preview(
        before,
        diff(before, file.after or ""),
        file.relative,
        operation=file.operation,
        max_lines=_UNLIMITED,
        max_bytes=_UNLIMITED,
        max_line_chars=_UNLIMITED,
        context=3,
    ).text


def print_change(screen: Console, change: KeptChange, *, diffs: bool) -> None:
    """Its head, its files, and what it did to them."""
    when = datetime.fromtimestamp(change.time_ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    screen.print(Text(f"change {change.id}", "bold yellow").append(f"  {when}", "not bold dim"))
    who = f"{change.tool} by {change.agent or 'an agent'}, session {change.session}"
    screen.print(Text(f"  {visible(who)} · {_decided(change)}".replace("\n", " ")))
    if change.explanation:
        screen.print(Text(f"  “{visible(change.explanation)}”", "italic"))
    for file in change.files:
        counts = Text(f"+{file.lines_added}", "green").append(f" -{file.lines_removed}", "red")
        screen.print(Text(f"  {_SIGNS[file.operation]} {visible(file.relative)}  ").append_text(counts))
        if diffs and not file.texts_kept:
            screen.print(Text("    its texts are not kept", "dim"))
        elif diffs:
            print_diff(screen, diff_of(file))
    screen.print()


def print_diff(screen: Console, unified: str) -> None:
    """A unified diff with its colours and line numbers."""
    for line in render_diff(unified):
        screen.print(Text("    ").append_text(line.text))


def _decided(change: KeptChange) -> str:
    if change.decision == "withdrawn":
        return "applied by the user after its review was withdrawn"
    where = ", unsaved in the editor" if change.landing == "editor" else ""
    return f"{change.decision} by {change.by}{where}"
