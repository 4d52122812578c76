"""Questions at a terminal: whose an answer is, and what was on the screen before it."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from agentfs_lsp.adapters.terminal.console import TerminalConsole
from agentfs_lsp.adapters.terminal.question import STOPPED_S, Line, NoTurn, Question
from agentfs_lsp.domain.translation import english
from agentfs_lsp.sockets import discovery

ROWS, COLUMNS = 10, 40
PATIENCE_S = 60


class Person:
    """Sees what is shown, and types."""

    def __init__(self) -> None:
        self._ours, self.terminal = pty.openpty()
        os.set_blocking(self.terminal, False)
        self._seen = ""
        self.is_gone = False
        self.resize(COLUMNS)

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))

    def sees(self, wanted: str) -> str:
        """What was shown until then."""
        while wanted not in self._seen:
            assert select.select([self._ours], [], [], PATIENCE_S)[0], f"never shown: {wanted!r}"
            self._seen += os.read(self._ours, 1 << 16).decode()
        shown, _, self._seen = self._seen.partition(wanted)
        return shown

    def is_shown_something(self) -> bool:
        return bool(select.select([self._ours], [], [], 0)[0])

    def types(self, words: str) -> None:
        os.write(self._ours, words.encode())

    def close(self) -> None:
        os.close(self._ours)
        os.close(self.terminal)


@pytest.fixture
def person() -> Iterator[Person]:
    person = Person()
    yield person
    person.close()


@pytest.fixture
def pool(person: Person) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool
        person.is_gone = True


def ask(
    person: Person,
    question: str,
    *lines: str | Line,
    is_over: Callable[[], bool] = lambda: False,
    locks: Callable[[], Path] = discovery.ensure_folder,
) -> str | None:
    with os.fdopen(os.dup(person.terminal), "w") as screen:
        console = TerminalConsole(file=screen, highlight=False, markup=False, soft_wrap=True)
        asked = Question(
            question,
            console,
            person.terminal,
            locks,
            english,
            lambda: person.is_gone or is_over(),
        )
        return asked.ask([line if isinstance(line, Line) else Line(Text(line)) for line in lines])


class Waiting:
    """Whether a question is over, and whether it has been looked at repeatedly."""

    def __init__(self) -> None:
        self.is_over = False
        self.long = threading.Event()
        self._looks = 0

    def __call__(self) -> bool:
        self._looks += 1
        if self._looks > 2:
            self.long.set()
        return self.is_over


def second(person: Person, pool: ThreadPoolExecutor, is_over: Waiting) -> Future[str | None]:
    """Asked while another question is."""
    asked = pool.submit(ask, person, "Second?", "good", is_over=is_over)
    assert is_over.long.wait(PATIENCE_S)
    return asked


def test_an_answer_is_to_the_question_on_the_screen(person: Person, pool: ThreadPoolExecutor) -> None:
    first = pool.submit(ask, person, "First?", "evil")
    person.sees("First?")
    later = second(person, pool, Waiting())
    person.types("n\n")
    assert first.result(PATIENCE_S) == "n"
    assert person.sees("Second?").split() == ["n", "good"]
    assert not later.done()
    person.types("y\n")
    assert later.result(PATIENCE_S) == "y"


def test_a_question_that_is_over_stops_waiting_for_its_turn(person: Person, pool: ThreadPoolExecutor) -> None:
    first = pool.submit(ask, person, "First?", "evil")
    person.sees("First?")
    waiting = Waiting()
    later = second(person, pool, waiting)
    waiting.is_over = True
    assert later.result(PATIENCE_S) is None
    person.types("y\n")
    assert first.result(PATIENCE_S) == "y"


PROGRAM = """
import sys
from rich.console import Console
from rich.text import Text
from agentfs_lsp.adapters.terminal.question import Line, Question
from agentfs_lsp.sockets import discovery
from agentfs_lsp.domain.translation import english
keys = open(sys.argv[1], "rb", buffering=0)
first = Question("First?", Console(), keys.fileno(), discovery.ensure_folder, english)
print("answer:", first.ask([Line(Text("evil"))]), flush=True)
"""


def in_a_process(
    person: Person, tmp_path: Path, terminal: str = "/dev/stdin", **how: Any
) -> subprocess.Popen[bytes]:
    """Asks "First?" in an environment of its own."""
    asking = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, terminal],
        stdin=person.terminal,
        stdout=person.terminal,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
        **how,
    )
    person.sees("First?")
    return asking


def have_terminal() -> None:
    """Make standard input the process's own terminal, which then is /dev/tty."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.parametrize(
    ("terminal", "how"),
    [("/dev/stdin", {"process_group": 0}), ("/dev/tty", {"preexec_fn": have_terminal})],
)
def test_whoever_asks_at_a_terminal_waits_for_its_others(
    person: Person, pool: ThreadPoolExecutor, tmp_path: Path, terminal: str, how: dict[str, Any]
) -> None:
    """In any group and environment, and by any name of the terminal."""
    first = in_a_process(person, tmp_path, terminal, **how)
    later = second(person, pool, Waiting())
    person.types("n\n")
    assert "n" in person.sees("Second?").split()
    assert not later.done()
    person.types("y\n")
    assert later.result(PATIENCE_S) == "y"
    assert first.wait(PATIENCE_S) == 0


