"""What is told when somebody else, policy or the user is in the way (docs/protocol.md#8-lock,
docs/protocol.md#9-review-and-landing)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.escaping import LONGEST_UNKNOWN, cut_name, escape_invisible
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import nothing_changed, sentences

if TYPE_CHECKING:
    from agentfs_lsp.domain import errors
    from agentfs_lsp.domain.translation import Told, Translate


def not_read(error: errors.NotRead, translate: Translate) -> Told:
    return translate("Read the file first."), translate("File: '{path}'.", path=shown(error.path))


def conflict(error: errors.Conflict, translate: Translate) -> Told:
    path = shown(error.path)
    where = translate("in the editor") if error.source == "editor" else translate("on disk")
    reasons = {
        "changed": translate("'{path}' was changed {where} since it was read.", path=path, where=where),
        "expected": translate("'{path}' is not as expected: it differs {where}.", path=path, where=where),
        "exists": translate("'{path}' exists already.", path=path),
        "gone": translate("'{path}' is gone.", path=path),
        "wrong_encoding": translate(
            "The editor shows '{path}' in an encoding that loses characters.", path=path
        ),
        "reviewing": translate(
            "'{path}' was changed {where} while it was being reviewed.", path=path, where=where
        ),
        "diff_changed": translate(
            "The diff that the user was shown, '{path}', was changed meanwhile.", path=path
        ),
        "out_of_sync": translate("What the editor holds of '{path}' is not known for certain.", path=path),
        "carriage_returns": translate(
            "'{path}' is open, and has carriage returns by themselves: the editor may count its lines in"
            " another way, and a change would land in the wrong place.",
            path=path,
        ),
        "overlap": translate(
            "'{path}' was changed {where} in the same lines ({lines}).",
            path=path,
            where=where,
            lines=", ".join(map(str, error.lines)),
        ),
    }
    if error.reason == "wrong_encoding":
        next_step = translate("Ask the user to reopen the file with its encoding.")
    elif error.reason == "out_of_sync":
        next_step = nothing_changed(
            translate, translate("Ask the user to close the file in the editor and open it again.")
        )
    elif error.reason == "carriage_returns":
        next_step = nothing_changed(translate, translate("Ask the user to close the file in the editor."))
    elif error.reason == "diff_changed":
        next_step = nothing_changed(translate, translate("Send the change again."))
    else:
        next_step = nothing_changed(
            translate, translate("Read it again and redo the change on what it says now.")
        )
    return reasons[error.reason], next_step


def policy_denied(error: errors.PolicyDenied, translate: Translate) -> Told:
    return (
        translate(
            "'{path}' is protected: the rule '{rule}' denies {operation}.",
            path=shown(error.path),
            rule=shown(error.rule),
            operation=error.operation,
        ),
        translate("Only the user can change that."),
    )


def tool_not_listed(error: errors.ToolNotListed, translate: Translate) -> Told:
    name = shown(cut_name(error.name, LONGEST_UNKNOWN))
    if not error.listed:
        return (
            translate("There is no tool '{name}'.", name=name),
            translate("The user's settings let no tool touch a file now."),
        )
    tools = ", ".join(map(shown, error.listed))
    return translate("There is no tool '{name}'.", name=name), translate("Tools: {tools}.", tools=tools)


def nobody_to_ask(error: errors.NobodyToAsk, translate: Translate) -> Told:
    reasons = {
        "no_message": translate("The editor can't put the question to the user, so the change is refused."),
        "busy": translate("The editor was busy and could not ask the user, so the change is refused."),
        "too_long": translate(
            "The change is too long to be shown in the editor's messages, so it is refused."
        ),
        "failed": translate("The question could not be put to the user, so the change is refused."),
        "reading": translate("The editor can't put the question to the user, so the file is not read."),
    }
    return (
        reasons[error.reason],
        translate(
            "The user can connect an editor that asks, or settle it in the settings: changes with"
            " agentfs.approval.mode, and what is asked for in every mode with agentfs.rules and"
            " agentfs.protected."
        ),
    )


def rejected(error: errors.Rejected, translate: Translate) -> Told:
    if error.paths:
        return _rejected_in_part(error, translate)
    if error.feedback:
        return (
            translate(
                "The user rejected the change: “{feedback}”.", feedback=escape_invisible(error.feedback)
            ),
            nothing_changed(translate, translate("Do as the user says.")),
        )
    if not error.surely_meant:
        return not_approved(translate), nothing_changed(translate, translate("Ask the user how to go on."))
    if error.decision == "dismissed":
        return (
            translate("The user dismissed the change without a decision."),
            nothing_changed(translate, translate("Ask the user how to go on.")),
        )
    return translate("The user rejected the change."), nothing_changed(
        translate, translate("Ask the user how to go on.")
    )


def not_approved(translate: Translate) -> str:
    """A no, where nobody knows whether the user meant it."""
    return translate("The question was closed without approval.")


def _rejected_in_part(error: errors.Rejected, translate: Translate) -> Told:
    paths = ", ".join(f"'{shown(path)}'" for path in error.paths)
    said = [translate("The user rejected the change of {paths}.", paths=paths)]
    if error.feedback:
        said.append(translate("The user wrote: “{feedback}”.", feedback=escape_invisible(error.feedback)))
    return sentences(translate, said), nothing_changed(translate, translate("Ask the user how to go on."))


def left_undone(error: errors.LeftUndone, translate: Translate) -> Told:
    reasons = {
        "cancelled": translate(
            "'{path}' was not changed: the request was cancelled.", path=shown(error.path)
        ),
        "together": translate("'{path}' was not changed: all of it lands or none.", path=shown(error.path)),
    }
    return reasons[error.reason], ""


def read_rejected(error: errors.ReadRejected, translate: Translate) -> Told:
    return (
        translate("The user did not allow '{path}' to be read.", path=shown(error.path)),
        translate("Go on without it, or ask the user."),
    )


def review_timed_out(error: errors.ReviewTimedOut, translate: Translate) -> Told:
    return (
        translate("Nobody answered the review within {seconds:g} s.", seconds=error.seconds),
        nothing_changed(translate, translate("Ask the user before trying again.")),
    )


def withdrawn(error: errors.Withdrawn, translate: Translate) -> Told:
    reasons = {
        "agent": translate("The agent took the change back."),
        "root_removed": translate("The folder was closed; the change was withdrawn."),
        "settings": translate("The user's settings changed; the change was withdrawn."),
        "shutdown": translate("The server is ending; the change was withdrawn."),
    }
    return reasons[error.reason], nothing_changed(translate)


def too_many_pending(error: errors.TooManyPending, translate: Translate) -> Told:
    return (
        translate(
            "One change of this session is waiting already.",
            plural="{count} changes of this session are waiting already.",
            count=error.limit,
        ),
        nothing_changed(translate, translate("Wait for their answers before asking for more.")),
    )


def not_landed(error: errors.NotLanded, translate: Translate) -> Told:
    reasons = {
        "refused": shown(error.detail).rstrip(".。") or translate("the editor did not apply it"),
        "late": translate("the editor did not apply it in time"),
        "unchanged": translate("the editor says it applied the change, but nothing changed"),
        "closed": translate("the document was closed, and the file does not hold it"),
        "undone": translate("the user or the editor took it out again"),
    }
    undone = error.reason in ("closed", "undone")
    next_step = translate("Ask the user before trying again.") if undone else translate("Try again.")
    return (
        translate(
            "'{path}' was accepted but not applied: {reason}.",
            path=shown(error.path),
            reason=reasons[error.reason],
        ),
        nothing_changed(translate, next_step),
    )


def landing_unknown(error: errors.LandingUnknown, translate: Translate) -> Told:
    reasons = {
        "system": shown(error.detail),
        "changed_otherwise": translate("the document was changed in another way meanwhile"),
        "closed": translate("the document was closed, and the file does not hold all of it"),
        "not_taken_back": translate("another file of it failed, and here it could not be taken back"),
        "not_accepted": translate("it was not approved, and yet some of it is there"),
    }
    unknown = translate(
        "It is not known whether the change of '{path}' was applied: {reason}.",
        path=shown(error.path),
        reason=reasons[error.reason],
    )
    if not error.holding:
        return unknown, translate("Read the file before going on.")
    feedback = getattr(error.otherwise, "feedback", "")
    wrote = (
        translate("The user wrote: “{feedback}”.", feedback=escape_invisible(feedback)) if feedback else ""
    )
    places = {"disk": translate("on disk"), "editor": translate("in the editor")}
    files = ", ".join(f"'{shown(one.path)}' ({places[one.where]})" for one in error.holding)
    found = translate("Some of it is, or may be, in {files}.", files=files)
    return unknown, sentences(translate, (found, wrote, translate("Read the file before going on.")))
