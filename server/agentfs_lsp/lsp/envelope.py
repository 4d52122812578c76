"""Outcomes and errors as envelopes (docs/protocol.md#3-envelope).

Which code and which words every domain error gets is one table, in `error_texts.py`. Nothing here knows a
request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentfs_lsp.domain import errors
from agentfs_lsp.lsp.error_texts import ERRORS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentfs_lsp.domain.errors import DomainError
    from agentfs_lsp.domain.revision import Expected
    from agentfs_lsp.domain.texts import Say

Envelope = dict[str, Any]

STRING_LIMIT = 64 * 1024
"""Strings in `params_input` are cut behind this many characters."""


def succeed(
    data: Mapping[str, object],
    text: str,
    stats: Mapping[str, object],
    context: Mapping[str, object],
    *,
    partial: bool = False,
) -> Envelope:
    """An answer that can be used; `partial`: with a discount that `text` names."""
    return {
        "status": "partial" if partial else "success",
        "data": data,
        "text": text,
        "stats": stats,
        "context": context,
    }


def fail(code: str, message: str, text: str, context: Mapping[str, object], time_ms: float) -> Envelope:
    """An answer without a result."""
    return {
        "status": "error",
        "data": {},
        "text": text,
        "stats": {"time_ms": time_ms},
        "context": context,
        "error": {"code": code, "message": message},
    }


def fail_with(error: DomainError, say: Say, context: dict[str, object], time_ms: float) -> Envelope:
    """The answer that a domain error is: its code, what happened, and the next step."""
    code, tell = ERRORS[type(error)]
    message, next_step = tell(error, say)
    if isinstance(error, errors.Conflict):
        context["conflict"] = {
            "source": error.source,
            "expected": revision_on_wire(error.expected),
            "actual": revision_on_wire(error.actual),
            "diff_since_read": error.diff,
        }
    if isinstance(error, errors.LandingUnknown):
        context["landing"] = "unknown"
    text = f"{message} {next_step}".strip()
    return fail(code, message, text, context, time_ms)


def revision_on_wire(revision: Expected | None) -> dict[str, object]:
    """A revision as the wire shows it; unknown fields are null."""
    return {
        "mtime_ms": revision.mtime_ms if revision else None,
        "size_bytes": revision.size_bytes if revision else None,
        "hash": revision.hash if revision else None,
    }


def context_for(params: object, resolved: str | None) -> dict[str, object]:
    """What every answer's context holds: `params_input` is what came, long strings cut."""
    context: dict[str, object] = {"cwd": ".", "params_input": cut(params)}
    if resolved is not None:
        context["path_resolved"] = resolved
    return context


def cut(value: object) -> object:
    """`value` with every string over 64 KiB cut, its length told; the same object where nothing is."""
    if isinstance(value, str):
        if len(value) <= STRING_LIMIT:
            return value
        return f"{value[:STRING_LIMIT]}… ({len(value)} characters)"
    if isinstance(value, dict):
        shorter = {key: cut(each) for key, each in value.items() if _is_long(each)}
        return {**value, **shorter} if shorter else value
    if isinstance(value, list) and any(_is_long(each) for each in value):
        return [cut(each) for each in value]
    return value


def _is_long(value: object) -> bool:
    return isinstance(value, dict | list) or (isinstance(value, str) and len(value) > STRING_LIMIT)
