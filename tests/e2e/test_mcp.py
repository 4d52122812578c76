"""`agentfs-lsp mcp` beside an editor that has the folder open, in both eras: docs/protocol.md#mcp."""

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from agentfs_lsp.mcp.calls import Calls
from agentfs_lsp.mcp.catalog import Catalog
from agentfs_lsp.mcp.connection import Connection
from agentfs_lsp.mcp.workspace import Workspace
from support.editor import AUTO, REVIEWING, Editor, configure
from support.mcp import lines, modern
from support.mcp_agent import EDIT, EDITED, ERAS, agent, text
from support.outside import serving
from support.sample import TEXT

WHY = {"explanation": "Figures, as elsewhere."}

Call = asyncio.Future[Any]


async def test_the_editors_user_reviews_and_its_unsaved_text_is_seen(
    era: str, root: Path, file: Path, sockets: Path
) -> None:
    async with serving(root, sockets, **REVIEWING) as editor, agent(era, root, sockets) as client:
        assert client.protocol_version == ERAS[era]
        assert "call wait with its id" in str(client.instructions)
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["read", "edit", "write", "batch", "undo", "history", "wait", "status"]
        assert text(await client.call_tool("read", {"path": str(file)})) == TEXT
        editing_it = asyncio.ensure_future(client.call_tool("edit", EDIT | WHY))
        proposed = await editor.seen("agentfs/proposed")
        assert proposed["agent"] == "outside: Tester"
        assert (await editor.request("agentfs/proposal", {"id": proposed["id"]})).items() >= WHY.items()
        assert file.read_text() == TEXT
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
        edited = await editing_it
        assert (edited.is_error, text(edited)) == (False, f"Updated '{file}' (+1/-1 lines, 12 bytes).")
        assert edited.meta["agentfs-envelope"]["data"]["applied"] is True
        editor.open("b.py", "unsaved\n")
        assert text(await client.call_tool("read", {"path": "b.py"})).endswith("unsaved")
    assert file.read_text() == EDITED


