"""The terminal output of the demo: requests, diffs, responses, and finally the files on disk.

All text from files, agents, and the server is escaped by `visible`. Styles are rich's, so NO_COLOR and
dumb terminals are respected. This module asks no questions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agentfs_lsp.adapters.terminal.diffview import render_diff
from agentfs_lsp.adapters.terminal.visible import clip, visible
from agentfs_lsp.api.results import Proposal
from agentfs_lsp.demo.editor import Answer
from agentfs_lsp.demo.ledger import Finding
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import whole
from agentfs_lsp.domain.text.lines import count_lines
from agentfs_lsp.domain.translation import Translate, sentences

GUTTER = 9
MIN_ROOM = 20  # columns to wrap at on a terminal that is narrower
TEXT_LINES = 5  # of an answer's text, whose rest is for models

STATUS = {"success": ("✓", "green"), "partial": ("◐", "yellow"), "error": ("✗", "red")}
# Shown next to the diff, or of no use to a person.
UNSHOWN_PARAMS = {"path", "session", "agent", "explanation"}


class Screen:
    """A terminal, or a substitute."""

    def __init__(self, console: Console, translate: Translate) -> None:
        self.console = console
        self._translate = translate
        self._asked = True

    def opening(self, task: str, facts: Sequence[tuple[str, str]], asked: bool) -> None:
        """The header: what runs, where, and who answers. `asked`: a person does."""
        self._asked = asked
        about = self._translate("an agent's turn, with reviews")
        self.console.print(Text("agentfs demo", "bold").append(f" · {about}", "dim"))
        for label, value in (*facts, (self._translate("task"), f"“{task}”")):
            self._row(label, Text(visible(value)), "dim")

    def scene(self, number: int, title: str, about: str) -> None:
        """The start of a part of the turn."""
        self._heading(f"{number}  {title}")
        self.console.print(Text(about, "dim italic"))

    def request(self, method: str, params: Mapping[str, Any]) -> None:
        """The agent's request in one line."""
        head = f"{method} {visible(params['path'])}"
        rest = "".join(
            f"  {name}={self._compact(value)}" for name, value in params.items() if name not in UNSHOWN_PARAMS
        )
        room = self.console.width - GUTTER - len(head)
        self._row(self._translate("agent"), Text(head).append(clip(rest, room), "dim"), "bold blue")

    def read(self, path: str, envelope: Mapping[str, Any]) -> None:
        """A read and its result, without the text."""
        if envelope["status"] == "error":
            self.request("agentfs/read", {"path": path})
            self.result(envelope)
            return
        data, stats = envelope["data"], envelope["stats"]
        source = self._translate("from {source}", source=data["source"])
        facts = [self._lines(stats["lines_read"]), stats["encoding"], data["eol"], source]
        if data.get("dirty"):
            facts.append(self._translate("unsaved"))
        mark, style = STATUS[envelope["status"]]
        line = Text(f"agentfs/read {visible(path)}  ").append(mark, style)
        self._row(self._translate("agent"), line.append(f" {visible(', '.join(facts))}", "dim"), "bold blue")

    def result(self, envelope: Mapping[str, Any]) -> None:
        """The answer to a change: the status, the text for the model, and the important data."""
        lines = envelope["text"].split("\n")
        more = [] if len(lines) <= TEXT_LINES else ["…"]
        words = "\n".join(map(visible, lines[:TEXT_LINES] + more))
        mark, style = STATUS[envelope["status"]]
        code = (envelope.get("error") or {}).get("code")
        head = f"{envelope['status']} {code}" if code else envelope["status"]
        self._row(f"  {mark}", Text(head, style).append(f"  {words}", ""), style)
        holder = envelope["data"] or envelope["context"]
        review, facts = holder.get("review") or {}, []
        if "landing" in holder:
            facts.append(f"landing: {holder['landing']}")
        if review:
            facts.append(self._translate("review: {decision} by {by} (rung {rung})", **review))
        if facts:
            self._row("", Text(visible(" · ".join(facts)), "dim"))
        if amendments := review.get("amendments"):
            self._row("", Text(self._translate("Your own changes to it:"), "dim"))
            self._diff(amendments)
        if since := (envelope["context"].get("conflict") or {}).get("diff_since_read"):
            self._row("", Text(self._translate("Changed since the agent read it:"), "dim"))
            self._diff(since)

    def outside(self, tool: str, arguments: Mapping[str, Any], result: str | None) -> None:
        """What an agent in a program of its own calls, and then the text that its model would read."""
        if result is None:
            self.request(f"mcp {tool}", arguments)
        elif tool == "read":
            self._row("  ✓", Text(self._lines(count_lines(result)), "dim"), "green")
        else:
            self._row("", Text(visible(clip(result, TEXT_LINES * self.console.width))))

    def proposal(self, proposal: Proposal) -> None:
        """A review: who wants what and why, every file's whole diff, and warnings."""
        title = Text(visible(proposal["title"]), "bold")
        said = Text(f"{visible(proposal['agent'])}: “{visible(proposal['explanation'])}”", "italic")
        if GUTTER + title.cell_len + 2 + said.cell_len <= self.console.width:
            self._row(self._translate("editor"), title.append("  ").append_text(said), "magenta")
        else:
            self._row(self._translate("editor"), title, "magenta")
            self._row("", said)
        for file in proposal["files"]:
            if len(proposal["files"]) > 1:
                self._row("", Text(visible(file["path"]), "bold"))
            hunks = diff(file["base_text"], file["proposed_text"])
            self._diff(whole(file["base_text"], hunks, file["path"], operation=file["operation"], context=1))
            for warning in file["warnings"]:
                line, what = warning["line"], f"{warning['kind']}: {warning['detail']}".rstrip(": ")
                words = self._translate("line {line}: {what}", line=line, what=what) if line else what
                self._row("", Text(f"! {visible(words)}", "bold yellow"))

    def decision(self, answer: Answer | None) -> None:
        translate = self._translate
        if answer is None:
            words = translate("no answer: the proposal is withdrawn, not rejected")
        elif answer.always:
            words = translate("accept, always")
        elif answer.decision == "rejected" and answer.feedback:
            words = translate("reject: “{words}”", words=answer.feedback)
        else:
            decisions = {
                "accepted": translate("accept"),
                "amended": translate("accept with changes"),
                "rejected": translate("reject"),
            }
            words = decisions[answer.decision]
        self._row(translate("you") if self._asked else translate("answer"), Text(visible(words)), "bold cyan")

    def legend(self, keys: str, hint: str = "") -> None:
        """The available keys, or a message about the last one."""
        self._row("", Text(keys, "cyan").append(f"   {visible(hint)}" if hint else "", "dim"))

    def always_is_on(self) -> None:
        """Shown after an answer that also applies to later changes."""
        if self._asked:
            ends = self._translate("It ends with the turn, or when you press m before the next change.")
        else:
            ends = self._translate("It ends with the turn.")
        on = self._translate("always is on for this session. Protected files still require approval.")
        self.aside(self._translate("editor"), sentences(self._translate, (on, ends)))

    def aside(self, role: str, words: str) -> None:
        """What someone else did, or what happened in the editor."""
        self._row(role, Text(visible(words)), "magenta")

    def closing(self, findings: Sequence[Finding]) -> None:
        """The table of what is on disk."""
        translate = self._translate
        self._heading(translate("On disk"))
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        heads = "", translate("file"), translate("outcome"), translate("bytes"), translate("line endings")
        for head in (*heads, translate("encoding"), translate("check")):
            table.add_column(head, overflow="fold")
        for found in findings:
            mark, style = STATUS["success" if found.ok else "error"]
            cells = (found.path, found.outcome, str(found.size), found.line_ends, found.encoding, found.check)
            table.add_row(Text(mark, style), *(Text(visible(cell)) for cell in cells))
        self.console.print(table)

    def goodbye(self, exit_code: int, kept: PurePath | None) -> None:
        """How the server ended, and where the files are."""
        translate = self._translate
        if exit_code == 0:
            ended = translate("The server has shut down.")
        else:
            ended = translate("The server exited with code {code}.", code=exit_code)
        files = (
            translate("The files are kept in {folder}", folder=kept)
            if kept
            else translate("The copy was removed.")
        )
        self.line(sentences(translate, (ended, files)))

    def line(self, words: str, style: str = "") -> None:
        """A line of its own, wrapped only by the terminal, so that paths in it can be copied."""
        self.console.print(Text(visible(words), style), soft_wrap=True)

    def _heading(self, words: str) -> None:
        self.console.print()
        self.console.print(Rule(Text(words, "bold"), align="left", style="dim", characters="─"))

    def _diff(self, unified: str) -> None:
        for line in render_diff(unified):
            self._row("", line.text, hang=line.margin)

    def _row(self, role: str, content: Text, style: str = "", hang: int = 0) -> None:
        """Text next to a role's name, wrapped to the width, with a hanging indent of `hang`."""
        padding = " " * (GUTTER - cell_len(role))  # a letter may be two cells wide
        head, room = Text(role + padding, style), max(self.console.width - GUTTER - hang, MIN_ROOM)
        fits = content.cell_len <= room + hang and "\n" not in content.plain
        pieces = [content] if fits else content.wrap(self.console, room, overflow="fold")
        for piece in pieces:
            self.console.print(head + piece, no_wrap=True, crop=False, overflow="ignore")
            head = Text(" " * (GUTTER + hang))

    def _compact(self, value: object) -> str:
        if not isinstance(value, str):
            return str(value)
        first, lines = value.split("\n", 1)[0], count_lines(value)
        more = f" ({self._lines(lines)})" if lines > 1 else ""
        return json.dumps(clip(first, 28), ensure_ascii=False) + more

    def _lines(self, count: int) -> str:
        return self._translate("1 line", plural="{count} lines", count=count)
