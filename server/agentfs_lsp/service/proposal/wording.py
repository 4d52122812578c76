"""A proposal in words for the user: its title, who asks and why, and warnings.

Text from agents and files has its invisible characters escaped (docs/protocol.md#94-what-the-answer-says).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentfs_lsp.domain.diagnostics import SyntaxProblem
from agentfs_lsp.domain.text.escaping import escape_invisible, escape_links, escape_to_one_line
from agentfs_lsp.domain.text.width import shortened, width_of
from agentfs_lsp.domain.translation import Translate, sentences
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.proposal.risks import Risks

EXPLANATION_SHOWN = 500
"""Maximum characters of an explanation in a message."""

_SECRETS_NAMED = 3
"""Maximum number of secrets named in an answer."""

MAX_WARNINGS = 8
"""Maximum number of warnings in a message, one line each."""


def title_of(proposal: Proposal, translate: Translate, path_columns: int | None = None) -> str:
    """One line: the operation, the file and the size of the change, or the number of files. A path longer
    than `path_columns` is shortened."""
    if len(proposal.changes) > 1:
        counted = [change.line_counts for change in proposal.changes]
        return translate(
            "Change {count} files (+{added}/-{removed})",
            count=len(counted),
            added=sum(added for added, _ in counted),
            removed=sum(removed for _, removed in counted),
        )
    (change,) = proposal.changes
    path = escape_to_one_line(change.path)
    path = path if path_columns is None else shortened(path, path_columns)
    added, removed = change.line_counts
    if proposal.confirms:
        confirm = translate("Confirm Write") if proposal.tool == "write" else translate("Confirm Edit")
        title = f"{confirm}: {{path}} (+{added}/-{removed})"
    elif change.operation == "delete":
        title = translate("Delete {path} (-{removed})", path="{path}", removed=removed)
    elif proposal.tool != "write":
        title = translate("Edit {path} (+{added}/-{removed})", path="{path}", added=added, removed=removed)
    elif change.operation == "create":
        title = translate("Create {path} (+{added})", path="{path}", added=added)
    else:
        title = translate("Write {path} (+{added}/-{removed})", path="{path}", added=added, removed=removed)
    return title.replace("{path}", path)


def doing_text(proposal: Proposal, translate: Translate) -> str:
    """The operation and the file, as the title of its progress."""
    if len(proposal.changes) > 1:
        return translate("Changing {count} files", count=len(proposal.changes))
    path = escape_to_one_line(proposal.changes[0].path)
    if proposal.tool == "write":
        return translate("Writing to {path}", path=path)
    if proposal.tool == "undo":
        return translate("Undoing a change of {path}", path=path)
    return translate("Editing {path}", path=path)


def last_line_of(proposal: Proposal, translate: Translate, columns: int) -> str:
    """The operation and the agent in one line of at most `columns`; long names are shortened."""
    agent = shortened(escape_to_one_line(proposal.agent), columns // 5)

    def line(path_columns: int) -> str:
        title = title_of(proposal, translate, path_columns)
        asked = translate("{title}, by {agent}", title=title, agent=agent) if agent else title
        return f"agentfs: {asked}"

    return line(columns - width_of(line(0)))


def full_preview_of(proposal: Proposal) -> str:
    """The complete diff of all files."""
    return "".join(change.full_preview for change in proposal.changes)


def reasons_of(proposal: Proposal, translate: Translate) -> list[str]:
    """Who asks (as claimed) and why, then one line per correction, and one per warning."""
    lines = []
    if proposal.agent:
        lines.append(translate("Requested by: {agent}", agent=escape_to_one_line(proposal.agent)))
    if proposal.explanation:
        lines.append(translate("Reason: {explanation}", explanation=in_one_line(proposal.explanation)))
    several = len(proposal.changes) > 1
    for change in proposal.changes:
        for one in change.corrections:
            said = corrected_text(translate, one.kind, one.detail)
            lines.append(
                translate("{where}: {warning}", where=escape_to_one_line(change.path), warning=said)
                if several
                else said
            )
    warnings = [(change, warning) for change in proposal.changes for warning in change.review_warnings]
    # A text may have many that are misread or syntax errors: none crowds out another warning, and those no
    # secret.
    warnings.sort(key=lambda one: (one[1].kind != "secret") + (one[1].kind in {"misread", "syntax"}))
    for change, warning in warnings[:MAX_WARNINGS]:
        where = translate("line {line}", line=warning.line) if warning.line else translate("file")
        if several:
            where = f"{escape_to_one_line(change.path)}, {where}"
        warned = warning_text(warning.kind, warning.detail, translate)
        lines.append("⚠ " + translate("{where}: {warning}", where=where, warning=warned))
    if len(warnings) > MAX_WARNINGS:
        lines.append(
            "⚠ "
            + translate(
                "and one more warning", plural="and {count} more warnings", count=len(warnings) - MAX_WARNINGS
            )
        )
    return lines


def in_one_line(explanation: str) -> str:
    """An agent's words on one line, so that they can neither push the diff out of view nor imitate it.
    Limited to their length as sent: without links."""
    text = escape_links(" ".join(escape_invisible(explanation).split()))
    return text if len(text) <= EXPLANATION_SHOWN else text[:EXPLANATION_SHOWN] + "…"


def warning_text(kind: str, detail: str, translate: Translate) -> str:
    meanings = {
        "bidirectional": translate("a character that changes the direction of text"),
        "invisible": translate("an invisible character"),
        "control": translate("a control character"),
        "secret": translate("a likely secret"),
        "misread": translate("bytes that programs may read as another character"),
        "escaped": translate("text that seems escaped once too often"),
        "elided": translate("a placeholder for omitted text"),
        "syntax": translate("a syntax error"),
        "formatter": translate("a formatter failed, so the text was left as it was"),
        "hard_links": translate("the file has other names, which keep the old content"),
        "on_save": translate("the editor's save will change it"),
    }
    meaning = meanings.get(kind, kind)
    if not detail:
        return meaning
    told = escape_to_one_line(detail_text(kind, detail, translate))
    return translate("{meaning} ({detail})", meaning=meaning, detail=told)


def corrected_text(translate: Translate, kind: str, detail: str) -> str:
    """What was corrected in the text that the agent sent."""
    return {
        "line_ends": translate("Line endings were converted to {eol}.", eol=detail),
        "byte_order_mark": translate(
            "The byte-order mark at the beginning of the content was removed. The file's own "
            "byte-order mark, if any, is unchanged.",
        ),
        "last_line_end": translate(
            "The editor decides how the last line ends, so the end of the file stays as it is."
        ),
        "charset": translate("The new file is in {charset}, as .editorconfig says.", charset=detail),
        "final_newline": translate("The last line got a line ending, as .editorconfig says."),
        "trailing_blanks": translate(
            "Blanks at ends of changed lines were removed, as .editorconfig says (lines: {lines}).",
            lines=detail,
        ),
        "formatted": translate("The text was formatted by {program}.", program=detail),
        "escapes": translate("Text that was escaped once too often ({escape}) was unescaped.", escape=detail),
    }[kind]


def hints_text(changes: Sequence[FileChange], translate: Translate) -> str:
    """What seems wrong with the text that the agent sent; "" if nothing."""
    kinds = {hint.kind for change in changes for hint in change.hints}
    escaped = translate("Some of the text seems to be escaped once too often. See warnings.")
    elided = translate("Some of the text stands for omitted text, and was taken as it is. See warnings.")
    failed = translate("A formatter failed, so the text was left as it was. See warnings.")
    said = {"escaped": escaped, "elided": elided, "formatter": failed}
    return sentences(translate, [text for kind, text in said.items() if kind in kinds])


def syntax_text(problem: SyntaxProblem, translate: Translate) -> str:
    """A syntax error as an agent's diagnostic."""
    return escape_to_one_line(
        translate("Syntax error: {detail}", detail=detail_text("syntax", problem.detail, translate))
    )


