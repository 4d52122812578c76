"""The params of docs/protocol.md#91-review-clients, checked by hand: what is wrong decides nothing. What is
told of it is made in `parameter_texts.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.adapters.review.conversation import Report, Settlement
from agentfs_lsp.domain.errors import BadParameter

if TYPE_CHECKING:
    from agentfs_lsp.adapters.review.conversation import Conversation, Reports
    from agentfs_lsp.domain.translation import Translate


def review_params_text(error: BadReviewParams, translate: Translate) -> str:
    """One sentence."""
    return {
        "text_misplaced": translate("An amended file needs its text, and no other file has one."),
        "always_rejected": translate("“always” does not go with a rejection."),
        "no_files": translate("Parameter 'files' must be a list of JSON objects."),
        "other_file": translate("Parameter 'files' names a file that is not in this proposal."),
        "file_twice": translate("Parameter 'files' names a file twice."),
        "unsettled": translate("The proposal is not settled: there is nothing to apply yet."),
    }[error.problem]


FEEDBACK_CHARACTERS = 10_000


ReviewProblem = Literal[
    "text_misplaced",  # an amended file without its text, or a text with another decision
    "always_rejected",
    "no_files",  # `files` is no list of objects
    "other_file",  # one that is none of the proposal's
    "file_twice",
    "unsettled",  # nothing to apply yet
]


@dataclass(eq=False)
class BadReviewParams(Exception):
    """Params that do not go together; single ones are BadParameter."""

    problem: ReviewProblem


def parse_id(raw: object) -> str:
    """The proposal's id. Raises BadParameter or BadReviewParams, as the other functions here."""
    value = _object(raw).get("id")
    if not isinstance(value, str):
        raise BadParameter("id", "kind", kinds=("string",))
    return value


def parse_settlement(raw: object, conversation: Conversation) -> Settlement:
    """The decision of each file: what `files` says of it, else what is said of all."""
    from agentfs_lsp.lsp.results import SettledFile, SettleParams  # noqa: PLC0415 - not at every start

    params = _object(raw)
    refuse_unknown(params, SettleParams)
    overall = _decision(params.get("decision"))
    feedback = params.get("feedback")
    if feedback is not None and not isinstance(feedback, str):
        raise BadParameter("feedback", "kind", kinds=("string",))
    if feedback and len(feedback) > FEEDBACK_CHARACTERS:
        raise BadParameter("feedback", "long", bound=FEEDBACK_CHARACTERS)
    always = params.get("always")
    if always is not None and not isinstance(always, bool):
        raise BadParameter("always", "kind", kinds=("flag",))
    rejected = set(conversation.files) if overall == "rejected" else set()
    texts: dict[str, str] = {}
    for absolute, file in _files(params, conversation):
        refuse_unknown(file, SettledFile)
        decision = overall if file.get("decision") is None else _decision(file["decision"])
        text = _text(file.get("text"))
        if (decision == "amended") != (text is not None):
            raise BadReviewParams("text_misplaced")
        (rejected.add if decision == "rejected" else rejected.discard)(absolute)
        if text is not None:
            texts[absolute] = text
    if overall == "amended" and not texts and not rejected:
        raise BadReviewParams("text_misplaced")
    if always and rejected:
        raise BadReviewParams("always_rejected")
    return Settlement(frozenset(rejected), texts, feedback or "", bool(always))


def parse_reports(raw: object, conversation: Conversation, key: Literal["applied", "saved"]) -> Reports:
    """What became of each of the proposal's files; one that is not named was not done."""
    reports: dict[str, Report] = {}
    for absolute, file in _files(_object(raw), conversation):
        done, reason = file.get(key), file.get("reason")
        if not isinstance(done, bool):
            raise BadParameter(key, "kind", kinds=("flag",))
        reports[absolute] = Report(done, reason if isinstance(reason, str) else "")
    return reports


def _files(params: dict[str, object], conversation: Conversation) -> list[tuple[str, dict[str, object]]]:
    """The entries of `files` with the real absolute path of each. Raises BadReviewParams for a file that is
    none of the proposal's: a client that means another one must not decide about these."""
    files = params.get("files")
    if files is None:
        return []
    if not isinstance(files, list) or not all(isinstance(file, dict) for file in files):
        raise BadReviewParams("no_files")
    named: dict[str, dict[str, object]] = {}
    for file in files:
        absolute = conversation.file_of(file.get("uri"))
        if absolute is None:
            raise BadReviewParams("other_file")
        if absolute in named:
            raise BadReviewParams("file_twice")
        named[absolute] = file
    return list(named.items())


def _decision(value: object) -> Literal["accepted", "amended", "rejected"]:
    match value:
        case "accepted" | "amended" | "rejected":
            return value
        case _:
            raise BadParameter("decision", "choice", ("accepted", "amended", "rejected"))


def _text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise BadParameter("text", "kind", kinds=("string",))
    return value


def _object(raw: object) -> dict[str, object]:
    if not isinstance(raw, dict):
        raise BadParameter("params", "no_object")
    return raw


def refuse_unknown(params: dict[str, object], shape: type) -> None:
    """Raise BadParameter for a key that `shape`, a TypedDict, does not have: it would pass silently."""
    known = shape.__annotations__
    unknown = sorted(set(params) - set(known))
    if unknown:
        raise BadParameter(unknown[0], "unknown", tuple(sorted(known)))