def test_a_process_that_dies_keeps_nobody_waiting(
    person: Person, pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    dying = in_a_process(person, tmp_path)
    later = second(person, pool, Waiting())
    dying.send_signal(signal.SIGKILL)
    dying.wait()
    person.sees("Second?")
    person.types("y\n")
    assert later.result(PATIENCE_S) == "y"
    device = os.fstat(person.terminal).st_rdev
    assert not (discovery.folder() / f"terminal-{device}.lock").exists()


@pytest.mark.parametrize("is_there", [False, True])
def test_where_others_cannot_be_kept_away_nobody_is_asked(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    place = tmp_path / "plain\x1b" / "locks"
    monkeypatch.setattr(discovery, "folder", lambda: place)
    if is_there:
        place.mkdir(0o700, parents=True)
        (place / f"terminal-{os.fstat(person.terminal).st_rdev}.lock").mkdir()
    else:
        place.parent.touch()
    with pytest.raises(NoTurn, match=r"Nobody was asked.*plain\\x1b.*\. Make sure that you can"):
        ask(person, "Asked?", "evil")
    assert not person.is_shown_something()


SAYS_AFTER_LOOKS = """
import sys
from pathlib import Path
from rich.console import Console
from rich.text import Text
from agentfs_lsp.adapters.terminal.question import Line, Question
from agentfs_lsp.sockets import discovery
from agentfs_lsp.domain.translation import english
name, looks = sys.argv[1], 0
def is_over():
    global looks
    looks += 1
    Path(f"{name}.{looks}").touch()
keys = open("/dev/tty", "rb", buffering=0)
asked = Question(f"{name}?", Console(), keys.fileno(), discovery.ensure_folder, english, is_over)
print("answer:", asked.ask([Line(Text(f"about {name}"))]), flush=True)
"""
AT_TERMINAL: dict[str, Any] = {"preexec_fn": have_terminal}
BEHIND = "Another question of agentfs waits in this terminal"


@pytest.fixture
def shell(person: Person, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Runs a line in an interactive shell at the terminal; `ask` asks a question of the given name."""
    (tmp_path / "ask").write_text(f'#!/bin/sh\nexec {sys.executable} "{tmp_path}/ask.py" "$1"\n')
    (tmp_path / "ask.py").write_text(SAYS_AFTER_LOOKS)
    (tmp_path / "ask").chmod(0o700)
    person.resize(200)
    terminal = os.open(os.ttyname(person.terminal), os.O_RDWR | os.O_NOCTTY)
    sh = subprocess.Popen(
        ["sh", "-i"],
        cwd=tmp_path,
        env={**os.environ, "PS1": "ready> ", "ENV": ""},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        **AT_TERMINAL,
    )
    os.close(terminal)

    def run(line: str) -> None:
        person.sees("ready> ")
        person.types(f"{line}\n")

    yield run
    os.killpg(sh.pid, signal.SIGKILL)
    sh.wait()


def there_is(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < deadline, f"never made: {path}"
        time.sleep(0.01)


def test_whoever_waits_for_a_stopped_question_says_so(
    person: Person, shell: Callable[[str], None], tmp_path: Path
) -> None:
    """Once, and not while the shell has the terminal."""
    shell("./ask first")
    person.sees("first? ")
    person.types("\x1a")
    shell("./ask second")
    there_is(tmp_path / "second.3")
    person.types("\x1a")
    shell("bg %2")
    there_is(tmp_path / "second.30")
    person.types("fg %2\n")
    assert BEHIND not in person.sees("fg %2")
    shown = person.sees(BEHIND)
    there_is(tmp_path / "second.60")
    person.types("\x1a")
    shown += person.sees("ready> ")
    assert (BEHIND in shown, "about second" in shown) == (False, False)
    person.types("fg %1\n")
    person.sees("first? ")
    person.types("n\n")
    person.sees("answer: n")
    shell("fg %2")
    person.sees("second? ")
    person.types("y\n")
    person.sees("answer: y")


def test_whoever_waits_for_a_question_in_front_says_nothing(
    person: Person, shell: Callable[[str], None], tmp_path: Path
) -> None:
    shell("sh -c './ask left & ./ask right; wait'")
    behind = "right" if "about left" in person.sees("? ") else "left"
    there_is(tmp_path / f"{behind}.30")
    person.types("n\n")
    assert BEHIND not in person.sees(f"{behind}? ")
    person.types("y\n")
    person.sees("answer: y")


def test_a_process_that_was_stopped_shows_its_question_again(person: Person, tmp_path: Path) -> None:
    """Something else may be on the screen by then, and what was typed is no answer to it."""
    asking = in_a_process(person, tmp_path)
    asking.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, asking.pid, os.WSTOPPED)
    person.types("y\n")
    time.sleep(STOPPED_S)
    asking.send_signal(signal.SIGCONT)
    assert "evil" in person.sees("First?")
    person.types("n\n")
    person.sees("answer: n")
    assert asking.wait(PATIENCE_S) == 0


def test_whoever_comes_back_from_the_background_shows_the_page_again(
    person: Person, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if it was stopped only for a moment before."""
    asked = pool.submit(ask, person, "Apply?", *(f"row {number}" for number in range(25)))
    person.sees("9 of 25 lines.")
    person.types("\n")
    person.sees("18 of 25 lines.")
    looked = threading.Event()

    def elsewhere(_terminal: int) -> int:
        looked.set()
        return os.getpgrp() + 1

    with monkeypatch.context() as patch:
        patch.setattr(os, "tcgetpgrp", elsewhere)
        assert looked.wait(PATIENCE_S)
        person.types("y\n")
    assert numbers(person.sees("18 of 25 lines.")) == [*range(9, 18)]
    person.types("\n")
    assert numbers(person.sees("Apply?")) == [*range(18, 25)]
    person.types("y\n")
    assert asked.result(PATIENCE_S) == "y"


def numbers(shown: str) -> list[int]:
    return [int(row.split()[1]) for row in shown.split("\n") if row.startswith("row ")]


def test_only_the_last_page_takes_a_yes(person: Person, pool: ThreadPoolExecutor) -> None:
    asked = pool.submit(ask, person, "Apply?", *(f"row {number}" for number in range(25)))
    assert numbers(person.sees("9 of 25 lines.")) == [*range(9)]
    person.types("y\ny\n")
    assert numbers(person.sees("18 of 25 lines.")) == [*range(9, 18)]
    person.types("\n")
    assert numbers(person.sees("Apply?")) == [*range(18, 25)]
    assert not asked.done()
    person.types("y\n")
    assert asked.result(PATIENCE_S) == "y"


@pytest.mark.parametrize(("typed", "answer"), [("n\n", "n"), ("too long\n", "too long"), ("\x04", None)])
def test_any_page_takes_a_no(
    person: Person, pool: ThreadPoolExecutor, typed: str, answer: str | None
) -> None:
    asked = pool.submit(ask, person, "Apply?", *("row" for _ in range(25)))
    person.sees("Enter: more")
    person.types(typed)
    assert asked.result(PATIENCE_S) == answer


def test_a_page_fits_the_terminal_as_it_is_by_now(person: Person, pool: ThreadPoolExecutor) -> None:
    """Also if one line takes several pages, and if the terminal is made narrower in between."""
    asked = pool.submit(ask, person, "Apply?", "x" * COLUMNS * 12)
    assert person.sees("1 of 1 lines.").count("\n") == ROWS - 1
    person.resize(30)
    person.types("\n")
    rows = person.sees("1 of 1 lines.").split("\n")[1:-1]
    assert len(rows) <= ROWS - 2
    assert max(len(row.rstrip()) for row in rows) <= 30
    person.types("\n")
    person.sees("Apply?")
    person.types("y\n")
    assert asked.result(PATIENCE_S) == "y"


def test_no_row_is_longer_than_a_terminal_with_little_room_beside_the_margin(
    person: Person, pool: ThreadPoolExecutor
) -> None:
    """It would continue the row itself, in the first column, and more rows than counted would scroll away."""
    person.resize(COLUMNS // 2)
    margin = " " * (COLUMNS // 2 - 6)
    asked = pool.submit(ask, person, "Apply?", Line(Text(margin + "x" * 200), margin))
    rows = person.sees("1 of 1 lines.").splitlines()
    assert len(rows) < ROWS
    assert max(map(len, rows)) <= COLUMNS // 2
    assert all(row.startswith(margin[: COLUMNS // 4]) for row in rows)
    person.types("n\n")
    assert asked.result(PATIENCE_S) == "n"
