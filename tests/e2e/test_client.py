"""`agentfs_lsp.client` with a server process of its own; `test_blocking_client.py` has its blocking side."""

import asyncio
import inspect
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from agentfs_lsp.client import (
    Accept,
    AgentFS,
    Amend,
    AsyncAgentFS,
    Decision,
    Reject,
    RequestRefused,
    Review,
    ServerGone,
    TimedOut,
    allow_all,
    asynchronous,
    links,
)
from agentfs_lsp.client.asynchronous import Dialect
from support.sample import TEXT

EDITED = TEXT.replace("two", "2")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


class Held:
    """A reviewer that waits until the test releases it."""

    def __init__(self) -> None:
        self.shown = asyncio.Event()
        self.released = asyncio.Event()
        self.review: Review | None = None

    async def __call__(self, review: Review) -> Decision:
        self.review = review
        self.shown.set()
        await self.released.wait()
        return Accept()


@pytest.fixture
async def held() -> Held:
    return Held()


@pytest.fixture
async def waiting(root: Path, file: Path, held: Held) -> AsyncIterator[AsyncAgentFS]:
    """A client whose reviewer waits."""
    async with AsyncAgentFS.open(root, held) as fs:
        await fs.read(file.name)
        yield fs


def pid_of(fs: AsyncAgentFS) -> int:
    assert fs._link is not None
    return fs._link.pid


async def test_nothing_is_written_before_the_decision(file: Path, waiting: AsyncAgentFS, held: Held) -> None:
    edit = asyncio.ensure_future(waiting.edit("a.py", "two", "2", agent="Ada", explanation="Figures."))
    await held.shown.wait()
    assert held.review is not None
    (shown,) = held.review.files
    assert (held.review.agent, held.review.explanation, shown.path) == ("Ada", "Figures.", "a.py")
    assert (shown.before, shown.after, file.read_text()) == (TEXT, EDITED, TEXT)
    held.released.set()
    answer = await edit
    assert (answer.applied, answer.decision, file.read_text()) == (True, "accepted", EDITED)


@pytest.mark.parametrize(
    ("decision", "decided", "text"),
    [
        (Accept("Thanks."), "accepted", EDITED),
        (Amend({"a.py": "one\nII\nthree\n"}, "Roman."), "amended", "one\nII\nthree\n"),
        (Reject("Not now."), "rejected", TEXT),
    ],
)
async def test_the_agent_gets_the_decision(
    root: Path, file: Path, decision: Decision, decided: str, text: str
) -> None:
    async with AsyncAgentFS.open(root, lambda _: decision) as fs:
        await fs.read("a.py")
        answer = await fs.edit("a.py", "two", "2")
    assert (answer.decision, file.read_text()) == (decided, text)
    assert answer.ok == (decided != "rejected")
    said = decision.reason if isinstance(decision, Reject) else decision.feedback
    assert answer.feedback == said
    if decided == "amended":
        assert "+II" in answer.for_model()


async def test_an_amendment_that_cannot_be_written_is_asked_for_again(root: Path, file: Path) -> None:
    problems: list[str] = []

    def review(review: Review) -> Decision:
        problems.append(review.problem)
        return Reject("Never mind.") if review.problem else Amend({"a.py": "\0"})

    async with AsyncAgentFS.open(root, review) as fs:
        await fs.read("a.py")
        answer = await fs.edit("a.py", "two", "2")
    assert problems[0] == ""
    assert "NUL" in problems[1]
    assert (answer.feedback, file.read_text()) == ("Never mind.", TEXT)


@pytest.mark.parametrize("wrong", [ValueError("no"), "accepted", None, Amend({"b.py": ""})])
async def test_a_reviewer_that_fails_approves_nothing(root: Path, file: Path, wrong: object) -> None:
    def review(_: Review) -> Decision:
        if isinstance(wrong, Exception):
            raise wrong
        return wrong  # type: ignore[return-value]

    async with AsyncAgentFS.open(root, review) as fs:
        await fs.read("a.py")
        answer = await fs.edit("a.py", "two", "2")
    assert (answer.code, file.read_text()) == ("USER_REJECTED", TEXT)
    assert "reviews changes failed" in answer.feedback


