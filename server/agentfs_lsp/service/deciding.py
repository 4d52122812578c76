"""A computed proposal is decided, by policy or the user, and lands (docs/protocol.md#9-review-and-landing).

It has its files' turn already (`queue.py`), and is under way (`proposals.py`).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from agentfs_lsp.domain.credentials import secrets_in
from agentfs_lsp.domain.errors import (
    DomainError,
    LandingUnknown,
    Rejected,
    ReviewTimedOut,
    Unencodable,
)
from agentfs_lsp.service.change import MARK, Landing, about
from agentfs_lsp.service.history import keep
from agentfs_lsp.service.landing import described, land, land_each
from agentfs_lsp.service.late import watch_for_late
from agentfs_lsp.service.lock import check_unmoved
from agentfs_lsp.service.present import remember
from agentfs_lsp.service.proposals import Decision
from agentfs_lsp.service.workspace import INLINE_BYTES, in_thread, off_loop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentfs_lsp.domain.revision import Expected
    from agentfs_lsp.service.change import FileChange
    from agentfs_lsp.service.editor_ports import Hand
    from agentfs_lsp.service.landing import Outcome
    from agentfs_lsp.service.proposals import Proposal
    from agentfs_lsp.service.workspace import Workspace


async def decide_and_land(ws: Workspace, proposal: Proposal) -> list[Outcome]:
    """Each change's outcome, in their order. Of an atomic proposal an outcome that is no landing is a
    LandingUnknown, and everything else that goes wrong is raised: then nothing changed. Raises PolicyDenied,
    and what the review and the landing raise.

    Whatever the client has sent about the proposal is answered by then: before `agentfs/settled`, and
    before the agent is (docs/protocol.md#91-review-clients)."""
    try:
        return await _decided_and_landed(ws, proposal)
    finally:
        await ws.reviewer.concluded(proposal)


async def _decided_and_landed(ws: Workspace, proposal: Proposal) -> list[Outcome]:
    changes = proposal.changes
    puts_in_secrets = await _puts_in_secrets(ws, proposal)
    verdict = ws.judge_changes(changes, proposal.session)  # last, as the settings may be others by now
    if verdict.decision == "allow" and not puts_in_secrets:
        decision, hand = Decision("policy", "allowed", verdict.by, verdict.rule), ws.reviewer.let_through()
    else:
        decision, hand = await _asked_for(ws, proposal)
    proposal.rung, proposal.decision, proposal.state = decision.rung, decision, "landing"
    proposal.decided_at_ms = ws.clock.now_ms()
    if decision.always:
        ws.sessions.set_mode("auto_edit", proposal.session)
    try:
        accepted = [
            _as_accepted(change, decision) for change in changes if not _is_rejected(change, decision)
        ]
        landed = await _land(ws, proposal, accepted, hand)
    except Exception as error:
        if isinstance(error, LandingUnknown):
            for change in changes:
                ws.sessions.forget(proposal.session, change.base.location.absolute)
        hand.failed(error)
        raise
    outcomes = dict(zip((change.base.location.absolute for change in accepted), landed, strict=True))
    rejected = Rejected("rejected", decision.feedback)
    all_of_them = [outcomes.get(change.base.location.absolute, rejected) for change in changes]
    pairs = zip(changes, all_of_them, strict=True)
    keep(ws, proposal, [(change, outcome) for change, outcome in pairs if isinstance(outcome, Landing)])
    return all_of_them


async def _puts_in_secrets(ws: Workspace, proposal: Proposal) -> bool:
    """Whether the user is to be asked though policy lets it through. Of a file that the session may not read
    all that is written counts: what was there before would be told by the question."""
    changes = proposal.changes
    reading = [ws.judge("read", change.base.location, proposal.session).decision for change in changes]

    def looked() -> bool:
        return any(
            any(secrets_in(change.proposed)) if read == "deny" else bool(change.secrets)
            for change, read in zip(changes, reading, strict=True)
        )

    return await off_loop(sum(change.extent for change in changes), looked)


async def _land(
    ws: Workspace, proposal: Proposal, changes: Sequence[FileChange], hand: Hand
) -> list[Outcome]:
    for change in changes:
        await off_loop(change.extent, _remember_encoding, ws, change)
    if proposal.atomic:
        outcomes = await land(ws, changes, hand)
    else:
        outcomes = await land_each(ws, changes, hand, lambda: proposal.stopped)
        failures = [outcome for outcome in outcomes if isinstance(outcome, DomainError)]
        if len(failures) == len(outcomes):
            hand.failed(failures[0])
    for change, outcome in zip(changes, outcomes, strict=True):
        if isinstance(outcome, Landing):
            _remember(ws, proposal.session, outcome)
        elif isinstance(outcome, LandingUnknown):
            ws.sessions.forget(proposal.session, change.base.location.absolute)
    return outcomes


def _remember_encoding(ws: Workspace, change: FileChange) -> None:
    """Before it lands, so that nobody reads it otherwise: what is left may look like another encoding."""
    base, marked = change.base.text, any(MARK in one.text for one in change.splices)
    if change.operation == "delete" or (base.tells_itself and not marked and MARK not in base.text):
        return  # told without putting a large text together
    text = change.proposed_file
    if not text.tells_itself:
        location = change.base.location
        with suppress(Unencodable):  # an editor's text, of which nobody knows how it will be saved
            settings = ws.settings_in(location.root)
            named = ws.encoding_of(location)
            remember(ws.files, ws.decoded, location, text, change.proposed_hash, settings, named)


def _remember(ws: Workspace, session: str, landing: Landing) -> None:
    """Refresh the session's record. Hashing a large file and putting its text together takes longer than
    anything the answer needs, so that is done behind it; whoever changes the file next waits for it."""
    change = landing.change
    absolute = change.base.location.absolute
    if change.operation == "delete" or ws.judge("read", change.base.location, session).decision == "deny":
        ws.sessions.forget(session, absolute)
        return
    if landing.text is not None or max(change.base.size, landing.bytes_written) <= INLINE_BYTES:
        text = change.shown if landing.text is None else landing.text
        in_editor = landing.where == "editor"
        ws.sessions.record(session, absolute, landing.revision, text, in_editor=in_editor)
        return
    ws.sessions.record(session, absolute, landing.seen, None)

    async def complete() -> None:
        revision, text = await in_thread(_as_landed, ws, landing)
        ws.sessions.complete(session, absolute, landing.seen, revision, text)

    ws.remember(absolute, complete())


def _as_landed(ws: Workspace, landing: Landing) -> tuple[Expected, str]:
    change, revision = landing.change, landing.revision
    ws.decoded.keep(
        change.base.location.absolute, change.proposed_bytes, change.proposed_file, revision.hash or ""
    )
    return revision, change.shown


async def _asked_for(ws: Workspace, proposal: Proposal) -> tuple[Decision, Hand]:
    """Put the proposal before the user. An editor that applies what was previewed says no in the same words
    whether the user did or a file had moved: so that is looked at."""
    await described(proposal.changes)
    proposal.rung = ws.reviewer.rung_for(proposal)
    try:
        return await ws.reviewer.review(proposal)
    except (ReviewTimedOut, asyncio.CancelledError):
        if proposal.rung == "preview":
            ws.afterwards(watch_for_late(ws, proposal))
        raise
    except Rejected:
        if proposal.rung == "preview":
            for change in proposal.changes:
                now = await ws.look(change.base.location)
                with about(change):
                    size = max(change.base.size, now.size)
                    await off_loop(size, check_unmoved, change.path, change.base, now, change.settings)
        raise


def _is_rejected(change: FileChange, decision: Decision) -> bool:
    return change.base.location.absolute in decision.rejected


def _as_accepted(change: FileChange, decision: Decision) -> FileChange:
    """The change as the user left it. Raises Unencodable."""
    text = decision.amended.get(change.base.location.absolute)
    if text is None:
        return change
    amended = change.amended(text)
    with about(change):
        amended.check()
    return amended
