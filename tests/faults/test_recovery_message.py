"""After a kill -9 during a transaction, the next server tells the user the result, once
(docs/protocol.md#10-agentfsbatch)."""

import os
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.command import agentfs
from support.editor import AUTO, HASTY, editing
from support.landing import nothing_can_land
from support.operations import writes

INFO, WARNING = 3, 2
NAMES = ("a.py", "b.py", "c.py")
MINE, THEIRS = "new\n", "theirs\n"

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


async def interrupted(root: Path, state: Path, at_swap: int) -> None:
    """A batch of three files whose server is killed while it swaps this one, from 1."""
    inject = f"inject=renameat2:signal=KILL:when={at_swap}"
    traced = ["strace", "-f", "-o", "/dev/null", "-e", "trace=renameat2", "-e", inject]
    command = [*traced, sys.executable, "-m", "agentfs_lsp"]
    operations = [writes(name, MINE) for name in NAMES]
    async with editing(root, options=AUTO, state=state, command=command) as editor:
        for name in NAMES:
            await editor.read(name)
        with pytest.raises(EOFError):
            await editor.request("agentfs/batch", {"operations": operations})
        await editor.ended()


@pytest.fixture
def state(root: Path) -> Path:
    """The servers' state, beside three files to change."""
    for name in NAMES:
        (root / name).write_text("old\n")
    return root.parent / "state"


def in_root(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.iterdir()}


@pytest.mark.parametrize(
    ("at_swap", "theirs", "left", "told"),
    [
        (1, (), [MINE] * 3, (INFO, "was completed: ")),
        (3, (), [MINE] * 3, (INFO, "was completed: ")),
        (3, ("c.py",), ["old\n", "old\n", THEIRS], (INFO, "was rolled back: ")),
        (3, ("b.py", "c.py"), [MINE, THEIRS, THEIRS], (WARNING, "could not be completed ")),
    ],
    ids=["finished from the start", "finished from the middle", "rolled back", "half done"],
)
async def test_the_user_is_told(
    root: Path, state: Path, at_swap: int, theirs: tuple[str, ...], left: list[str], told: tuple[int, str]
) -> None:
    await interrupted(root, state, at_swap)
    for name in theirs:
        (root / name).write_text(THEIRS)
    async with editing(root, name="helix", options=AUTO, state=state) as editor:
        message = await editor.seen("window/showMessage")
        assert len(editor.all("window/showMessage")) == 1
    kind, words = told
    assert message["type"] == kind
    assert words in message["message"]
    assert str(root / "a.py") in message["message"]
    assert in_root(root) == dict(zip(NAMES, left, strict=True))
    async with editing(root, options=AUTO, state=state) as editor:
        await editor.request("shutdown")  # waits for the work of the start
        assert editor.all("window/logMessage") == []


async def test_nobody_sees_half_of_it_while_it_is_held_up(root: Path, state: Path) -> None:
    """Another server is landing, for longer than changes of other files wait."""
    (root / "other.py").write_text("old\n")
    await interrupted(root, state, 3)
    assert {text for name, text in in_root(root).items() if name in NAMES} == {MINE, "old\n"}
    with ExitStack() as held_up:
        held_up.enter_context(nothing_can_land(state))
        async with editing(root, options={**AUTO, "require_read": False}, state=state, **HASTY) as editor:
            reads = [editor.start("agentfs/read", {"path": name}) for name in NAMES]
            edit = {"path": "c.py", "old_string": "new", "new_string": "newer", "session": "another"}
            changing = editor.start("agentfs/edit", edit)
            assert (await editor.read("other.py"))["data"]["content"] == "old\n"
            other = await editor.edit("other.py", "old", "new", dry_run=True)
            assert other["data"]["applied"] is False, "it waited for a while, and no longer"
            assert not any(one.done() for one in (*reads, changing))
            held_up.close()
            contents = [(await one)["data"]["content"] for one in reads[:2]]
            assert contents == [MINE] * 2
            assert (await reads[2])["data"]["content"] in (MINE, "newer\n")
            assert (await changing)["data"]["applied"] is True
    left = dict.fromkeys(NAMES, MINE) | {"c.py": "newer\n", "other.py": "old\n"}
    assert in_root(root) == left


