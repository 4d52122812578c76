"""The params of docs/protocol.md#91-review-clients, checked by hand: what is wrong is told to the client's
developer in one sentence, and decides nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.adapters.review.conversation import Report, Settlement

if TYPE_CHECKING:
    from collections.abc import Collection

    from agentfs_lsp.adapters.review.conversation import Conversation, Reports

FEEDBACK_CHARACTERS = 10_000


@dataclass(eq=False)
class BadReviewParams(Exception):
    """`reason` says what is wrong."""

    reason: str


def parse_id(raw: object) -> str:
    """The proposal's id. Raises BadReviewParams, as the other functions here."""
    value = _object(raw).get("id")
    if not isinstance(value, str):
        raise BadReviewParams("id must be a string")
    return value


def parse_settlement(raw: object, conversation: Conversation) -> Settlement:
    """The decision of each file: what `files` says of it, else what is said of all."""
    params = _object(raw)
    _refuse_unknown(params, {"id", "decision", "feedback", "always", "files"})
    overall = _decision(params.get("decision"))
    feedback = params.get("feedback")
    if feedback is not None and not (isinstance(feedback, str) and len(feedback) <= FEEDBACK_CHARACTERS):
        raise BadReviewParams(f"feedback must be a string of at most {FEEDBACK_CHARACTERS} characters")
    always = params.get("always")
    if always is not None and not isinstance(always, bool):
        raise BadReviewParams("always must be true or false")
    rejected = set(conversation.files) if overall == "rejected" else set()
    texts: dict[str, str] = {}
    for absolute, file in _files(params, conversation):
        _refuse_unknown(file, {"uri", "decision", "text"})
        decision = overall if file.get("decision") is None else _decision(file["decision"])
        text = _text(file.get("text"))
        if (decision == "amended") != (text is not None):
            raise BadReviewParams("an amended file needs its text, and no other has one")
        (rejected.add if decision == "rejected" else rejected.discard)(absolute)
        if text is not None:
            texts[absolute] = text
    if overall == "amended" and not texts:
        raise BadReviewParams("an amended file needs its text, and no other has one")
    if always and rejected:
        raise BadReviewParams("always goes with no rejection")
    return Settlement(frozenset(rejected), texts, feedback or "", bool(always))


def parse_reports(raw: object, conversation: Conversation, key: Literal["applied", "saved"]) -> Reports:
    """What became of each of the proposal's files; one that is not named was not done."""
    reports: dict[str, Report] = {}
    for absolute, file in _files(_object(raw), conversation):
        done, reason = file.get(key), file.get("reason")
        if not isinstance(done, bool):
            raise BadReviewParams(f"{key} must be true or false")
        reports[absolute] = Report(done, reason if isinstance(reason, str) else "")
    return reports


def _files(params: dict[str, object], conversation: Conversation) -> list[tuple[str, dict[str, object]]]:
    """The entries of `files` with the real absolute path of each. Raises BadReviewParams for a file that is
    none of the proposal's: a client that means another one must not decide about these."""
    files = params.get("files")
    if files is None:
        return []
    if not isinstance(files, list) or not all(isinstance(file, dict) for file in files):
        raise BadReviewParams("files must be a list of objects")
    named: dict[str, dict[str, object]] = {}
    for file in files:
        absolute = conversation.file_of(file.get("uri"))
        if absolute is None:
            raise BadReviewParams("files names one that is not in this proposal")
        if absolute in named:
            raise BadReviewParams("files names a file twice")
        named[absolute] = file
    return list(named.items())


def _decision(value: object) -> Literal["accepted", "amended", "rejected"]:
    match value:
        case "accepted" | "amended" | "rejected":
            return value
        case _:
            raise BadReviewParams("decision must be accepted, amended or rejected")


def _text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise BadReviewParams("text must be a string")
    return value


def _object(raw: object) -> dict[str, object]:
    if not isinstance(raw, dict):
        raise BadReviewParams("params must be one JSON object")
    return raw


def _refuse_unknown(params: dict[str, object], known: Collection[str]) -> None:
    unknown = sorted(set(params) - set(known))
    if unknown:
        raise BadReviewParams(f"{unknown[0]} is no parameter of this request")
