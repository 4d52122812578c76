"""A whole server killed at any moment leaves the old or the new file, and after the next start nothing else
(docs/protocol.md#6-agentfswrite).

The server keeps landing changes until the signal arrives; `test_kill_landing.py` tests a landing's states one
by one.
"""

from pathlib import Path

import pytest

from support.editor import AUTO, SHOWING, Editor, editing
from support.landing import nothing_can_land

REPEATED = 30_000
CHANGES = 40


def content(number: int) -> str:
    return f"{number:04} " * REPEATED


async def kill(editor: Editor) -> None:
    editor.process.kill()
    await editor.ended()
    for unanswered in editor._waiting.values():
        unanswered.cancel()


async def start_again(root: Path) -> None:
    """Start the next server, and end it properly."""
    async with editing(root):
        pass


@pytest.mark.parametrize("answered", [0, 1, 2, 3, 5, 7, 11, 16, 22, 29])
async def test_killed_while_it_lands_files_are_whole_and_none_else_stay(root: Path, answered: int) -> None:
    (root / "a.py").write_text(content(0))
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.py", limit=0)
        asked = []
        for number in range(1, CHANGES):
            asked.append(editor.start("agentfs/write", {"path": "a.py", "content": content(number)}))
            new = {"path": f"made/{number}/new.py", "content": content(number)}
            asked.append(editor.start("agentfs/write", new))
        for one in asked[: 2 * answered]:
            assert (await one)["data"]["applied"] is True
        await kill(editor)
    await start_again(root)
    paths = {path.relative_to(root).as_posix(): path for path in root.rglob("*")}
    files = {name: path.read_text() for name, path in paths.items() if path.is_file()}
    folders = paths.keys() - files.keys()
    landed = int(files["a.py"][:4])
    assert files.pop("a.py") == content(landed)
    assert landed >= answered
    made = {path: content(int(path.split("/")[1])) for path in files}
    assert files == made
    assert {f"made/{number}/new.py" for number in range(1, answered + 1)} <= set(files)
    assert folders - {"made"} == {path.removesuffix("/new.py") for path in files}
    assert list((root.parent / "root-state" / "agentfs" / "servers").iterdir()) == []


async def test_killed_while_a_review_is_shown_it_leaves_no_diff_behind(root: Path) -> None:
    async with editing(root, **SHOWING) as editor:
        editor.start("agentfs/write", {"path": "made/new.py", "content": "new\n"})
        await editor.seen("window/showMessageRequest")
        assert [path.name for path in root.iterdir()] == [".agentfs"]
        await kill(editor)
        assert [path.name for path in root.iterdir()] == [".agentfs"]
    await start_again(root)
    assert list(root.iterdir()) == []


async def test_what_a_living_server_has_under_way_is_not_swept_away(root: Path) -> None:
    async with editing(root, **SHOWING) as reviewing, editing(root, options=AUTO) as landing:
        asked = reviewing.start("agentfs/write", {"path": "reviewed.py", "content": "new\n"})
        await reviewing.seen("window/showMessageRequest")
        with nothing_can_land(landing.state):
            landed = landing.start("agentfs/write", {"path": "made/new.py", "content": "new\n"})
            while not list(root.glob("made/.agentfs-*.tmp")):
                await landing.request("agentfs/status")
            await start_again(root)
            assert list(root.glob("made/.agentfs-*.tmp"))
            assert list(root.glob(".agentfs/review/*.diff"))
        assert (await landed)["data"]["applied"] is True
        asked.cancel()
    assert [path.name for path in root.iterdir()] == ["made"]
    assert [path.name for path in (root / "made").iterdir()] == ["new.py"]