async def test_a_folder_that_the_editor_opened_through_a_link_goes_by_both_names(
    root: Path, file: Path, sockets: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    edits = ((link, "one", "1"), (root, "three", "3"))
    operations = [
        {"tool": "edit", "params": {"path": f"{folder}/a.py", "old_string": old, "new_string": new}}
        for folder, old, new in edits
    ]
    async with (
        serving(root, sockets, options=AUTO, folders=[("link", link)]),
        agent("auto", root, sockets) as client,
    ):
        await client.call_tool("read", {"path": f"{link}/a.py"})
        changed = await client.call_tool("batch", {"operations": operations})
        listed = await client.call_tool("history", {"path": f"{link}/a.py"})
    assert (changed.is_error, listed.is_error) == (False, False), text(changed)
    assert file.read_text() == TEXT.replace("one", "1").replace("three", "3")


async def test_the_users_words_reach_the_model(era: str, root: Path, file: Path, sockets: Path) -> None:
    async with serving(root, sockets, **REVIEWING) as editor, agent(era, root, sockets) as client:
        await client.call_tool("read", {"path": "a.py"})
        for count, (decision, said) in enumerate(
            (
                ({"decision": "rejected", "feedback": "Not now."}, "Not now."),
                ({"decision": "amended", "files": [{"decision": "amended", "text": "mine\n"}]}, "+mine"),
            ),
            1,
        ):
            call = asyncio.ensure_future(client.call_tool("edit", EDIT))
            proposed = await editor.seen("agentfs/proposed", count)
            for one in decision.get("files", ()):
                one["uri"] = proposed["files"][0]["uri"]
            await editor.request("agentfs/settle", {"id": proposed["id"], **decision})
            result = await call
            assert said in text(result)
            assert result.is_error is (count == 1)
    assert file.read_text() == "mine\n"


async def test_a_conflict_comes_with_its_diff(era: str, root: Path, file: Path, sockets: Path) -> None:
    async with serving(root, sockets, **REVIEWING), agent(era, root, sockets) as client:
        await client.call_tool("read", {"path": "a.py"})
        file.write_text(TEXT + "four\n")
        result = await client.call_tool("edit", EDIT)
    assert result.is_error is True
    assert "+four" in text(result)


async def test_a_review_outlasts_the_clients_limit(era: str, root: Path, file: Path, sockets: Path) -> None:
    async with (
        serving(root, sockets, **REVIEWING) as editor,
        agent(era, root, sockets, "--hold", "1") as client,
    ):
        await client.call_tool("read", {"path": "a.py"})
        held = await client.call_tool("edit", EDIT)
        assert (held.is_error, "Call wait with id p-2" in text(held)) == (False, True)
        proposed = await editor.seen("agentfs/proposed")
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
        for _ in range(2):
            assert text(await client.call_tool("wait", {"id": "p-2"})).startswith("Updated")
    assert file.read_text() == EDITED


async def test_a_cancelled_call_withdraws_its_proposal(
    era: str, root: Path, file: Path, sockets: Path
) -> None:
    async with serving(root, sockets, **REVIEWING) as editor, agent(era, root, sockets) as client:
        await client.call_tool("read", {"path": "a.py"})
        call = asyncio.ensure_future(client.call_tool("edit", EDIT))
        await editor.seen("agentfs/proposed")
        call.cancel()
        assert (await editor.seen("agentfs/settled"))["outcome"] == "withdrawn"
        with pytest.raises(asyncio.CancelledError):
            await call
    assert file.read_text() == TEXT


@pytest.mark.parametrize("waits", [False, True])
async def test_what_was_accepted_before_its_call_was_cancelled_is_told_as_it_ends(
    era: str, root: Path, file: Path, sockets: Path, *, waits: bool
) -> None:
    async with serving(root, sockets, **REVIEWING) as editor, agent(era, root, sockets) as client:
        editor.open("a.py")
        await client.call_tool("read", {"path": "a.py"})
        again = asyncio.ensure_future(client.call_tool("edit", EDIT))
        proposal = {"id": (await editor.seen("agentfs/proposed"))["id"]}
        named = {"id": "p-2"}
        waiting = [asyncio.ensure_future(client.call_tool("wait", named))] if waits else []
        await client.call_tool("status")
        settled = await editor.request("agentfs/settle", {**proposal, "decision": "accepted"})
        again.cancel()
        with pytest.raises(asyncio.CancelledError):
            await again
        await client.call_tool("status")
        assert editor.apply(settled["apply"])
        done = {"uri": editor.uri("a.py"), "applied": True, "saved": True}
        await editor.request("agentfs/applied", {**proposal, "files": [{**done}]})
        editor.save("a.py")
        await editor.request("agentfs/saved", {**proposal, "files": [{**done}]})
        for call in waiting or [client.call_tool("wait", named)]:
            assert text(await call).startswith("Updated")
    assert file.read_text() == EDITED


async def test_a_client_that_runs_out_of_time_finds_its_proposal_again(
    era: str, root: Path, file: Path, sockets: Path
) -> None:
    """The mcp package cancels a call with a reason that says so. Another spelling is the same path."""
    async with serving(root, sockets, **REVIEWING) as editor, agent(era, root, sockets) as client:
        await client.call_tool("read", {"path": "a.py"})
        with pytest.raises(Exception, match=r"(?i)timed? ?out"):
            await client.call_tool("edit", EDIT, read_timeout_seconds=0.5)
        proposed = await editor.seen("agentfs/proposed")
        call = asyncio.ensure_future(client.call_tool("edit", EDIT | {"path": f"{root}//d/../a.py"}))
        await client.call_tool("status")
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
        assert text(await call).startswith("Updated")
        assert len(editor.all("agentfs/proposed")) == 1
    assert file.read_text() == EDITED


async def test_an_editor_that_is_killed_withdraws_the_change(
    era: str, root: Path, file: Path, sockets: Path
) -> None:
    async with agent(era, root, sockets) as client:
        async with serving(root, sockets, **REVIEWING) as editor:
            await client.call_tool("read", {"path": "a.py"})
            call = asyncio.ensure_future(client.call_tool("edit", EDIT))
            await editor.seen("agentfs/proposed")
            editor.process.kill()
            result = await call
            await editor.process.wait()
        assert result.is_error is True
        assert "Nothing has changed on disk so far. Read the file, then try again." in text(result)
        assert text(await client.call_tool("read", {"path": "a.py"})) == TEXT  # by a server of its own
    assert file.read_text() == TEXT


async def propose(client: Client, editor: Editor, tool: str = "edit", arguments: Any = EDIT) -> Call:
    """A change of a file that was read, while the user looks at it."""
    await client.call_tool("read", {"path": "a.py"})
    call = asyncio.ensure_future(client.call_tool(tool, arguments))
    await editor.seen("agentfs/proposed")
    return call


NEW = {"tool": "write", "params": {"path": "new.py", "content": "1\n"}}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("edit", EDIT), ("batch", {"operations": [{"tool": "edit", "params": EDIT}, NEW]})],
)
async def test_a_change_waits_for_an_editor_that_is_reloaded(
    era: str, root: Path, file: Path, sockets: Path, tool: str, arguments: Any
) -> None:
    async with agent(era, root, sockets) as client:
        async with serving(root, sockets, **REVIEWING) as editor:
            call = await propose(client, editor, tool, arguments)
        async with serving(root, sockets, **REVIEWING) as editor:
            proposed = await editor.seen("agentfs/proposed")
            await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
            assert (await call).is_error is False
    assert file.read_text() == EDITED
    assert (root / "new.py").exists() is (tool == "batch")


