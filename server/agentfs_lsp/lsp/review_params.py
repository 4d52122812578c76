"""The params of docs/protocol.md#91-review-clients, checked by hand: what is wrong is told to the client's
developer in one sentence, and decides nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.adapters.review.conversation import Report, Settlement

if TYPE_CHECKING:
    from collections.abc import Collection

    from agentfs_lsp.adapters.review.conversation import Conversation

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
    """The decision, with what `files` says of the proposal's file over what is said of all."""
    params = _object(raw)
    _refuse_unknown(params, {"id", "decision", "feedback", "always", "files"})
    decision = _decision(params.get("decision"))
    feedback = params.get("feedback")
    if feedback is not None and not (isinstance(feedback, str) and len(feedback) <= FEEDBACK_CHARACTERS):
        raise BadReviewParams(f"feedback must be a string of at most {FEEDBACK_CHARACTERS} characters")
    always = params.get("always")
    if always is not None and not isinstance(always, bool):
        raise BadReviewParams("always must be true or false")
    text: str | None = None
    for file in _files(params, conversation):
        _refuse_unknown(file, {"uri", "decision", "text"})
        decision = _decision(decision if file.get("decision") is None else file["decision"])
        text = _text(file.get("text"))
    if (decision == "amended") != (text is not None):
        raise BadReviewParams("an amended file needs its text, and no other has one")
    if always and decision == "rejected":
        raise BadReviewParams("always goes with no rejection")
    return Settlement(decision, feedback or "", bool(always), text)


def parse_report(raw: object, conversation: Conversation, key: Literal["applied", "saved"]) -> Report:
    """What became of the proposal's file; not named, it was not done."""
    report = Report(done=False)
    for file in _files(_object(raw), conversation):
        done, reason = file.get(key), file.get("reason")
        if not isinstance(done, bool):
            raise BadReviewParams(f"{key} must be true or false")
        report = Report(done, reason if isinstance(reason, str) else "")
    return report


def _files(params: dict[str, object], conversation: Conversation) -> list[dict[str, object]]:
    """The entries of `files`. Raises BadReviewParams for a file that is none of the proposal's: a client
    that means another one must not decide about this."""
    files = params.get("files")
    if files is None:
        return []
    if not isinstance(files, list) or not all(isinstance(file, dict) for file in files):
        raise BadReviewParams("files must be a list of objects")
    if not all(conversation.is_about(file.get("uri")) for file in files):
        raise BadReviewParams("files names one that is not in this proposal")
    if len(files) > 1:
        raise BadReviewParams("files names a file twice")
    return files


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
