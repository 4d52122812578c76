"""The exchange with a review client about one proposal, and the applier that lands it
(docs/protocol.md#91-review-clients).

Every message of the client gets a response, whenever it arrives: early, in order, repeated, or after the
end. Only the wait for the user's settle has no time limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from agentfs_lsp.adapters.documents import path_of
from agentfs_lsp.domain.errors import Conflict, DomainError, Rejected
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.proposal.review import Applied, DocumentEdit

T = TypeVar("T")

Code = Literal["CONFLICT", "WITHDRAWN", "TIMEOUT", "SETTLED", "UNKNOWN", "INVALID_PARAM", "EXECUTION_ERROR"]


@dataclass(frozen=True, slots=True)
class Settlement:
    """The user's decision, by the files' real absolute paths: the `rejected` files, with the `reasons` that
    the user gave for single ones, and the whole text of each amended file. All others are accepted."""

    rejected: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    feedback: str = ""
    always: bool = False
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """The client's report about one file."""

    done: bool
    reason: str = ""


NOT_DONE = Report(done=False)

Reports = Mapping[str, Report]
"""The reports by real absolute path; a file that is not in it counts as not done."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The server's response in the conversation. `code` None means success; `error` is the reason for a
    refusal."""

    code: Code | None = None
    error: DomainError | None = None
    edits: tuple[DocumentEdit, ...] = ()
    save: tuple[str, ...] = ()


UNKNOWN = Answer("UNKNOWN")


