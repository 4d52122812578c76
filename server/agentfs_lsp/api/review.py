"""The review, as reported in a response (docs/protocol.md#94-what-the-answer-says)."""

from __future__ import annotations

from agentfs_lsp.api.results import Review
from agentfs_lsp.domain.errors import DomainError, LandingUnknown, Rejected, ReviewTimedOut, Withdrawn
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.service.landing.precondition import preview_between
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.proposal import Proposal


def review_facts(proposal: Proposal | None, error: DomainError | None = None) -> Review | None:
    """`review` of a response; None if nobody decided anything."""
    if proposal is None:
        return None
    decided = proposal.decision
    if decided is None:
        return _undecided(proposal, error)
    facts: Review = {
        "rung": decided.channel,
        "decision": decided.decision,
        "by": decided.by,
        "waited_ms": proposal.waited_ms,
    }
    if decided.rule:
        facts["rule"] = decided.rule
    if decided.feedback:
        facts["feedback"] = decided.feedback
    return facts


def landed_facts(proposal: Proposal, *landings: Landing, texts: bool = True) -> Review:
    """The same for a landed change, with the user's and the editor's modifications; `texts` False omits all
    text of the files."""
    facts = review_facts(proposal)
    assert facts is not None  # what landed was decided
    proposed = {change.absolute: change for change in proposal.changes}
    amendments = [_amendment(proposed[one.change.absolute], one.change) for one in landings]
    if any(amendments):
        facts["decision"] = "amended"
        if texts:
            facts["amendments"] = "".join(amendments)
    if texts and any(one.on_save is not None for one in landings):
        facts["on_save"] = "".join(one.on_save or "" for one in landings)
    return facts


def _amendment(proposed: FileChange, accepted: FileChange) -> str:
    if accepted.reads_as(proposed):
        return ""
    before, after = normalize(proposed.shown), normalize(accepted.shown)
    return preview_between(proposed.path, before, after, proposed.settings)


def _undecided(proposal: Proposal, error: DomainError | None) -> Review | None:
    if proposal.channel is None:
        return None  # withdrawn before anyone was asked
    facts: Review = {
        "rung": proposal.channel,
        "decision": "rejected",
        "by": "user",
        "waited_ms": proposal.waited_ms,
    }
    match error.otherwise if isinstance(error, LandingUnknown) else error:
        case Rejected(decision=decision, feedback=feedback):
            facts["decision"] = decision
            if feedback:
                facts["feedback"] = feedback
        case ReviewTimedOut():
            facts["decision"] = "timed_out"
        case Withdrawn(reason="root_removed" | "settings"):
            facts["decision"], facts["by"] = "withdrawn", "rule"
        case Withdrawn(reason="disconnected"):
            facts["decision"] = "withdrawn"
        case _:
            return None
    return facts
