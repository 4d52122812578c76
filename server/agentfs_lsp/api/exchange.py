"""One request of an agent, from its params to its envelope: the frame around every file in `requests/`.

The only place that catches everything: what no domain error names is a defect, answered with an incident's
number while the rest goes to the log (docs/protocol.md#3-envelope).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agentfs_lsp.api.envelope import context_for, fail, fail_with, told_of
from agentfs_lsp.api.incidents import record_incident
from agentfs_lsp.api.messages.phrasing import USUAL, Phrasing
from agentfs_lsp.api.review import review_facts
from agentfs_lsp.domain.errors import (
    AbsolutePath,
    Conflict,
    DomainError,
    NobodyToAsk,
    OutsideRoots,
    Rejected,
    ReviewTimedOut,
)
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.translation import sentences
from agentfs_lsp.service.landing.propose import Trace
from agentfs_lsp.service.proposal.wording import always_asked_text

if TYPE_CHECKING:
    from agentfs_lsp.api.results import AnyStats, Context, Data, Envelope
    from agentfs_lsp.domain.paths import PathMode
    from agentfs_lsp.domain.translation import Told, Translate
    from agentfs_lsp.service.state.workspace import Workspace

_NOT_APPROVED = (NobodyToAsk, Rejected, ReviewTimedOut)

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Exchange:
    """What a request knows while it is answered.

    `came`: what came on the wire, where `params` were made of it. `paths`: how paths may be spelled, None for
    as the settings say. `remarks`: what is said of a change beside the usual. `prepared`: awaited by all but
    reads and status."""

    ws: Workspace
    params: object
    translate: Translate
    prepared: Callable[[], Awaitable[None]]
    phrasing: Phrasing = USUAL
    paths: PathMode | None = None
    came: object = None
    remarks: tuple[str, ...] = ()
    trace: Trace = field(default_factory=Trace)
    started: float = field(default_factory=time.perf_counter)

    @property
    def past_return(self) -> bool:
        """Whether it is too late to cancel."""
        proposal = self.trace.proposal
        return proposal is not None and proposal.past_return

    def stop(self) -> None:
        """Cancelled when that was too late for all of it: a batch that is not atomic leaves the rest."""
        if self.trace.proposal is not None:
            self.trace.proposal.stopped = True

    def succeed(self, data: Data, text: str, stats: AnyStats, *, partial: bool = False) -> Envelope:
        """An answer that can be used; `partial`: with a discount that `text` names."""
        return {
            "status": "partial" if partial else "success",
            "data": data,
            "text": text,
            "stats": stats,
            "context": self._context(),
        }

    def fail(self, error: DomainError) -> Envelope:
        """The answer a domain error is. Nobody raises it any more; an ended review may remember it."""
        error.forget_where()
        if isinstance(error, AbsolutePath) and error.outside and self.phrasing.denies_outside:
            error = OutsideRoots(error.path)
        context = self._context()
        if isinstance(error, Conflict) and not self.trace.readable:
            error.diff = error.actual = None
        self._name_with_root(error)
        review = review_facts(self.trace.proposal, error)
        if review is not None:
            context["review"] = review
        told, why = self._told(error), self._why_asked(error)
        if why and isinstance(error, NobodyToAsk):
            told = (
                told[0],
                self.translate("The user can connect an editor that asks; no setting lets this through."),
            )
        envelope = fail_with(error, told, self.translate, context, self.time_ms())
        envelope["text"] = sentences(self.translate, (envelope["text"], why))
        return envelope

    def _why_asked(self, error: DomainError) -> str:
        """Of a change that was not approved: what the user was asked about whatever the mode."""
        proposal = self.trace.proposal
        if proposal is None or not isinstance(error, _NOT_APPROVED):
            return ""
        if not self.trace.seen and not proposal.blind:
            return ""
        with_paths = proposal.tool in ("batch", "undo")
        return always_asked_text(
            proposal.changes, self.translate, with_paths=with_paths, written=proposal.blind
        )

    def _told(self, error: DomainError) -> Told:
        """In the words of this caller, where it has words of its own for it."""
        tell = self.phrasing.errors.get(type(error))
        if tell is None:
            return told_of(error, self.translate)
        return tell(error, self.translate, self.shown(self.trace.resolved or ""))

    def shown(self, path: str) -> str:
        """How texts name the file that answers know as `path`."""
        return escape_to_one_line(self._named(path))

    def _named(self, path: str) -> str:
        """By its absolute path, where the caller knows files so."""
        absolute = self.trace.absolute if self.phrasing.absolute and path == self.trace.resolved else None
        return absolute or path

    def _name_with_root(self, error: DomainError) -> None:
        """Whoever works below a root knows a file by what follows it; answers name it as paths are given."""
        named, resolved = getattr(error, "path", None), self.trace.resolved
        if named and resolved and f"/{resolved}".endswith(f"/{named}"):
            error.path = self._named(resolved)  # type: ignore[attr-defined]

    def incident(self, error: Exception) -> Envelope:
        """The answer to a defect."""
        message = self.translate("Internal error, incident {number}.", number=record_incident(_log, error))
        next_step = self.translate(
            "It is not known whether something changed: read the file before going on."
        )
        text = sentences(self.translate, (message, next_step))
        return fail("INTERNAL_ERROR", message, text, self._context(), self.time_ms())

    def time_ms(self) -> float:
        """Milliseconds since the request came."""
        return round((time.perf_counter() - self.started) * 10_000) / 10  # cheaper than rounding to a digit

    def _context(self) -> Context:
        return context_for(self.params if self.came is None else self.came, self.trace.resolved)


Request = Callable[[Exchange], "Envelope | Coroutine[Any, Any, Envelope]"]
"""A file under `requests/`: answers at once, or later."""


@dataclass(frozen=True, slots=True)
class Answering:
    """An answer that takes its time, to be awaited; or closed, where it is not wanted any more."""

    result: Coroutine[Any, Any, Envelope]
    exchange: Exchange

    def __await__(self) -> Generator[Any, Any, Envelope]:
        try:
            return (yield from self.result.__await__())
        except DomainError as error:
            return self.exchange.fail(error)
        except Exception as error:  # noqa: BLE001 - the top of a request
            return self.exchange.incident(error)

    def close(self) -> None:
        """Begin nothing."""
        self.result.close()


def answer(request: Request, exchange: Exchange) -> Envelope | Answering:
    """Run a request so that whatever happens comes out as an envelope, now or when awaited."""
    try:
        result = request(exchange)
    except DomainError as error:
        return exchange.fail(error)
    except Exception as error:  # noqa: BLE001 - the top of a request
        return exchange.incident(error)
    return result if isinstance(result, dict) else Answering(result, exchange)