def always_asked_text(
    changes: Sequence[FileChange], translate: Translate, *, with_paths: bool, written: bool = False
) -> str:
    """What needs the user's approval in every mode; "" if nothing. `with_paths`: name each line's file.
    `written`: don't reveal whether the files already held it."""
    separators = translate(
        "Line and paragraph separators (U+2028, U+2029) require the user's approval in every mode."
    )
    risks = [(change.path, change.risks_written if written else change.risks) for change in changes]
    misread = translate(
        "The file is not in UTF-8, and programs may read some of the new characters as others, which requires"
        " the user's approval in every mode."
    )
    secrets = _secrets_text(risks, translate, with_paths=with_paths)
    has_separators = any(one.has_separators for _, one in risks)
    is_misread = any(one.misread for _, one in risks)
    return sentences(
        translate, (secrets, separators if has_separators else "", misread if is_misread else "")
    )


def _secrets_text(risks: Iterable[tuple[str, Risks]], translate: Translate, *, with_paths: bool) -> str:
    """The secrets the changes add and where, never their values; "" if none. `with_paths` as in
    `always_asked_text`."""
    found = [(path, secret) for path, one in risks for secret in one.secrets]
    if not found:
        return ""
    said = []
    for path, one in found[:_SECRETS_NAMED]:
        what = detail_text(one.kind, one.detail, translate)
        if not one.line:
            where = translate("{what} in {path}", what=what, path=escape_to_one_line(path))
            said.append(where if with_paths else what)
        elif with_paths:
            said.append(
                translate(
                    "{what} in {path}, line {line}", what=what, path=escape_to_one_line(path), line=one.line
                )
            )
        else:
            said.append(translate("{what} in line {line}", what=what, line=one.line))
    if len(found) > _SECRETS_NAMED:
        said.append(translate("and {count} more", count=len(found) - _SECRETS_NAMED))
    return translate(
        "Likely secrets require the user's approval in every mode: {secrets}.", secrets=", ".join(said)
    )


