"""The params of docs/protocol.md#91-review-clients, checked by hand: what is wrong is told to the client's
developer in one sentence, and decides nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.adapters.review.client import Report, Settlement

if TYPE_CHECKING:
    from collections.abc import Collection

    from agentfs_lsp.service.proposals import Proposal

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


def parse_settlement(raw: object, proposal: Proposal) -> Settlement:
    """The decision, with what `files` says of the proposal's file over what is said of all."""
    params = _object(raw)
    _refuse_unknown(params, {"id", "decision", "feedback", "always", "files"})
    decision = _decision(params.get("decision"))
    feedback = params.get("feedback") or ""
    if not isinstance(feedback, str) or len(feedback) > FEEDBACK_CHARACTERS:
        raise BadReviewParams(f"feedback must be a string of at most {FEEDBACK_CHARACTERS} characters")
    always = params.get("always", False)
    if not isinstance(always, bool):
        raise BadReviewParams("always must be true or false")
    text: str | None = None
    for file in _files(params, proposal):
        _refuse_unknown(file, {"uri", "decision", "text"})
        decision = _decision(file.get("decision", decision))
        told = file.get("text")
        if told is not None and not isinstance(told, str):
            raise BadReviewParams("text must be a string")
        text = told
    if decision == "amended" and text is None:
        raise BadReviewParams("an amended file needs its text")
    return Settlement(decision, feedback, always and decision != "rejected", text)


def parse_report(raw: object, proposal: Proposal, key: Literal["applied", "saved"]) -> Report:
    """What became of the proposal's file; not named, it was not done."""
    report = Report(done=False, reason=f"the client did not say that it {key} the file")
    for file in _files(_object(raw), proposal):
        done, reason = file.get(key), file.get("reason")
        if not isinstance(done, bool):
            raise BadReviewParams(f"{key} must be true or false")
        report = Report(done, reason if isinstance(reason, str) else "")
    return report


def _files(params: dict[str, object], proposal: Proposal) -> list[dict[str, object]]:
    """The entries of `files`. Raises BadReviewParams for a file that is none of the proposal's: a client
    that means another one must not decide about this."""
    files = params.get("files") or []
    if not isinstance(files, list) or not all(isinstance(file, dict) for file in files):
        raise BadReviewParams("files must be a list of objects")
    base = proposal.computed.base
    known = {base.location.uri, *([base.buffer.uri] if base.buffer else [])}
    if any(file.get("uri") not in known for file in files):
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


def _object(raw: object) -> dict[str, object]:
    if not isinstance(raw, dict):
        raise BadReviewParams("params must be one JSON object")
    return raw


def _refuse_unknown(params: dict[str, object], known: Collection[str]) -> None:
    unknown = sorted(set(params) - set(known))
    if unknown:
        raise BadReviewParams(f"{unknown[0]} is no parameter of this request")
