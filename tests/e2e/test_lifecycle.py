"""Start and end of a server: docs/protocol.md#1-start-and-transport, through the real process."""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from support.editor import (
    APPLY,
    AUTO,
    HASTY,
    NO_ANSWER,
    REVIEW,
    REVIEWING,
    SHOWING,
    Editor,
    RpcError,
    connected,
    editing,
    handshake,
)
from support.landing import nothing_can_land
from support.personas import VSCODE
from support.sample import CHANGED, EDIT, TEXT, asked, report
from support.wire import Message

CLEAN, KILLED = 0, 1


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def litter(editor: Editor) -> list[str]:
    """The records of unfinished landings."""
    notes = editor.state / "agentfs" / "servers"
    return left_in(notes) if notes.exists() else []


async def test_nothing_is_served_before_initialize(root: Path) -> None:
    async with connected(root) as editor:
        for method in ["agentfs/status", "agentfs/write", "shutdown", "workspace/executeCommand", "no/such"]:
            with pytest.raises(RpcError) as refused:
                await editor.request(method, {"path": "a.py", "content": "x"})
            assert refused.value.code == -32002
        editor.notify("textDocument/didOpen", {"textDocument": {"uri": editor.uri("a.py"), "text": "x"}})
        result = await editor.request("initialize", handshake(root))
        assert result["serverInfo"]["name"] == "agentfs-lsp"
        assert (await editor.read("a.py"))["error"]["code"] == "NOT_FOUND"
        editor.notify("exit", None)
        assert await editor.ended() == KILLED


async def test_a_low_limit_of_open_files_limits_no_batch(root: Path) -> None:
    """As for programs started from a Mac's desktop."""
    limited = ["sh", "-c", f'ulimit -Sn 256 && exec "{sys.executable}" -m agentfs_lsp']
    files = [{"path": f"folder {number}/a.py", "content": "x\n"} for number in range(400)]
    operations = [{"tool": "write", "params": file} for file in files]
    async with editing(root, options=AUTO, command=limited) as editor:
        answer = await editor.request("agentfs/batch", {"operations": operations})
        assert answer["data"]["applied"] is True
    assert len(left_in(root)) == 400


async def test_the_first_message_of_a_server_is_the_answer_to_initialize(root: Path) -> None:
    """Whatever there is to report about settings or the mode."""
    async with editing(root, capabilities=REVIEW, options=AUTO) as editor:
        assert "capabilities" in editor.received[0]["result"]


async def test_a_shutdown_withdraws_what_waits(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: NO_ANSWER}
    ) as editor:
        proposal, answer = await asked(editor)
        assert await editor.request("shutdown") is None
        with pytest.raises(RpcError) as refused:
            await answer
        assert refused.value.code == -32800
        assert await editor.seen("agentfs/settled") == {
            "id": proposal["id"],
            "outcome": "withdrawn",
            "reason": "shutdown",
        }
        assert (await editor.seen("$/cancelRequest"))["id"] == editor.all("workspace/applyEdit")[0]["id"]
        late = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
        assert late["code"] == "WITHDRAWN"
        with pytest.raises(RpcError) as refused:
            await editor.write("b.py", "late\n")
        assert refused.value.code == -32600
        editor.notify("exit", None)
        assert await editor.ended() == CLEAN
    assert file.read_text() == TEXT
    assert (left_in(root), litter(editor)) == (["a.py"], [])


async def applied_while_ending(editor: Editor) -> tuple[Message, asyncio.Future[Any], asyncio.Future[Any]]:
    """Apply an accepted edit after the shutdown was requested; returns the proposal, and futures for the
    responses to the agent and to the shutdown."""
    editor.open("a.py")
    proposal, answer = await asked(editor)
    settled = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
    ending = editor.start("shutdown")
    assert editor.apply(settled["apply"])
    assert (await report(editor, proposal, "applied", a=True))["save"] == [editor.uri("a.py")]
    return proposal, answer, ending


