"""Outcomes and errors as envelopes (docs/protocol.md#3-envelope).

Which code and which words every domain error gets is one table, in `messages/errors.py`. Nothing here knows a
request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.api.messages.errors import ERRORS
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.translation import sentences

if TYPE_CHECKING:
    from agentfs_lsp.api.results import Context, Envelope, Revision
    from agentfs_lsp.domain.errors import DomainError
    from agentfs_lsp.domain.revision import Expected
    from agentfs_lsp.domain.translation import Told, Translate

STRING_LIMIT = 64 * 1024
"""Strings in `params_input` that take more bytes than this in UTF-8 are cut."""


def fail(code: str, message: str, text: str, context: Context, time_ms: float) -> Envelope:
    """An answer without a result."""
    return {
        "status": "error",
        "data": {},
        "text": text,
        "stats": {"time_ms": time_ms},
        "context": context,
        "error": {"code": code, "message": message},
    }


def told_of(error: DomainError, translate: Translate) -> Told:
    """What is usually told of an error."""
    return ERRORS[type(error)][1](error, translate)


def fail_with(
    error: DomainError, told: Told, translate: Translate, context: Context, time_ms: float
) -> Envelope:
    """The answer that a domain error is: its code, what happened, and the next step."""
    code = ERRORS[type(error)][0]
    message, next_step = told
    if isinstance(error, errors.Conflict):
        context["conflict"] = {
            "source": error.source,
            "expected": revision_on_wire(error.expected),
            "actual": revision_on_wire(error.actual),
            "diff_since_read": error.diff,
        }
    if isinstance(error, errors.LandingUnknown):
        context["landing"] = "unknown"
        context["files"] = [{"path": one.path, "landing": one.where} for one in error.holding]
    return fail(code, message, sentences(translate, (message, next_step)), context, time_ms)


def revision_on_wire(revision: Expected | None) -> Revision:
    """A revision as the wire shows it; unknown fields are null."""
    return {
        "mtime_ms": revision.mtime_ms if revision else None,
        "size_bytes": revision.size_bytes if revision else None,
        "hash": revision.hash if revision else None,
    }


def context_for(params: object, resolved: str | None) -> Context:
    """What every answer's context holds: `params_input` is what came, long strings cut."""
    context: Context = {"cwd": ".", "params_input": cut(params)}
    if resolved is not None:
        context["path_resolved"] = resolved
    return context


def cut(value: object) -> object:
    """`value` with every string over 64 KiB cut, its length told."""
    if isinstance(value, str):
        return _cut_string(value) if _is_long(value) else value
    if isinstance(value, dict):
        return {_cut_string(key) if _is_long(key) else key: cut(each) for key, each in value.items()}
    if isinstance(value, list):
        return [cut(each) for each in value]
    return value


def _is_long(text: str) -> bool:
    if len(text) <= STRING_LIMIT // 4:  # no character takes more bytes
        return False
    return len(text) > STRING_LIMIT or len(text.encode("utf-8", "surrogatepass")) > STRING_LIMIT


def _cut_string(text: str) -> str:
    kept = STRING_LIMIT if text.isascii() else STRING_LIMIT // 4
    return f"{text[:kept]}… ({len(text)} characters)"
