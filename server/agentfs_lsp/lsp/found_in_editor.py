"""The port FoundInEditor: `agentfs/landing` and `agentfs/diagnostics` (docs/protocol.md#95-diagnostics).

The answer comes from other programs, by way of the client: what is malformed in it is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal

from agentfs_lsp.domain.diagnostics import Diagnostic
from agentfs_lsp.lsp.outgoing import ClientError, Outgoing
from agentfs_lsp.lsp.raw import member
from agentfs_lsp.lsp.results import DiagnosticsParams, LandingParams
from agentfs_lsp.service.proposal.found import Found

SPARE_S = 0.5
"""How much later than asked for the client may answer, in seconds."""

MAX_OF_FILE = 200
"""How many diagnostics of a file are compared."""

LONGEST_MESSAGE = 300
LONGEST_SOURCE = 40


class LspFoundInEditor:
    """Asks the client. `is_available` is set by `initialize`."""

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self.is_available = False

    def landing(self, proposal_id: str, uris: Sequence[str]) -> None:
        params: LandingParams = {"id": proposal_id, "uris": list(uris)}
        self._outgoing.notify("agentfs/landing", params)

    async def since(self, proposal_id: str, uris: Sequence[str], wait_ms: int) -> Mapping[str, Found]:
        params: DiagnosticsParams = {"id": proposal_id, "uris": list(uris), "wait_ms": wait_ms}
        try:
            async with asyncio.timeout(wait_ms / 1000 + SPARE_S):
                answer = await self._outgoing.request("agentfs/diagnostics", params)
        except (ClientError, TimeoutError):
            return {}
        files = member(answer, "files")
        found: dict[str, Found] = {}
        for file in files if isinstance(files, list) else ():
            uri, before, after = (member(file, key) for key in ("uri", "before", "after"))
            if not (isinstance(uri, str) and isinstance(before, list) and isinstance(after, list)):
                continue
            if len(before) < MAX_OF_FILE:  # of more, some are missing, and would seem new
                found[uri] = Found(_parsed(before), _parsed(after))
        return found


def _parsed(told: Sequence[object]) -> list[Diagnostic]:
    return [one for one in map(_diagnostic, told[:MAX_OF_FILE]) if one is not None]


def _diagnostic(told: object) -> Diagnostic | None:
    line, message, source = (member(told, key) for key in ("line", "message", "source"))
    severity = _severity(member(told, "severity"))
    if severity is None or not isinstance(message, str) or type(line) is not int or line < 1:
        return None
    words = " ".join(message.split())
    if len(words) > LONGEST_MESSAGE:
        words = f"{words[:LONGEST_MESSAGE]}…"
    name = source[:LONGEST_SOURCE] if isinstance(source, str) else ""
    return Diagnostic(line, words, severity, name)


def _severity(told: object) -> Literal["error", "warning"] | None:
    return "error" if told == "error" else "warning" if told == "warning" else None
