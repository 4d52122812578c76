"""What a host can learn about its server: docs/protocol.md#2-requests."""

from pathlib import Path

from agentfs_lsp import __version__
from support.editor import AUTO, REVIEWING, editing


async def test_status_tells_all_and_nothing_of_it_is_looked_up(root: Path) -> None:
    (root / "a.py").write_text("one\n")
    async with editing(root, **REVIEWING) as editor:
        fresh = await editor.request("agentfs/status")
        assert fresh["status"] == "success"
        assert fresh["data"] == {
            "version": __version__,
            "mode": "manual",
            "roots": [{"name": "root", "uri": root.as_uri()}],
            "switches": {},
            "rung": "review",
            "sessions": [],
            "pending": [],
        }
        await editor.read("a.py")
        await editor.request("agentfs/setApprovalMode", {"mode": "auto_edit", "session": "trusted"})
        asked = {"path": "a.py", "old_string": "one", "new_string": "1", "session": "s", "agent": "Ada"}
        editor.start("agentfs/edit", {**asked, "expected_size_bytes": 4}).cancel()
        proposal = await editor.proposed()
        data = (await editor.request("agentfs/status"))["data"]
        [pending] = data["pending"]
        assert isinstance(pending.pop("since_ms"), int)
        assert pending == {
            "id": proposal["id"],
            "session": "s",
            "agent": "Ada",
            "tool": "edit",
            "paths": ["a.py"],
            "state": "shown",
        }
        modes = {one["session"]: one["mode"] for one in data["sessions"]}
        assert modes == {"default": "manual", "trusted": "auto_edit"}


async def test_a_connection_sees_its_own_sessions_alone(root: Path) -> None:
    (root / "a.py").write_text("one\n")
    state = root.parent / "state"
    async with editing(root, options=AUTO, state=state) as first:
        async with editing(root, options=AUTO, state=state) as second:
            await first.read("a.py", session="shared name")
            assert (await second.request("agentfs/status"))["data"]["sessions"] == []
            refused = await second.edit("a.py", "one", "1", session="shared name")
            assert "Read the file first." in refused["error"]["message"]
        landed = await first.edit("a.py", "one", "1", session="shared name")
        assert landed["data"]["applied"] is True


async def test_a_reviewing_client_is_told_of_every_change_of_status(root: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        asked = editor.start("agentfs/write", {"path": "a.py", "content": "one\n"})
        told = await editor.seen("agentfs/statusChanged")
        assert told == {"mode": "manual", "sessions": [], "switches": {}, "pending": 1, "agents": 0}
        await editor.settle(await editor.proposed(), always=True)
        await asked
        await editor.request("agentfs/status")
        told = editor.all("agentfs/statusChanged")[-1]["params"]
        assert told["pending"] == 0
        assert told["sessions"] == [{"session": "default", "mode": "auto_edit"}]
        await editor.request("workspace/executeCommand", {"command": "agentfs.manual"})
        told = editor.all("agentfs/statusChanged")[-1]["params"]
        assert told["sessions"] == [{"session": "default", "mode": "manual"}]


async def test_a_change_without_a_review_is_pending_while_it_lands(root: Path) -> None:
    async with editing(root, **REVIEWING, state=root.parent / "state") as editor:
        await editor.request("agentfs/setApprovalMode", {"mode": "auto_edit"})
        written = await editor.request("agentfs/write", {"path": "a.py", "content": "one\n"})
        history = await editor.request("agentfs/userHistory", {})
        told = [one["params"]["pending"] for one in editor.all("agentfs/statusChanged")]
        assert told[-2:] == [1, 0]
        [change] = history["data"]["changes"]
        assert change["change_id"] == written["data"]["change_id"]