def detail_text(kind: str, detail: str, translate: Translate) -> str:
    """The subject of a warning: a secret's kind and a syntax error in words; characters and numbers as they
    are."""
    if kind == "syntax":
        how, _, what = detail.partition(" ")
        return (
            translate("“{text}” is missing", text=what)
            if how == "missing"
            else translate("near “{text}”", text=what)
        )
    if kind == "formatter":
        return failure_text(detail, translate)
    if kind != "secret":
        return detail
    secrets = {
        "private key": translate("private key"),
        "age key": translate("age key"),
        "AWS access key": translate("AWS access key"),
        "AWS secret access key": translate("AWS secret access key"),
        "GitHub token": translate("GitHub token"),
        "GitLab token": translate("GitLab token"),
        "Slack token": translate("Slack token"),
        "Slack webhook": translate("Slack webhook"),
        "Anthropic key": translate("Anthropic key"),
        "OpenAI key": translate("OpenAI key"),
        "Google API key": translate("Google API key"),
        "Stripe key": translate("Stripe key"),
        "npm token": translate("npm token"),
        "PyPI token": translate("PyPI token"),
        "Google client secret": translate("Google client secret"),
        "Azure key": translate("Azure key"),
        "DigitalOcean token": translate("DigitalOcean token"),
        "Hugging Face token": translate("Hugging Face token"),
        "Groq key": translate("Groq key"),
        "xAI key": translate("xAI key"),
        "OpenRouter key": translate("OpenRouter key"),
        "SendGrid key": translate("SendGrid key"),
        "Vault token": translate("Vault token"),
        "Docker token": translate("Docker token"),
        "Databricks token": translate("Databricks token"),
        "Shopify token": translate("Shopify token"),
        "Atlassian token": translate("Atlassian token"),
        "Linear key": translate("Linear key"),
        "Tailscale key": translate("Tailscale key"),
        "Grafana token": translate("Grafana token"),
        "password": translate("password"),
        "password in a URL": translate("password in a URL"),
        "unsearched": translate("text that could not be searched"),
    }
    return secrets.get(detail, detail)  # others are called by a scanner's own names


def failure_text(detail: str, translate: Translate) -> str:
    """A program's name, and why it has no result."""
    program, _, why = detail.rpartition(": ")
    reasons = {
        "missing": translate("{program} was not found", program=program),
        "in_workspace": translate(
            "{program} is in the workspace, which must not provide it", program=program
        ),
        "timeout": translate("{program} took too long", program=program),
        "output": translate("{program} gave no usable text", program=program),
        "no_folder": translate("{program} has no temporary folder to run in", program=program),
    }
    code = why.removeprefix("exit ")
    return reasons.get(why) or translate("{program} ended with code {code}", program=program, code=code)
