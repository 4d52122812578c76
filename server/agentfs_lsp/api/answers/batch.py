"""The response to agentfs/batch (docs/protocol.md#10-agentfsbatch)."""

from __future__ import annotations

from collections.abc import Sequence

from agentfs_lsp.api.answers.change import is_fallback
from agentfs_lsp.api.answers.diagnostics import diagnostics_of_files, diagnostics_text
from agentfs_lsp.api.answers.proposal import corrections_on_wire, line_stats, warnings_of_files
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.messages.errors import ERRORS, error_text
from agentfs_lsp.api.messages.landing import landed_texts
from agentfs_lsp.api.results import BatchData, Envelope, LineStats, OperationResult
from agentfs_lsp.api.review import landed_facts
from agentfs_lsp.domain.errors import DomainError, LandingUnknown, Rejected
from agentfs_lsp.domain.text.escaping import cut_name, escape_to_one_line
from agentfs_lsp.domain.translation import Translate, beside_what_landed, sentences
from agentfs_lsp.service.batch import Batch, Batched, Step, StepChange
from agentfs_lsp.service.proposal.change import FileChange, preview_together
from agentfs_lsp.service.proposal.wording import always_asked_text, hints_text

FAILURES_TOLD = 10
"""The number of failed operations that `text` lists; `results` contains all of them."""


def batch_answer(exchange: Exchange, command: Batch, batched: Batched) -> Envelope:
    """The envelope of a batch that landed, at least partially, or of a dry run."""
    translate, steps, changes, proposal = exchange.translate, command.steps, batched.changes, batched.proposal
    landings = list({id(step.landing): step.landing for step in steps if step.landing is not None}.values())
    failed = [number for number, step in enumerate(steps) if step.error is not None]
    numbered = enumerate(() if command.dry_run else steps)
    unsaved = {number: step.access.path for number, step in numbered if step.is_unsaved}
    preview = preview_together(changes if batched.shown else (), exchange.ws.settings)
    applied = not command.dry_run and not failed and not unsaved
    data: BatchData = {
        "applied": applied,
        "results": [
            _result(step, number, translate, unsaved=number in unsaved) for number, step in enumerate(steps)
        ],
        "diff_preview": preview.text,
        "diff_truncated": preview.truncated,
        "warnings": warnings_of_files(changes if batched.shown else (), translate),
    }
    if found := diagnostics_of_files(changes if batched.shown else (), translate):
        data["diagnostics"] = found
    if landings:
        data["landing"] = "editor" if unsaved else "disk"
    if landings and proposal is not None:
        data["review"] = landed_facts(proposal, *landings, texts=batched.shown)
        if exchange.ws.settings.history.enabled:
            data["change_id"] = proposal.id
    if not command.atomic:
        data["failed_items"] = failed
    made = [step.made for step in steps if step.made is not None and step.error is None]
    loose = any(is_fallback(one.level) for one in made)
    after = landed_texts(landings, [*dict.fromkeys(unsaved.values())], data.get("review"), translate)
    after.append(diagnostics_text(found, translate, dry_run=command.dry_run))
    stats = line_stats(changes, exchange.time_ms(), shown=batched.shown)
    known = {"previewed": bool(preview.text), "truncated": preview.truncated, "shown": batched.shown}
    text = _text(translate, command, changes, stats, made, after, loose=loose, **known)
    partial = not applied or loose or preview.truncated
    return exchange.succeed(data, text, stats, partial=partial)


def batch_refusal(exchange: Exchange, command: Batch, error: DomainError) -> Envelope:
    """The envelope of a batch without a landing; the error names the operation that caused it."""
    steps, translate = command.steps, exchange.translate
    culprits = [number for number, step in enumerate(steps) if step.error is error]
    if not culprits or len(culprits) == len(steps):
        envelope = exchange.fail(error, error.access._replace(path="", absolute=""))
    else:
        envelope = exchange.fail(error, steps[culprits[0]].access)
        place = _place(culprits[0], steps[culprits[0]])
        message = envelope["error"]["message"]
        named = translate("{place}: {message}", place=place, message=message)
        envelope["text"] = named + envelope["text"].removeprefix(message)
        envelope["error"]["message"] = named
    envelope["context"]["batch"] = [_result(step, number, translate) for number, step in enumerate(steps)]
    return envelope


