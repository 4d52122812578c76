"""The frame around each request of an agent, from params to envelope.

It is the only place that catches all exceptions: anything except a domain error is an internal error,
which is reported with an incident number and logged (docs/protocol.md#3-envelope).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from agentfs_lsp.api.incidents import record_incident
from agentfs_lsp.api.messages.errors import ERRORS, error_text
from agentfs_lsp.api.messages.phrasing import USUAL, Phrasing
from agentfs_lsp.api.params import Params
from agentfs_lsp.api.parsing import parse
from agentfs_lsp.api.results import ConflictContext, Context, Envelope, Revision, Stats
from agentfs_lsp.api.review import review_facts
from agentfs_lsp.domain.access import HIDDEN, Access
from agentfs_lsp.domain.errors import (
    AbsolutePath,
    Conflict,
    DomainError,
    LandingUnknown,
    NobodyToAsk,
    OutsideRoots,
    Rejected,
    ReviewTimedOut,
    UndoBlocked,
    access_of,
)
from agentfs_lsp.domain.paths import PathMode
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.translation import ErrorText, Translate, sentences
from agentfs_lsp.service.proposal.proposal import Proposal, proposal_of
from agentfs_lsp.service.proposal.wording import always_asked_text
from agentfs_lsp.service.state.workspace import Workspace
from agentfs_lsp.service.timing import UNTIMED, Timing

STRING_LIMIT = 64 * 1024
"""Strings in `params_input` with more bytes than this in UTF-8 are truncated."""

_NOT_APPROVED = (NobodyToAsk, Rejected, ReviewTimedOut)

_log = logging.getLogger(__name__)

P = TypeVar("P", bound=Params)


@dataclass(slots=True)
class Exchange:
    """The context of a request.

    `moment`: when it arrived (`Sessions.moment`). `raw`: the params as received, if `params` were derived
    from them. `paths`: which spellings of paths are allowed, None for the setting's. `remarks`: additional
    sentences about a change. `namespace`: what the names of the caller's sessions begin with; it
    sees no others. All requests except reads and status await `wait_until_prepared`."""

    ws: Workspace
    params: object
    translate: Translate
    wait_until_prepared: Callable[[], Awaitable[None]]
    moment: int
    phrasing: Phrasing = USUAL
    paths: PathMode | None = None
    raw: object = None
    remarks: tuple[str, ...] = ()
    namespace: str = ""
    timing: Timing = UNTIMED
    started: float = field(default_factory=time.perf_counter)

    def parse(self, shape: type[P]) -> P:
        """The params, with the session's name in the namespace. Raises BadParameter."""
        params = parse(shape, self.params)
        return replace(params, session=self.namespace + params.session) if self.namespace else params

    def succeed(
        self,
        data: Mapping[str, object],
        text: str,
        stats: Stats,
        *,
        partial: bool = False,
        access: Access = HIDDEN,
    ) -> Envelope:
        """A usable response. `partial`: with a limitation that `text` names. `access`: what the session may
        learn about the file."""
        return {
            "status": "partial" if partial else "success",
            "data": data,
            "text": text,
            "stats": stats,
            "context": self._context(access),
        }

    def fail(self, error: DomainError, access: Access | None = None) -> Envelope:
        """The response for a domain error, about its own file or that of `access`. Nobody raises the error
        any more, but an ended review may keep it."""
        access = error.access if access is None else access
        proposal = proposal_of(error)
        error.forget_where()
        if isinstance(error, AbsolutePath) and error.outside and self.phrasing.denies_outside:
            error = OutsideRoots(error.path)
        if isinstance(error, OutsideRoots) and self.phrasing.absolute:
            error.roots = tuple(root.path for root in self.ws.distinct_roots)
        context = self._context(access)
        if (review := review_facts(proposal, error)) is not None:
            context["review"] = review
        if isinstance(error, Conflict):
            context["conflict"] = _conflict(error, access)
        if isinstance(error, LandingUnknown):
            context["landing"] = "unknown"
            context["files"] = [
                {"path": one.path, "landing": one.where} for one in error.holding if one.where != "elsewhere"
            ]
        if isinstance(error, UndoBlocked):
            context["blocked"] = [*dict.fromkeys(path for one in error.blocked for path in one.paths)]
        message, next_step = self._told(error, access)
        why = _why_asked(proposal, error, access, self.translate)
        if why and isinstance(error, NobodyToAsk):
            next_step = self.translate(
                "The user can open the folder in an editor that can ask. No setting allows this change "
                "without approval."
            )
        text = sentences(self.translate, (message, next_step))
        code = ERRORS[type(error)][0]
        return self._failed(code, message, sentences(self.translate, (text, why)), context)

    def _told(self, error: DomainError, access: Access) -> ErrorText:
        """The error in this caller's own wording, if it has one."""
        named = getattr(error, "path", "")
        # Callers below a root know a file by a suffix of its path; answers use the path relative to the root.
        if named and access.path and f"/{access.path}".endswith(f"/{named}"):
            error.path = self._name_of(access)  # type: ignore[attr-defined]
        tell = self.phrasing.errors.get(type(error))
        if tell is None:
            return error_text(error, self.translate)
        return tell(error, self.translate, self.shown(access))

    def shown(self, access: Access) -> str:
        """The file's name in texts."""
        return escape_to_one_line(self._name_of(access))

    def _name_of(self, access: Access) -> str:
        """The absolute path, if the caller identifies files by it."""
        return access.absolute if self.phrasing.absolute else access.path

    def incident(self, error: Exception) -> Envelope:
        """The response to an internal error."""
        message = self.translate("Internal error, incident {number}.", number=record_incident(_log, error))
        next_step = self.translate(
            "It is not known whether something changed. Read the file before you continue."
        )
        text = sentences(self.translate, (message, next_step))
        return self._failed("INTERNAL_ERROR", message, text, self._context(access_of(error)))

    def time_ms(self) -> int:
        """Milliseconds since the request arrived."""
        return round((time.perf_counter() - self.started) * 1000)

    def _context(self, access: Access) -> Context:
        """The context of every response: `params_input` contains the received params with long strings
        truncated."""
        context: Context = {"cwd": ".", "params_input": _cut(self.params if self.raw is None else self.raw)}
        if access.path:
            context["path_resolved"] = access.path
        return context

    def _failed(self, code: str, message: str, text: str, context: Context) -> Envelope:
        return {
            "status": "error",
            "data": {},
            "text": text,
            "stats": {"time_ms": self.time_ms()},
            "context": context,
            "error": {"code": code, "message": message},
        }


