"""Single keys and lines from a terminal."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

END = "\x04"  # Ctrl-D, which is a key like any other while single keys are read

_AT_ONCE_S = 0.05  # no hand is that quick
_MOST_AT_ONCE = 4096


@contextmanager
def single_keys() -> Iterator[Callable[[str], str | None]]:
    """Within it keys come one by one and unseen; what it gives waits for a key that is one of its argument's,
    None at the end of input. Keys count one at a time: neither a paste nor an arrow key holds an answer.

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
        typed = _typed(stdin)
        if typed in ("", END):
            return None
        if len(typed) == 1 and typed in among:
            return typed


def _typed(stdin: int) -> str:
    """What comes at once, in lower case: one key, what a special key sends (`ESC [ A`), or a paste."""
    typed = os.read(stdin, _MOST_AT_ONCE)
    while typed and select.select([stdin], [], [], _AT_ONCE_S)[0]:
        more = os.read(stdin, _MOST_AT_ONCE)
        if not more:
            break
        typed += more
    return typed.decode("latin-1").lower()
