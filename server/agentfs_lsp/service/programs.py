"""The port for programs of the user's that filter a text, such as formatters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Failure = Literal["missing", "in_workspace", "exit", "timeout", "output", "no_folder"]
"""Why there is no result: no such program; only one that a workspace folder contains; an exit code; the time
limit; more output than allowed, none, or no UTF-8; no folder to run in."""


@dataclass
class ProgramFailed(Exception):
    """A program without a result. `code`: its exit code."""

    failure: Failure
    code: int = 0


@dataclass(frozen=True, slots=True)
class Program:
    """How to run a program: its words, of which the first is a name to look for on the PATH or an absolute
    path; folders that must not provide it; and its limits. It runs in an empty folder, so that one which is
    not told to filter finds no file to change."""

    words: tuple[str, ...]
    roots: Sequence[str]
    timeout_s: float
    max_bytes: int


class Programs(Protocol):
    """Runs programs."""

    async def filter(self, program: Program, text: str) -> str:
        """What the program makes of a text, both in UTF-8. Raises ProgramFailed. If cancelled, no process is
        left."""


class NoPrograms:
    """Where none can be run."""

    async def filter(self, program: Program, text: str) -> str:  # noqa: ARG002
        raise ProgramFailed("missing")