async def test_a_shutdown_sees_a_landing_in_the_editor_through(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        proposal, answer, ending = await applied_while_ending(editor)
        editor.save("a.py")
        await report(editor, proposal, "saved", a=True)
        assert (await answer)["data"]["landing"] == "disk"
        assert await ending is None
    assert file.read_text() == CHANGED


async def test_what_the_editor_has_not_saved_when_it_ends_is_not_told_landed(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        proposal, answer, ending = await applied_while_ending(editor)
        await report(editor, proposal, "saved", a=False)
        told = await answer
        assert await ending is None
    assert (told["error"]["code"], told["context"]["landing"]) == ("EXECUTION_ERROR", "unknown")
    assert told["context"]["files"] == [{"path": "a.py", "landing": "editor"}]
    assert "the editor ended before it had saved the file" in told["text"]
    assert file.read_text() == TEXT


async def applied_untold(editor: Editor) -> asyncio.Future[Any]:
    """Apply the edit that the client is asked to apply, without a word; returns a future for the agent's
    response."""
    await editor.read("a.py")
    answer = editor.start("agentfs/edit", EDIT)
    assert editor.apply((await editor.seen(APPLY))["edit"], tell=False)
    return answer


@pytest.mark.parametrize("is_reviewed", [True, False])
async def test_what_the_editor_applied_before_its_connection_ended_is_not_told_unchanged(
    root: Path, file: Path, is_reviewed: bool
) -> None:
    async with editing(root, **REVIEWING if is_reviewed else {"options": AUTO}) as editor:
        assert editor.process.stdin is not None
        editor.answers[APPLY] = lambda _: NO_ANSWER
        editor.open("a.py")
        if is_reviewed:
            proposal, answer = await asked(editor)
            settled = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
            assert editor.apply(settled["apply"], tell=False)
        else:
            answer = await applied_untold(editor)
        editor.process.stdin.close()
        told = await answer
    assert (told["error"]["code"], told["context"]["landing"]) == ("EXECUTION_ERROR", "unknown")
    assert "the editor ended before it had saved the file" in told["text"]
    assert file.read_text() == TEXT


async def test_of_a_preview_whose_editor_has_gone_it_is_not_known_whether_it_was_applied(
    root: Path, file: Path
) -> None:
    async with VSCODE.editing(root) as editor:
        assert editor.process.stdin is not None
        editor.answers[APPLY] = lambda _: NO_ANSWER
        editor.open("a.py")
        answer = await applied_untold(editor)
        editor.process.stdin.close()
        told = await answer
    assert (told["error"]["code"], told["context"]["landing"]) == ("EXECUTION_ERROR", "unknown")
    assert file.read_text() == TEXT


async def test_a_shutdown_sees_a_landing_on_disk_through(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.py")
        with nothing_can_land(editor.state):
            answer = editor.start("agentfs/edit", EDIT)
            await editor.are_pending("landing")
            editor.cancel(answer)
            ending = editor.start("shutdown")
        assert (await answer)["data"]["applied"] is True
        assert await ending is None
    assert file.read_text() == CHANGED
    assert (left_in(root), litter(editor)) == (["a.py"], [])


async def test_the_end_of_input_withdraws_what_waits(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        await asked(editor)
        hang_up(editor)
        assert await editor.ended() == KILLED
    assert file.read_text() == TEXT
    assert (left_in(root), litter(editor)) == (["a.py"], [])


async def test_the_end_of_input_sees_a_landing_on_disk_through(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.py")
        with nothing_can_land(editor.state):
            editor.start("agentfs/edit", EDIT)
            await editor.are_pending("landing")
            hang_up(editor)
        assert await editor.ended() == KILLED
    assert file.read_text() == CHANGED
    assert (left_in(root), litter(editor)) == (["a.py"], [])


@pytest.mark.parametrize("by", ["shutdown", "end of input"])
async def test_exit_does_not_wait_for_stuck_threads(root: Path, file: Path, by: str) -> None:
    async with editing(root, options=AUTO, **HASTY) as editor:
        await editor.read("a.py")
        with nothing_can_land(editor.state):
            answer = editor.start("agentfs/edit", EDIT)
            await editor.are_pending("landing")
            if by == "shutdown":
                assert await editor.request("shutdown") is None
                assert not answer.done(), "it is not known yet"
                editor.notify("exit", None)
            else:
                hang_up(editor)
            assert await editor.ended() == (CLEAN if by == "shutdown" else KILLED)
        answer.cancel()
    assert file.read_text() == TEXT
    assert left_in(root) != ["a.py"]
    async with editing(root, options=AUTO) as editor:
        await editor.write("b.py", "two\n")
        assert left_in(root) == ["a.py", "b.py"], "a change waits until what was left is cleared away"


HUNG = """
import sys, threading
from agentfs_lsp.__main__ import main
from agentfs_lsp.adapters.landing import temporary_registry
from agentfs_lsp.lsp import serving
open_real = temporary_registry.open_real
def hang(open_beneath, path):
    return threading.Event().wait() if path == "/hung" else open_real(open_beneath, path)
temporary_registry.open_real = hang
serving.CLOSING_S = 0.5
sys.exit(main())
"""
"""A server for which the mount /hung does not answer."""


async def test_exit_does_not_wait_for_a_hung_mount(root: Path) -> None:
    async with editing(root, options=AUTO, command=[sys.executable, "-P", "-c", HUNG]) as editor:
        await editor.write("a.py", "one\n")
        killed = editor.state / "agentfs" / "servers" / f"{'0' * 16}.jsonl"
        killed.write_text('{"temporary_in": "/hung", "making": []}\n')
        await editor.request("shutdown")
        editor.notify("exit", None)
        assert await editor.ended() == CLEAN
    assert killed.exists()


async def test_an_editor_that_leaves_while_it_should_apply_keeps_none_alive(root: Path, file: Path) -> None:
    async with editing(root, options={"landing_timeout_s": 3600}, **REVIEWING) as editor:
        editor.open("a.py")
        proposal, _ = await asked(editor)
        await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
        hang_up(editor)
        assert await editor.ended() == KILLED
    assert file.read_text() == TEXT


async def test_the_end_of_input_behind_a_shutdown_is_a_clean_end(root: Path) -> None:
    async with editing(root) as editor:
        await editor.request("shutdown")
        hang_up(editor)
        assert await editor.ended() == CLEAN


async def test_nothing_that_comes_behind_an_exit_is_served(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        editor.notify("exit", None)
        editor.start("agentfs/write", {"path": "late.py", "content": "late\n"})
        assert await editor.ended() == KILLED
        editor._waiting.clear()
    assert left_in(root) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_it_as_a_shutdown_does(root: Path, file: Path, number: signal.Signals) -> None:
    stderr = root.parent / "stderr"
    async with editing(root, stderr=stderr, **REVIEWING) as editor:
        _, answer = await asked(editor)
        editor.process.send_signal(number)
        with pytest.raises(RpcError) as refused:
            await answer
        assert refused.value.code == -32800
        assert (await editor.seen("agentfs/settled"))["outcome"] == "withdrawn"
        assert await editor.ended() == CLEAN
    assert file.read_text() == TEXT
    assert stderr.read_bytes() == b""
    assert (left_in(root), litter(editor)) == (["a.py"], [])


@pytest.mark.parametrize("end", ["shutdown", "end of input", "signal"])
async def test_the_shown_diff_is_gone_with_the_server(root: Path, file: Path, end: str) -> None:
    async with editing(root, **SHOWING) as editor:
        await editor.read("a.py")
        answer = editor.start("agentfs/edit", EDIT)
        await editor.seen("window/showMessageRequest")
        assert left_in(root) == [".agentfs", "a.py"]
        if end == "shutdown":
            await editor.request("shutdown")
            assert left_in(root) == ["a.py"]
            editor.notify("exit", None)
        elif end == "signal":
            editor.process.terminate()
        else:
            hang_up(editor)
        await editor.ended()
        answer.cancel()
    assert left_in(root) == ["a.py"]


def hang_up(editor: Editor) -> None:
    """The editor exits."""
    assert editor.process.stdin is not None
    editor.process.stdin.close()
