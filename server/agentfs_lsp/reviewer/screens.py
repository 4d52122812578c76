"""The screens over that of the proposals: the keys, and the history of what landed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.reviewer.connection import Refused, Server
from agentfs_lsp.reviewer.proposals import Guard
from agentfs_lsp.reviewer.rows import change_lines, one_row
from agentfs_lsp.reviewer.rows_view import RowsView

LISTED: Final = 4
"""Rows of a list above a diff."""


class HelpScreen(ModalScreen[None]):
    """All keys."""

    CSS = """
    HelpScreen { align: center middle; }
    #help { width: auto; height: auto; padding: 1 2; background: #26303a; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "dismiss", show=False),
    ]

    def __init__(self, translate: Translate) -> None:
        super().__init__()
        self._translate = translate

    def compose(self) -> ComposeResult:
        translate = self._translate
        keys = (
            ("a", translate("accept, once all of it has been in view")),
            ("r", translate("reject, with a reason for the agent")),
            ("e", translate("amend the marked file in $VISUAL or $EDITOR")),
            ("x", translate("reject the marked file of several, or not")),
            ("X", translate("reject that file, with a reason for the agent")),
            ("A A", translate("accept, and let this session's later changes through")),
            (translate("↓ ↑ Space b g G"), translate("scroll by lines, pages, to the ends")),
            ("f F", translate("next and previous file")),
            ("n p Tab", translate("next and previous proposal; nothing is decided")),
            ("h", translate("history of changes that landed, with undo")),
            ("q", translate("leave; what waits goes on in the editor")),
        )
        width = max(len(key) for key, _ in keys)
        lines = [f"{key.ljust(width)}  {told}" for key, told in keys]
        yield Static(Text("\n".join(["agentfs review", "", *lines])), id="help")

    def action_dismiss(self, result: None = None) -> None:  # type: ignore[override]
        self.dismiss(result)


class HistoryScreen(ModalScreen[str | None]):
    """The changes that landed, newest first; its result is the id of a change to undo, which has been on the
    screen for a while: without a review, as in the mode auto_edit, the key would undo it at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,h", "leave", show=False),
        Binding("n,tab", "step(1)", show=False, priority=True),
        Binding("p,shift+tab", "step(-1)", show=False, priority=True),
        Binding("u", "undo", show=False),
    ]

    def __init__(
        self, server: Server, changes: Sequence[Mapping[str, Any]], translate: Translate, guard: Guard
    ) -> None:
        super().__init__()
        self.guard = guard
        self._server = server
        self._changes = changes
        self._translate = translate
        self._at = 0

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        yield Static(id="list")
        yield Static(Text("─" * 500), id="rule")
        yield RowsView("past")
        yield Static(id="keys")

    def on_mount(self) -> None:
        past = self.query_one("#past", RowsView)
        past.on_drawn = self.guard.drawn
        past.focus()
        self._update()

    def on_resize(self, _: events.Resize) -> None:
        self._update()

    def _update(self) -> None:
        width = self.app.size.width
        head = self._translate("history: {number} of {count}", number=self._at + 1, count=len(self._changes))
        self.query_one("#head", Static).update(Text(one_row(f" agentfs review · {head}", width), "bold"))
        keys = self._translate(" n next  p previous  u undo  q back")
        self.query_one("#keys", Static).update(Text(one_row(keys, width)))
        first = max(0, min(self._at - LISTED // 2, len(self._changes) - LISTED))
        rows = Text()
        for number, one in enumerate(self._changes[first : first + LISTED], start=first):
            paths = ", ".join(file["path"] for file in one["files"])
            mark = "▸" if number == self._at else " "
            row = one_row(
                f"{mark} {one['time'][:16].replace('T', ' ')} {one['tool']} {paths} · {one['agent']}", width
            )
            rows.append(row, "bold" if number == self._at else "dim").append("\n")
        rows.rstrip()
        self.query_one("#list", Static).update(rows)
        self.guard.hide()
        self.query_one("#past", RowsView).show(())
        self.run_worker(self._load(self._changes[self._at]["change_id"]), exclusive=True)

    async def _load(self, ident: str) -> None:
        try:
            answer = await self._server.request("agentfs/userHistory", {"change_id": ident, "texts": True})
        except Refused:
            return
        if answer["status"] == "error" or not self.is_attached:
            return
        lines = await asyncio.to_thread(change_lines, answer["data"]["changes"][0], self._translate)
        self.query_one("#past", RowsView).show(lines)

    def action_step(self, by: int) -> None:
        self._at = min(max(self._at + by, 0), len(self._changes) - 1)
        self._update()

    def action_undo(self) -> None:
        if self.guard.admits():
            self.dismiss(self._changes[self._at]["change_id"])
        else:
            told = self._translate("This has just appeared. Look at it, then press the key again.")
            self.query_one("#keys", Static).update(Text(one_row(told, self.app.size.width)))

    def action_leave(self) -> None:
        self.dismiss(None)
