"""Calls of tools and the proposals that they wait for (docs/protocol.md#mcp).

A person may take longer than a client waits. So a call and what it started are two things: a call that was
held for as long as its client waits is answered with the proposal's id, and the proposal goes on. No I/O:
`Work` does what a tool does.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agentfs_lsp.client import Decision, Reject, Review
from agentfs_lsp.jsonrpc.codec import RequestId
from agentfs_lsp.mcp.catalog import CHANGING
from agentfs_lsp.mcp.connection import Called, Cancelled, Connection, Event, Replied
from agentfs_lsp.mcp.holds import hold_s
from agentfs_lsp.mcp.question import decision, question

_log: Final = logging.getLogger(__name__)

PROGRESS_S: Final = 5.0
"""Seconds between progress reports."""

ASK_S: Final = 3600.0
"""A question that the user has not answered for so many seconds is withdrawn: a no."""

ABANDONED_S: Final = 300.0
"""The same where another change waits for it, if a client would not tell that it has dropped the question."""

MAX_ENDED: Final = 64
"""Jobs whose results are kept for a later `wait`."""

_KEY: Final = "review"
_UNANSWERED: Final = Reject("Nobody answered the question.")
_TIMED_OUT: Final = re.compile(r"tim(?:ed?|ing)[ _-]?out", re.IGNORECASE)

NOBODY: Final = (
    "Nobody can be asked about this change, so it was refused: no editor with agentfs has this folder open, "
    "and the user cannot be asked here. Nothing was changed. Ask the user to open the folder in an editor "
    "with agentfs. Then read the file again, and repeat the change."
)
UNREADABLE: Final = (
    "This change is of a file that you may not read, and a question here would show you its text, so it was "
    "refused. Nothing was changed. Ask the user to open the folder in an editor with agentfs, then repeat it."
)
TOO_LONG: Final = (
    "This change is too long to be shown as a question here, so it was refused. Nothing was changed. Make it "
    "in smaller steps, or ask the user to open the folder in an editor with agentfs: in VS Code, to install "
    "the extension agentfs."
)
DECLINED: Final = (
    "The question about this change was declined, by the user or by this program without showing it, so the "
    "change was refused. Nothing was changed. Ask the user how to continue: an editor that has the folder "
    "open with agentfs shows the user each change."
)
HANDED_OVER: Final = (
    "The folder was opened in an editor while this change waited, so it was withdrawn here. Nothing was "
    "changed. Read the file again and repeat the change: the user reviews it in the editor."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a tool: what its model shall read. `meta`: for programs."""

    text: str
    is_error: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)


WITHDRAWN: Final = Outcome("The proposal was withdrawn; nothing has changed.", is_error=True)
"""Only if that is known."""

Work = Callable[["Job"], Awaitable[Outcome]]


