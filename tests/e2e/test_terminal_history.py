"""`agentfs-lsp history` and `agentfs-lsp undo` in a terminal."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from support.editor import AUTO, editing
from support.landing import nothing_can_land
from support.outside import LAUNCHER
from support.terminal import terminal

INTERRUPT, END = "\x03", "\x04"
PATIENCE_S = 120


def command(state: Path, *arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agentfs_lsp", *arguments],
        cwd=cwd,
        env={**os.environ, "XDG_STATE_HOME": str(state), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
async def ids(root: Path) -> list[str]:
    """Two landed changes, newest first."""
    (root / "src").mkdir()
    (root / "src" / "a.txt").write_text("one\ntwo\n")
    async with editing(root, options=AUTO) as editor:
        await editor.read("src/a.txt")
        edited = await editor.edit("src/a.txt", "two", "2\x1b[31m", agent="Ada", explanation="Why\u202e not.")
        written = await editor.write("b.txt", "b\n")
    return [written["data"]["change_id"], edited["data"]["change_id"]]


@pytest.fixture
def state(root: Path) -> Path:
    return root.parent / f"{root.name}-state"


async def test_what_landed_is_shown_and_drives_no_terminal(root: Path, state: Path, ids: list[str]) -> None:
    shown = command(state, "history", cwd=root / "src")
    assert shown.returncode == 0, shown.stderr
    newest, older = (shown.stdout.index(f"change {one}") for one in ids)
    assert newest < older
    assert "Ada" in shown.stdout
    assert "- two" in shown.stdout
    assert "+ 2" in shown.stdout
    assert not {"\x1b", "\u202e"} & set(shown.stdout)
    colored = command(state, "history", cwd=root, FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[32m" in colored.stdout


async def test_of_one_file_as_json(root: Path, state: Path, ids: list[str]) -> None:
    shown = command(state, "history", "a.txt", "--json", cwd=root / "src")
    (change,) = json.loads(shown.stdout)
    assert change["change_id"] == ids[1]
    assert change["files"][0]["path"] == "src/a.txt"
    assert "-two\n" in change["files"][0]["diff"]
    limited = command(state, "history", "--json", "--limit", "1", "--workspace", str(root), cwd=state)
    assert [one["change_id"] for one in json.loads(limited.stdout)] == ids[:1]


async def test_a_yes_undoes_what_was_shown(root: Path, state: Path, ids: list[str]) -> None:
    for answer in ("n\n", END, INTERRUPT, "y\n"):
        shown, code = at_terminal(state, root, answer, "undo", ids[1])
        assert "Undo this change? [y/N]" in shown
        assert "+ two" in shown
        assert ("agentfs-lsp undo: Nothing was changed." in shown.splitlines()) == (answer != "y\n")
        assert code == (0 if answer == "y\n" else 1)
        expected = "one\ntwo\n" if answer == "y\n" else "one\n2\x1b[31m\n"
        assert (root / "src" / "a.txt").read_text() == expected
    (undo, *_) = json.loads(command(state, "history", "--json", cwd=root).stdout)
    assert (undo["tool"], undo["session"], undo["by"]) == ("undo", "terminal", "user")


async def test_a_yes_that_was_typed_before_the_question_undoes_nothing(
    root: Path, state: Path, ids: list[str]
) -> None:
    _, code = at_terminal(state, root, "n\n", "undo", ids[0], ahead="y\n")
    assert (code, (root / "b.txt").exists()) == (1, True)


async def test_ctrl_c_while_the_diff_is_printed_ends_the_question(root: Path, state: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        written = await editor.write("long.txt", "a line of the long text\n" * 20_000)
    change = written["data"]["change_id"]
    shown, code = at_terminal(state, root, INTERRUPT, "undo", change, seeing="delete long.txt")
    assert "[y/N]" not in shown
    assert "agentfs-lsp undo: Nothing was changed." in shown.splitlines()
    assert code == 1


async def test_a_long_undo_is_seen_before_it_is_approved(root: Path, state: Path) -> None:
    async with editing(root, options=AUTO, state=state) as editor:
        written = await editor.write("long.txt", "a line of the long text\n" * 60)
    change = written["data"]["change_id"]
    undo = [sys.executable, "-m", "agentfs_lsp", "undo", change]
    async with terminal(undo, root, {"XDG_STATE_HOME": str(state)}) as screen:
        await screen.shows("23 of 61 lines. Enter: more, n: no.")
        screen.press("y\n")
        await screen.shows("46 of 61 lines. Enter: more, n: no.")
        screen.press("y\n")
        await screen.shows("Undo this change? [y/N]")
        assert (root / "long.txt").exists()
        screen.press("y\n")
        await screen.shows("Undid change")


TELLS_WHEN_IT_WAITS = """
import sys
from agentfs_lsp.__main__ import main
from agentfs_lsp.adapters.fs.state_folder import LandingLock

held = LandingLock.held

def held_and_told(lock):
    print("to land", flush=True)
    return held(lock)