class Conversation:
    """The conversation about a proposal. `proposal` is None after it has ended."""

    applied_already = False
    reverts_late = True

    def __init__(self, proposal: Proposal, *, saves: bool) -> None:
        loop = asyncio.get_running_loop()
        self.proposal: Proposal | None = proposal
        self.saves = saves
        self.settlement: asyncio.Future[Settlement] = loop.create_future()
        self._files = dict(_spellings(proposal.changes))
        self._settle_answer: asyncio.Future[Answer] = loop.create_future()
        self._applied_report: asyncio.Future[Reports] = loop.create_future()
        self._applied_answer: asyncio.Future[Answer] = loop.create_future()
        self._saved_report: asyncio.Future[Reports] = loop.create_future()
        self._attached_answer: asyncio.Future[Answer] | None = None
        self._unanswered: set[asyncio.Future[None]] = set()
        self._is_concluded = False
        self._is_lost = False
        """Whether the connection has ended between what the client was told to apply and its report."""

    # --- the client's messages ----------------------------------------------------------------------------

    @property
    def files(self) -> frozenset[str]:
        """The real absolute paths of the proposal's files."""
        return frozenset(self._files.values())

    def file_of(self, uri: str) -> str | None:
        """The file of the proposal that a URI names, in the server's spelling or another; None if none."""
        path = path_of(uri)
        return self._files.get(uri) or (path if path in self.files else None)

    def settle(self, settlement: Settlement) -> Awaitable[Answer]:
        """The first settle decides, from this moment on; later ones get the first one's response. If the
        first is invalid and decides nothing, the next one counts as the first."""
        first = _resolve(self.settlement, settlement)
        if first and self.proposal:
            self.proposal.to("settled")
        answer = asyncio.shield(self._settle_answer)
        return answer if first else self._repeated(settlement, answer)

    async def _repeated(self, settlement: Settlement, answer: Awaitable[Answer]) -> Answer:
        first_answer = await answer
        return await self.settle(settlement) if first_answer.code == "INVALID_PARAM" else first_answer

    def settle_attached(self, settlement: Settlement) -> Awaitable[Answer]:
        """The same by a reviewer in a program of its own, which applies nothing: the editor does. It is told
        whether it has decided, and if not, why."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        if self.settlement.cancelled() or not _resolve(self.settlement, settlement):
            ended = self._settle_answer.result() if self._settle_answer.done() else Answer()
            answer.set_result(ended if ended.code else Answer("SETTLED"))
            return answer
        self._attached_answer = answer
        if self.proposal:
            self.proposal.to("settled")
        return asyncio.shield(answer)

    @property
    def is_settled_attached(self) -> bool:
        """Whether a reviewer in a program of its own has settled it."""
        return self._attached_answer is not None

    def decided_attached(self) -> None:
        """What it settled counts: tell it, and whoever settles in the editor from now on."""
        if self._attached_answer is not None:
            _resolve(self._attached_answer, Answer())
        self.end("SETTLED")

    def answered_by(self, sent: asyncio.Future[None]) -> None:
        """The response to a message of the client has been sent when `sent` is done."""
        self._unanswered.add(sent)
        sent.add_done_callback(self._unanswered.discard)

    def last_word(self, message: Literal["settle", "applied"]) -> Answer | None:
        """The response to such a message after the proposal has ended; sent at once, because
        `agentfs/settled` no longer waits for it."""
        if not self._is_concluded:
            return None
        return (self._settle_answer if message == "settle" else self._applied_answer).result()

    @property
    def is_answered(self) -> bool:
        """Whether the settle has been answered, so that the client has something to report on."""
        return self._settle_answer.done()

    @property
    def to_apply(self) -> tuple[DocumentEdit, ...]:
        """The edits that the client was told to apply."""
        return self._settle_answer.result().edits if self._settle_answer.done() else ()

    def applied(self, reports: Reports) -> asyncio.Future[Answer]:
        """The client's report about what it applied."""
        _resolve(self._applied_report, reports)
        return asyncio.shield(self._applied_answer)

    def saved(self, reports: Reports) -> None:
        """The client's report about what it saved; ignored before the client was told to save."""
        if self._applied_answer.done():
            _resolve(self._saved_report, reports)

    # --- the applier --------------------------------------------------------------------------------------

    async def apply(self, edits: Sequence[DocumentEdit]) -> AsyncIterator[Applied]:
        """Respond to the settle with the edits to apply, and wait for `agentfs/applied`."""
        _resolve(self._settle_answer, Answer(edits=tuple(edits)))
        reports = await asyncio.shield(self._applied_report)
        for edit in edits:
            report = reports.get(self._files.get(edit.uri, ""), NOT_DONE)
            yield Applied(report.done, report.reason, is_lost=self._is_lost)

    async def roll_back(self, edits: Sequence[DocumentEdit], error: DomainError) -> None:  # noqa: ARG002
        """Refuse `agentfs/applied`. What to revert is computed on the response, because the client may apply
        the change after the timeout."""
        self.failed(error)

    async def committed(self, save: Sequence[str]) -> Collection[str]:
        """Respond with success to the waiting message; if there is something to save, wait for
        `agentfs/saved`."""
        _resolve(self._settle_answer, Answer())
        _resolve(self._applied_answer, Answer(save=tuple(save)))
        if not save:
            return ()
        reports = await asyncio.shield(self._saved_report)
        return [uri for uri in save if reports.get(self._files.get(uri, ""), NOT_DONE).done]

    def failed(self, error: Exception) -> None:
        """Respond with a refusal to the waiting message and to later ones."""
        code: Code = "CONFLICT" if isinstance(error, Conflict) else "EXECUTION_ERROR"
        self.end(code, error if isinstance(error, DomainError) else None)

    # --- the end ------------------------------------------------------------------------------------------

    def reopen(self, unfit: DomainError) -> None:
        """The settle can't be carried out: answer so, and decide nothing. The user's text is still in the
        editor, to be corrected and settled again."""
        answer, loop = self._settle_answer, asyncio.get_running_loop()
        self.settlement, self._settle_answer = loop.create_future(), loop.create_future()
        attached, self._attached_answer = self._attached_answer, None
        for one in (answer, attached):
            if one is not None:
                _resolve(one, Answer("INVALID_PARAM", unfit))

    def accept_no(self, error: Rejected) -> None:
        """The user's rejection was processed; no further messages are expected."""
        _resolve(self._settle_answer, Answer())
        self.end("SETTLED", error)

    def end(self, code: Code, error: DomainError | None = None) -> None:
        """Every pending and later message gets this response."""
        self.settlement.cancel()
        for answer in (self._settle_answer, self._applied_answer, self._attached_answer):
            if answer is not None:
                _resolve(answer, Answer(code, error))

    async def conclude(self) -> None:
        """Respond to all waiting messages, and return when the responses have been sent, even if
        cancelled."""
        self.end("EXECUTION_ERROR")  # if nothing has answered yet, nothing else will
        self._is_concluded = True
        while self._unanswered:
            with suppress(asyncio.CancelledError):  # too late: the agent's answer is decided
                await asyncio.wait(self._unanswered)

    def abandon(self) -> None:
        """The client can no longer report. If it was told what to apply, it may have done so."""
        self._is_lost = self.is_answered and not self._applied_report.done()
        _resolve(self._applied_report, {})
        _resolve(self._saved_report, {})


def _spellings(changes: Sequence[FileChange]) -> Iterator[tuple[str, str]]:
    """Every URI the server knows for the changes' files, with the file's real absolute path."""
    for change in changes:
        location, buffer = change.base.location, change.base.buffer
        yield location.uri, location.absolute
        if buffer:
            yield buffer.uri, location.absolute


def _resolve(future: asyncio.Future[T], value: T) -> bool:
    """Set the result unless there is one; returns whether it was set."""
    if future.done():
        return False
    future.set_result(value)
    return True
