"""`agentfs-lsp audit`: who decided about a change, and what became of it
(docs/protocol.md#11-history-and-undo).

It reads the history directly, without a server, and shows the user everything.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, TextIO

from rich.text import Text

from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser
from agentfs_lsp.adapters.terminal.question import Line
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.api.answers.history import change_on_wire, date_on_wire
from agentfs_lsp.api.messages.errors import error_text
from agentfs_lsp.commands.place import SHORTEST, Place, add_workspace, find_change, find_place
from agentfs_lsp.commands.printing import (
    console,
    decided,
    diff_lines,
    print_file,
    print_head,
    put,
    time_at_terminal,
)
from agentfs_lsp.commands.since import since
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import whole
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.text.byte_order_mark import marked_like
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.service.proposal.record import HistoryQuery, HistoryRecord, RecordedFile

if TYPE_CHECKING:
    from rich.console import Console

    from agentfs_lsp.domain.translation import Translate

_PAGE = 100


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command; returns its exit code."""
    parser = _parser(translate)
    options = parser.parse_args(arguments)
    if options.since is not None and options.export is None:
        parser.error(translate("--since requires --export"))
    if options.id is not None and len(options.id) < SHORTEST:
        parser.error(translate("CHANGE must have at least {count} characters", count=SHORTEST))
    place = find_place(options.workspace, translate)
    try:
        found = None if options.id is None else find_change(place, options.id, translate)
        if options.export is not None:
            chosen = _all(place, options.since) if found is None else iter((found,))
            _export(options.export, place, chosen, translate)
            return 0
        if found is None:
            newest = place.history.find([place.root], HistoryQuery(1))
            if not newest:
                print(translate("No changes were found."))
                return 0
            (found,) = newest
        _print(console(), _with_texts(place, found), translate)
    except DomainError as error:
        raise CommandError(error_text(error, translate)[0]) from error
    return 0


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "audit",
        translate,
        description=translate(
            "Show what became of a change: what the agent proposed, what was accepted, what was saved, "
            "and who decided when."
        ),
        epilog=translate(
            "agentfs-lsp history lists the changes. --export writes one JSON object per line, the newest "
            "change first."
        ),
    )
    parser.arguments.add_argument(
        "id",
        metavar="CHANGE",
        nargs="?",
        help=translate(
            "the change's id, or how it begins (default: the newest change; with --export, all changes)"
        ),
    )
    options = parser.options
    options.add_argument(
        "--export",
        metavar="FILE",
        help=translate(
            "write JSON Lines to this new file, which only you can read, or to standard output (-)"
        ),
    )
    options.add_argument(
        "--jsonl", dest="export", action="store_const", const="-", help=translate("the same as --export -")
    )
    options.add_argument(
        "--since",
        metavar="WHEN",
        type=partial(since, translate),
        help=translate(
            "export only what landed since then: a date such as 2026-11-28 or 2026-11-28T10:00, or an age "
            "such as 12h or 7d"
        ),
    )
    add_workspace(parser, translate)
    return parser


def _all(place: Place, since_ms: int | None) -> Iterator[HistoryRecord]:
    """All changes since then, the newest first."""
    query = HistoryQuery(_PAGE)
    while found := place.history.find([place.root], query):
        yield from (change for change in found if since_ms is None or change.time_ms >= since_ms)
        query = replace(query, before=found[-1].order)


def _with_texts(place: Place, change: HistoryRecord) -> HistoryRecord:
    """The change with its texts, or as it is if it has been deleted since."""
    found = place.history.find([place.root], HistoryQuery(1, change.id, texts=True))
    return found[0] if found else change


# --- what became of a file --------------------------------------------------------------------------------


def _proposed(file: RecordedFile) -> str | None:
    """What the agent proposed, as a unified diff; None if it is not recorded."""
    if not file.texts_kept:
        return None
    before = file.before or ""
    return whole(before, diff(before, file.proposed or ""), file.relative, operation=file.operation)


def _accepted(file: RecordedFile) -> str | None:
    """What was accepted instead; empty if just that, None if it is not recorded."""
    if not file.texts_kept:
        return None
    return "" if file.accepted is None else _between(file, file.proposed or "", file.accepted)


def _saved(change: HistoryRecord, file: RecordedFile) -> str | None:
    """What was saved instead of what was accepted; empty if just that, None if it is not recorded."""
    save = change.save_of(file)
    if not file.texts_kept or save is None or save.text is None:
        return None
    accepted = (file.proposed if file.accepted is None else file.accepted) or ""
    return _between(file, accepted, marked_like(accepted, save.text))


