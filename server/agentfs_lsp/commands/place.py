"""Selects the workspace folder for a terminal command."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.history.history import SqliteHistory
from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser
from agentfs_lsp.api.messages.history import trouble_text
from agentfs_lsp.domain.errors import ChangeUnknown
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.record import HistoryQuery, HistoryRecord

SHORTEST = 4
"""The least characters of an id."""

_NAMED = 10
"""How many changes are named whose ids begin alike."""


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace folder by its real path, and the location of its history."""

    root: str
    state: StateFolder
    history: SqliteHistory


def add_workspace(parser: Parser, translate: Translate) -> None:
    """The option that all history commands share."""
    parser.options.add_argument(
        "--workspace",
        metavar="DIR",
        help=translate(
            "the workspace folder, as opened in the editor (default: the current folder or its "
            "nearest parent that has a history)"
        ),
    )


def find_place(workspace: str | None, translate: Translate, path: str | None = None) -> Place:
    """The folder given, or the nearest one around the current folder that has a history. Raises CommandError
    if there is none: about `path` if that does not exist either, otherwise about the folder."""
    state = StateFolder()
    history = SqliteHistory(state)
    history.on_trouble(lambda trouble, where: print(trouble_text(trouble, where, translate), file=sys.stderr))
    given = os.path.realpath(workspace or os.getcwd())
    root = given
    while not history.knows(root):
        parent = os.path.dirname(root)
        if workspace is not None or parent == root:
            if path is not None and not os.path.lexists(typed := _typed(workspace, path)):
                raise _not_found(typed, translate)
            missing = translate(
                "There is no history for '{path}'. Name the folder that was open in the editor with "
                "--workspace DIR.",
                path=given,
            )
            raise CommandError(missing)
        root = parent
    return Place(root, state, history)


def place_of(place: Place, workspace: str | None, path: str, translate: Translate) -> str | None:
    """The real path of a typed one, which is relative to the folder given, or to the current one; None for
    the whole folder. Raises CommandError, also for a path that neither exists nor ever changed."""
    typed = _typed(workspace, path)
    real = os.path.realpath(typed)
    relative = os.path.relpath(real, place.root)
    if relative.split(os.sep)[0] == os.pardir:
        raise CommandError(translate("'{path}' is not in '{folder}'.", path=path, folder=place.root))
    if not os.path.lexists(typed) and not place.history.find([place.root], HistoryQuery(1, path=real)):
        raise _not_found(typed, translate)
    return None if relative == os.curdir else real


def find_change(place: Place, typed: str, translate: Translate) -> HistoryRecord:
    """The change with this id, or with the only id that begins so. Raises ChangeUnknown, CommandError if
    there are several."""
    query = HistoryQuery(_NAMED + 1, id_begin=typed.lower())
    found = place.history.find([place.root], query)
    if not found or len(typed) < SHORTEST:
        raise ChangeUnknown(typed)
    if len(found) > 1 and found[0].id != typed:
        ids = ", ".join(change.id for change in found[:_NAMED]) + (", …" if len(found) > _NAMED else "")
        raise CommandError(translate("Several changes begin with {id}: {ids}.", id=typed, ids=ids))
    return found[0]


def _typed(workspace: str | None, path: str) -> str:
    return os.path.join(workspace or os.getcwd(), path)


def _not_found(path: str, translate: Translate) -> CommandError:
    return CommandError(
        translate(
            "'{path}' was not found, neither on disk nor in the history. Check its spelling, or omit it "
            "to list all changes.",
            path=path,
        )
    )