@pytest.mark.parametrize("error", [SystemExit(1), StopIteration(), asyncio.CancelledError()])
@pytest.mark.parametrize("is_coroutine", [True, False])
def test_no_error_of_a_reviewer_ends_more_than_the_review(
    root: Path, file: Path, error: BaseException, is_coroutine: bool
) -> None:
    def review(_: Review) -> Decision:
        raise error

    async def review_later(_: Review) -> Decision:
        raise error

    with AgentFS.open(root, review_later if is_coroutine else review) as fs:
        fs.read("a.py")
        answer = fs.edit("a.py", "two", "2")
        assert answer.code == "USER_REJECTED"
        assert "reviews changes failed" in answer.feedback
        assert fs.status().ok
    assert file.read_text() == TEXT


async def test_without_a_reviewer_nobody_can_be_asked(root: Path, file: Path) -> None:
    async with AsyncAgentFS.open(root) as fs:
        await fs.read("a.py")
        answer = await fs.edit("a.py", "two", "2")
        (root / ".env").write_text("A=1\n")
        asked = await fs.read(".env")  # a question before a read
    assert (answer.code, file.read_text()) == ("ACCESS_DENIED", TEXT)
    assert asked.code == "ACCESS_DENIED"
    assert "user rejected" not in answer.text + asked.text


async def test_settings_are_the_users_and_need_no_reviewer(root: Path, file: Path) -> None:
    settings = {"approval": {"mode": "auto_edit"}, "rules": [{"files": ["b.py"], "write": "deny"}]}
    async with AsyncAgentFS.open(root, settings=settings) as fs:
        await fs.read("a.py")
        assert (await fs.edit("a.py", "two", "2")).decision == "allowed"
        assert (await fs.write("b.py", "1\n")).code == "ACCESS_DENIED"
    assert file.read_text() == EDITED
    assert not (root / "b.py").exists()


async def test_what_the_policy_denies_no_reviewer_can_allow(root: Path) -> None:
    (root / ".agentfs.toml").write_text('[[rules]]\nfiles = ["b.py"]\nwrite = "deny"\n')
    async with AsyncAgentFS.open(root, allow_all) as fs:
        assert (await fs.write("b.py", "1\n")).code == "ACCESS_DENIED"
    assert not (root / "b.py").exists()


async def test_each_request_has_its_method(root: Path, file: Path) -> None:
    async with AsyncAgentFS.open(root, allow_all) as fs:
        assert (await fs.read("a.py", start_line=2, limit=1)).content == "two\n"
        written = await fs.write("b.py", "1\n")
        operations = [
            {"tool": "write", "params": {"path": "c.py", "content": "c\n"}},
            {"tool": "write", "params": {"path": "d.py", "content": "d\n"}},
        ]
        assert (await fs.batch(operations)).applied
        changes = (await fs.history()).data["changes"]
        assert changes[-1]["change_id"] == written.change_id
        assert (await fs.undo(written.change_id)).applied
        assert (await fs.status()).data["rung"] == "review"
        called = await fs.call("read_file", {"file_path": str(file)}, "gemini")
        assert called.content == TEXT
        assert called.for_model() == TEXT
    assert sorted(path.name for path in root.iterdir() if path.is_file()) == ["a.py", "c.py", "d.py"]


def test_a_path_need_not_be_a_string(root: Path, file: Path) -> None:
    with AgentFS.open(root, allow_all) as fs:
        assert fs.read(Path("a.py")).content == TEXT
        assert fs.edit(Path("a.py"), "two", "2").applied
        assert fs.write(Path("new", "b.py"), "1\n").applied
        changed = {"path": Path("new", "b.py"), "old_string": "1", "new_string": "2"}
        assert fs.batch([{"tool": "edit", "params": changed}]).applied
        (change, _) = fs.history(Path("new", "b.py")).data["changes"]
        assert change["files"][0]["path"] == "new/b.py"
    assert file.read_text() == EDITED
    assert (root / "new/b.py").read_text() == "2\n"


@pytest.mark.parametrize(
    ("dialect", "read"), [("standard", "Read"), ("gemini", "read_file"), ("workspace", "read")]
)
async def test_tools_come_in_each_format_and_dialect(root: Path, dialect: Dialect, read: str) -> None:
    async with AsyncAgentFS.open(root) as fs:
        (first, *_) = await fs.tools("openai", dialect)
        assert first["function"]["name"] == read
        (first, *_) = await fs.tools("anthropic", dialect)
        assert (first["name"], first["input_schema"]["type"]) == (read, "object")
        (first, *_) = await fs.tools("mcp", dialect)
        assert (first["name"], first["annotations"]["readOnlyHint"]) == (read, True)
        assert read in await fs.prompt(dialect)


