"""Policy or the user decides a computed proposal, and it lands (docs/protocol.md#9-review-and-landing).

The proposal holds its files' turn (`queue.py`) and is pending (`proposals.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from agentfs_lsp.domain.errors import (
    Conflict,
    DomainError,
    Held,
    LandingUnknown,
    NotLanded,
    Rejected,
    ReviewTimedOut,
    Unencodable,
    UnknownReason,
    error_file,
)
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.domain.text.byte_order_mark import MARK
from agentfs_lsp.service.diagnosing import announce_landing, diagnosed
from agentfs_lsp.service.history import keep
from agentfs_lsp.service.landing.landing import FileOutcome, described, land, land_each
from agentfs_lsp.service.landing.late_apply import WATCHED_S, hold_until_reported, watch_preview
from agentfs_lsp.service.landing.observing import Watch
from agentfs_lsp.service.landing.precondition import look_unmoved
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.proposal import Decision, Proposal
from agentfs_lsp.service.proposal.review import Applier
from agentfs_lsp.service.state.workspace import INLINE_BYTES, Workspace, in_thread, off_loop

READING_SETTINGS_S = 2.0
"""How long a change waits for a workspace's own settings to be parsed before it is judged, in seconds."""


async def decide_and_land(ws: Workspace, proposal: Proposal) -> list[FileOutcome]:
    """One outcome per change, in order. An atomic proposal either lands, or a file of it is a LandingUnknown,
    or a NotLanded if its document was closed unsaved. Any other failure is raised and means that nothing
    changed, except LandingUnknown. Raises PolicyDenied and whatever review or landing raise.

    Requests from the client about the proposal are answered before `agentfs/settled` and before the agent's
    answer (docs/protocol.md#91-review-clients). Disk and documents are checked after that, all files
    together."""
    with Watch(ws, proposal.session) as watch:
        try:
            try:
                decision, applier = await _decide(ws, proposal, watch)
                outcomes = await _land_accepted(ws, proposal, decision, applier, watch)
            finally:
                await ws.reviewer.concluded(proposal)
        except (asyncio.CancelledError, DomainError) as error:
            ended = error if isinstance(error, DomainError) else proposal.why_withdrawn
            told = _error_to_report(ws, proposal, ended, await watch.held())
            try:
                _watch_for_rest(ws, proposal, proposal.changes if told is ended else (), watch)
                if told is ended:
                    raise
                raise told from error
            finally:
                del told, ended  # breaks a reference cycle that would keep the texts alive
        if all(isinstance(outcome, Landing) for outcome in outcomes):
            return outcomes
        held = await watch.held()
        missing = []
        for number, (change, outcome) in enumerate(zip(proposal.changes, outcomes, strict=True)):
            if isinstance(outcome, DomainError):
                there = {change.absolute: held.get(change.absolute, ())}
                outcomes[number] = reported = _error_to_report(ws, proposal, outcome, there)
                if not isinstance(reported, LandingUnknown):
                    missing.append(change)
        _watch_for_rest(ws, proposal, missing, watch)
        return outcomes


async def _decide(ws: Workspace, proposal: Proposal, watch: Watch) -> tuple[Decision, Applier]:
    """The decision of policy or the user, and the applier that carries it out."""
    changes = proposal.changes
    always_asked = await _is_always_asked(ws, proposal)
    if ws.reading_settings:  # those that begin meanwhile do not count, or they could keep it waiting
        await asyncio.wait(tuple(ws.reading_settings), timeout=READING_SETTINGS_S)
    verdict = ws.judge_changes(changes, proposal.session)  # last: settings may have changed meanwhile
    # The editor would later save over it: only a user who saves or reverts first can let it land.
    unsaved = any(ws.documents.is_unsaved_elsewhere(change.absolute) for change in changes)
    if verdict.decision == "allow" and not always_asked and not unsaved:
        return Decision("policy", "allowed", verdict.by, verdict.rule), ws.reviewer.allowed_applier()
    await described(changes)
    proposal.wait_for(ws.reviewer.channel_for(proposal))
    for change in changes:
        # Reviews last long and the user keeps typing: compare large documents only at the end.
        watch.add(change, every_version=False).refused = True  # nothing has been sent for applying yet
    return await _review(ws, proposal)


