"""The commands that format files, and the shape that validates them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentfs_lsp.domain.globs import fault_of, permitted
from agentfs_lsp.domain.settings.rules import MAX_ENTRIES
from agentfs_lsp.domain.shapes import Constraint, ShapeError

PATH = "{path}"
"""Stands for the file's absolute path in a word of a command."""

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Formatters:
    """`{glob: command}` or `{glob: [command, …]}`, where a command is a list of words: a program, by its name
    or absolute path, and its arguments."""

    def check(self, raw: object) -> Mapping[str, tuple[Command, ...]]:
        """Raises ShapeError with the first invalid member."""
        if not isinstance(raw, dict) or len(raw) > MAX_ENTRIES:
            raise ShapeError(Constraint("formatters"))
        checked: dict[str, tuple[Command, ...]] = {}
        for glob, commands in raw.items():
            if not isinstance(glob, str) or fault_of(glob) or glob.startswith("!"):
                raise ShapeError(Constraint("glob_to_add"), where=f".{glob}", given=glob)
            several = commands if _is_list_of_lists(commands) else [commands]
            if not all(map(_is_command, several)):
                raise ShapeError(Constraint("commands"), where=f".{glob}", given=commands)
            checked[glob] = tuple(map(tuple, several))
        return checked


def commands_for(formatters: Mapping[str, tuple[Command, ...]], relative: str) -> tuple[Command, ...]:
    """The commands of the longest glob that matches the path: objects may come without an order."""
    matching = [glob for glob in formatters if permitted((glob,), relative)]
    return formatters[max(matching, key=lambda glob: (len(glob), glob))] if matching else ()


def _is_list_of_lists(commands: object) -> bool:
    return isinstance(commands, list) and bool(commands) and all(isinstance(one, list) for one in commands)


def _is_command(words: object) -> bool:
    if not isinstance(words, list) or not words:
        return False
    if not all(isinstance(word, str) and word and "\0" not in word for word in words):
        return False
    program = words[0]
    return program.startswith("/") or "/" not in program
