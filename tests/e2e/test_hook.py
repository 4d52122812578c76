"""`agentfs-lsp hook claude-code`: Claude Code's own edits, reviewed."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.editor import AUTO, REVIEWING
from support.outside import LAUNCHER, environment, serving
from support.sample import TEXT

EDITED = TEXT.replace("two", "2")


async def hook(
    root: Path, sockets: Path, event: object, *arguments: str, **more: str
) -> subprocess.CompletedProcess[str]:
    env = {**environment(root, sockets), "CLAUDE_PROJECT_DIR": str(root), **more}
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-P", LAUNCHER, "hook", "claude-code", *arguments],
        env=env,
        input=event if isinstance(event, str) else json.dumps(event),
        capture_output=True,
        encoding="utf-8",
        check=False,
        start_new_session=True,
    )


def using(tool: str, path: Path, **given: Any) -> dict[str, Any]:
    told = {"hook_event_name": "PreToolUse", "cwd": str(path.parent), "session_id": "s"}
    return {**told, "tool_name": tool, "tool_input": {"file_path": str(path), **given}}


def edit(path: Path, old: str = "two", new: str = "2", **more: Any) -> dict[str, Any]:
    return using("Edit", path, old_string=old, new_string=new, **more)


def reason(ended: subprocess.CompletedProcess[str]) -> str:
    """Why the tool was denied."""
    assert (ended.returncode, ended.stderr) == (0, "")
    told = json.loads(ended.stdout)["hookSpecificOutput"]
    assert (told["hookEventName"], told["permissionDecision"]) == ("PreToolUse", "deny")
    return str(told["permissionDecisionReason"])


async def test_an_edit_is_reviewed_in_the_editor_and_not_made_twice(
    root: Path, file: Path, sockets: Path
) -> None:
    async with serving(root, sockets, **REVIEWING) as editor:
        ending = asyncio.ensure_future(hook(root, sockets, edit(file)))
        proposed = await editor.seen("agentfs/proposed")
        assert proposed["agent"] == "outside: Claude Code"
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
        said = reason(await ending)
        assert ("do not make it again" in said, "Updated" in said) == (True, True)
        ending = asyncio.ensure_future(hook(root, sockets, edit(file, "2", "3")))
        proposed = await editor.seen("agentfs/proposed", 2)
        rejected = {"id": proposed["id"], "decision": "rejected", "feedback": "Not now."}
        await editor.request("agentfs/settle", rejected)
        assert "Not now." in reason(await ending)
    assert file.read_text() == EDITED


async def test_a_project_that_is_named_by_a_link_is_the_one_that_the_editor_has_open(
    root: Path, file: Path, sockets: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    async with serving(root, sockets, options=AUTO):
        reason(await hook(root, sockets, edit(link / file.name), CLAUDE_PROJECT_DIR=str(link)))
    assert file.read_text() == EDITED


async def test_writes_create_and_replace_and_edits_of_nothing_create(
    root: Path, file: Path, sockets: Path
) -> None:
    async with serving(root, sockets, options=AUTO):
        for path, event in (
            (file, using("Write", file, content="")),
            (root / "b.py", using("Write", root / "b.py", content="b\n")),
            (root / "c.py", edit(root / "c.py", "", "c\n")),
        ):
            assert "do not make it again" in reason(await hook(root, sockets, event))
            assert path.exists()
        everywhere = edit(root / "b.py", "b", "bb", replace_all=True)
        assert "do not make it again" in reason(await hook(root, sockets, everywhere))
    assert [path.read_text() for path in (file, root / "b.py", root / "c.py")] == ["", "bb\n", "c\n"]


@pytest.mark.parametrize(
    ("said", "path"), [("a.py", "sub/a.py"), ("../b.py", "b.py"), ("~/c.py", "home/c.py"), ("~x", "sub/~x")]
)
async def test_a_path_is_the_one_that_the_tool_would_write(
    root: Path, file: Path, sockets: Path, said: str, path: str
) -> None:
    for folder in ("sub", "home"):
        (root / folder).mkdir()
    event = {**using("Write", Path(said), content="1\n"), "cwd": str(root / "sub")}
    async with serving(root, sockets, options=AUTO):
        assert f"'{root / path}'" in reason(await hook(root, sockets, event, HOME=str(root / "home")))
    assert (root / path).read_text() == "1\n"
    assert file.read_text() == TEXT


async def test_unsaved_text_that_the_agent_has_not_seen_is_not_replaced(
    root: Path, file: Path, sockets: Path
) -> None:
    async with serving(root, sockets, options=AUTO) as editor:
        editor.open("a.py", "mine\n")
        await editor.request("agentfs/status")
        blocked = await hook(root, sockets, using("Write", file, content="all\n"))
        assert (blocked.returncode, "unsaved text" in blocked.stderr) == (2, True)
    assert file.read_text() == TEXT


async def test_what_cannot_be_done_is_denied_with_the_reason(root: Path, file: Path, sockets: Path) -> None:
    async with serving(root, sockets, options=AUTO):
        assert "unique" in reason(await hook(root, sockets, edit(file, "e", "E")))
        outside = root.parent / "other.py"
        assert reason(await hook(root, sockets, using("Write", outside, content="1\n")))
        notebook = using("NotebookEdit", root / "a.ipynb", new_source="1")
        assert "Use Edit or Write" in reason(await hook(root, sockets, notebook))
        assert (await hook(root, sockets, edit(file, "", "x"))).returncode == 2
    assert not outside.exists()
    assert file.read_text() == TEXT


async def test_without_a_decision_in_time_it_is_denied(root: Path, file: Path, sockets: Path) -> None:
    async with serving(root, sockets, **REVIEWING) as editor:
        said = reason(await hook(root, sockets, edit(file), "--timeout", "1"))
        assert said.startswith("Nobody decided within 1 s")
        assert (await editor.seen("agentfs/settled"))["outcome"] == "withdrawn"
    assert file.read_text() == TEXT


async def test_a_server_that_hangs_does_not_keep_it_longer_than_claude_code_waits(
    root: Path, file: Path, sockets: Path
) -> None:
    async with serving(root, sockets) as editor:
        os.kill(editor.process.pid, signal.SIGSTOP)
        try:
            async with asyncio.timeout(20):
                blocked = await hook(root, sockets, edit(file), "--timeout", "1")
        finally:
            os.kill(editor.process.pid, signal.SIGCONT)
    assert (blocked.returncode, "did not answer in time" in blocked.stderr) == (2, True)


async def test_of_a_change_whose_server_is_gone_it_is_not_said_that_it_was_not_made(
    root: Path, file: Path, sockets: Path
) -> None:
    """The editor applied and saved it, and ended before the server had answered."""
    async with serving(root, sockets, **REVIEWING) as editor:
        editor.open("a.py")
        ending = asyncio.ensure_future(hook(root, sockets, edit(file)))
        proposal = {"id": (await editor.seen("agentfs/proposed"))["id"]}
        settled = await editor.request("agentfs/settle", {**proposal, "decision": "accepted"})
        assert editor.apply(settled["apply"])
        applied = {"uri": editor.uri("a.py"), "applied": True}
        await editor.request("agentfs/applied", {**proposal, "files": [applied]})
        editor.save("a.py")
        editor.process.kill()
        blocked = await ending
        await editor.process.wait()
    assert (blocked.returncode, file.read_text()) == (2, EDITED)
    assert "It is not known whether agentfs made this change" in blocked.stderr
    assert "did not make" not in blocked.stderr


@pytest.mark.parametrize(
    ("closed", "told", "text"),
    [
        ("", "It is not known whether", EDITED),
        (" >&-", "agentfs did not make this change", TEXT),
    ],
    ids=["nobody reads it", "closed"],
)
async def test_what_cannot_be_told_on_standard_output_blocks_the_tool(
    root: Path, file: Path, sockets: Path, closed: str, told: str, text: str
) -> None:
    unread, output = os.pipe()
    os.close(unread)
    async with serving(root, sockets, options=AUTO):
        blocked = await asyncio.to_thread(
            subprocess.run,
            ["sh", "-c", f'exec "$0" -P "$1" hook claude-code{closed}', sys.executable, LAUNCHER],
            env={**environment(root, sockets), "CLAUDE_PROJECT_DIR": str(root)},
            input=json.dumps(edit(file)).encode(),
            stdout=output,
            stderr=subprocess.PIPE,
            check=False,
        )
    os.close(output)
    assert (blocked.returncode, file.read_text()) == (2, text)
    assert told in blocked.stderr.decode()


async def test_the_event_is_utf_8_whatever_the_terminal_uses(root: Path, sockets: Path) -> None:
    path = root / "b.py"
    event = json.dumps(using("Write", path, content="Zoë €\n"), ensure_ascii=False)
    async with serving(root, sockets, options=AUTO):
        assert "do not make it again" in reason(await hook(root, sockets, event, PYTHONIOENCODING="latin-1"))
    assert path.read_text("utf-8") == "Zoë €\n"


async def test_without_an_editor_it_is_denied(root: Path, file: Path, sockets: Path) -> None:
    assert "Nobody can be asked" in reason(await hook(root, sockets, edit(file)))
    assert file.read_text() == TEXT


@pytest.mark.parametrize(
    "event", ["", "{", "[]", "{}", {"tool_name": "Edit", "tool_input": {}}, {"tool_name": "Write"}]
)
async def test_whatever_goes_wrong_blocks_the_tool(root: Path, sockets: Path, event: object) -> None:
    blocked = await hook(root, sockets, event)
    assert (blocked.returncode, blocked.stdout) == (2, "")
    assert "agentfs did not make this change" in blocked.stderr


async def test_other_tools_are_left_alone(root: Path, file: Path, sockets: Path) -> None:
    ended = await hook(root, sockets, using("Read", file))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
