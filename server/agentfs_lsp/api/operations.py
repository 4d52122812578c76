"""The record of an operation, made when its request has been answered (docs/operations.md).

It is made of what the request asked for, its response, and its proposal, and contains no text of any file.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentfs_lsp.api.dialects.table import DIALECTS
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.domain.text.escaping import cut_name
from agentfs_lsp.service.operations import Ending, OperationRecord
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.state.workspace import Workspace

MOST_PATHS: Final = 100
"""Paths in one record; `files` counts all."""

_LONGEST_PATH: Final = 1024
_LONGEST_NAME: Final = 300
_ENDINGS: Final[Mapping[str, Ending]] = {
    "USER_REJECTED": "rejected",
    "CONFLICT": "conflict",
    "TIMEOUT": "timeout",
    "CANCELLED": "cancelled",
}
_READ_DECISIONS: Final = {None: "accepted", "USER_REJECTED": "rejected", "TIMEOUT": "timed_out"}
_EXTENSION: Final = re.compile(r"[^/]*[^/.](\.[a-z0-9_+-]{1,16})", re.IGNORECASE | re.ASCII)


def observe(exchange: Exchange, operation: str, result: object) -> None:
    """Tell the observers about a request that has been answered; `result` None: it was cancelled.
    `operation` is the method without `agentfs/`."""
    exchange.ws.operations.ended(record_of(exchange, operation, result))


def record_of(exchange: Exchange, operation: str, result: object) -> OperationRecord:
    """The record of such a request."""
    ws, envelope = exchange.ws, _object(result)
    data, stats, context = (_object(envelope.get(name)) for name in ("data", "stats", "context"))
    asked = _Asked(exchange, operation)
    made = exchange.timing.proposal
    proposal = made if isinstance(made, Proposal) else None
    if proposal is not None:
        proposal.time(exchange.timing)
    code = _object(envelope.get("error")).get("code")
    resolved = _paths(data, context, proposal)
    paths = resolved or ([asked.path] if asked.path else [])
    several = asked.operation in ("batch", "undo")
    review = _object(data.get("review") or context.get("review"))
    rung, decision = review.get("rung"), review.get("decision")
    if proposal is not None and rung is None:
        rung = proposal.channel
        decision = proposal.decision.decision if proposal.decision else None
    elif (
        asked.operation == "read"
        and "review" in exchange.timing.spans
        and code in _READ_DECISIONS
        and envelope
    ):
        rung, decision = "message", _READ_DECISIONS[code]
    added, removed = _lines(stats, None if envelope and code is None else proposal)
    extension = _extension(resolved)  # what the agent only spelled may be anything
    duration_ms = round(exchange.timing.elapsed_ms, 2)
    return OperationRecord(
        time_ms=ws.clock.date_ms() - round(duration_ms),
        id=ws.operations.next_id(),
        session=asked.session,
        agent=asked.agent,
        tool=asked.tool,
        dialect=asked.dialect,
        operation=_kind(asked.operation, data, proposal),
        root=_root_of(ws, paths[0]) if paths else None,
        path=paths[0] if len(paths) == 1 else None,
        paths=paths[:MOST_PATHS] if len(paths) > 1 else (),
        files=len(paths) if several else None,
        outcome=_ending(envelope, code),
        code=code,
        duration_ms=duration_ms,
        phases=exchange.timing.spans,
        asked=rung,
        decision=decision,
        match=data.get("match"),
        lines_added=added,
        lines_removed=removed,
        size_bytes=stats.get("file_size_bytes", stats.get("new_size")),
        extension=extension,
        mime=mimetypes.types_map.get(extension) if extension else None,
        dry_run=asked.dry_run,
        change_id=data.get("change_id"),
    )


class _Asked:
    """What the request asked for. Its parameters may be anything, since a record is made of invalid requests,
    too."""

    def __init__(self, exchange: Exchange, operation: str) -> None:
        params = _object(exchange.params)
        self.session = exchange.namespace + (_name(params.get("session")) or "default")
        self.agent = _name(params.get("agent"))
        self.operation = self.tool = operation
        self.dialect: str | None = None
        if operation == "call":
            self.tool = _name(params.get("name"))
            self.dialect = _name(params.get("dialect")) or "standard"
            dialect = DIALECTS.get(self.dialect)
            tool = dialect.tool(self.tool) if dialect else None
            params = _object(params.get("arguments"))
            if tool is not None:
                self.operation = tool.operation
                params = {tool.renamed.get(name, name): value for name, value in params.items()}
        path = params.get("path")
        self.path = cut_name(path, _LONGEST_PATH) if isinstance(path, str) else ""
        self.dry_run = params.get("dry_run") is True


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _name(value: object) -> str:
    return cut_name(value, _LONGEST_NAME) if isinstance(value, str) else ""


def _ending(envelope: Mapping[str, Any], code: str | None) -> Ending:
    if not envelope:
        return "cancelled"
    if code is not None:
        return _ENDINGS.get(code, "error")
    return "partial" if envelope["status"] == "partial" else "success"


def _kind(operation: str, data: Mapping[str, Any], proposal: Proposal | None) -> str:
    """The operation; a write that creates or replaces a file is "create" or "update", if that is known."""
    if operation != "write":
        return operation
    proposed = proposal.changes[0].operation if proposal and proposal.changes else operation
    return str(data.get("operation", proposed))


def _paths(data: Mapping[str, Any], context: Mapping[str, Any], proposal: Proposal | None) -> list[str]:
    """The displayed paths of the files, as far as the request came."""
    if "path_resolved" in context:
        return [context["path_resolved"]]
    several = data.get("results") or data.get("files") or context.get("batch")
    if several:
        return list(dict.fromkeys(one["path"] for one in several))
    return list(proposal.paths) if proposal else []


def _root_of(ws: Workspace, path: str) -> str | None:
    """The real path of the root in which a displayed path is."""
    name = path.partition("/")[0]
    named = ws.roots if len(ws.roots) == 1 else [root for root in ws.roots if root.name == name]
    return named[0].path if named else None


def _lines(stats: Mapping[str, Any], ended: Proposal | None) -> tuple[int | None, int | None]:
    """The lines added and removed, as in the response. For a proposal that `ended` without landing, they are
    known if it was shown, and the session may see its files."""
    if ended is None or ended.channel in (None, "policy") or not ended.access.seen:
        return stats.get("lines_added"), stats.get("lines_removed")
    counts = [change.line_counts for change in ended.changes]
    return sum(added for added, _ in counts), sum(removed for _, removed in counts)


def _extension(paths: Sequence[str]) -> str | None:
    """That of all the files, in lower case; None for what is longer than extensions are."""
    found = {
        match[1].lower() if (match := _EXTENSION.fullmatch(path.rpartition("/")[2])) else None
        for path in paths
    }
    return found.pop() if len(found) == 1 else None
