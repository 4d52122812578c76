"""Asks a question at the terminal, below what it is about.

Any process at the terminal may get the person's keys. While one of them asks, the others wait, so an answer
belongs to the question on the screen. A process that was stopped, as by Ctrl-Z, shows its question again:
something else may be on the screen. What does not fit the screen comes in pages, and only the last one takes
a yes.
"""

from __future__ import annotations

import fcntl
import os
import select
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from rich.console import Console
from rich.text import Text

from agentfs_lsp.adapters.terminal.diffview import wrapped
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.domain.text.width import width_of
from agentfs_lsp.domain.translation import Translate

_LOOK_S: Final = 0.1
"""Seconds between two looks at whether the question is over, or another one is."""

STOPPED_S: Final = 0.5
"""Seconds between two looks after which this process counts as stopped meanwhile. A signal would tell more
exactly, but only a program's main thread can handle one."""

_LOOKS_UNTIL_TOLD: Final = 10
"""Looks in a row that find another question waiting elsewhere, until the person is told."""

YES: Final = frozenset({"y", "yes"})
NO: Final = frozenset({"", "n", "no"})


class Line(NamedTuple):
    """A line to show, and what begins the rows that continue it if the terminal is narrower."""

    text: Text
    head: str = "  … "


class NoTurn(Exception):
    """Says why nobody can be asked: another program's question could be on the screen at the same time."""


