"""Single keys and lines from a terminal."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

END = "\x04"  # Ctrl-D, an ordinary key while single keys are read

_AT_ONCE_S = 0.05  # faster than anyone types
_MAX_AT_ONCE = 4096


@contextmanager
def single_keys() -> Iterator[Callable[[str], str | None]]:
    """Read single keys without echo. Yields a function that waits for one of the keys in its argument and
    returns it, or None at the end of input. Ignores pastes and special keys, which send several characters.

    Discards earlier input, which can't have been meant as an answer."""
    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    tty.setcbreak(stdin, termios.TCSAFLUSH)
    try:
        yield lambda among: _next(stdin, among)
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)


def read_line(prompt: str) -> str | None:
    """Read a line; None at the end of input."""
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
    """What arrives at once, in lower case: a key, a special key's sequence (`ESC [ A`), or a paste."""
    typed = os.read(stdin, _MAX_AT_ONCE)
    while typed and select.select([stdin], [], [], _AT_ONCE_S)[0]:
        more = os.read(stdin, _MAX_AT_ONCE)
        if not more:
            break
        typed += more
    return typed.decode("latin-1").lower()
