"""Errors about conflicts, policy, and the user's decisions (docs/protocol.md#8-lock,
docs/protocol.md#9-review-and-landing)."""

from __future__ import annotations

from agentfs_lsp.domain import errors
from agentfs_lsp.domain.text.escaping import LONGEST_UNKNOWN, cut_name, escape_invisible
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import ErrorText, Translate, nothing_changed, sentence, sentences


def not_read(error: errors.NotRead, translate: Translate) -> ErrorText:
    return translate("Read the file first."), translate("File: '{path}'.", path=shown(error.path))


def conflict(error: errors.Conflict, translate: Translate) -> ErrorText:
    path = shown(error.path)
    where = translate("in the editor") if error.source == "editor" else translate("on disk")
    reasons = {
        "changed": translate("'{path}' was changed {where} since it was read.", path=path, where=where),
        "expected": translate(
            "'{path}' does not match what was expected: it differs {where}.", path=path, where=where
        ),
        "exists": translate("'{path}' already exists.", path=path),
        "gone": translate("'{path}' no longer exists.", path=path),
        "linked": translate(
            "'{path}' is now reached through a symbolic link, so it may be another file.", path=path
        ),
        "wrong_encoding": translate(
            "The editor shows '{path}' in an encoding that loses characters.", path=path
        ),
        "reviewing": translate("'{path}' was changed {where} during the review.", path=path, where=where),
        "opened": translate(
            "'{path}' was opened in the editor just before the change was written to disk.", path=path
        ),
        "diff_changed": translate(
            "The diff file that was shown to the user, '{path}', was changed during the review.", path=path
        ),
        "out_of_sync": translate(
            "The editor's current text of '{path}' is not known for certain.", path=path
        ),
        "carriage_returns": translate(
            "'{path}' is open and contains carriage returns without line feeds. The editor may count "
            "its lines differently, so a change could be applied in the wrong place.",
            path=path,
        ),
        "overlap": translate(
            "'{path}' was changed {where} in the same lines ({lines}).",
            path=path,
            where=where,
            lines=", ".join(map(str, error.lines)),
        ),
    }
    next_steps = {
        "out_of_sync": translate("Ask the user to close the file in the editor and open it again."),
        "carriage_returns": translate("Ask the user to close the file in the editor."),
        "exists": translate("Read it before you change it, or use another path."),
        "diff_changed": translate("Send the change again."),
        "opened": translate("Send the change again."),
    }
    again = translate("Read it again and redo the change on the current content.")
    if error.reason == "wrong_encoding":
        return reasons[error.reason], translate("Ask the user to reopen the file with its encoding.")
    return reasons[error.reason], nothing_changed(translate, next_steps.get(error.reason, again))


def policy_denied(error: errors.PolicyDenied, translate: Translate) -> ErrorText:
    said = translate(
        "'{path}' is protected: the rule '{rule}' denies {operation} access.",
        path=shown(error.path),
        rule=shown(error.rule),
        operation=error.operation,
    )
    return said, translate("Only the user can change that.")


def tool_not_listed(error: errors.ToolNotListed, translate: Translate) -> ErrorText:
    unknown = translate("There is no tool '{name}'.", name=shown(cut_name(error.name, LONGEST_UNKNOWN)))
    if not error.listed:
        return unknown, translate("The user's settings currently do not let any tool access files.")
    return unknown, translate("Tools: {tools}.", tools=", ".join(map(shown, error.listed)))


def nobody_to_ask(error: errors.NobodyToAsk, translate: Translate) -> ErrorText:
    busy = translate("The editor was busy and could not ask the user, so the change was refused.")
    reasons = {
        "no_message": translate("Nobody can be asked, so the change was refused."),
        "busy": busy,
        "occupied": busy,
        "too_long": translate("The change is too long for the editor's messages, so it was refused."),
        "failed": translate("The user could not be asked, so the change was refused."),
        "reading": translate("Nobody can be asked, so the file was not read."),
    }
    return reasons[error.reason], translate(
        "The user can open the folder in an editor that can ask, or change the settings: "
        "agentfs.approval.mode for changes, and agentfs.rules and agentfs.protected for files that "
        "require approval in every mode."
    )


def rejected(error: errors.Rejected, translate: Translate) -> ErrorText:
    if error.paths:
        return _rejected_in_part(error, translate)
    if error.feedback:
        words = escape_invisible(error.feedback)
        said = sentence(translate, translate("The user rejected the change: “{feedback}”", feedback=words))
        return said, nothing_changed(translate, translate("Follow the user's message."))
    if not error.surely_meant:
        said = not_approved(translate)
    elif error.decision == "dismissed":
        said = translate("The user dismissed the change without a decision.")
    else:
        said = translate("The user rejected the change.")
    return said, nothing_changed(translate, translate("Ask the user how to continue."))


def not_approved(translate: Translate) -> str:
    """A rejection that the user may not have intended."""
    return translate("The question was closed without approval.")