class Job:
    """What a call started: the agent and `wait` know it as a proposal. `what`: for progress reports. `send`:
    as of `Calls`."""

    def __init__(
        self, ident: str, called: Called, what: str, connection: Connection, send: Callable[[], None]
    ) -> None:
        self.id = ident
        self.tool, self.arguments, self.caller = called.tool, called.arguments, called.caller
        self.what = what
        self.task: asyncio.Task[Outcome]
        self.is_told = False
        """Whether a call got its outcome."""
        self.begun_then = 0
        """How many had begun when its last call ended: who calls it again later means it anew."""
        self.is_sent = False
        """Whether a server may act on it. Then only the server knows whether it can still be withdrawn."""
        self.withdrawal = asyncio.Event()
        """Set if the agent does not want it any more."""
        self.refusal: str | None = None
        """Why nobody decided, if so: then it can't land."""
        self.is_accepted = False
        """Whether the server is told so: then it may land."""
        self.asked: dict[str, Any] | None = None
        """The question that waits for an answer."""
        self.state = ""
        """What the answer to a modern question must come with: it can't be guessed, and counts once."""
        self.question_id: RequestId | None = None
        self._connection = connection
        self._send = send
        self._reply: asyncio.Future[Decision] | None = None
        self._listeners: set[asyncio.Future[None]] = set()

    async def news(self, timeout_s: float) -> None:
        """Wait until it has ended or asks something, at most so long."""
        news = asyncio.get_running_loop().create_future()
        self._listeners.add(news)
        await asyncio.wait([self.task, news], timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        self._listeners.discard(news)

    async def ask(self, review: Review) -> Decision:
        """Ask the user through the client. Everything but a clear yes is a no."""
        if self.withdrawal.is_set() or self.refusal is not None:
            return Reject(self.refusal or "")
        if not self.caller.can_ask:
            return self.refuse(NOBODY)
        if review.blind:
            return self.refuse(UNREADABLE)
        asked = question(review, self.caller.name)
        if asked is None:
            return self.refuse(TOO_LONG)
        self._reply = asyncio.get_running_loop().create_future()
        self.asked, self.state = asked, secrets.token_urlsafe(16)
        if not self.caller.is_modern:
            self.question_id = self._connection.ask(asked)
            self._send()
        for news in self._listeners:
            if not news.done():
                news.set_result(None)
        try:
            async with asyncio.timeout(ASK_S):
                return await self._reply
        except TimeoutError:
            return _UNANSWERED
        finally:
            self._close()

    def give_way(self) -> None:
        """Another change waits for this one's question to be answered."""
        if self.caller.is_modern:
            asyncio.get_running_loop().call_later(ABANDONED_S, self.reply, _UNANSWERED)

    def accepts(self, state: str | None) -> bool:
        """Whether a reply with this state answers the open question."""
        return bool(self.state) and state is not None and self.state == state

    def refuse(self, why: str) -> Decision:
        """Let nobody decide about it, unless it has been accepted."""
        if not self.is_accepted:
            self.refusal = why
        return self.reply(Reject(why))

    def take(self, reply: object) -> None:
        """The client's reply. One without a form is not known to be the user's: Codex declines by itself what
        its settings keep it from showing."""
        if isinstance(reply, Mapping) and reply.get("action") == "accept":
            self.reply(decision(reply))
        else:
            self.refuse(DECLINED)

    def reply(self, decided: Decision) -> Decision:
        """The answer to the question, if one is open."""
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(decided)
        self._close()
        return decided

    def _close(self) -> None:
        """The question is no longer open."""
        if self.question_id is not None:
            self._connection.drop(self.question_id)
            self._send()
        self.asked, self.question_id, self.state = None, None, ""

    def withdraw(self) -> None:
        """The agent does not want it any more. It ends with `WITHDRAWN`, unless it has been decided."""
        self.withdrawal.set()
        self._close()
        if not self.is_sent:
            self.task.cancel()

    @property
    def is_withdrawn(self) -> bool:
        """Whether it has ended so, and is known to have changed nothing."""
        if not self.task.done():
            return False
        # Cancelled before anything was sent.
        return self.task.cancelled() or (not self.task.exception() and self.task.result() is WITHDRAWN)

    @property
    def outcome(self) -> Outcome:
        """Of a job that has ended. Raises what its tool raised."""
        if self.is_withdrawn:
            return WITHDRAWN
        outcome = self.task.result()
        if self.refusal is not None and outcome.is_error:
            return Outcome(self.refusal, is_error=True, meta=outcome.meta)
        return outcome


@dataclass(slots=True)
class _Call:
    """`job`: what it waits for. `is_own`: not as a `wait`, whose end leaves the proposal open."""

    task: asyncio.Task[None]
    job: Job | None = None
    is_own: bool = False


class Calls:
    """`send` is called when there is something to send; `work` does what a tool does; `what` names it for
    the user. `hold`: seconds to hold a call, by default as long as its client waits. `real_path` of a
    path is the same for all its spellings."""

    def __init__(
        self,
        connection: Connection,
        send: Callable[[], None],
        work: Work,
        what: Callable[[Called], str],
        hold: float | None = None,
        real_path: Callable[[str], str] = str,
    ) -> None:
        self._connection = connection
        self._send = send
        self._work = work
        self._what = what
        self._hold = hold
        self._real_path = real_path
        self._begun = 0
        self._calls: dict[RequestId, _Call] = {}
        self._jobs: dict[str, Job] = {}

    def happened(self, event: Event) -> None:
        """What the connection reports."""
        match event:
            case Called(id=ident):
                call = _Call(asyncio.ensure_future(self._serve(event)))
                self._calls[ident] = call
                call.task.add_done_callback(lambda _: self._ended(ident, call))
            case Cancelled(ident, reason):
                self._cancel(ident, reason)
            case Replied(ident, result):
                for job in self._jobs.values():
                    if job.question_id == ident:
                        job.question_id = None  # it needs no withdrawal
                        job.take(result)

    def _ended(self, ident: RequestId, call: _Call) -> None:
        if self._calls.get(ident) is call:
            del self._calls[ident]

    def _cancel(self, ident: RequestId, reason: str) -> None:
        """A client that gave up waiting may ask again; for any other reason, nobody wants the change."""
        call = self._calls.pop(ident, None)
        if call is None:
            return
        call.task.cancel()
        job = call.job
        wanted = any(other.job is job for other in self._calls.values())
        if job is None or not call.is_own or wanted or job.task.done() or _TIMED_OUT.search(reason):
            return
        job.withdraw()

    async def close(self) -> None:
        """Withdraw everything."""
        tasks: list[asyncio.Task[Any]] = [call.task for call in self._calls.values()]
        tasks += [job.task for job in self._jobs.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- one call -----------------------------------------------------------------------------------------

    async def _serve(self, called: Called) -> None:
        try:
            await self._run(called)
        except Exception as error:  # noqa: BLE001 - a defect must not leave the agent waiting
            _log.exception("%s failed", called.tool)
            told = f"agentfs failed: {type(error).__name__}. Read the files before you go on."
            self._answer(called, Outcome(told, is_error=True))

    async def _run(self, called: Called) -> None:
        job = self._job(called)
        if isinstance(job, Outcome):
            self._answer(called, job)
            return
        call = self._calls[called.id]
        call.job, call.is_own = job, called.tool != "wait"
        try:
            outcome = await self._wait(called, job)
            if outcome is WITHDRAWN and call.is_own:  # by the cancel of an equal call, before this one
                call.job = job = self._begin(called)
                outcome = await self._wait(called, job)
        finally:
            job.begun_then = self._begun
        if outcome is not None:
            self._answer(called, outcome)

    async def _wait(self, called: Called, job: Job) -> Outcome | None:
        """Hold the call. Returns its result, or None if it was answered with a question."""
        loop = asyncio.get_running_loop()
        begun, reported = loop.time(), 0
        hold = self._hold or hold_s(called.caller, reports=called.token is not None)
        held = 0.0
        while not job.task.done():
            if job.asked is not None and called.caller.is_modern:
                self._connection.require(called, _KEY, job.asked, job.state)
                self._send()
                return None
            if held >= hold:
                return _still_open(job)
            before, is_asking = loop.time(), job.asked is not None
            due = begun + (reported + 1) * PROGRESS_S - before
            await job.news(due if is_asking else min(due, hold - held))
            if not is_asking:  # the client waits for its own question as long as it likes
                held += loop.time() - before
            if int((loop.time() - begun) / PROGRESS_S) > reported and not job.task.done():
                reported = int((loop.time() - begun) / PROGRESS_S)
                seconds = int(reported * PROGRESS_S)
                self._connection.progress(called, seconds, f"{job.what} ({seconds} s)")
                self._send()
        job.is_told = True
        return job.outcome

    def _answer(self, called: Called, outcome: Outcome) -> None:
        # Gemini CLI gives its model the whole result of a failed call, as JSON.
        is_quoted = outcome.is_error and called.caller.name.startswith("gemini-cli")
        meta = {} if is_quoted else outcome.meta
        self._connection.answer(called, outcome.text, is_error=outcome.is_error, meta=meta)
        self._send()

    # --- jobs ---------------------------------------------------------------------------------------------

    def _job(self, called: Called) -> Job | Outcome:
        """What the call waits for: the proposal that it names, answers, or repeats, or a new one."""
        if called.tool == "wait":
            ident = str(called.arguments.get("id"))
            found = self._jobs.get(ident)
            if found is None:
                return Outcome(f"There is no proposal {ident!r}, or it ended long ago.", is_error=True)
        else:
            found = self._same(called)
        if called.state is None and called.replies is None:
            return found or self._begin(called)
        if found is None or not found.accepts(called.state):
            return Outcome("This question is no longer open. The reply changed nothing.", is_error=True)
        found.take((called.replies or {}).get(_KEY))
        return found

    def _same(self, called: Called) -> Job | None:
        """The proposal of an equal call, unless its outcome is known: a change that is repeated because its
        answer did not arrive must not be made twice. Once something else was called after it ended, it is
        meant as a new one."""
        if called.tool not in CHANGING:
            return None
        wanted = self._key(called)
        for job in self._jobs.values():
            is_over = job.is_told or job.is_withdrawn
            if job.task.done() and job.begun_then != self._begun:
                is_over = True
            if not is_over and self._key(job) == wanted:
                return job
        return None

    def _key(self, call: Called | Job) -> str:
        """Equal for what is the same change, whatever its reason and the spelling of its paths."""
        arguments = {name: value for name, value in call.arguments.items() if name != "explanation"}
        return json.dumps([call.tool, self._spelled(arguments)], sort_keys=True)

    def _spelled(self, value: Any) -> Any:
        match value:
            case {"path": str(path)}:
                return {**value, "path": self._real_path(path)}
            case {"operations": list(operations)}:
                return {**value, "operations": [self._spelled(one) for one in operations]}
            case {"params": dict(params)}:
                return {**value, "params": self._spelled(params)}
        return value

    def _begin(self, called: Called) -> Job:
        ended = [one.id for one in self._jobs.values() if one.task.done()]
        for ident in ended[: max(0, len(ended) - MAX_ENDED + 1)]:
            del self._jobs[ident]
        self._begun += 1
        job = Job(f"p-{self._begun}", called, self._what(called), self._connection, self._send)
        job.task = asyncio.ensure_future(self._work(job))
        self._jobs[job.id] = job
        return job


def _still_open(job: Job) -> Outcome:
    if job.tool not in CHANGING:
        text = f"This waits for the user. Call wait with id {job.id} for the result."
    else:
        text = (
            f"Proposal {job.id} waits for the user, or has just been accepted. Call wait with id "
            f"{job.id} for the result. Do not repeat the change, and do not make it in another way."
        )
    return Outcome(text, meta={"agentfs-pending": job.id})
