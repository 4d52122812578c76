"""The exchange with a review client about one proposal, and the applier that lands it
(docs/protocol.md#91-review-clients).

Every message of the client gets a response, whenever it arrives: early, in order, repeated, or after the
end. Only the wait for the user's settle has no time limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

from agentfs_lsp.adapters.documents import path_of
from agentfs_lsp.domain.errors import Conflict, DomainError, Rejected
from agentfs_lsp.service.proposal.review import Applied

if TYPE_CHECKING:
    from collections.abc import Awaitable, Collection, Iterator, Sequence

    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.proposal.proposal import Proposal
    from agentfs_lsp.service.proposal.review import DocumentEdit

T = TypeVar("T")

Code = Literal["CONFLICT", "WITHDRAWN", "TIMEOUT", "SETTLED", "UNKNOWN", "INVALID_PARAM", "EXECUTION_ERROR"]


@dataclass(frozen=True, slots=True)
class Settlement:
    """What the user decided, by the files' real absolute paths: which are `rejected`, and the whole text of
    each that was amended. Those in neither are accepted."""

    rejected: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    feedback: str = ""
    always: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What the client says of its part in one file."""

    done: bool
    reason: str = ""


NOT_DONE = Report(done=False)

Reports = Mapping[str, Report]
"""By real absolute path; what is not in it was not done."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The server's turn in the conversation. `code` None is a yes; `error` is why it is a no."""

    code: Code | None = None
    error: DomainError | None = None
    edits: tuple[DocumentEdit, ...] = ()
    save: tuple[str, ...] = ()


UNKNOWN = Answer("UNKNOWN")


class Conversation:
    """What was said about a proposal so far. `proposal` is None once it is over."""

    applied_already = False

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
        self._unanswered: set[asyncio.Future[None]] = set()
        self._is_concluded = False

    # --- the client's messages ----------------------------------------------------------------------------

    @property
    def files(self) -> frozenset[str]:
        """The real absolute paths of the proposal's files."""
        return frozenset(self._files.values())

    def file_of(self, uri: str) -> str | None:
        """Which of the proposal's files a URI names, in the server's spelling or another; None for none."""
        path = path_of(uri)
        return self._files.get(uri) or (path if path in self.files else None)

    def settle(self, settlement: Settlement) -> Awaitable[Answer]:
        """The first settle decides, from this moment on; every later one gets the first one's answer. Where
        the first turns out to decide nothing, the next one is the first."""
        first = _resolve(self.settlement, settlement)
        if first and self.proposal and settlement.rejected != self.files:
            self.proposal.to("settled")
        answer = asyncio.shield(self._settle_answer)
        return answer if first else self._repeated(settlement, answer)

    async def _repeated(self, settlement: Settlement, answer: Awaitable[Answer]) -> Answer:
        first_answer = await answer
        return await self.settle(settlement) if first_answer.code == "INVALID_PARAM" else first_answer

    def answered_by(self, sent: asyncio.Future[None]) -> None:
        """A message of the client is answered once `sent` is done."""
        self._unanswered.add(sent)
        sent.add_done_callback(self._unanswered.discard)

    def last_word(self, message: Literal["settle", "applied"]) -> Answer | None:
        """What such a message is answered by once the proposal is over. At once: nobody waits any more for
        its answer to be sent before `agentfs/settled` is."""
        if not self._is_concluded:
            return None
        return (self._settle_answer if message == "settle" else self._applied_answer).result()

    @property
    def is_answered(self) -> bool:
        """Whether the settle was answered, so that the client has something to report on."""
        return self._settle_answer.done()

    @property
    def to_apply(self) -> tuple[DocumentEdit, ...]:
        """What the client was told to apply."""
        return self._settle_answer.result().edits if self._settle_answer.done() else ()

    def applied(self, reports: Reports) -> asyncio.Future[Answer]:
        """What the client applied."""
        _resolve(self._applied_report, reports)
        return asyncio.shield(self._applied_answer)

    def saved(self, reports: Reports) -> None:
        """What the client saved; before it was told to, that says nothing."""
        if self._applied_answer.done():
            _resolve(self._saved_report, reports)

    # --- the applier --------------------------------------------------------------------------------------

    async def apply(self, edits: Sequence[DocumentEdit]) -> list[Applied]:
        """Answer the settle with what is to be applied, and wait for `agentfs/applied`."""
        _resolve(self._settle_answer, Answer(edits=tuple(edits)))
        reports = await asyncio.shield(self._applied_report)
        told = [reports.get(self._files.get(edit.uri, ""), NOT_DONE) for edit in edits]
        return [Applied(report.done, report.reason) for report in told]

    async def take_back(self, edits: Sequence[DocumentEdit], error: DomainError) -> None:  # noqa: ARG002
        """Say no to `agentfs/applied`. What is to be taken back is looked up when that is answered: the
        client may apply later than it was waited for."""
        self.failed(error)

    async def committed(self, save: Sequence[str]) -> Collection[str]:
        """Say yes to whichever message waits for it; with something to save, wait for `agentfs/saved`."""
        _resolve(self._settle_answer, Answer())
        _resolve(self._applied_answer, Answer(save=tuple(save)))
        if not save:
            return ()
        reports = await asyncio.shield(self._saved_report)
        return [uri for uri in save if reports.get(self._files.get(uri, ""), NOT_DONE).done]

    def failed(self, error: Exception) -> None:
        """Say no to whichever message waits, and to those that still come."""
        self.end(_code_of(error), error if isinstance(error, DomainError) else None)

    # --- the end ------------------------------------------------------------------------------------------

    def reopen(self, unfit: DomainError) -> None:
        """The settle can't be done: it is answered so, and nothing is decided. The user's text is still in
        the editor, to be mended and settled again."""
        answer, loop = self._settle_answer, asyncio.get_running_loop()
        self.settlement, self._settle_answer = loop.create_future(), loop.create_future()
        _resolve(answer, Answer("INVALID_PARAM", unfit))

    def accept_no(self, error: Rejected) -> None:
        """The user's no was understood, and nothing else is to come."""
        _resolve(self._settle_answer, Answer())
        self.end("SETTLED", error)

    def end(self, code: Code, error: DomainError | None = None) -> None:
        """From here on every message that was not answered is answered with this."""
        self.settlement.cancel()
        for answer in (self._settle_answer, self._applied_answer):
            _resolve(answer, Answer(code, error))

    async def conclude(self) -> None:
        """Answer whatever waits for an answer, and return once that has been sent, cancelled or not."""
        self.end("EXECUTION_ERROR")  # where nothing has answered yet: nobody else will
        self._is_concluded = True
        while self._unanswered:
            with suppress(asyncio.CancelledError):  # too late: it is decided what the agent is told
                await asyncio.wait(self._unanswered)

    def abandon(self) -> None:
        """Nobody is there to report any more."""
        for report in (self._applied_report, self._saved_report):
            _resolve(report, {})


def _spellings(changes: Sequence[FileChange]) -> Iterator[tuple[str, str]]:
    """Every URI that the server has for a file of these changes, with the file's real absolute path."""
    for change in changes:
        location, buffer = change.base.location, change.base.buffer
        yield location.uri, location.absolute
        if buffer:
            yield buffer.uri, location.absolute


def _code_of(error: Exception) -> Code:
    match error:
        case Conflict():
            return "CONFLICT"
        case _:
            return "EXECUTION_ERROR"


def _resolve(future: asyncio.Future[T], value: T) -> bool:
    """Whether it was still open."""
    if future.done():
        return False
    future.set_result(value)
    return True
