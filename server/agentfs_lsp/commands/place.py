"""Which workspace folder a command typed in the terminal is about."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentfs_lsp.adapters.history import SqliteHistory
from agentfs_lsp.adapters.state import StateFolder

if TYPE_CHECKING:
    import argparse

    from agentfs_lsp.service.kept import KeptFile


class NoHistory(Exception):
    """There is no history; the message says of what."""


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace folder by its real path, and where its history is kept."""

    root: str
    state: StateFolder
    history: SqliteHistory


def add_workspace(parser: argparse.ArgumentParser) -> None:
    """The option that names the folder."""
    parser.add_argument(
        "--workspace",
        metavar="DIR",
        help="the workspace folder, as it is opened in the editor; the default is the nearest one around the"
        " current folder that has a history",
    )


def find_place(workspace: str | None) -> Place:
    """The folder given, or the nearest one around the current folder that has a history. Raises NoHistory."""
    state = StateFolder()
    history = SqliteHistory(state)
    given = os.path.realpath(workspace or os.getcwd())
    root = given
    while not history.knows(root):
        parent = os.path.dirname(root)
        if workspace is not None or parent == root:
            raise NoHistory(f"No history of {given} is kept.")
        root = parent
    return Place(root, state, history)


def place_of(place: Place, path: str) -> tuple[str, str] | None:
    """A path as it was typed, as history knows it; None for the whole folder. Raises NoHistory."""
    relative = os.path.relpath(os.path.realpath(path), place.root)
    if relative == os.curdir:
        return None
    if relative.split(os.sep)[0] == os.pardir:
        raise NoHistory(f"{path} is not in {place.root}.")
    return place.root, relative


def name_of(file: KeptFile) -> str:
    """A file's name in the terminal: its path in the folder."""
    return file.relative
