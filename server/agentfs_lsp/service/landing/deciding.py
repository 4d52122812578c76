"""A computed proposal is decided, by policy or the user, and lands (docs/protocol.md#9-review-and-landing).

It has its files' turn already (`queue.py`), and is under way (`proposals.py`).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import (
    DomainError,
    LandingUnknown,
    NotLanded,
    Rejected,
    ReviewTimedOut,
    Unencodable,
)
from agentfs_lsp.service.files.snapshot import remember
from agentfs_lsp.service.history import keep
from agentfs_lsp.service.landing.landing import described, land, land_each
from agentfs_lsp.service.landing.late_apply import watch_for_late
from agentfs_lsp.service.landing.observing import Watch
from agentfs_lsp.service.landing.precondition import check_unmoved
from agentfs_lsp.service.proposal.change import MARK, Landing, about
from agentfs_lsp.service.proposal.proposal import Decision
from agentfs_lsp.service.state.workspace import INLINE_BYTES, in_thread, off_loop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentfs_lsp.domain.errors import Held, UnknownReason
    from agentfs_lsp.domain.revision import Expected
    from agentfs_lsp.service.landing.landing import FileOutcome
    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.proposal.proposal import Proposal
    from agentfs_lsp.service.proposal.review import Applier
    from agentfs_lsp.service.state.workspace import Workspace


async def decide_and_land(ws: Workspace, proposal: Proposal) -> list[FileOutcome]:
    """Each change's outcome, in their order. Of an atomic proposal some landed, and what did not is a
    LandingUnknown, or a NotLanded whose document was closed without a save. Everything else that goes wrong
    is raised, and nothing changed then, unless it is a LandingUnknown. Raises PolicyDenied, and what the
    review and the landing raise.

    Whatever the client has sent about the proposal is answered by then: before `agentfs/settled`, and
    before the agent is (docs/protocol.md#91-review-clients). What is told of disk and documents is looked at
    behind all that, of all files together."""
    with Watch(ws) as watch:
        try:
            try:
                decision, applier = await _decision(ws, proposal, watch)
                outcomes = await _landed(ws, proposal, decision, applier, watch)
            finally:
                await ws.reviewer.concluded(proposal)
        except (asyncio.CancelledError, DomainError) as error:
            ended = error if isinstance(error, DomainError) else proposal.why_withdrawn
            told = _told(ws, proposal, ended, await watch.held())
            try:
                if told is ended:
                    raise
                raise told from error
            finally:
                del told, ended  # else they and this frame would hold each other, and the texts
        if all(isinstance(outcome, Landing) for outcome in outcomes):
            return outcomes
        held = await watch.held()
        return [
            _told(ws, proposal, outcome, {absolute: held.get(absolute, ())})
            if isinstance(outcome, DomainError)
            else outcome
            for absolute, outcome in zip(
                (change.base.location.absolute for change in proposal.changes), outcomes, strict=True
            )
        ]


async def _decision(ws: Workspace, proposal: Proposal, watch: Watch) -> tuple[Decision, Applier]:
    """Policy's decision, else the user's, and who applies it."""
    changes = proposal.changes
    always_asked = await _is_always_asked(ws, proposal)
    verdict = ws.judge_changes(changes, proposal.session)  # last, as the settings may be others by now
    if verdict.decision == "allow" and not always_asked:
        return Decision("policy", "allowed", verdict.by, verdict.rule), ws.reviewer.let_through()
    await described(changes)
    proposal.wait_for(ws.reviewer.channel_for(proposal))
    for change in changes:
        # The user types on for as long as the review lasts: a large document is compared once it is over.
        watch.add(change, every_version=False).refused = True  # nobody was handed it, whoever may know it
    return await (_previewed(ws, proposal) if proposal.channel == "preview" else ws.reviewer.review(proposal))


async def _landed(
    ws: Workspace, proposal: Proposal, decision: Decision, applier: Applier, watch: Watch
) -> list[FileOutcome]:
    """Land what was decided, and keep it."""
    proposal.decide(decision)
    if decision.always:
        ws.sessions.set_mode("auto_edit", proposal.session)
    try:
        accepted = [
            _as_accepted(change, decision)
            for change in proposal.changes
            if not _is_rejected(change, decision)
        ]
        for change in accepted:
            await off_loop(change.extent, _remember_form, ws, change)
        if proposal.atomic:
            landed = await land(ws, accepted, applier, watch)
            _check_some_landed(landed)
        else:
            landed = await land_each(ws, accepted, applier, watch, lambda: proposal.is_stopped)
            failures = [outcome for outcome in landed if isinstance(outcome, DomainError)]
            if len(failures) == len(landed):
                applier.failed(failures[0])
    except Exception as error:
        applier.failed(error)
        raise
    by_file = dict(zip((change.base.location.absolute for change in accepted), landed, strict=True))
    rejected = Rejected("rejected", decision.feedback)
    outcomes = [by_file.get(change.base.location.absolute, rejected) for change in proposal.changes]
    landings = [
        (change, one)
        for change, one in zip(proposal.changes, outcomes, strict=True)
        if isinstance(one, Landing)
    ]
    for _, landing in landings:
        _remember(ws, proposal, landing)
    keep(ws, proposal, decision.decision, decision.by, landings)
    return outcomes


async def _is_always_asked(ws: Workspace, proposal: Proposal) -> bool:
    """Whether what is put in is asked for though policy lets it through: secrets, and separators of lines.
    Of a file that the session may not read all that is written counts: what was there before would be told
    by the question."""
    changes = proposal.changes
    reading = [ws.judge("read", change.base.location, proposal.session).decision for change in changes]

    def looked() -> bool:
        return any(
            (change.secrets_written or change.has_separators)
            if read == "deny"
            else (change.secrets or change.puts_in_separators)
            for change, read in zip(changes, reading, strict=True)
        )

    return await off_loop(sum(change.extent for change in changes), looked)


def _remember_form(ws: Workspace, change: FileChange) -> None:
    """Before it lands, so that nobody takes it otherwise: what is left may look like another encoding, and
    shows no line end where none is left."""
    if change.operation != "delete" and (eol := change.lost_eol):
        with suppress(Unencodable):
            ws.decoded.remember_eol(change.base.location.absolute, change.proposed_hash, eol)
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


def _check_some_landed(outcomes: Sequence[FileOutcome]) -> None:
    """Raise what one of them failed by, rather one that leaves open what became of it, where none landed."""
    failures = [outcome for outcome in outcomes if isinstance(outcome, DomainError)]
    if not failures or len(failures) < len(outcomes):
        return
    raise next((one for one in failures if isinstance(one, LandingUnknown)), failures[0])


def _remember(ws: Workspace, proposal: Proposal, landing: Landing) -> None:
    """Refresh the session's record. Hashing a large file and putting its text together takes longer than
    anything the answer needs, so that is done behind it; whoever changes the file next waits for it."""
    change, session = landing.change, proposal.session
    absolute = change.base.location.absolute
    amended = proposal.decision is not None and absolute in proposal.decision.amended
    learned = amended or change.merged is not None or landing.on_save is not None
    if change.operation == "delete" or ws.judge("read", change.base.location, session).decision == "deny":
        ws.sessions.forget(session, absolute)
        return
    if landing.text is not None or max(change.base.size, landing.bytes_written) <= INLINE_BYTES:
        text = change.shown if landing.text is None else landing.text
        in_editor = landing.where == "editor"
        ws.sessions.record(session, absolute, landing.revision, text, in_editor=in_editor, learned=learned)
        return
    ws.sessions.record(session, absolute, landing.seen, None, learned=learned)

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


async def _previewed(ws: Workspace, proposal: Proposal) -> tuple[Decision, Applier]:
    """Put the proposal before the user of an editor that applies what was previewed: it says no in the same
    words whether the user did or a file had moved, so that is looked at."""
    try:
        return await ws.reviewer.review(proposal)
    except (ReviewTimedOut, asyncio.CancelledError):
        ws.afterwards(watch_for_late(ws, proposal))
        raise
    except Rejected:
        await check_all_unmoved(ws, proposal)
        raise


async def check_all_unmoved(ws: Workspace, proposal: Proposal) -> None:
    """Raise Conflict when a file of the proposal is no longer what the proposal was made of."""
    for change in proposal.changes:
        with about(change):
            now = await ws.look(change.base.location)
            size = max(change.base.size, now.size)
            await off_loop(size, check_unmoved, change.path, change.base, now, change.settings)


def _told(
    ws: Workspace, proposal: Proposal, error: DomainError, held: Mapping[str, tuple[Held, ...]]
) -> DomainError:
    """The error of these files; LandingUnknown where some of the change is there all the same: the editor
    may have known it since before the decision, and the user goes on behind what is taken back."""
    holding = tuple(one for where in held.values() for one in where)
    if not holding and not isinstance(error, LandingUnknown):
        return error
    for absolute in held:
        ws.sessions.forget(proposal.session, absolute)
    if isinstance(error, LandingUnknown):
        error.holding = holding
        return error
    reason = _why_unknown(proposal, error, holding)
    return LandingUnknown(holding[0].path, reason, holding=holding, otherwise=error)


def _why_unknown(proposal: Proposal, error: DomainError, holding: Sequence[Held]) -> UnknownReason:
    several = proposal.atomic and len(proposal.changes) > 1
    if proposal.decision is None or (isinstance(error, Rejected) and not several):
        return "not_accepted"
    if isinstance(error, NotLanded) and error.reason == "closed":
        return "closed"
    is_of_another = several and any(one.path != getattr(error, "path", "") for one in holding)
    return "not_taken_back" if is_of_another else "changed_otherwise"


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