async def _land_accepted(
    ws: Workspace, proposal: Proposal, decision: Decision, applier: Applier, watch: Watch
) -> list[FileOutcome]:
    """Land what was approved and add it to history."""
    proposal.decide(decision)
    if decision.always:
        ws.sessions.set_mode("auto_edit", proposal.session)
    try:
        accepted = [
            _amended(change, decision)
            for change in proposal.changes
            if change.absolute not in decision.rejected
        ]
        if decision.amended:
            accepted = await diagnosed(ws, accepted)
        for change in accepted:
            await off_loop(change.extent, _remember_encoding, ws, change)
        announce_landing(ws, proposal, accepted)
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
    if proposal.is_editor_ending:
        landed = [_unless_unsaved(outcome) for outcome in landed]
    by_file = dict(zip((change.absolute for change in accepted), landed, strict=True))
    outcomes = [
        by_file[change.absolute] if change.absolute in by_file else _rejection(change, decision)
        for change in proposal.changes
    ]
    decided = zip(proposal.changes, outcomes, strict=True)
    landings = [(change, one) for change, one in decided if isinstance(one, Landing)]
    for _, landing in landings:
        _remember(ws, proposal, landing)
    keep(ws, proposal, decision.decision, decision.by, landings)
    return outcomes


def _rejection(change: FileChange, decision: Decision) -> Rejected:
    """With what the user wrote about this file, or else about all."""
    own = decision.reasons.get(change.absolute, "")
    return Rejected("rejected", own or decision.feedback, by_file={change.path: own} if own else {})


def _unless_unsaved(outcome: FileOutcome) -> FileOutcome:
    if isinstance(outcome, Landing) and outcome.where == "editor":
        return LandingUnknown(outcome.change.path, "ended")
    return outcome


async def _is_always_asked(ws: Workspace, proposal: Proposal) -> bool:
    """Whether the user must be asked although policy allows the change: it adds secrets, line separators,
    or what programs read as something else.
    If the session may not read the file, everything written counts, so that being asked reveals nothing about
    the old content."""
    changes = proposal.changes
    reading = [ws.judge("read", change.base.location, proposal.session).decision for change in changes]

    def looked() -> bool:
        return any(
            bool(change.risks_written if read == "deny" else change.risks)
            for change, read in zip(changes, reading, strict=True)
        )

    return await off_loop(sum(change.extent for change in changes), looked)


def _remember_encoding(ws: Workspace, change: FileChange) -> None:
    """Remember encoding and line end before landing: the new bytes alone may suggest another encoding, or
    have no line end left."""
    if change.operation != "delete" and (eol := change.lost_eol):
        with suppress(Unencodable):
            ws.decoded.remember_eol(change.absolute, change.proposed_hash, eol)
    base = change.base.text
    begins = (one.text[:1] or base.text[one.end : one.end + 1] for one in change.splices)
    if change.operation == "delete" or (base.tells_itself and MARK not in begins):
        return  # avoids joining a large text
    text = change.proposed_file
    if not text.tells_itself:
        with suppress(Unencodable):  # an editor's text; how it will be saved is unknown
            ws.source_of(change.base.location).remember(text, change.proposed_hash)


def _check_some_landed(outcomes: Sequence[FileOutcome]) -> None:
    """Raise an error if no file landed, preferring one that leaves the result open."""
    failures = [outcome for outcome in outcomes if isinstance(outcome, DomainError)]
    if failures and len(failures) == len(outcomes):
        raise next((one for one in failures if isinstance(one, LandingUnknown)), failures[0])


def _remember(ws: Workspace, proposal: Proposal, landing: Landing) -> None:
    """Update the session's record. Hashing a large file and joining its text would delay the answer, so that
    happens afterwards; the file's next change waits for it."""
    change, session = landing.change, proposal.session
    absolute = change.absolute
    if change.operation == "delete" or not may_tell(ws, proposal, landing):
        ws.sessions.forget(session, absolute)
        return
    learned = proposal.tool == "undo" or _is_others(proposal, landing)  # an undo needs no read
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