@pytest.mark.parametrize("where", ["disk", "editor"])
async def test_a_reloaded_editor_with_another_text_is_not_asked(
    era: str, root: Path, file: Path, sockets: Path, where: str
) -> None:
    """The agent has not seen that text."""
    async with agent(era, root, sockets) as client:
        async with serving(root, sockets, **REVIEWING) as editor:
            if where == "editor":
                editor.open("a.py", f"{TEXT}unsaved\n")
            call = await propose(client, editor)
            if where == "disk":
                file.write_text(f"{TEXT}changed\n")
        async with serving(root, sockets, **REVIEWING) as editor:
            result = await call
            assert result.is_error is True
            assert "nothing has changed. The editor was closed before the user decided" in text(result)
            assert not editor.all("agentfs/proposed")
    assert file.read_text().startswith(TEXT)


async def test_a_change_under_review_does_not_land_unseen_in_an_editor_that_is_back_in_auto_edit(
    era: str, root: Path, file: Path, sockets: Path
) -> None:
    """Its user had ended that, and was looking at the change."""
    options = {"options": AUTO, **REVIEWING}
    async with agent(era, root, sockets) as client:
        async with serving(root, sockets, **options) as editor:
            await editor.request("agentfs/setApprovalMode", {"mode": "manual"})
            call = await propose(client, editor)
        async with serving(root, sockets, **options):
            result = await call
            assert (result.is_error, "without a review. Read the file again" in text(result)) == (True, True)
    assert file.read_text() == TEXT


async def test_what_the_agent_knows_from_a_change_of_its_own_is_not_what_it_has_read(
    era: str, root: Path, file: Path, sockets: Path
) -> None:
    """The user has taken that change back meanwhile, so the file is as it was read."""
    async with agent(era, root, sockets) as client:
        async with serving(root, sockets, **REVIEWING) as editor:
            await client.call_tool("read", {"path": "a.py"})
            landing = asyncio.ensure_future(client.call_tool("edit", EDIT))
            proposed = await editor.seen("agentfs/proposed")
            await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
            assert text(await landing).startswith("Updated")
            call = asyncio.ensure_future(client.call_tool("write", {"path": "a.py", "content": "2\n"}))
            await editor.seen("agentfs/proposed", 2)
            file.write_text(TEXT)
        async with serving(root, sockets, **REVIEWING) as editor:
            result = await call
            assert (result.is_error, "Read the file again" in text(result)) == (True, True)
            assert not editor.all("agentfs/proposed")
    assert file.read_text() == TEXT


async def test_a_user_who_keeps_agents_out_is_told_of_at_once(
    era: str, root: Path, file: Path, sockets: Path
) -> None:
    async with serving(root, sockets, **REVIEWING) as editor, agent(era, root, sockets) as client:
        call = await propose(client, editor)
        configure(editor, agents={"socket": False})
        result = await call
        assert (result.is_error, "The user's settings changed" in text(result)) == (True, True)
    assert file.read_text() == TEXT


async def test_a_change_that_its_agent_cancels_meanwhile_is_not_proposed_again(
    era: str, root: Path, file: Path, sockets: Path
) -> None:
    async with agent(era, root, sockets) as client:
        async with serving(root, sockets, **REVIEWING) as editor:
            call = await propose(client, editor)
        call.cancel()
        async with serving(root, sockets, **REVIEWING) as editor:
            await client.call_tool("status")
            assert not editor.all("agentfs/proposed")
    assert file.read_text() == TEXT


