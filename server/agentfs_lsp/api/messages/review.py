"""What is told when somebody else, policy or the user is in the way (docs/protocol.md#8-lock,
docs/protocol.md#9-review-and-landing)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.escaping import LONGEST_UNKNOWN, cut_name, escape_invisible
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import nothing_changed, sentences

if TYPE_CHECKING:
    from agentfs_lsp.domain import errors
    from agentfs_lsp.domain.translation import Say, Told


def not_read(error: errors.NotRead, say: Say) -> Told:
    return say("Read the file first."), say("File: '{path}'.", path=shown(error.path))


def conflict(error: errors.Conflict, say: Say) -> Told:
    path = shown(error.path)
    where = say("in the editor") if error.source == "editor" else say("on disk")
    reasons = {
        "changed": say("'{path}' was changed {where} since it was read.", path=path, where=where),
        "expected": say("'{path}' is not as expected: it differs {where}.", path=path, where=where),
        "exists": say("'{path}' exists already.", path=path),
        "gone": say("'{path}' is gone.", path=path),
        "wrong_encoding": say("The editor shows '{path}' in an encoding that loses characters.", path=path),
        "reviewing": say("'{path}' was changed {where} while it was being reviewed.", path=path, where=where),
        "diff_changed": say("The diff that the user was shown, '{path}', was changed meanwhile.", path=path),
        "out_of_sync": say("What the editor holds of '{path}' is not known for certain.", path=path),
        "overlap": say(
            "'{path}' was changed {where} in the same lines ({lines}).",
            path=path,
            where=where,
            lines=", ".join(map(str, error.lines)),
        ),
    }
    if error.reason == "wrong_encoding":
        next_step = say("Ask the user to reopen the file with its encoding.")
    elif error.reason == "out_of_sync":
        next_step = nothing_changed(
            say, say("Ask the user to close the file in the editor and open it again.")
        )
    elif error.reason == "diff_changed":
        next_step = nothing_changed(say, say("Send the change again."))
    else:
        next_step = nothing_changed(say, say("Read it again and redo the change on what it says now."))
    return reasons[error.reason], next_step


def policy_denied(error: errors.PolicyDenied, say: Say) -> Told:
    return (
        say(
            "'{path}' is protected: the rule '{rule}' denies {operation}.",
            path=shown(error.path),
            rule=shown(error.rule),
            operation=error.operation,
        ),
        say("Only the user can change that."),
    )


def tool_not_listed(error: errors.ToolNotListed, say: Say) -> Told:
    name = shown(cut_name(error.name, LONGEST_UNKNOWN))
    if not error.listed:
        return (
            say("There is no tool '{name}'.", name=name),
            say("The user's settings let no tool touch a file now."),
        )
    tools = ", ".join(map(shown, error.listed))
    return say("There is no tool '{name}'.", name=name), say("Tools: {tools}.", tools=tools)


def nobody_to_ask(error: errors.NobodyToAsk, say: Say) -> Told:
    reasons = {
        "no_message": say("The editor can't put the question to the user, so the change is refused."),
        "busy": say("The editor was busy and could not ask the user, so the change is refused."),
        "too_long": say("The change is too long to be shown in the editor's messages, so it is refused."),
        "failed": say("The question could not be put to the user, so the change is refused."),
        "reading": say("The editor can't put the question to the user, so the file is not read."),
    }
    return (
        reasons[error.reason],
        say(
            "The user can connect an editor that asks, or settle it in the settings: changes with"
            " agentfs.approval.mode, and what is asked for in every mode with agentfs.rules and"
            " agentfs.protected."
        ),
    )


def rejected(error: errors.Rejected, say: Say) -> Told:
    if error.paths:
        return _rejected_in_part(error, say)
    if error.feedback:
        return (
            say("The user rejected the change: “{feedback}”.", feedback=escape_invisible(error.feedback)),
            nothing_changed(say, say("Do as the user says.")),
        )
    if not error.surely_meant:
        return not_approved(say), nothing_changed(say, say("Ask the user how to go on."))
    if error.decision == "dismissed":
        return (
            say("The user dismissed the change without a decision."),
            nothing_changed(say, say("Ask the user how to go on.")),
        )
    return say("The user rejected the change."), nothing_changed(say, say("Ask the user how to go on."))


def not_approved(say: Say) -> str:
    """A no, where nobody knows whether the user meant it."""
    return say("The question was closed without approval.")


def _rejected_in_part(error: errors.Rejected, say: Say) -> Told:
    paths = ", ".join(f"'{shown(path)}'" for path in error.paths)
    said = [say("The user rejected the change of {paths}.", paths=paths)]
    if error.feedback:
        said.append(say("The user wrote: “{feedback}”.", feedback=escape_invisible(error.feedback)))
    return sentences(say, said), nothing_changed(say, say("Ask the user how to go on."))


def left_undone(error: errors.LeftUndone, say: Say) -> Told:
    reasons = {
        "cancelled": say("'{path}' was not changed: the request was cancelled.", path=shown(error.path)),
        "together": say("'{path}' was not changed: all of it lands or none.", path=shown(error.path)),
    }
    return reasons[error.reason], ""


def read_rejected(error: errors.ReadRejected, say: Say) -> Told:
    return (
        say("The user did not allow '{path}' to be read.", path=shown(error.path)),
        say("Go on without it, or ask the user."),
    )


def review_timed_out(error: errors.ReviewTimedOut, say: Say) -> Told:
    return (
        say("Nobody answered the review within {seconds:g} s.", seconds=error.seconds),
        nothing_changed(say, say("Ask the user before trying again.")),
    )


def withdrawn(error: errors.Withdrawn, say: Say) -> Told:
    reasons = {
        "agent": say("The agent took the change back."),
        "root_removed": say("The folder was closed; the change was withdrawn."),
        "settings": say("The user's settings changed; the change was withdrawn."),
        "shutdown": say("The server is ending; the change was withdrawn."),
    }
    return reasons[error.reason], nothing_changed(say)


def too_many_pending(error: errors.TooManyPending, say: Say) -> Told:
    return (
        say("{count} changes of this session are waiting already.", count=error.limit),
        nothing_changed(say, say("Wait for their answers before asking for more.")),
    )


def not_landed(error: errors.NotLanded, say: Say) -> Told:
    reasons = {
        "refused": shown(error.detail) or say("the editor did not apply it"),
        "late": say("the editor did not apply it in time"),
        "unchanged": say("the editor says it applied the change, but nothing changed"),
        "closed": say("the document was closed without being saved"),
    }
    return (
        say(
            "'{path}' was accepted but not applied: {reason}.",
            path=shown(error.path),
            reason=reasons[error.reason],
        ),
        nothing_changed(say, say("Try again.")),
    )


def landing_unknown(error: errors.LandingUnknown, say: Say) -> Told:
    reasons = {
        "system": shown(error.detail),
        "changed_otherwise": say("the document changed in another way while the edit was applied"),
        "closed": say("the document was closed before it was saved"),
        "not_taken_back": say("another file of it failed, and here it could not be taken back"),
        "not_accepted": say("it was not approved, and yet some of it is there"),
    }
    unknown = say(
        "It is not known whether the change of '{path}' was applied: {reason}.",
        path=shown(error.path),
        reason=reasons[error.reason],
    )
    if not error.holding:
        return unknown, say("Read the file before going on.")
    feedback = getattr(error.otherwise, "feedback", "")
    wrote = say("The user wrote: “{feedback}”.", feedback=escape_invisible(feedback)) if feedback else ""
    places = {"disk": say("on disk"), "editor": say("in the editor")}
    files = ", ".join(f"'{shown(one.path)}' ({places[one.where]})" for one in error.holding)
    found = say("Some of it is, or may be, in {files}.", files=files)
    return unknown, sentences(say, (found, wrote, say("Read the file before going on.")))