def _why_asked(proposal: Proposal | None, error: DomainError, access: Access, translate: Translate) -> str:
    """For a change that was not approved: the reasons for the question that apply in every mode."""
    if proposal is None or not isinstance(error, _NOT_APPROVED):
        return ""
    if not access.seen and not proposal.blind:
        return ""
    with_paths = proposal.tool in ("batch", "undo")
    return always_asked_text(proposal.changes, translate, with_paths=with_paths, written=proposal.blind)


def _conflict(error: Conflict, access: Access) -> ConflictContext:
    """The conflict, as far as the session may know it."""
    return {
        "source": error.source,
        "expected": _revision(error.expected),
        "actual": _revision(error.actual if access.readable else None),
        "diff_since_read": error.diff if access.readable else None,
    }


def _revision(revision: Expected | None) -> Revision:
    """A revision in the wire format; unknown fields are null."""
    return {
        "mtime_ms": revision.mtime_ms if revision else None,
        "size_bytes": revision.size_bytes if revision else None,
        "hash": revision.hash if revision else None,
    }


def _cut(value: object) -> object:
    """`value` with every string over 64 KiB truncated and its length appended."""
    if isinstance(value, str):
        return _cut_string(value) if _is_long(value) else value
    if isinstance(value, dict):
        return {_cut_string(key) if _is_long(key) else key: _cut(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_cut(each) for each in value]
    return value


def _is_long(text: str) -> bool:
    if len(text) <= STRING_LIMIT // 4:  # no character takes more bytes
        return False
    return len(text) > STRING_LIMIT or len(text.encode("utf-8", "surrogatepass")) > STRING_LIMIT


def _cut_string(text: str) -> str:
    kept = STRING_LIMIT if text.isascii() else STRING_LIMIT // 4
    return f"{text[:kept]}… ({len(text)} characters)"


Request = Callable[[Exchange], "Envelope | Coroutine[Any, Any, Envelope]"]
"""A handler in `requests/`: responds immediately or later."""


@dataclass(frozen=True, slots=True)
class Answering:
    """A pending response: await it, or close it if it is no longer needed."""

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
        """Do not start the request."""
        self.result.close()


def answer(request: Request, exchange: Exchange) -> Envelope | Answering:
    """Run a request so that every outcome is an envelope, immediately or when awaited."""
    try:
        result = request(exchange)
    except DomainError as error:
        return exchange.fail(error)
    except Exception as error:  # noqa: BLE001 - the top of a request
        return exchange.incident(error)
    return result if isinstance(result, dict) else Answering(result, exchange)


async def answered(request: Request, exchange: Exchange) -> Envelope:
    """As `answer`, awaited."""
    result = answer(request, exchange)
    return result if isinstance(result, dict) else await result