LandingLock.held = held_and_told
sys.exit(main())
"""


@pytest.mark.parametrize("asked", [True, False])
async def test_after_the_decision_ctrl_c_changes_nothing(root: Path, state: Path, asked: bool) -> None:
    for name in ("a.py", "b.py"):
        (root / name).write_text("one\n")
    async with editing(root, options=AUTO) as editor:
        for name in ("a.py", "b.py"):
            await editor.read(name)
        edits = [
            {"tool": "edit", "params": {"path": name, "old_string": "one", "new_string": "1"}}
            for name in ("a.py", "b.py")
        ]
        landed = await editor.request("agentfs/batch", {"operations": edits})
    change = landed["data"]["change_id"]
    arguments = ["undo", change, *([] if asked else ["--yes"])]
    with ExitStack() as landing:
        landing.enter_context(nothing_can_land(state))
        async with terminal(
            [sys.executable, "-c", TELLS_WHEN_IT_WAITS, *arguments], root, {"XDG_STATE_HOME": str(state)}
        ) as screen:
            if asked:
                await screen.shows("[y/N]")
                screen.press("y\n")
            await screen.shows("to land")
            screen.press(INTERRUPT)
            await screen.shows("^C")
            landing.close()
            await screen.shows(f"Undid change {change}.")
    assert [(root / name).read_text() for name in ("a.py", "b.py")] == ["one\n", "one\n"]
    changes = json.loads(command(state, "history", "--json", cwd=root).stdout)
    assert [one["tool"] for one in changes] == ["undo", "batch"]


@pytest.mark.parametrize("claims", [{}, {"COLUMNS": "200"}, {"FORCE_COLOR": ""}, {"TTY_COMPATIBLE": "0"}])
async def test_a_long_line_continues_where_no_line_begins(
    root: Path, state: Path, claims: dict[str, str]
) -> None:
    folder = root / ("d" * 76 + "  M forged")
    folder.mkdir()
    async with editing(root, options=AUTO) as editor:
        written = await editor.write(f"{folder.name}/a.txt", "x" * 70 + "    1 1   forged\n")
    env = {"XDG_STATE_HOME": str(state), **claims}
    for arguments in (["history"], ["undo", written["data"]["change_id"]]):
        async with terminal([sys.executable, "-m", "agentfs_lsp", *arguments], root, env) as screen:
            rows = (await screen.shows("1 1   forged")).split("\n")
        assert not [row for row in rows if row.startswith(("    1 1   forged", "  M forged"))]


async def test_text_of_agents_and_files_forges_no_lines(root: Path, state: Path) -> None:
    forged = "evil\nforged 1 - harmless\r\nforged"
    (root / forged).write_text("one\n")
    (root / "link").symlink_to(forged)
    said = {"agent": forged, "session": forged, "explanation": forged}
    async with editing(root, options=AUTO) as editor:
        await editor.read("link", session=forged)
        written = await editor.write("link", "two\n", **said)
    shown = command(state, "history", cwd=root).stdout
    asked, _ = at_terminal(state, root, "n\n", "undo", written["data"]["change_id"])
    assert shown.count("forged") == 2 * asked.count("forged") * 2
    assert [line for line in (shown + asked).splitlines() if line.lstrip().startswith("forged")] == []


async def test_a_terminal_where_nobody_can_be_asked_says_what_to_do(
    root: Path, state: Path, ids: list[str]
) -> None:
    (root.parent / "plain").touch()
    env = {"XDG_STATE_HOME": str(state), "AGENTFS_TEST_SOCKETS": str(root.parent / "plain" / "sockets")}
    async with terminal([sys.executable, LAUNCHER, "undo", ids[0]], root, env, columns=1000) as screen:
        shown = await screen.shows("Nothing was changed.")
    assert shown.startswith("agentfs-lsp undo: Nobody was asked, because the questions of other programs")
    assert "Traceback" not in shown
    assert (root / "b.txt").exists()


async def test_without_a_terminal_undoing_must_be_said(root: Path, state: Path, ids: list[str]) -> None:
    refused = command(state, "undo", ids[0], cwd=root)
    assert refused.returncode == 1
    assert "--yes" in refused.stderr
    assert (root / "b.txt").exists()
    done = command(state, "undo", ids[0], "--yes", "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["files"] == [{"path": "b.txt", "operation": "delete"}]
    assert not (root / "b.txt").exists()


async def test_beside_a_running_server(root: Path, state: Path, ids: list[str]) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.read("src/a.txt")
        assert command(state, "undo", ids[1], "--yes", cwd=root).returncode == 0
        answer = await editor.edit("src/a.txt", "one", "1")
        assert answer["error"]["code"] == "CONFLICT"
        changes = (await editor.request("agentfs/history", {}))["data"]["changes"]
    assert [change["tool"] for change in changes] == ["undo", "write", "edit"]


async def test_what_cannot_be_done_is_said(root: Path, state: Path, ids: list[str]) -> None:
    (root / "b.txt").write_text("changed\n")
    for arguments, next_step in (
        (["undo", ids[0], "--yes"], "Nothing was changed."),
        (["undo", "none", "--yes"], "Nothing was changed. agentfs-lsp history lists the changes."),
        (["history", "--id", "none"], ""),
        (["history", "--workspace", str(root.parent)], "--workspace DIR."),
        (["history", "/etc/passwd"], ""),
    ):
        refused = command(state, *arguments, cwd=root)
        assert refused.returncode == 1, arguments
        assert refused.stderr.startswith(f"agentfs-lsp {arguments[0]}: ")
        assert "Traceback" not in refused.stderr
        assert refused.stderr.endswith(f"{next_step}\n")
    assert (root / "b.txt").read_text() == "changed\n"


async def test_a_path_that_leads_out_of_the_folder_by_now_is_said(
    root: Path, state: Path, ids: list[str]
) -> None:
    (root / "src").rename(root.parent / "out")
    (root / "src").symlink_to(root.parent / "out")
    refused = command(state, "undo", ids[1], "--yes", cwd=root)
    told = "agentfs-lsp undo: Path must be within project root. Nothing was changed.\n"
    assert (refused.returncode, refused.stderr) == (1, told)


@pytest.mark.parametrize("arguments", [["history"], ["history", "--json"], ["check-config", "--json"]])
async def test_a_pipe_may_be_closed(root: Path, state: Path, ids: list[str], arguments: list[str]) -> None:
    assert ids
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, "-m", "agentfs_lsp", *arguments],
        cwd=root,
        env={**os.environ, "XDG_STATE_HOME": str(state)},
        stdout=writes,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writes)
    assert done.stderr == b""
    assert done.returncode != 0


def at_terminal(
    state: Path, cwd: Path, answer: str, *arguments: str, seeing: str = "[y/N] ", ahead: str = ""
) -> tuple[str, int]:
    """The output for a user who types `ahead` at once and this answer when `seeing` this, and the exit
    code."""
    ours, theirs = pty.openpty()
    os.write(ours, ahead.encode())
    process = subprocess.Popen(
        [sys.executable, "-m", "agentfs_lsp", *arguments],
        cwd=cwd,
        env={**os.environ, "XDG_STATE_HOME": str(state), "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown, answered = b"", 0
    with suppress(OSError):  # the terminal ends with its last user
        while select.select([ours], [], [], PATIENCE_S)[0] and (piece := os.read(ours, 4096)):
            shown += piece
            at = shown.find(seeing.encode(), answered)
            if at < 0:
                continue
            answered = at + len(seeing)
            if answer == INTERRUPT:
                process.send_signal(signal.SIGINT)
            else:
                os.write(ours, answer.encode())
    if process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_S)
        process.kill()
    os.close(ours)
    return shown.decode(), process.wait(60)


async def test_no_line_of_a_file_wraps_at_the_terminal_itself(root: Path, state: Path) -> None:
    """In the first column it could imitate a line of the diff. Not every terminal joins emoji."""
    joined = "\U0001f469\u200d\U0001f52c"  # two columns where the terminal joins them, else four
    async with editing(root, options=AUTO, state=state) as editor:
        (root / "c.txt").write_text("")
        await editor.read("c.txt")
        answer = await editor.write("c.txt", joined * 17 + "      2   - # tidy only\n")
    shown, _ = at_terminal(state, root, "n\n", "undo", answer["data"]["change_id"])
    rows = [row for row in shown.splitlines() if joined in row]
    assert len(rows) > 1
    assert max(len(row) + row.count(joined) for row in rows) <= 80


def test_where_nothing_fits_it_says_so(root: Path, state: Path, ids: list[str]) -> None:
    (root / "c.txt").touch()
    shown = command(state, "history", "c.txt", cwd=root)
    assert (shown.returncode, shown.stdout) == (0, "No changes were found.\n")
    assert command(state, "undo", ids[0], "--yes", cwd=root).returncode == 0
    for arguments in (["b.txt"], ["b.txt", "--session", "another"]):
        deleted = command(state, "history", *arguments, cwd=root)
        assert (deleted.returncode, deleted.stderr) == (0, "")
    for folder in (root / "src", root.parent):  # with a history, and without
        mistyped = command(state, "history", "b.txt", "--json", cwd=folder)
        assert (mistyped.returncode, mistyped.stdout) == (1, "")
        assert mistyped.stderr.startswith(f"agentfs-lsp history: '{folder}/b.txt' was not found,")


def test_paths_are_relative_to_the_folder_that_is_named(
    root: Path, state: Path, ids: list[str], tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    for folder in (str(root), os.path.relpath(root, tmp_path), "link"):
        shown = command(state, "history", "--json", "--workspace", folder, "src/a.txt", cwd=tmp_path)
        assert [one["change_id"] for one in json.loads(shown.stdout)] == ids[1:]
        judged = command(state, "check-config", "--json", folder, "src/a.txt", f"{link}/b.txt", cwd=tmp_path)
        assert [one["resolved"] for one in json.loads(judged.stdout)["paths"]] == ["src/a.txt", "b.txt"]
