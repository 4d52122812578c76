"""Validates the params of docs/protocol.md#91-review-clients: invalid params decide nothing. The declared
shapes (`results.py`) validate each of them; this module compares them with the proposal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from agentfs_lsp.adapters.review.conversation import Conversation, Report, Reports, Settlement
from agentfs_lsp.api.parsing import parse
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.results import AppliedParams, ProposalParams, SavedParams, SettleParams

F = TypeVar("F", bound="Mapping[str, Any]")


def review_params_text(error: BadReviewParams, translate: Translate) -> str:
    """The error as one sentence."""
    return {
        "text_misplaced": translate("An amended file requires its text; other files must not have one."),
        "feedback_misplaced": translate("Only a rejected file may have a message of its own."),
        "always_rejected": translate("“always” cannot be combined with a rejection."),
        "other_file": translate("Parameter 'files' names a file that is not in this proposal."),
        "file_twice": translate("Parameter 'files' names a file twice."),
        "unsettled": translate("The proposal is not settled yet, so there is nothing to apply."),
    }[error.problem]


ReviewProblem = Literal[
    "text_misplaced",  # an amended file without its text, or a text with another decision
    "feedback_misplaced",  # a message about a file that is not rejected
    "always_rejected",
    "other_file",  # a file outside the proposal
    "file_twice",
    "unsettled",  # nothing to apply yet
]


@dataclass(eq=False)
class BadReviewParams(Exception):
    """Params that are inconsistent with each other or the proposal; invalid single ones are BadParameter."""

    problem: ReviewProblem


def parse_id(raw: object) -> str:
    """The proposal's id. Raises BadParameter or BadReviewParams, like the other functions here."""
    return parse(ProposalParams, raw, refuse_unknown=False)["id"]


def parse_settlement(raw: object, conversation: Conversation) -> Settlement:
    """The decision about each file: from `files`, or else the common decision."""
    params = parse(SettleParams, raw)
    overall, always = params["decision"], params.get("always", False)
    rejected = set(conversation.files) if overall == "rejected" else set()
    texts: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for absolute, file in _by_path(params.get("files", ()), conversation).items():
        decision, text = file.get("decision", overall), file.get("text")
        if (decision == "amended") != (text is not None):
            raise BadReviewParams("text_misplaced")
        (rejected.add if decision == "rejected" else rejected.discard)(absolute)
        if text is not None:
            texts[absolute] = text
        if reason := file.get("feedback", ""):
            if decision != "rejected":
                raise BadReviewParams("feedback_misplaced")
            reasons[absolute] = reason
    if overall == "amended" and not texts and not rejected:
        raise BadReviewParams("text_misplaced")
    if always and rejected:
        raise BadReviewParams("always_rejected")
    return Settlement(frozenset(rejected), texts, params.get("feedback", ""), always, reasons)


def parse_reports(
    raw: object,
    conversation: Conversation,
    shape: type[AppliedParams | SavedParams],
    done: Literal["applied", "saved"],
) -> Reports:
    """The client's report for each of the proposal's files; a file that is not named counts as not done."""
    files: Sequence[Any] = parse(shape, raw, refuse_unknown=False).get("files", ())
    return {
        absolute: Report(file[done], file.get("reason", ""))
        for absolute, file in _by_path(files, conversation).items()
    }


def _by_path(files: Sequence[F], conversation: Conversation) -> dict[str, F]:
    """The entries of `files` by real absolute path. Raises BadReviewParams for a file outside the proposal: a
    client that means another one must not decide about these."""
    named: dict[str, F] = {}
    for file in files:
        absolute = conversation.file_of(file["uri"])
        if absolute is None:
            raise BadReviewParams("other_file")
        if absolute in named:
            raise BadReviewParams("file_twice")
        named[absolute] = file
    return named