async def test_a_conflict_shows_the_model_what_changed(root: Path, file: Path) -> None:
    async with AsyncAgentFS.open(root, allow_all) as fs:
        await fs.read("a.py")
        file.write_text(TEXT.replace("two", "zwei"))
        answer = await fs.edit("a.py", "two", "2")
    assert (answer.code, answer.applied) == ("CONFLICT", False)
    assert "-two\n+zwei" in answer.for_model()
    assert file.read_text() == TEXT.replace("two", "zwei")


def deny_writes(fs: AsyncAgentFS) -> None:
    settings = {"agentfs": {"rules": [{"files": ["**"], "write": "deny"}]}}
    fs._protocol.notify("workspace/didChangeConfiguration", {"settings": settings})
    fs._send()


async def test_the_host_is_told_of_other_tools(root: Path) -> None:
    changed = asyncio.Event()
    async with AsyncAgentFS.open(root) as fs:
        fs.on_tools_changed = changed.set
        await fs.status()
        deny_writes(fs)
        await fs.status()
        await changed.wait()
        assert "Write" not in str(await fs.tools())


def test_a_callback_may_ask_for_the_tools(root: Path) -> None:
    tools: SimpleQueue[str] = SimpleQueue()
    with AgentFS.open(root) as fs:
        fs.on_tools_changed = lambda: tools.put(str(fs.tools()))
        assert fs.on_tools_changed is not None
        fs._loop.call_soon_threadsafe(deny_writes, fs._client)
        assert fs.status().ok  # sends the notification, too
        assert "Write" not in tools.get()


async def test_a_format_that_does_not_exist_is_refused(root: Path) -> None:
    async with AsyncAgentFS.open(root) as fs:
        with pytest.raises(RequestRefused, match="'format' must be one of openai"):
            await fs.tools("vendor")  # type: ignore[arg-type]
        with pytest.raises(RequestRefused, match="'dialect' must be one of standard"):
            await fs.prompt("vendor")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [b"x", float("nan"), Path("a.py")])
async def test_what_is_not_json_is_not_sent(root: Path, wrong: object) -> None:
    async with AsyncAgentFS.open(root, allow_all) as fs:
        with pytest.raises((TypeError, ValueError)):
            await fs.write("b.py", wrong)  # type: ignore[arg-type]
    assert list(root.iterdir()) == []


async def test_a_callback_that_fails_harms_nothing(root: Path, file: Path) -> None:
    called = asyncio.Event()

    def fail(_: str) -> None:
        called.set()
        raise ValueError

    (root / ".agentfs.toml").write_text("nonsense = 1\n")
    fs = AsyncAgentFS.open(root)
    fs.on_message = fail
    async with fs:
        await fs.status()
        await called.wait()
        assert (await fs.read("a.py")).content == TEXT


async def test_one_proposal_at_a_time_is_shown(root: Path) -> None:
    open_reviews: list[str] = []

    async def review(review: Review) -> Decision:
        open_reviews.append(review.id)
        assert len(open_reviews) == 1
        await fs.status()
        open_reviews.clear()
        return Accept()

    async with AsyncAgentFS.open(root, review) as fs:
        answers = await asyncio.gather(*(fs.write(f"{n}.txt", "x\n") for n in range(5)))
    assert all(answer.applied for answer in answers)


async def test_a_cancelled_task_withdraws_its_proposal(file: Path, waiting: AsyncAgentFS, held: Held) -> None:
    edit = asyncio.ensure_future(waiting.edit("a.py", "two", "2"))
    await held.shown.wait()
    edit.cancel()
    with pytest.raises(asyncio.CancelledError):
        await edit
    assert held.review is not None
    await asyncio.to_thread(held.review.ended.wait)
    held.released.set()
    assert (await waiting.status()).data["pending"] == []
    assert file.read_text() == TEXT


async def test_a_time_limit_withdraws_the_proposal(file: Path, waiting: AsyncAgentFS) -> None:
    with pytest.raises(TimedOut):
        await waiting.edit("a.py", "two", "2", timeout_s=0.01)
    assert (await waiting.status()).data["pending"] == []
    assert file.read_text() == TEXT


async def test_a_killed_server_raises(waiting: AsyncAgentFS, held: Held) -> None:
    edit = asyncio.ensure_future(waiting.edit("a.py", "two", "2"))
    await held.shown.wait()
    os.kill(pid_of(waiting), signal.SIGKILL)
    with pytest.raises(ServerGone, match="The server ended"):
        await edit
    assert held.review is not None
    assert held.review.ended.is_set()
    with pytest.raises(ServerGone):
        await waiting.read("a.py")