def may_tell(ws: Workspace, proposal: Proposal, landing: Landing) -> bool:
    """Whether the session may know what landed: it may read the file, or asked for exactly this text."""
    reading = ws.judge("read", landing.change.base.location, proposal.session).decision
    own = proposal.tool != "undo" and not _is_others(proposal, landing)
    return reading == "allow" or (reading == "ask" and own)


def _is_others(proposal: Proposal, landing: Landing) -> bool:
    """Whether some of the landed text comes from the user, the editor's save, or a merge."""
    change = landing.change
    amended = proposal.decision is not None and change.absolute in proposal.decision.amended
    return amended or change.merged is not None or landing.on_save is not None


def _as_landed(ws: Workspace, landing: Landing) -> tuple[Expected, str]:
    change, revision = landing.change, landing.revision
    ws.decoded.keep(change.absolute, change.proposed_bytes, change.proposed_file, revision.hash or "")
    return revision, change.shown


async def _review(ws: Workspace, proposal: Proposal) -> tuple[Decision, Applier]:
    """Ask the user. An editor that applies the change itself reports the same refusal whether the user
    declined or a file moved, so check which it was."""
    tells_no_cause = ws.reviewer.applies_itself(proposal)
    try:
        return await ws.reviewer.review(proposal)
    except (ReviewTimedOut, asyncio.CancelledError):
        if proposal.state == "shown" and ws.reviewer.applies_itself(proposal):
            ws.afterwards(watch_preview(ws, proposal, proposal.changes, WATCHED_S))
        raise
    except Rejected:
        if tells_no_cause:
            await check_all_unmoved(ws, proposal)
        raise


def _watch_for_rest(ws: Workspace, proposal: Proposal, missing: Sequence[FileChange], watch: Watch) -> None:
    """What an editor may still apply: what it was sent, or, if it applies the change itself, what was
    reported as missing."""
    if missing and proposal.decision is not None and ws.reviewer.applies_itself(proposal):
        ws.afterwards(watch_preview(ws, proposal, missing, ws.settings.landing_timeout_s))
    for one in watch.outstanding:
        hold_until_reported(ws, proposal, one)


async def check_all_unmoved(ws: Workspace, proposal: Proposal) -> None:
    """Raise Conflict if any of the proposal's files has changed since it was computed."""
    for change in proposal.changes:
        await look_unmoved(ws, change)


def _error_to_report(
    ws: Workspace, proposal: Proposal, error: DomainError, held: Mapping[str, tuple[Held, ...]]
) -> DomainError:
    """The error to report; LandingUnknown if part of the change is present after all: the editor may have had
    it before the decision, and the user may type over a rollback."""
    if isinstance(error, Conflict) and not proposal.by_user:
        changes = proposal.changes
        reading = [ws.judge("read", change.base.location, proposal.session).decision for change in changes]
        if set(reading) != {"allow"}:  # perhaps only since the review began
            error.actual = error.diff = None
    holding = tuple(one for where in held.values() for one in where)
    if not holding and not isinstance(error, LandingUnknown):
        return error
    if not proposal.by_user:
        ws.sessions.last_change[proposal.session] = proposal.id
    for absolute in held:
        ws.sessions.forget(proposal.session, absolute)
    if isinstance(error, LandingUnknown):
        error.holding = holding
        return error
    changed = [change.path for change in proposal.changes if held.get(change.absolute)]
    reason = _why_unknown(proposal, error, changed)
    return LandingUnknown(changed[0], reason, holding=holding, otherwise=error)


def _why_unknown(proposal: Proposal, error: DomainError, changed: Sequence[str]) -> UnknownReason:
    """`changed`: the paths of the changes of which something is left."""
    several = proposal.atomic and len(proposal.changes) > 1
    if proposal.decision is None or (isinstance(error, Rejected) and not several):
        return "not_accepted"
    if isinstance(error, NotLanded) and error.reason == "closed":
        return "closed"
    is_of_another = several and any(path != getattr(error, "path", "") for path in changed)
    return "not_rolled_back" if is_of_another else "changed_otherwise"


def _amended(change: FileChange, decision: Decision) -> FileChange:
    """The change as amended by the user. Raises Unencodable."""
    text = decision.amended.get(change.absolute)
    if text is None:
        return change
    amended = replace(change.amended(text), hints=())
    with error_file(change.absolute):
        amended.check()
    return amended
