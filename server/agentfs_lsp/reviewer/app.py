"""The reviewer on the screen: a list of what waits, the diff of one proposal, and keys. All that others wrote
is shown as `rich.text.Text`, never as markup."""

from __future__ import annotations

import asyncio
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.drivers import linux_driver
from textual.widgets import Input, Static

from agentfs_lsp.adapters.terminal.amending import NotEdited, edit
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.reviewer.connection import Refused, Server
from agentfs_lsp.reviewer.drafts import Drafts
from agentfs_lsp.reviewer.proposals import File, Guard, Review, Reviews
from agentfs_lsp.reviewer.rows import one_row, review_lines
from agentfs_lsp.reviewer.rows_view import Lines, RowsView
from agentfs_lsp.reviewer.screens import LISTED, HelpScreen, HistoryScreen

DECIDED: Final = ("landed", "editor", "rejected")
"""How a proposal ends as its reviewer decided."""

HISTORY: Final = 100
"""Changes of the history that are listed."""

# Textual decodes what is typed strictly, and a byte that is not UTF-8 would end the application.
linux_driver.getincrementaldecoder = (  # type: ignore[attr-defined]  # it imports it for itself
    lambda encoding: partial(getincrementaldecoder(encoding), "replace")
)


class ReviewApp(App[str | None]):
    """The application; its result is why it ended, or None if the user ended it. `now` returns seconds."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; background: #101014; color: #d8d8d8; }
    #head { height: 1; background: #26303a; }
    #list { height: auto; }
    #rule { height: 1; color: #808890; }
    #diff, #past { height: 1fr; scrollbar-size: 0 0; }
    #reason { height: 1; border: none; padding: 0; display: none; background: #26303a; }
    #message { height: 1; color: #e8c860; }
    #keys { height: 1; background: #26303a; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "accept", show=False),
        Binding("r", "reject", show=False),
        Binding("e", "amend", show=False),
        Binding("x", "toggle_file", show=False),
        Binding("X", "reject_file", show=False),
        Binding("A", "always", show=False),
        Binding("f", "file(1)", show=False),
        Binding("F", "file(-1)", show=False),
        Binding("n,tab", "step(1)", show=False, priority=True),
        Binding("p,shift+tab", "step(-1)", show=False, priority=True),
        Binding("h", "history", show=False),
        Binding("question_mark", "help", show=False),
        Binding("q,ctrl+c", "leave", show=False),
    ]

    def __init__(
        self,
        server: Server,
        place: str,
        translate: Translate,
        drafts: Drafts,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._server = server
        self._place = place
        self._drafts = drafts
        self._translate = translate
        self._now = now
        self._guard = Guard(now)
        self._reviews = Reviews()
        self._shown: Review | None = None
        self._laying_out = object()
        self._rejecting: Review | None = None
        self._rejecting_file: File | None = None
        """The one that a reason is typed for; None if it is for the whole proposal."""
        self._always = Guard(now)
        """Of the question whether “always” is meant, which any other message replaces."""

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        yield Static(id="list")
        yield Static(id="rule")
        yield RowsView("diff")
        yield Static(id="message")
        yield Input(id="reason")
        yield Static(id="keys")

    def on_mount(self) -> None:
        self._diff.on_drawn = self._drawn
        self.query_one("#reason", Input).placeholder = self._translate(
            "Reason (optional), then Enter; Escape: back"
        )
        self._diff.focus()
        self._update()
        # Through the application's own queue, because the connection's task is not the application's.
        self._server.follow(
            lambda method, params: self.call_later(self._hear, method, params),
            lambda: self.call_later(
                self.exit, self._translate("The editor's server has ended or closed the connection.")
            ),
        )

    # --- what the server tells ----------------------------------------------------------------------------

    def _hear(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "agentfs/proposed":
            self._reviews.propose(params)
        elif method == "agentfs/settled" and (review := self._reviews.end(params["id"])):
            outcomes = {params["outcome"], *(file["outcome"] for file in params.get("files", ()))}
            is_mine = review.is_sent and outcomes.issubset(DECIDED)
            self._say(f"{'' if is_mine else self._keep(review)}{self._ending(review, params)}")
        self._update()

    def _keep(self, review: Review) -> str:
        """Keep what the user has made of it, which does not land; says where."""
        try:
            kept = self._drafts.keep(review)
        except OSError as error:
            return self._translate("Your text could not be kept: {reason}.", reason=error.strerror) + " "
        return "" if kept is None else self._translate("Your text is in {file}.", file=kept) + " "

    def keep_drafts(self) -> list[str]:
        """It has ended: keep what the user has made of what waits; says where that and the rest is."""
        told = [self._keep(review).rstrip() for review in self._reviews]
        kept = [self._translate("Your text is in {file}.", file=file) for file in self._drafts]
        return list(dict.fromkeys([*kept, *filter(None, told)]))

    def _ending(self, review: Review, params: Mapping[str, Any]) -> str:
        """How it ended; if its files ended in different ways, each of them, and first those that the common
        outcome is not true of."""
        common = params["outcome"]
        files = sorted(params.get("files", ()), key=lambda file: bool(file["outcome"] == common))
        if not files:
            return f"{review.title}: {self._outcome(common)}"
        return " ".join(f"{file['path']}: {self._outcome(file['outcome'])}" for file in files)

    def _outcome(self, outcome: str) -> str:
        translate = self._translate
        return {
            "landed": translate("it is on disk."),
            "editor": translate("it is in the editor, unsaved."),
            "rejected": translate("rejected."),
            "withdrawn": translate("it was withdrawn."),
            "timed_out": translate("nobody decided in time."),
            "conflict": translate("the file has changed, so it was not applied."),
        }.get(outcome, translate("it failed. Look at what the file holds now."))

    # --- the screen ---------------------------------------------------------------------------------------

    @property
    def _diff(self) -> RowsView:
        return self.screen_stack[0].query_one("#diff", RowsView)

    def _put(self, ident: str, text: Text) -> None:
        self.screen_stack[0].query_one(f"#{ident}", Static).update(text)

    def _say(self, words: str) -> None:
        self._always.hide()
        self._put("message", Text(one_row(words, max(self.size.width - 1, 20))))

    def _update(self) -> None:
        """Show what has changed; another proposal from its beginning."""
        count = self._translate("waiting: {count}", count=len(self._reviews))
        self._put(
            "head", Text(one_row(f" agentfs review · {self._place} · {count}", self.size.width), "bold")
        )
        self._put("list", self._list())
        keys = self._translate(" a accept  r reject  e amend  A always  n next  h history  ? help  q leave")
        self._put("keys", Text(one_row(keys, self.size.width)))
        if self._shown is not self._reviews.current:
            self._shown = self._reviews.current
            self._guard.hide()
            self._always.hide()
            self._diff.show(())
            if self._shown is not None:
                self.run_worker(self._load(self._shown))
        self._tell_position()

    def _list(self) -> Text:
        listed = list(self._reviews)
        if not listed:
            return Text(self._translate(" Nothing is waiting for you. New proposals appear here."), "dim")
        at = next((number for number, one in enumerate(listed) if one is self._reviews.current), 0)
        first = max(0, min(at - LISTED // 2, len(listed) - LISTED))
        rows = Text()
        for number, one in enumerate(listed[first : first + LISTED], start=first):
            mark = "▸" if one is self._reviews.current else " "
            agent = one.agent or self._translate("An agent")
            row = f"{mark} {number + 1} {one.title} · {agent}"
            rows.append(one_row(row, self.size.width), "bold" if mark != " " else "dim")
            rows.append("\n" if number + 1 < min(first + LISTED, len(listed)) else "")
        return rows

    async def _load(self, review: Review) -> None:
        if not review.files:  # else the user comes back to it, and perhaps to what they made of it
            try:
                told = await self._server.request("agentfs/proposal", {"id": review.id})
            except Refused as error:
                self._say(str(error))
                return
            if told.get("ok") is False:  # it has ended
                return
            review.load(told)
            if (draft := self._drafts.of(review)) is not None:
                self._say(self._translate("Your text for an earlier proposal is in {file}.", file=draft))
        await self._draw(review)

    async def _draw(self, review: Review) -> None:
        """Show it from its beginning, as something that has not been seen."""
        self._guard.hide()
        self._diff.show(())
        lines = await self._lines(review)
        if lines is not None:
            self._diff.show(lines)
            self._tell_position()

    async def _lines(self, review: Review) -> Lines | None:
        """What to show of it; None if it is no longer before the user, or if it has changed since."""
        self._laying_out = this = object()
        lines = await asyncio.to_thread(review_lines, review, self._translate)
        return lines if this is self._laying_out and review is self._reviews.current else None

    def _drawn(self) -> None:
        review = self._shown
        if review is not None and review.files:
            self._guard.drawn()
            if (shown := self._diff.files) and review.at not in shown:  # scrolled away
                review.at = shown[0]
                self.run_worker(self._mark(review))
        self._tell_position()

    async def _mark(self, review: Review) -> None:
        """Show the marks of its files as they are now."""
        lines = await self._lines(review)
        if lines is not None:
            self._diff.show(lines, keep=True)

    def _tell_position(self) -> None:
        words = ""
        if self._shown is not None:
            rest = "" if self._diff.unseen() is None else self._translate("not all seen yet")
            words = f" {self._diff.position} {rest}".rstrip() + " "
        self._put("rule", Text(f"──{words}".ljust(self.size.width, "─")[: self.size.width]))

    def on_resize(self, _: events.Resize) -> None:
        self._begin_anew()
        self._update()

    def _begin_anew(self) -> None:
        """What was covered or moved must be on the screen for a while again."""
        self._guard.hide()
        self._diff.refresh()

    # --- decisions ----------------------------------------------------------------------------------------

    def _deciding(self) -> Review | None:
        """The proposal that a key may decide on now; else says why not."""
        review = self._shown
        if review is None or not review.files or review.is_sent or len(self.screen_stack) > 1:
            return None
        if not self._guard.admits():
            self._say(self._translate("This has just appeared. Look at it, then press the key again."))
            return None
        return review

    def _accepting(self) -> Review | None:
        """The same for an acceptance, which needs all of it to have been in view."""
        review = self._deciding()
        if review is not None and self._diff.unseen() is not None:
            self._diff.show_unseen()
            self._say(
                self._translate(
                    "There is more of this change. Press the key again when you have seen all of it."
                )
            )
            return None
        return review

    def action_accept(self) -> None:
        review = self._accepting()
        if review is not None:
            self._settle(review, review.rejection("") if review.is_all_rejected else review.acceptance())

    def action_always(self) -> None:
        review = self._accepting()
        if review is None:
            return
        if any(file.is_rejected for file in review.files):
            self._say(self._translate("“Always” cannot be combined with a rejected file."))
        elif self._always.admits():
            self._settle(review, review.acceptance(always=True))
        else:
            self._say(
                self._translate(
                    "Press A again to accept this and, unreviewed, all that this session changes later."
                )
            )
            self._always.drawn()

    def action_reject(self) -> None:
        self._rejecting, self._rejecting_file = self._deciding(), None
        if self._rejecting is not None:
            self._ask_reason("")

    def _ask_reason(self, value: str) -> None:
        reason = self.query_one("#reason", Input)
        reason.value = value
        reason.display = True
        reason.focus()

    async def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Reject what the reason was typed for. If that has ended meanwhile, another one is before the user,
        and the keys typed until now were not meant for it."""
        review, file, reason = self._rejecting, self._rejecting_file, submitted.value.strip()
        self._close_reason()
        if review is None or review is not self._shown or review.is_sent:
            return
        if file is None:
            self._settle(review, review.rejection(reason))
        else:
            await self._reject_file(review, file, reason)

    def _close_reason(self) -> None:
        self.screen_stack[0].query_one("#reason", Input).display = False
        if self._rejecting is not self._shown:
            self._begin_anew()
        self._diff.focus()

    async def action_amend(self) -> None:
        review = self._deciding()
        if review is None:
            return
        file = review.files[review.at]
        if file.operation == "delete":
            self._say(self._translate("A deletion has no text to amend."))
            return
        with self.suspend():  # which an exception would not end
            try:
                text, failure = edit(file.path, file.text, self._translate), ""
            except NotEdited as error:
                text, failure = file.text, str(error)
        if failure:
            self._begin_anew()  # keys may have been meant for the text editor
            self._say(failure)
            return
        file.amend(text)
        file.is_rejected, file.reason = False, ""
        self._say(
            self._translate("Your text is shown; accept it to apply it.") if file.amended is not None else ""
        )
        await self._draw(review)

    async def action_toggle_file(self) -> None:
        review = self._with_several()
        if review is None:
            return
        file = review.files[review.at]
        if not file.is_rejected:
            await self._reject_file(review, file, "")
            return
        file.is_rejected, file.reason = False, ""
        self._say(self._translate("{path}: no longer rejected.", path=visible(file.path)))
        await self._mark(review)

    def action_reject_file(self) -> None:
        review = self._with_several()
        if review is not None:
            self._rejecting, self._rejecting_file = review, review.files[review.at]
            self._ask_reason(self._rejecting_file.reason)

    def _with_several(self) -> Review | None:
        """The shown proposal, if single files of it can be rejected; otherwise say so."""
        review = self._shown
        if review is None or not review.files or review.is_sent:
            return None
        if len(review.files) == 1 or review.atomic:
            self._say(self._translate("These files are decided together: r rejects all of it."))
            return None
        return review

    async def _reject_file(self, review: Review, file: File, reason: str) -> None:
        file.is_rejected, file.reason = True, reason
        self._say(self._translate("{path}: rejected; a accepts the others.", path=visible(file.path)))
        await self._mark(review)

    def _settle(self, review: Review, params: Mapping[str, Any]) -> None:
        review.is_sent = True
        self._say(self._translate("Sent…"))
        self.run_worker(self._send(review, params))

    async def _send(self, review: Review, params: Mapping[str, Any]) -> None:
        try:
            answer = await self._server.request("agentfs/settle", params)
        except Refused as error:
            self._say(str(error))
        else:
            if answer["ok"]:
                return
            has_ended = review not in list(self._reviews)
            self._say(f"{self._keep(review) if has_ended else ''}{answer['reason']}")
        review.is_sent = False

    # --- the rest -----------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Any key that comes too soon starts the time anew: it may be one of many, for something else."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            guard = self.screen.guard if isinstance(self.screen, HistoryScreen) else self._guard
            guard.admits()
        await super().on_event(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Keys typed into the reason are text, and those on another screen are for that."""
        if len(self.screen_stack) > 1:
            return False
        is_writing = self.focused is not None and self.focused.id == "reason"
        return not is_writing or action == "leave"

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape" and self.focused is not None and self.focused.id == "reason":
            self._close_reason()

    def action_step(self, by: int) -> None:
        self._reviews.step(by)
        self._update()

    async def action_file(self, by: int) -> None:
        review = self._shown
        if review is not None and review.files:
            review.at = (review.at + by) % len(review.files)
            await self._mark(review)
            self._diff.go_to_file(review.at)

    def action_leave(self) -> None:
        self.exit(None)

    def action_help(self) -> None:
        self.push_screen(HelpScreen(self._translate), lambda _: self._uncovered())

    async def action_history(self) -> None:
        try:
            answer = await self._server.request("agentfs/userHistory", {"limit": HISTORY})
        except Refused as error:
            self._say(str(error))
            return
        if answer["status"] == "error" or not answer["data"]["changes"]:
            self._say(answer["text"])
            return
        screen = HistoryScreen(self._server, answer["data"]["changes"], self._translate, Guard(self._now))
        self.push_screen(screen, self._left_history)

    def _left_history(self, undo: str | None) -> None:
        self._uncovered()
        if undo is not None:
            self.run_worker(self._undo(undo))
            self._say(self._translate("The undo is proposed like any other change."))

    async def _undo(self, change: str) -> None:
        try:
            params = {"change_id": change, "agent": self._translate("you, in the terminal")}
            answer = await self._server.request("agentfs/userUndo", params)
        except Refused as error:
            self._say(str(error))
        else:
            self._say(answer["text"].split("\n")[0])

    def _uncovered(self) -> None:
        self._begin_anew()
        self._diff.focus()
