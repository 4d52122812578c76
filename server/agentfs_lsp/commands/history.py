"""`agentfs-lsp history`: lists landed changes in the terminal (docs/protocol.md#11-history-and-undo).

It reads the history directly, without a server, and shows the user everything.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from operator import attrgetter

from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser, positive
from agentfs_lsp.api.answers.history import change_on_wire
from agentfs_lsp.api.messages.errors import error_text
from agentfs_lsp.commands.place import add_workspace, find_place, place_of
from agentfs_lsp.commands.printing import console, diff_of, print_change
from agentfs_lsp.domain.errors import ChangeUnknown, DomainError
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.record import HistoryQuery, HistoryRecord

LIMIT = 10
"""The default number of changes."""


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command; returns its exit code."""
    options = _parser(translate).parse_args(arguments)
    place = find_place(options.workspace, translate, options.path)
    try:
        path = None if options.path is None else place_of(place, options.workspace, options.path, translate)
        query = HistoryQuery(
            options.limit, options.id, path, session=options.session, texts=not options.brief
        )
        changes = place.history.find([place.root], query)
        if options.id is not None and not changes:
            raise ChangeUnknown(options.id)
    except DomainError as error:
        raise CommandError(error_text(error, translate)[0]) from error
    if options.json:
        json.dump([_as_json(change, diffs=not options.brief) for change in changes], sys.stdout, indent=2)
        print()
        return 0
    if not changes:
        print(translate("No changes were found."))
    screen = console()
    for change in changes:
        print_change(screen, change, translate, diffs=not options.brief)
    if len(changes) == options.limit and options.id is None:
        screen.print(translate("There may be older changes. Use --limit to see more."), style="dim")
    return 0


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "history",
        translate,
        description=translate("List the changes of agents that landed, newest first, with diffs."),
        epilog=translate("To undo a change, use agentfs-lsp undo ID."),
    )
    parser.arguments.add_argument(
        "path",
        metavar="PATH",
        nargs="?",
        help=translate(
            "only changes of this file or folder; relative to the DIR of --workspace if given, otherwise to "
            "the current folder"
        ),
    )
    options = parser.options
    options.add_argument("--id", metavar="ID", help=translate("only this change"))
    options.add_argument(
        "--session", metavar="NAME", help=translate("only changes of sessions with this name")
    )
    options.add_argument(
        "--limit",
        metavar="N",
        type=partial(positive, translate),
        default=LIMIT,
        help=translate("the maximum number of changes (default: %(default)s)"),
    )
    options.add_argument("--brief", action="store_true", help=translate("omit the diffs"))
    options.add_argument("--json", action="store_true", help=translate("print a JSON array of the changes"))
    add_workspace(parser, translate)
    return parser


def _as_json(change: HistoryRecord, *, diffs: bool) -> dict[str, object]:
    """The result of agentfs/history, with each file's diff."""
    shown = change_on_wire(change, attrgetter("relative"), lambda _: Settings(), texts=False)
    if not diffs:
        return {**shown}
    files = zip(shown["files"], change.files, strict=True)
    return {**shown, "files": [{**one, "diff": diff_of(file)} for one, file in files]}
