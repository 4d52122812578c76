"""The blocking client of `agentfs_lsp.client`, with a server process of its own."""

import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from agentfs_lsp.client import Accept, AgentFS, Decision, Review, ServerGone, allow_all
from support.sample import TEXT
from support.terminal import read_to_end

EDITED = TEXT.replace("two", "2")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_threads_can_share_a_client(root: Path) -> None:
    with AgentFS.open(root, allow_all) as fs, ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda n: fs.write(f"{n}.txt", "x\n"), range(20)))
    assert all(answer.applied for answer in answers)
    assert len(list(root.iterdir())) == 20


def test_a_blocking_reviewer_is_called_on_a_thread_of_its_own(root: Path, file: Path) -> None:
    names: list[str] = []

    def review(_: Review) -> Decision:
        names.append(threading.current_thread().name)
        return Accept()

    with AgentFS.open(root, review) as fs:
        assert fs.read("a.py").content == TEXT
        assert fs.edit("a.py", "two", "2").applied
    assert names != [threading.current_thread().name]
    assert file.read_text() == EDITED


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt, also in a test process that ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_withdraws_the_proposal(root: Path, file: Path) -> None:
    ended = threading.Event()

    def review(review: Review) -> Decision:
        os.kill(os.getpid(), signal.SIGINT)
        review.ended.wait()
        ended.set()
        return Accept()

    with AgentFS.open(root, review) as fs:
        fs.read("a.py")
        with pytest.raises(KeyboardInterrupt):
            fs.edit("a.py", "two", "2")
        ended.wait()
        assert fs.status().data["pending"] == []
    assert file.read_text() == TEXT


def test_the_server_ends_with_the_client(root: Path) -> None:
    fs = AgentFS.open(root)
    link = fs._client._link
    assert link is not None
    fs.close()
    fs.close()
    with pytest.raises(ProcessLookupError):
        os.kill(link.pid, 0)
    with pytest.raises(NotADirectoryError):
        AgentFS.open(root / "missing")


def test_a_call_that_meets_the_end_of_the_connection_returns(root: Path) -> None:
    fs = AgentFS.open(root)
    with ThreadPoolExecutor(4) as threads:

        def call_until_closed(_: int) -> None:
            while True:
                fs.status()

        calls = [threads.submit(call_until_closed, number) for number in range(4)]
        fs.close()
        assert all(isinstance(call.exception(), ServerGone) for call in calls)


def test_a_coroutine_cannot_wait_for_the_blocking_client(root: Path, file: Path) -> None:
    async def review(_: Review) -> Decision:
        for wait in (partial(fs.read, "a.py"), fs.close):
            with pytest.raises(RuntimeError, match="AsyncAgentFS"):
                wait()
        return Accept()

    with AgentFS.open(root, review) as fs:
        fs.read("a.py")
        assert fs.edit("a.py", "two", "2").applied
    assert file.read_text() == EDITED


FORKS = """
import os
from agentfs_lsp.client import AgentFS
with AgentFS.open(".") as fs:
    child = os.fork()
    if child == 0:
        try:
            fs.read("a.py")
        except RuntimeError as error:
            print(error, flush=True)
    else:
        os.waitpid(child, 0)
        print(fs.read("a.py").content, end="")
"""


def test_a_forked_process_is_told_to_open_its_own(root: Path, file: Path) -> None:
    program = [sys.executable, "-P", "-c", FORKS]
    ended = subprocess.run(program, cwd=root, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.startswith("A forked process can't use its parent's AgentFS.")
    assert ended.stdout.endswith(TEXT)


WAITS_FOR_EVER = """
import threading
from agentfs_lsp.client import AgentFS, TimedOut
with AgentFS.open(".", lambda _: threading.Event().wait()) as fs:
    try:
        fs.write("b.py", "x", timeout_s=0.1)
    except TimedOut:
        print("timed out")
"""


def test_a_reviewer_that_never_answers_does_not_keep_the_program(root: Path) -> None:
    program = [sys.executable, "-P", "-c", WAITS_FOR_EVER]
    ended = subprocess.run(program, cwd=root, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "timed out\n"


PROGRAM = """
from agentfs_lsp.client import AgentFS, terminal
with AgentFS.open(".", terminal()) as fs:
    fs.read("a.py")
    print("ANSWER", fs.edit("a.py", "two", "2", agent="Ada", explanation="Figures.").text)
"""


@pytest.mark.parametrize(
    ("typed", "said", "after"),
    [
        (b"y\n", "Updated 'a.py'", EDITED),
        (b"\n", "The user rejected the change.", TEXT),
        (b"rather not\n", "rather not", TEXT),
        (b"\x04", "The user rejected the change.", TEXT),
    ],
)
def test_the_terminal_shows_the_diff_and_asks(
    root: Path, file: Path, typed: bytes, said: str, after: str
) -> None:
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(root)
        os.execv(sys.executable, [sys.executable, "-P", "-c", PROGRAM])
    shown = b""
    os.write(master, b"y\n")  # typed before the question: no answer
    while b"Apply this change?" not in shown:
        shown += os.read(master, 1 << 16)
    assert b"Edit a.py (+1/-1)" in shown
    assert b"Ada" in shown
    assert b"Figures." in shown
    assert b"- two" in shown
    assert b"+ 2" in shown
    assert file.read_text() == TEXT
    os.write(master, typed)
    shown += read_to_end(master)
    assert os.waitpid(pid, 0)[1] == 0
    assert said in shown.decode()
    assert file.read_text() == after


def test_without_a_terminal_the_answer_is_that_nobody_can_be_asked(root: Path, file: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )
    assert shown.stdout.startswith("ANSWER Nobody can be asked, so the change was refused.")
    assert (shown.stderr, file.read_text()) == ("", TEXT)
