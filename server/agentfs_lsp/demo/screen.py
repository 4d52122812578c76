"""What the person sees of the turn: requests, diffs, answers, and at the end what is on disk.

Every text that comes from a file, an agent or the server passes `visible`. Styles are rich's, so NO_COLOR and
dumb terminals are respected. Nothing here asks for anything.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agentfs_lsp.adapters.terminal.diffview import render_diff
from agentfs_lsp.adapters.terminal.visible import clip, visible
from agentfs_lsp.domain.lines import count_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import PurePath

    from rich.console import Console

    from agentfs_lsp.demo.ledger import Finding
    from agentfs_lsp.demo.review import Answer, Proposal, ProposedFile

GUTTER = 9
MIN_ROOM = 20  # on a terminal narrower than anything can be read on, the terminal folds
TEXT_LINES = 5  # of an answer's text: the rest is for models

STATUS = {
    "success": ("✓", "green"),
    "partial": ("◐", "yellow"),
    "error": ("✗", "red"),
}
# Shown beside the diff or of no use to a person.
UNSHOWN_PARAMS = {"path", "session", "agent", "explanation"}


class Screen:
    """A terminal, or what stands for one."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._answerer = "you"

    def opening(self, task: str, facts: Sequence[tuple[str, str]], asked: bool) -> None:
        """The head: what runs, where, and who answers. `asked`: a person is."""
        self._answerer = "you" if asked else "answer"
        self.console.print(Text("agentfs demo", "bold").append(" · an agent's turn, reviewed", "dim"))
        for label, value in (*facts, ("task", f"“{task}”")):
            self._row(label, Text(visible(value)), "dim")

    def scene(self, number: int, title: str, about: str) -> None:
        """The begin of a part of the turn."""
        self.console.print()
        self.console.print(
            Rule(Text(f"{number}  {title}", "bold"), align="left", style="dim", characters="─")
        )
        self.console.print(Text(about, "dim italic"))

    def request(self, method: str, params: Mapping[str, Any]) -> None:
        """What the agent asks for, in one line."""
        head = f"{method} {visible(params['path'])}"
        rest = "".join(
            f"  {name}={_compact(value)}" for name, value in params.items() if name not in UNSHOWN_PARAMS
        )
        room = self.console.width - GUTTER - len(head)
        self._row("agent", Text(head).append(clip(rest, room), "dim"), "bold blue")

    def read(self, path: str, envelope: Mapping[str, Any]) -> None:
        """A read and its answer: what was read, not the text."""
        if envelope["status"] == "error":
            self.request("agentfs/read", {"path": path})
            self.result(envelope)
            return
        data, stats = envelope["data"], envelope["stats"]
        source = f"from {data['source']}" + (", unsaved" if data.get("dirty") else "")
        facts = [_lines(stats["lines_read"]), stats["encoding"], data["eol"], source]
        mark, style = STATUS[envelope["status"]]
        line = Text(f"agentfs/read {visible(path)}  ").append(mark, style)
        self._row("agent", line.append(f" {visible(', '.join(facts))}", "dim"), "bold blue")

    def result(self, envelope: Mapping[str, Any]) -> None:
        """The answer to a change: the status, the words for the model, and the data that matter."""
        lines = envelope["text"].split("\n")
        more = [] if len(lines) <= TEXT_LINES else ["…"]
        self._status(envelope, "\n".join(map(visible, lines[:TEXT_LINES] + more)))
        holder = envelope["data"] or envelope["context"]
        review, facts = holder.get("review") or {}, []
        if "landing" in holder:
            facts.append(f"landing: {holder['landing']}")
        if review:
            facts.append(f"review: {review['decision']} by {review['by']} (rung {review['rung']})")
        if facts:
            self._row("", Text(visible(" · ".join(facts)), "dim"))
        if amendments := review.get("amendments"):
            self._diff("Your own changes to it:", amendments)
        if since := (envelope["context"].get("conflict") or {}).get("diff_since_read"):
            self._diff("Changed since the agent read it:", since)

    def proposal(self, proposal: Proposal, diffs: Sequence[tuple[ProposedFile, str]]) -> None:
        """A review: who wants what and why, every file's diff, what to look at."""
        title = Text(visible(proposal.title), "bold")
        said = Text(f"{visible(proposal.agent)}: “{visible(proposal.explanation)}”", "italic")
        if GUTTER + title.cell_len + 2 + said.cell_len <= self.console.width:
            self._row("editor", title.append("  ").append_text(said), "magenta")
        else:
            self._row("editor", title, "magenta")
            self._row("", said)
        for file, diff in diffs:
            if len(diffs) > 1:
                self._row("", Text(visible(file.path), "bold"))
            self._diff_lines(diff)
            for line, what in file.warnings:
                where = f"line {line}: " if line else ""
                self._row("", Text(f"! {where}{visible(what)}", "bold yellow"))

    def decision(self, answer: Answer | None) -> None:
        """What was answered."""
        if answer is None:
            words = "no answer: nothing is rejected, the proposal is withdrawn"
        elif answer.always:
            words = "accept, always"
        else:
            words = {"accepted": "accept", "amended": "accept with changes", "rejected": "reject"}[
                answer.decision
            ]
        if answer and answer.feedback:
            words += f": “{visible(answer.feedback)}”"
        self._row(self._answerer, Text(words), "bold cyan")

    def legend(self, keys: str, hint: str) -> None:
        """The keys that can be pressed now, or a word on the last one."""
        self._row("", Text(keys, "cyan").append(f"   {visible(hint)}" if hint else "", "dim"))

    def always_is_on(self) -> None:
        """After an answer that holds for later changes too."""
        words = "always is on for this session; protected files still ask. It ends with the turn"
        self.aside(
            "editor", words + (", or with m before the next change" if self._answerer == "you" else "")
        )

    def aside(self, role: str, words: str) -> None:
        """What somebody else did, or what happened in the editor."""
        self._row(role, Text(visible(words)), "magenta")

    def closing(self, findings: Sequence[Finding]) -> None:
        """The table of what is really on disk."""
        self.console.print()
        self.console.print(Rule(Text("On disk", "bold"), align="left", style="dim", characters="─"))
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for heading in ("", "file", "outcome", "bytes", "line ends", "encoding", "check"):
            table.add_column(heading, overflow="fold")
        for found in findings:
            mark, style = STATUS["success" if found.ok else "error"]
            cells = (found.path, found.outcome, str(found.size), found.line_ends, found.encoding, found.check)
            table.add_row(Text(mark, style), *(Text(visible(cell)) for cell in cells))
        self.console.print(table)

    def goodbye(self, exit_code: int, kept: PurePath | None) -> None:
        """How the server ended, and where the files are."""
        ended = "has shut down" if exit_code == 0 else f"ended with code {exit_code}"
        self.line(f"The server {ended}. " + (f"The files stay in {kept}" if kept else "The copy is removed."))

    def line(self, words: str, style: str = "") -> None:
        """A line of its own, folded by nothing but the terminal: paths in it can be copied."""
        self.console.print(Text(visible(words), style), soft_wrap=True)

    def _status(self, envelope: Mapping[str, Any], words: str) -> None:
        mark, style = STATUS[envelope["status"]]
        code = (envelope.get("error") or {}).get("code")
        head = f"{envelope['status']} {code}" if code else envelope["status"]
        self._row(f"  {mark}", Text(head, style).append(f"  {words}", ""), style)

    def _diff(self, title: str, diff: str) -> None:
        self._row("", Text(title, "dim"))
        self._diff_lines(diff)

    def _diff_lines(self, diff: str) -> None:
        for line in render_diff(diff):
            self._row("", line.text, hang=line.margin)

    def _row(self, role: str, content: Text, style: str = "", hang: int = 0) -> None:
        """Text beside the name of a role, folded to the width; what is folded hangs `hang` further in."""
        head, room = Text(f"{role:{GUTTER}}", style), max(self.console.width - GUTTER - hang, MIN_ROOM)
        fits = content.cell_len <= room + hang and "\n" not in content.plain
        pieces = [content] if fits else content.wrap(self.console, room, overflow="fold")
        for piece in pieces:
            self.console.print(head + piece, no_wrap=True, crop=False, overflow="ignore")
            head = Text(" " * (GUTTER + hang))


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _compact(value: object) -> str:
    if not isinstance(value, str):
        return str(value)
    first, lines = value.split("\n", 1)[0], count_lines(value)
    return json.dumps(clip(first, 28), ensure_ascii=False) + (f" ({_lines(lines)})" if lines > 1 else "")