@pytest.mark.parametrize("other", [None, "Neovim", "Another"])
async def test_a_change_whose_editor_stays_away_ends(
    root: Path, file: Path, sockets: Path, monkeypatch: pytest.MonkeyPatch, other: str | None
) -> None:
    """Also if another one has had the folder open, which may let it land without a review. In this process:
    the time is too long for a test."""
    monkeypatch.setattr("agentfs_lsp.mcp.workspace.RETURN_S", 0.0 if other is None else 1.0)
    connection, workspace = Connection(Catalog(str(root))), Workspace(root, Catalog(str(root)))
    sent: asyncio.Queue[bytes] = asyncio.Queue()
    calls = Calls(connection, lambda: sent.put_nowait(connection.take()), workspace.run, workspace.what)
    async with asyncio.timeout(60), AsyncExitStack() as others:
        if other is not None:
            await others.enter_async_context(serving(root, sockets, name=other, options=AUTO))
        async with serving(root, sockets, **REVIEWING) as editor:
            for name, arguments in (("read", {"path": "a.py"}), ("edit", EDIT)):
                called = modern("tools/call", name, name=name, arguments=arguments)
                for event in connection.receive(lines([called])):
                    calls.happened(event)
                if name == "read":
                    await sent.get()
            await editor.seen("agentfs/proposed")
        (answer,) = json.loads(await sent.get())["result"]["content"]
        assert "The editor was closed before the user decided, and was not opened again" in answer["text"]
        await calls.close()
        await workspace.close()
    assert file.read_text() == TEXT


async def test_a_second_editor_does_not_take_over(era: str, root: Path, file: Path, sockets: Path) -> None:
    """Such as the one that `git commit` opens."""
    async with agent(era, root, sockets) as client, serving(root, sockets) as first:
        first.open("a.py", "the first's\n")
        assert "the first's" in text(await client.call_tool("read", {"path": "a.py"}))
        async with serving(root, sockets) as second:
            second.open("a.py", "the second's\n")
            assert "the first's" in text(await client.call_tool("read", {"path": "a.py"}))
            first.process.kill()
            await first.process.wait()
            assert "the second's" in text(await client.call_tool("read", {"path": "a.py"}))


async def test_a_program_that_the_user_disconnected_is_told_at_once(
    era: str, root: Path, file: Path, sockets: Path
) -> None:
    async with serving(root, sockets) as editor, agent(era, root, sockets) as client:
        await client.call_tool("read", {"path": "a.py"})
        (program,) = (await editor.request("agentfs/agents"))["agents"]
        await editor.request("agentfs/disconnect", {"id": program["id"]})
        refused = await client.call_tool("read", {"path": "a.py"})
        assert "The user has disconnected this program" in text(refused)


async def test_paths_are_the_agents_where_the_editor_has_a_folder_above(
    era: str, root: Path, sockets: Path
) -> None:
    inner = root / "inner"
    inner.mkdir()
    (inner / "a.py").write_text(TEXT)
    auto = {"options": {"approval": {"mode": "auto_edit"}}}
    async with serving(root, sockets, **auto), agent(era, inner, sockets) as client:
        for path in ("a.py", str(inner / "a.py"), (inner / "a.py").as_uri()):
            assert text(await client.call_tool("read", {"path": path})) == TEXT
        operations = [
            {"tool": "edit", "params": EDIT},
            {"tool": "write", "params": {"path": str(inner / "b.py"), "content": "1\n"}},
        ]
        batch = await client.call_tool("batch", {"operations": operations})
        assert text(batch).startswith("Changed 2 files")
        history = await client.call_tool("history", {"path": "b.py"})
        assert '"inner/b.py"' in text(history)
        undone = await client.call_tool("undo")
        assert undone.is_error is False
        for path in ("/etc/hostname", "file://[no-uri"):
            outside = await client.call_tool("read", {"path": path})
            assert outside.is_error is True
        operations = [{"tool": "write", "params": {"path": "/etc/hostname", "content": "1\n"}}]
        outside = await client.call_tool("batch", {"operations": operations})
        assert text(outside).startswith("Path must be within project root.")
    assert (inner / "a.py").read_text() == TEXT
    assert not (inner / "b.py").exists()


async def test_a_model_cannot_say_what_is_the_hosts(era: str, root: Path, sockets: Path) -> None:
    async with serving(root, sockets), agent(era, root, sockets) as client:
        for tool, arguments in (("read", {"path": "a.py"}), ("status", {}), ("history", {})):
            result = await client.call_tool(tool, {**arguments, "session": "default"})
            assert (result.is_error, "session" in text(result)) == (True, True)