async def test_a_server_that_is_silent_raises(waiting: AsyncAgentFS, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asynchronous, "PULSE_S", 0.1)
    monkeypatch.setattr(asynchronous, "SILENCE_S", 0.1)
    os.kill(pid_of(waiting), signal.SIGSTOP)
    with pytest.raises(ServerGone, match="silent"):
        await waiting.write("b.py", "x" * 10_000_000)  # more than a pipe takes
    os.kill(pid_of(waiting), signal.SIGCONT)


@pytest.mark.parametrize("timeout_s", [None, 0.05])
async def test_a_server_that_does_not_read_raises(
    waiting: AsyncAgentFS, monkeypatch: pytest.MonkeyPatch, timeout_s: float | None
) -> None:
    monkeypatch.setattr(asynchronous, "PULSE_S", 0.1)
    monkeypatch.setattr(asynchronous, "SILENCE_S", 0.1)
    monkeypatch.setattr(asynchronous, "GRACE_S", 0.2)
    monkeypatch.setattr(links, "GRACE_S", 0.2)
    os.kill(pid_of(waiting), signal.SIGSTOP)
    with pytest.raises(ServerGone):  # more than fits into the pipe
        await waiting.write("b.py", "x" * 5_000_000, timeout_s=timeout_s)
    await waiting.close()


async def test_a_server_that_waits_for_a_person_is_not_silent(
    waiting: AsyncAgentFS, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asynchronous, "PULSE_S", 0.05)
    edit = asyncio.ensure_future(waiting.edit("a.py", "two", "2"))
    await held.shown.wait()
    for _ in range(5):  # each takes until after a pulse
        await asyncio.wait([edit], timeout=0.05)
        await waiting.status()
    held.released.set()
    assert (await edit).applied


async def test_a_request_that_no_server_knows_is_refused(root: Path) -> None:
    async with AsyncAgentFS.open(root) as fs:
        with pytest.raises(RequestRefused) as refused:
            await fs.request("agentfs/unknown", {})
    assert refused.value.code == -32601


async def test_what_was_refused_before_the_start_is_not_sent_later(root: Path) -> None:
    fs = AsyncAgentFS.open(root, allow_all)
    with pytest.raises(ServerGone, match="not started"):
        await fs.write("early.txt", "x\n")
    async with fs:
        assert (await fs.status()).ok
    assert list(root.iterdir()) == []


async def test_what_cannot_start_says_why(root: Path, file: Path) -> None:
    with pytest.raises(NotADirectoryError, match=r"a\.py is not a folder"):
        await AsyncAgentFS.open(file).start()
    with pytest.raises(ServerGone, match="could not be started"):
        await AsyncAgentFS.open(root, command=["/nowhere/agentfs-lsp"]).start()
    broken = [sys.executable, "-c", "raise SystemExit('no pygls here')"]
    with pytest.raises(ServerGone, match="no pygls here"):
        await AsyncAgentFS.open(root, command=broken).start()
    chatty = [sys.executable, "-c", "print('hello, I am not a server', flush=True); input()"]
    with pytest.raises(ServerGone):
        await AsyncAgentFS.open(root, command=chatty).start()


async def test_a_large_file_comes_whole(root: Path) -> None:
    text = "é" * 999 + "\n"
    async with AsyncAgentFS.open(root, allow_all) as fs:
        assert (await fs.write("large.txt", text * 5000)).applied
        assert (await fs.read("large.txt", limit=0)).content == text * 5000


async def test_a_client_that_is_not_connected_says_so(root: Path) -> None:
    unstarted = AsyncAgentFS.open(root)
    with pytest.raises(ServerGone, match="not started"):
        await unstarted.read("a.py")
    await unstarted.close()
    fs = await asyncio.to_thread(AgentFS.open, root)
    await asyncio.to_thread(fs.close)
    with pytest.raises(ServerGone, match="closed"):
        fs.read("a.py")


def test_both_clients_have_the_same_methods() -> None:
    def methods(one: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(member).parameters)
            for name, member in vars(one).items()
            if inspect.isfunction(member) and not name.startswith("_") and name != "start"
        }

    assert methods(AgentFS) == methods(AsyncAgentFS)


def test_importing_it_loads_no_library() -> None:
    told = "import sys, agentfs_lsp.client; print(*{'rich', 'pygls', 'attrs', 'pathspec'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert shown.stdout == "\n"
