"""`agentfs-lsp review` in a terminal (docs/protocol.md#18-the-reviewers-socket)."""

import asyncio
import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.door.listener import MAX_CONNECTIONS
from support.agents_socket import Raw, starting
from support.editor import ASK, NO_ANSWER, REVIEWING
from support.outside import LAUNCHER, environment
from support.reviewers_socket import answering, entry_of, found
from support.sample import TEXT
from support.terminal import Terminal, terminal


def ran(*arguments: str, code: str | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-c", code] if code else [sys.executable, "-P", "-m", "agentfs_lsp"]
    return subprocess.run(
        [*command, "review", *arguments], capture_output=True, text=True, check=False, **options
    )


def test_help_needs_no_textual() -> None:
    run = ran("--help", code=WITHOUT)
    assert run.returncode == 0
    assert "agentfs-lsp review" in run.stdout


WITHOUT = """
import sys
sys.modules["textual"] = None
import importlib.util
known = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "textual" else known(name, *more)
from agentfs_lsp.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_textual_it_says_how_to_install_it(root: Path) -> None:
    run = ran(str(root), code=WITHOUT)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == (
        "agentfs-lsp review: The reviewer needs the package textual: pip install 'agentfs-lsp[review]'\n"
    )


def test_it_needs_a_terminal_and_a_folder(root: Path) -> None:
    pytest.importorskip("textual", reason="the reviewer's package textual is not installed")
    run = ran(str(root), stdin=subprocess.DEVNULL)
    assert (run.returncode, run.stderr) == (2, "agentfs-lsp review: The reviewer needs a terminal.\n")
    run = ran(str(root / "missing"))
    assert run.returncode == 2
    assert "is not a folder" in run.stderr


def test_what_it_draws_on_must_be_the_terminal(root: Path) -> None:
    pytest.importorskip("textual", reason="the reviewer's package textual is not installed")
    master, slave = pty.openpty()
    command = [sys.executable, "-P", "-m", "agentfs_lsp", "review", str(root)]
    run = subprocess.run(
        command, stdin=slave, stdout=slave, stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )
    os.close(master)
    os.close(slave)
    assert (run.returncode, run.stderr) == (2, "agentfs-lsp review: The reviewer needs a terminal.\n")


@asynccontextmanager
async def reviewing(root: Path, sockets: Path, *arguments: str) -> AsyncIterator[Terminal]:
    """The command in a terminal of 80 by 24."""
    pytest.importorskip("textual", reason="the reviewer's package textual is not installed")
    async with terminal(
        [sys.executable, "-P", LAUNCHER, "review", *arguments], root, environment(root, sockets)
    ) as shown:
        yield shown


async def test_without_an_editor_it_says_so(root: Path, sockets: Path) -> None:
    async with reviewing(root, sockets) as shown:
        await shown.shows("No editor with agentfs has")


async def test_a_denied_reviewer_ends(root: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, answers={ASK: answering("Deny")}),
        reviewing(root, sockets) as shown,
    ):
        await shown.shows("This reviewer was not allowed in the editor.")


async def test_it_shows_the_code_that_the_editor_asks_about(root: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, answers={ASK: lambda _: NO_ANSWER}, capabilities=REVIEWING["capabilities"]) as (
            editor,
            _,
        ),
        reviewing(root, sockets) as shown,
    ):
        text = await shown.shows(lambda text: re.search(r"Code: \w{3}-\w{3}\n", text) is not None)
        code = re.search(r"Code: (\S+)", text)
        assert code is not None
        assert code[1] in (await editor.seen(ASK))["message"]


async def test_a_change_is_reviewed_by_keys(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, name="Visual Studio Code") as (editor, _),
        reviewing(root, sockets) as shown,
    ):
        await shown.shows("Nothing is waiting for you.")
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "\x1b[31m2", agent="Ada"))
        await shown.shows("\\x1b[31m2")
        assert file.read_text() == TEXT
        await shown.press_until("a", "it is on disk.")
        assert (await edit)["data"]["applied"]
        shown.press("h")
        await shown.shows(lambda text: "history: 1 of 1" in text and "\\x1b[31m2" in text)
        await shown.press_until("u", "you, in the terminal")
        shown.press("q")
        await shown.shows(lambda text: "agentfs review ·" not in text)
    assert "\x1b[31m2" in file.read_text()


async def test_after_a_text_editor_that_fails_it_goes_on(
    root: Path, file: Path, sockets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "false")
    async with (
        found(root, sockets, name="Visual Studio Code") as (editor, _),
        reviewing(root, sockets) as shown,
    ):
        await shown.shows("Nothing is waiting for you.")
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        await shown.shows("+ 2")
        await shown.press_until("e", "The editor failed.")
        await shown.press_until("r\r", "rejected.")
        assert (await edit)["error"]["code"] == "USER_REJECTED"


async def test_what_was_amended_while_the_proposal_was_withdrawn_is_kept(
    root: Path, file: Path, sockets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fifo = root.parent / "fifo"
    os.mkfifo(fifo)
    script = 'echo zwei > "$2"; echo ready; read go < "$1"'
    monkeypatch.setenv("VISUAL", shlex.join(["sh", "-c", script, "sh", str(fifo)]))
    async with (
        found(root, sockets, name="Visual Studio Code") as (editor, _),
        reviewing(root, sockets) as shown,
    ):
        await shown.shows("Nothing is waiting for you.")
        await editor.read("a.py")
        params = {"path": "a.py", "old_string": "two", "new_string": "2"}
        edit = editor.start("agentfs/edit", params)
        await shown.shows("+ 2")
        await shown.press_until("e", "ready")
        editor.cancel(edit)
        await asyncio.wait([edit])
        edit.exception()
        fifo.write_text("go\n")
        await shown.shows("Nothing is waiting for you.")
        await shown.shows("Your text is in ")
        shown.press("q")
        await shown.shows(lambda text: "agentfs review ·" not in text and "Your text is in " in text)
    (draft,) = (root.parent / "agent-state" / "agentfs" / "drafts").iterdir()
    assert draft.read_text() == "zwei\n"


async def test_when_it_is_terminated_the_terminal_is_as_before(root: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, name="Visual Studio Code"),
        reviewing(root, sockets) as shown,
    ):
        before = shown.modes
        await shown.shows("Nothing is waiting for you.")
        assert shown.modes != before
        assert shown.hides_cursor
        shown.process.terminate()
        assert await shown.process.wait() == 143
        assert shown.modes == before
        await shown.shows(lambda _: not shown.hides_cursor)


async def test_a_byte_that_is_not_utf_8_ends_nothing(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, name="Visual Studio Code") as (editor, _),
        reviewing(root, sockets) as shown,
    ):
        await shown.shows("Nothing is waiting for you.")
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        await shown.shows("+ 2")
        await shown.press_until("r", "Reason (optional)")
        shown.press(b"caf\xe9 \xff\xc3\xbc!")
        await shown.shows("caf\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}ü!")
        shown.press("\r")
        assert "caf\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}ü!" in (await edit)["text"]


async def test_it_fits_the_terminal_and_not_the_variables(
    root: Path, sockets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LINES", "100")
    async with (
        found(root, sockets, name="Visual Studio Code") as (editor, _),
        reviewing(root, sockets) as shown,
    ):
        await shown.shows("Nothing is waiting for you.")
        text = "".join(f"line {number}\n" for number in range(60))
        edit = asyncio.ensure_future(editor.request("agentfs/write", {"path": "new", "content": text}))
        screen = await shown.shows("not all seen yet")
        assert screen.startswith(" agentfs review")
        assert screen.split("\n")[-1].endswith("q leave")
        edit.cancel()


async def test_where_the_server_takes_no_more_connections_it_does_not_say_that_it_ended(
    root: Path, sockets: Path
) -> None:
    async with found(root, sockets) as (editor, entry):
        others = [await Raw.connect(entry) for _ in range(MAX_CONNECTIONS)]
        async with reviewing(root, sockets) as shown:
            await shown.shows("The server has closed the connection.")
        for one in others:
            one.writer.close()
        assert (await editor.request("agentfs/status"))["status"] == "success"


async def test_when_the_editor_ends_it_says_so(root: Path, sockets: Path) -> None:
    async with starting(
        root, sockets, answers={ASK: answering("Allow")}, name="Visual Studio Code"
    ) as editor:
        await entry_of(editor, root)
        async with reviewing(root, sockets) as shown:
            await shown.shows("Nothing is waiting for you.")
            editor.process.terminate()
            await shown.shows("The editor's server has ended or closed the connection.")
