"""Selects the workspace folder for a terminal command."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.history.history import SqliteHistory
from agentfs_lsp.adapters.terminal.argparse_words import Parser
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.api.messages.history import trouble_text
from agentfs_lsp.domain.translation import Translate


class NoHistory(Exception):
    """There is no history; the argument names the path."""


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


def find_place(workspace: str | None, translate: Translate) -> Place:
    """The folder given, or the nearest one around the current folder that has a history. Raises NoHistory."""
    state = StateFolder()
    history = SqliteHistory(state)
    history.on_trouble(lambda trouble, where: print(trouble_text(trouble, where, translate), file=sys.stderr))
    given = os.path.realpath(workspace or os.getcwd())
    root = given
    while not history.knows(root):
        parent = os.path.dirname(root)
        if workspace is not None or parent == root:
            raise NoHistory(
                translate(
                    "There is no history for '{path}'. Name the folder that was open in the editor with "
                    "--workspace DIR.",
                    path=visible(given),
                )
            )
        root = parent
    return Place(root, state, history)


def place_of(place: Place, path: str, translate: Translate) -> str | None:
    """The real path of a typed one; None for the whole folder. Raises NoHistory."""
    real = os.path.realpath(path)
    relative = os.path.relpath(real, place.root)
    if relative == os.curdir:
        return None
    if relative.split(os.sep)[0] == os.pardir:
        raise NoHistory(
            translate("'{path}' is not in '{folder}'.", path=visible(path), folder=visible(place.root))
        )
    return real
