"""Search what a change adds for secrets that are not recognized by their issuers' formats
(docs/protocol.md#13-settings-and-policy).

A library does that, if the user has installed one and switched it on. What can't be searched is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentfs_lsp.domain.text.lines import count_lines, ends_between, normalize
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.risks import Warned
from agentfs_lsp.service.proposal.scanner import SecretScanner
from agentfs_lsp.service.state.workspace import Workspace, in_thread


async def scanned(ws: Workspace, session: str, changes: Sequence[FileChange]) -> Sequence[FileChange]:
    """The changes with what a scanner found in the lines that they add, where `secrets.scan` is on. If the
    session may not read a file, all that is written counts, as for the secrets of known formats."""
    scanner = ws.scanner
    if scanner is None:
        return changes
    searched = []
    for change in changes:
        location = change.base.location
        if (
            not change.splices
            or change.operation == "delete"
            or not ws.settings_in(location.root).secrets.scan
        ):
            searched.append(change)
            continue
        hidden = ws.judge("read", location, session).decision == "deny"
        found = await in_thread(_scan, scanner, change, hidden)
        searched.append(replace(change, found=found) if found else change)
    return searched


def _scan(scanner: SecretScanner, change: FileChange, hidden: bool) -> tuple[Warned, ...]:
    lines = enumerate(normalize(change.shown).split("\n"), 1) if hidden else added_lines(change)
    return tuple(scanner.scan(change.base.location.relative, lines, "" if hidden else change.base.text.shown))


def added_lines(change: FileChange) -> Iterator[tuple[int, str]]:
    """The lines that the change adds or changes, with their numbers in the text after it."""
    before, line, counted = change.base.text.shown, 0, 0
    for hunk in change.hunks:
        line += ends_between(before, counted, hunk.start)
        counted = hunk.start
        yield from enumerate(normalize(hunk.text).split("\n"), line + 1)
        line += count_lines(hunk.text) - count_lines(before[hunk.start : hunk.end])
