"""The parts of an envelope that do not depend on the request (docs/protocol.md#3-envelope)."""

from __future__ import annotations

from agentfs_lsp.api.results import ConflictContext, Revision
from agentfs_lsp.domain.access import Access
from agentfs_lsp.domain.errors import Conflict
from agentfs_lsp.domain.revision import Expected

STRING_LIMIT = 64 * 1024
"""Strings in `params_input` with more bytes than this in UTF-8 are truncated."""


def conflict_on_wire(error: Conflict, access: Access) -> ConflictContext:
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


def cut(value: object) -> object:
    """`value` with every string over 64 KiB truncated and its length appended."""
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