class Question:
    """A question about lines that are shown above it. `keys`: the terminal's input; `locks` ensures a folder
    that only the user can open, the same for all of the user's processes, whatever their environment;
    `is_over`: whether no answer counts any more."""

    def __init__(
        self,
        question: str,
        console: Console,
        keys: int,
        locks: Callable[[], Path],
        translate: Translate,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._question, self._console, self._keys, self._locks = question, console, keys, locks
        self._translate, self._is_over = translate, is_over
        self._looks_behind = 0

    def ask(self, lines: Sequence[Line]) -> str | None:
        """What the person typed, without spaces around it; None at the end of input, or once it is over.
        Raises NoTurn and OSError."""
        termios.tcflush(self._keys, termios.TCIFLUSH)  # stops a job in the background until it may ask
        with _turn(self._opened_lock, self._is_over, self._is_behind) as is_ours:
            return self._ask(lines) if is_ours else None

    def _opened_lock(self) -> tuple[Path, int]:
        """The path of this terminal's lock, and its descriptor."""
        name = f"terminal-{_terminal_of(self._keys)}.lock"
        try:
            path = self._locks() / name
            return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            told = self._translate(
                "Nobody was asked, because the questions of other programs could not be kept away: '{path}': "
                "{reason}. Make sure that you can create files there, and nobody else can.",
                path=visible(str(error.filename)),
                reason=error.strerror,
            )
            raise NoTurn(told) from error

    def _is_behind(self, process: int) -> None:
        """Say how to go on, once in a stretch, if nobody can answer the question before, of this process."""
        self._looks_behind = self._looks_behind + 1 if _is_left_for_us(process, self._keys) else 0
        if self._looks_behind == _LOOKS_UNTIL_TOLD:
            told = self._translate(
                "Another question of agentfs waits in this terminal, in process {process}, and this one "
                "comes after it. Press Ctrl-Z and bring the other one back with fg (jobs -l lists both), or "
                "end it.",
                process=process,
            )
            self._console.file.write(f"{told}\n")
            self._console.file.flush()

    def _ask(self, lines: Sequence[Line]) -> str | None:
        rows = self._rows(lines)
        ahead = next(rows, None)
        while True:
            page: list[tuple[int, Line]] = []
            printed, room = 0, self._room(len(lines))
            while ahead and (printed < room or not printed):
                page.append(ahead)
                line = ahead[1]
                for row in wrapped(line.text, self._console, line.head):  # it may be narrower by now
                    self._console.print(row)
                    printed += 1
                ahead = next(rows, None)
            try:
                if not ahead:
                    return self._answer(self._question)
                typed = self._answer(self._more(page[-1][0], len(lines)))
            except _WasAway:
                rows = chain(page, [ahead] if ahead else [], rows)
                ahead = next(rows, None)
                continue
            if typed is None or (typed and typed.lower() not in YES):
                return typed

    def _rows(self, lines: Sequence[Line]) -> Iterator[tuple[int, Line]]:
        """The rows that the lines take, each with the number of its line."""
        for number, line in enumerate(lines, 1):
            for row in wrapped(line.text, self._console, line.head):
                yield number, Line(row, line.head)

    def _more(self, shown: int, total: int) -> str:
        return self._translate(
            "{shown} of {total} lines. Enter: more, n: no.", shown=str(shown), total=str(total)
        )

    def _room(self, total: int) -> int:
        """The rows above the longer prompt, with what is typed behind it."""
        prompt = max(width_of(self._question), width_of(self._more(total, total)))
        return self._console.height - (prompt + 2) // self._console.width - 1

    def _answer(self, prompt: str) -> str | None:
        screen = self._console.file
        # What was typed before the question can't be meant as its answer.
        termios.tcflush(self._keys, termios.TCIFLUSH)
        is_away, looked_s = False, time.monotonic()
        screen.write(f"{prompt} ")
        screen.flush()
        while not self._is_over():
            if _is_in_background(self._keys):
                is_away = True
                time.sleep(_LOOK_S)
                continue
            is_typed = bool(select.select([self._keys], [], [], _LOOK_S)[0])
            try:
                typed = os.read(self._keys, 1 << 16).decode("utf-8", "replace") if is_typed else None
            except BlockingIOError:  # another program was faster
                typed = None
            before_s, looked_s = looked_s, time.monotonic()
            if is_away or looked_s - before_s > STOPPED_S:
                screen.write("\n")
                raise _WasAway
            if typed is None:
                continue
            if not typed.endswith("\n"):  # the end of input
                screen.write("\n")
                return None
            return typed.strip()
        screen.write("\n" + self._translate("This change is no longer waiting for you.") + "\n")
        return None


class _WasAway(Exception):
    """Since the question was shown, other programs may have used the screen."""


def _is_in_background(keys: int) -> bool:
    """Whether the shell, or another of its jobs, has the terminal."""
    try:
        return os.tcgetpgrp(keys) != os.getpgrp()
    except OSError:  # not this process's terminal
        return False


def _is_left_for_us(process: int, keys: int) -> bool:
    """Whether the shell has given the terminal to this process instead of the other one, which it has stopped
    or runs in the background. Of another shell's process, that can't be told."""
    try:
        foreground = os.tcgetpgrp(keys)
        return foreground == os.getpgrp() != os.getpgid(process) and os.getsid(process) == os.getsid(0)
    except OSError:  # not this process's terminal, or the other one has just ended
        return False


def _terminal_of(keys: int) -> str:
    """Names the terminal for all processes at it. As /dev/tty it has the same device as any other, and only
    Linux tells which one that stands for."""
    device = os.fstat(keys).st_rdev
    try:
        process = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    except FileNotFoundError:
        return f"session-{os.getsid(0)}"  # which has one terminal
    return str(int(process[4]) if device == os.stat("/dev/tty").st_rdev else device)


@contextmanager
def _turn(
    opened_lock: Callable[[], tuple[Path, int]],
    is_over: Callable[[], bool],
    is_behind: Callable[[int], None],
) -> Iterator[bool]:
    """Keep other processes from asking, with a lock. `is_behind` is told the process whose turn it is, at
    each look. Yields False if it `is_over` before this one's turn comes. The system ends the turn of a
    process that dies."""
    while not is_over():
        path, fd = opened_lock()
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(fd).st_nlink:  # else the one before has just removed it
                with suppress(OSError):  # without it, the others wait without a word
                    os.ftruncate(fd, 0)
                    os.pwrite(fd, b"%d" % os.getpid(), 0)
                try:
                    yield True
                finally:
                    path.unlink()
                return
        except BlockingIOError:
            is_behind(int(os.pread(fd, 20, 0) or 0))
            time.sleep(_LOOK_S)
        finally:
            os.close(fd)
    yield False
