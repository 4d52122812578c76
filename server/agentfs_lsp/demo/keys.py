"""Single keys and lines from a terminal."""

from __future__ import annotations

import os
import sys
import termios
import tty
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

END = "\x04"  # Ctrl-D, which is a key like any other while single keys are read


@contextmanager
def single_keys() -> Iterator[Callable[[str], str | None]]:
    """Within it keys come one by one and unseen; what it gives waits for a key that is one of its argument's,
    None at the end of input.

    What was typed before is thrown away: it can't have been meant as the answer to what comes now.
    """
    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    tty.setcbreak(stdin, termios.TCSAFLUSH)
    try:
        yield lambda among: _next(stdin, among)
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)


def read_line(prompt: str) -> str | None:
    """A line of words; None at the end of input."""
    try:
        return input(prompt).strip()
    except EOFError:
        return None


def _next(stdin: int, among: str) -> str | None:
    while True:
        key = os.read(stdin, 1).decode("latin-1").lower()
        if key in ("", END):
            return None
        if key in among:
            return key