def _place(number: int, step: Step) -> str:
    return f"operations[{number}] {step.command.request.tool} {escape_to_one_line(step.path)}"


def _result(step: Step, number: int, translate: Translate, *, unsaved: bool = False) -> OperationResult:
    made, landing, error = step.made, step.landing, step.error
    result: OperationResult = {
        "index": number,
        "tool": step.command.request.tool,
        "path": step.access.path or cut_name(step.command.request.path),
        "status": "error" if error is not None else "success",
    }
    if error is not None:
        result["error"] = {"code": ERRORS[type(error)][0], "message": error_text(error, translate)[0]}
    if isinstance(error, Rejected) and (said := error.by_file.get(step.access.path)):
        result["feedback"] = said
    if made is None:
        return result
    result["operation"] = made.operation
    if landing is not None and error is None:
        result["landing"] = landing.where
    if isinstance(error, LandingUnknown):
        result["landing"] = "unknown"
    if made.level is not None:
        result["replacements"], result["match"] = made.replacements, made.level
    if made.merged is not None:
        result["merged"] = made.merged
    if made.corrections:
        result["corrections"] = corrections_on_wire(made.corrections)
    if error is None and (unsaved or is_fallback(made.level)):
        result["status"] = "partial"
    return result


def _text(
    translate: Translate,
    command: Batch,
    changes: Sequence[FileChange],
    stats: LineStats,
    made: Sequence[StepChange],
    after: Sequence[str],
    *,
    loose: bool,
    previewed: bool,
    truncated: bool,
    shown: bool,
) -> str:
    steps = command.steps
    failed = [(number, step) for number, step in enumerate(steps) if step.error is not None]
    is_known = not any(isinstance(step.error, LandingUnknown) for step in steps)
    said = [_headline(translate, command, stats)] if changes or is_known else []
    nothing_landed = command.dry_run or (not changes and is_known)
    if loose:
        said.append(
            translate("Some text was matched loosely. See diff_preview for what was replaced.")
            if previewed
            else translate("Some text was matched loosely. Use {Read} to see what was replaced.")
        )
    if any(one.merged is not None for one in made):
        said.append(
            translate(
                "Some changes were merged with changes that others made since the read. See "
                "merged in results."
            )
        )
    if any(one.corrections for one in made):
        said.append(translate("Some of the text was corrected. See corrections in results."))
    said += after
    for number, step in failed[:FAILURES_TOLD]:
        assert step.error is not None
        in_words = translate if nothing_landed else _translate_partial(translate, step)
        message, next_step = error_text(step.error, in_words)
        said.append(translate("{place}: {message}", place=_place(number, step), message=message))
        said.append(next_step)
    if len(failed) > FAILURES_TOLD:
        said.append(
            translate(
                "See results for the other failed operation.",
                plural="See results for the other {count} failed operations.",
                count=len(failed) - FAILURES_TOLD,
            )
        )
    said.append(hints_text(changes if shown else (), translate))
    said.append(always_asked_text(changes if shown else (), translate, with_paths=True))
    if truncated:
        said.append(translate("(Diff preview truncated. Use {Read} to see the full content.)"))
    return sentences(translate, said)


def _translate_partial(translate: Translate, step: Step) -> Translate:
    """The text of a failure in a batch that partly landed, possibly in the same file."""
    if step.landing is not None:
        return beside_what_landed(translate, translate("This operation changed nothing."))
    return beside_what_landed(translate, translate("This file was not changed."))


def _headline(translate: Translate, command: Batch, stats: LineStats) -> str:
    count = stats["files_changed"]
    facts = {"added": stats.get("lines_added"), "removed": stats.get("lines_removed")}
    if not count:
        return translate("No file was changed.")
    if command.dry_run:
        return translate(
            "[Dry Run] Would change one file (+{added}/-{removed} lines).",
            plural="[Dry Run] Would change {count} files (+{added}/-{removed} lines).",
            count=count,
            **facts,
        )
    if "lines_added" not in stats:
        return translate("Changed one file.", plural="Changed {count} files.", count=count)
    return translate(
        "Changed one file (+{added}/-{removed} lines).",
        plural="Changed {count} files (+{added}/-{removed} lines).",
        count=count,
        **facts,
    )