def _between(file: RecordedFile, old: str, new: str) -> str:
    old, new = normalize(old), normalize(new)
    return whole(old, diff(old, new), file.relative)


# --- export -----------------------------------------------------------------------------------------------


def _export(target: str, place: Place, changes: Iterator[HistoryRecord], translate: Translate) -> None:
    """Write the changes as JSON Lines. A file that could not be written whole is removed."""
    if target == "-":
        _write(sys.stdout, place, changes)
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        with open(os.open(target, flags, 0o600), "w", encoding="utf-8") as file:
            try:
                _write(file, place, changes)
                file.flush()
            except BaseException:
                with suppress(OSError):
                    os.unlink(target)
                raise
    except FileExistsError:
        exists = translate("'{path}' exists already, and is not replaced.", path=target)
        raise CommandError(exists) from None
    except OSError as error:
        failed = translate("'{path}' could not be written: {reason}.", path=target, reason=error.strerror)
        raise CommandError(failed) from error


def _write(output: TextIO, place: Place, changes: Iterator[HistoryRecord]) -> None:
    output.writelines(json.dumps(as_json(_with_texts(place, change))) + "\n" for change in changes)


def as_json(change: HistoryRecord) -> dict[str, object]:
    """The change as agentfs/userHistory returns it, with what became of each file as whole diffs."""
    shown = change_on_wire(change, attrgetter("relative"), lambda _: Settings(), texts=False, by_user=True)
    files = []
    for one, file in zip(shown["files"], change.files, strict=True):
        save = change.save_of(file)
        became: dict[str, object] = {
            "proposed": _proposed(file),
            "amendment": _accepted(file),
            "save": "unknown" if save is None else save.state,
            "saved_at": None if save is None else date_on_wire(save.time_ms),
            "on_save": _saved(change, file),
        }
        files.append({**one, **became})
    return {**shown, "files": files}


# --- print ------------------------------------------------------------------------------------------------


def _print(screen: Console, change: HistoryRecord, translate: Translate) -> None:
    print_head(screen, change, translate)
    put(screen, Line(Text(f"  {visible(_who(change, translate))}")))
    if change.decider is not None and change.decider.feedback:
        _say(screen, translate("feedback: “{text}”", text=" ".join(change.decider.feedback.split())))
    for file in change.files:
        print_file(screen, file)
        if not file.texts_kept:
            screen.print(translate("    its texts were not recorded"), style="dim")
        _part(screen, translate("proposed, against the file before:"), _proposed(file), "")
        same = translate("accepted as proposed") if file.texts_kept else ""
        _part(screen, translate("accepted, against what was proposed:"), _accepted(file), same)
        save, saved = change.save_of(file), _saved(change, file)
        if save is None:
            unknown = translate("left unsaved; whether it was saved later is not known")
            _say(screen, unknown)
        elif save.state == "closed":
            _say(screen, translate("closed without saving, {time}", time=time_at_terminal(save.time_ms)))
        elif file.texts_kept:
            _part(
                screen,
                translate("saved, against what was accepted, {time}:", time=time_at_terminal(save.time_ms)),
                saved,
                translate("saved as accepted, {time}", time=time_at_terminal(save.time_ms))
                if saved is not None
                else translate(
                    "saved, {time}; the text was not recorded", time=time_at_terminal(save.time_ms)
                ),
            )
    screen.print()


def _part(screen: Console, title: str, unified: str | None, otherwise: str) -> None:
    """The diff below its title, or what to say if there is none."""
    if said := title if unified else otherwise:
        _say(screen, said)
    for line in diff_lines(unified or ""):
        put(screen, line)


def _say(screen: Console, text: str) -> None:
    put(screen, Line(Text(f"  {visible(text)}", "italic")))


def _who(change: HistoryRecord, translate: Translate) -> str:
    """Who decided, where, and when."""
    by = change.decider
    said = [decided(change, translate)]
    if change.by == "rule":
        said.append(
            translate("by the rule {rule}", rule=by.rule) if by and by.rule else translate("by a rule")
        )
    elif change.by == "mode":
        said.append(translate("by the approval mode"))
    if by is None:
        said.append(translate("when and where is not recorded"))
    else:
        rungs = {
            "preview": translate("Refactor Preview"),
            "review": translate("review"),
            "message": translate("message"),
            "terminal": translate("terminal"),
        }
        where = [rungs.get(by.rung, "") or ("" if by.rung == "policy" else by.rung), by.client]
        said += [one for one in where if one]
        said.append(time_at_terminal(by.time_ms))
    return " · ".join(said)