def _rejected_in_part(error: errors.Rejected, translate: Translate) -> ErrorText:
    paths = ", ".join(f"'{shown(path)}'" for path in error.paths)
    said = [translate("The user rejected the change of {paths}.", paths=paths)]
    if error.feedback:
        said.append(_wrote(error.feedback, translate))
    return sentences(translate, said), nothing_changed(translate, translate("Ask the user how to continue."))


def _wrote(feedback: str, translate: Translate) -> str:
    return sentence(translate, translate("The user wrote: “{feedback}”", feedback=escape_invisible(feedback)))


def left_undone(error: errors.LeftUndone, translate: Translate) -> ErrorText:
    path = shown(error.path)
    reasons = {
        "cancelled": translate("'{path}' was not changed: the request was cancelled.", path=path),
        "together": translate(
            "'{path}' was not changed because the batch is atomic: all of its changes are applied, or none.",
            path=path,
        ),
    }
    return reasons[error.reason], ""


def read_rejected(error: errors.ReadRejected, translate: Translate) -> ErrorText:
    path = shown(error.path)
    again = translate("They will not be asked again for {count} s.", count=error.again_s)
    if error.cancelled:
        said = translate("An earlier read of '{path}' was cancelled before the user answered.", path=path)
    else:
        said = translate("The user did not allow reading '{path}'.", path=path)
    return said, sentences(translate, (again, translate("Continue without it, or ask the user.")))


def review_timed_out(error: errors.ReviewTimedOut, translate: Translate) -> ErrorText:
    said = translate("Nobody answered the review within {seconds:g} s.", seconds=error.seconds)
    return said, nothing_changed(translate, translate("Ask the user before you try again."))


def withdrawn(error: errors.Withdrawn, translate: Translate) -> ErrorText:
    reasons = {
        "agent": translate("The agent cancelled the change."),
        "disconnected": translate("The user disconnected this agent, so the change was withdrawn."),
        "root_removed": translate("The folder was closed, so the change was withdrawn."),
        "settings": translate("The user's settings changed, so the change was withdrawn."),
        "shutdown": translate("The server is shutting down, so the change was withdrawn."),
    }
    return reasons[error.reason], nothing_changed(translate)


def too_many_pending(error: errors.TooManyPending, translate: Translate) -> ErrorText:
    wait = translate("Wait for their results before you send more.")
    if error.reads:
        said = translate(
            "The user is already being asked about one read of this session.",
            plural="The user is already being asked about {count} reads of this session.",
            count=error.limit,
        )
        return said, wait
    said = translate(
        "One change of this session is already pending.",
        plural="{count} changes of this session are already pending.",
        count=error.limit,
    )
    return said, nothing_changed(translate, wait)


def not_landed(error: errors.NotLanded, translate: Translate) -> ErrorText:
    if error.reason == "unreported":  # not even asked
        return (
            translate(
                "'{path}' can't be changed: the editor has not reported what became of an earlier change.",
                path=shown(error.path),
            ),
            nothing_changed(translate, translate("Ask the user before you try again.")),
        )
    reasons = {
        "refused": shown(error.detail).rstrip(".。") or translate("the editor did not apply it"),
        "late": translate("the editor did not apply it in time"),
        "unchanged": translate("the editor reported that it applied the change, but nothing changed"),
        "closed": translate("the file is no longer open in the editor, and does not contain the change"),
        "undone": translate("the user or the editor removed it again"),
    }
    asks = error.reason in ("closed", "undone")
    next_step = translate("Ask the user before you try again.") if asks else translate("Try again.")
    path, reason = shown(error.path), reasons[error.reason]
    said = translate("'{path}' was accepted but not applied: {reason}.", path=path, reason=reason)
    return said, nothing_changed(translate, next_step)


def landing_unknown(error: errors.LandingUnknown, translate: Translate) -> ErrorText:
    reasons = {
        "system": shown(error.detail),
        "changed_otherwise": translate("the document was changed in another way in the meantime"),
        "closed": translate(
            "the file is no longer open in the editor, and does not contain all of the change"
        ),
        "late": translate("the editor did not report it in time, and may still apply it"),
        "ended": translate("the editor ended before it had saved the file"),
        "not_rolled_back": translate(
            "another file of the batch failed, and this change could not be reverted"
        ),
        "not_accepted": translate("it was not approved, but some of it was applied"),
    }
    unknown = translate(
        "It is not known whether the change of '{path}' was applied: {reason}.",
        path=shown(error.path),
        reason=reasons[error.reason],
    )
    if not error.holding:
        return unknown, translate("Read the file before you continue.")
    feedback = getattr(error.otherwise, "feedback", "")
    wrote = _wrote(feedback, translate) if feedback else ""
    places = {
        "disk": translate("on disk"),
        "editor": translate("in the editor"),
        "elsewhere": translate("perhaps renamed"),
    }
    files = ", ".join(f"'{shown(one.path)}' ({places[one.where]})" for one in error.holding)
    found = translate("Some of the change is, or may be, in {files}.", files=files)
    return unknown, sentences(translate, (found, wrote, translate("Read the file before you continue.")))