async def test_what_cannot_be_recovered_yet_is_told_and_waited_for(root: Path, state: Path) -> None:
    async with editing(root, options=AUTO, state=state) as editor:
        change = await editor.write("other.py", "other\n")
    await interrupted(root, state, 3)
    lock = state / "agentfs/landing.lock"
    lock.unlink()
    lock.mkdir()
    undo = ["undo", change["data"]["change_id"], "--yes", "--workspace", str(root)]
    refused = agentfs(*undo, env={**os.environ, "XDG_STATE_HOME": str(state)}, cwd=root)
    assert "cannot be completed yet" in refused.stderr
    assert refused.stderr.endswith("agentfs-lsp undo: Nothing was changed.\n")
    async with editing(root, name="helix", options=AUTO, state=state) as editor:
        message = await editor.seen("window/showMessage")
        assert (message["type"], "cannot be completed yet" in message["message"]) == (WARNING, True)
        reads = [editor.start("agentfs/read", {"path": name}) for name in NAMES]
        assert (await editor.read("other.py"))["data"]["content"] == "other\n"
        assert not any(one.done() for one in reads)
        lock.rmdir()
        assert [(await one)["data"]["content"] for one in reads] == [MINE] * 3
        assert "was completed: " in (await editor.seen("window/showMessage", 2))["message"]


async def test_an_undo_in_the_terminal_recovers_first(root: Path) -> None:
    for name in NAMES:
        (root / name).write_text("older\n")
    state = root.parent / "state"
    async with editing(root, options=AUTO, state=state) as editor:
        await editor.read("c.py")
        change = await editor.edit("c.py", "older", "old")
    await interrupted(root, state, 3)
    undo = ["undo", change["data"]["change_id"], "--yes", "--workspace", str(root)]
    done = agentfs(*undo, env={**os.environ, "XDG_STATE_HOME": str(state)}, cwd=root)
    assert in_root(root) == dict.fromkeys(NAMES, MINE)
    assert "was completed: " in done.stderr
    assert done.returncode == 1, "what it is to undo is not there any more"


async def test_a_chinese_user_is_told_in_chinese(root: Path, state: Path) -> None:
    await interrupted(root, state, 1)
    async with editing(root, options=AUTO, state=state, locale="zh-cn") as editor:
        message = await editor.seen("window/logMessage")
    assert message["message"].startswith("agentfs：")
    assert "was completed" not in message["message"]


async def test_changes_that_waited_too_long_for_it_go_on_in_order(root: Path, state: Path) -> None:
    """Another server is landing, for longer than changes wait."""
    await interrupted(root, state, 3)
    with ExitStack() as held_up:
        held_up.enter_context(nothing_can_land(state))
        async with editing(root, options=AUTO, state=state, **HASTY) as editor:
            writes = [
                editor.start("agentfs/write", {"path": "new.py", "content": f"{number}\n"})
                for number in range(40)
            ]
            landed: list[int] = []
            for number, one in enumerate(writes):
                one.add_done_callback(lambda _, number=number: landed.append(number))
            while len(await editor.pending()) < len(writes):
                pass
            held_up.close()
            assert all([(await one)["data"]["applied"] for one in writes])
    assert landed == [*range(40)]
    assert (root / "new.py").read_text() == "39\n"


async def test_a_server_that_runs_already_recovers_what_another_leaves(root: Path, state: Path) -> None:
    async with editing(root, options={**AUTO, "require_read": False}, state=state) as editor:
        assert (await editor.read("a.py"))["data"]["content"] == "old\n"
        await interrupted(root, state, 3)
        assert {(root / name).read_text() for name in NAMES} == {MINE, "old\n"}
        reads = [editor.start("agentfs/read", {"path": name}) for name in NAMES]
        assert [(await one)["data"]["content"] for one in reads] == [MINE] * 3
        assert "was completed: " in (await editor.seen("window/logMessage"))["message"]

        for name in NAMES:
            (root / name).write_text("old\n")
        await interrupted(root, state, 3)
        edit = {"path": "c.py", "old_string": "new", "new_string": "newer", "session": "another"}
        assert (await editor.request("agentfs/edit", edit))["data"]["applied"] is True
        assert len(editor.all("window/logMessage")) == 2
    assert in_root(root) == {"a.py": MINE, "b.py": MINE, "c.py": "newer\n"}
