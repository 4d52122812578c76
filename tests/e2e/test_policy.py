"""Who may touch what: rules, switches, closed lists and a workspace's file
(docs/protocol.md#13-settings-and-policy)."""

import asyncio
import os
import sys
from contextlib import AbstractAsyncContextManager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, ASK, AUTO, NO_ANSWER, REVIEW, REVIEWING, Editor, configure, decided, editing
from support.personas import pressing

ON_THE_PATH = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
GATED = [sys.executable, "-m", "support.gated_server"]
LARGE = "rules = [{{files = ['{}.txt'], read = 'deny'}}]\n" + "# much more\n" * 1000 + "# {gate}\n"
MEMORY = {
    "rules": [
        {"files": ["SOUL.md"], "write": "ask", "edit": "ask"},
        {"files": ["USER.md", "MEMORY.md"], "write": "allow", "edit": "allow", "requires": "memory"},
    ],
    "switches": {"memory": True},
}
NUMBERS = count()


async def changed(editor: Editor, path: str, tool: str = "edit", decision: str = "rejected") -> str:
    asked: dict[str, Any] = {"path": path}
    if tool == "edit":
        asked |= {"old_string": "one", "new_string": "1"}
    else:
        asked["content"] = f"written anew, {next(NUMBERS)}\n"
    return await decided(editor, editor.start(f"agentfs/{tool}", asked), decision)


def gated(root: Path, *gates: Path, **more: Any) -> AbstractAsyncContextManager[Editor]:
    """A server that waits at these gates, all in one folder, before it has read a file that names one."""
    for gate in gates:
        os.mkfifo(gate)
    return editing(root, command=GATED, env={**ON_THE_PATH, "GATES": str(gates[0].parent)}, **more)


# --- the example that everybody starts from ---------------------------------------------------------------


@pytest.mark.parametrize("mode", ["manual", "auto_edit"])
async def test_soul_asks_and_memory_comes_and_goes_with_its_switch(root: Path, mode: str) -> None:
    for name in ("SOUL.md", "USER.md", "MEMORY.md", "notes.md"):
        (root / name).write_text("one\n")
    async with editing(root, options={**MEMORY, "approval": {"mode": mode}}, **REVIEWING) as editor:
        for name in ("SOUL.md", "USER.md", "MEMORY.md", "notes.md"):
            assert (await editor.read(name))["status"] == "success"
        assert await changed(editor, "SOUL.md") == "rejected by user"
        assert await changed(editor, "SOUL.md", "write", "accepted") == "accepted by user"
        for name in ("USER.md", "MEMORY.md"):
            assert await changed(editor, name) == "allowed by rule"
            assert await changed(editor, name, "write") == "allowed by rule"
        usual = "rejected by user" if mode == "manual" else "allowed by mode"
        assert await changed(editor, "notes.md") == usual

        async def is_gone() -> None:
            for name in ("USER.md", "MEMORY.md", "user.MD", "./MEMORY.md"):
                for refused in (
                    await editor.read(name),
                    await editor.edit(name, "anew", "old", dry_run=True),
                    await editor.write(name, "x\n"),
                ):
                    assert refused["error"]["code"] == "ACCESS_DENIED", name
                    assert "switches.memory" in refused["text"]
                    assert "anew" not in refused["text"]
            assert (await editor.read("SOUL.md"))["data"]["content"].startswith("written anew")
            assert await changed(editor, "SOUL.md", "write") == "rejected by user"

        configure(editor, switches={"memory": False})
        await is_gone()
        configure(editor, switches={"memory": True})
        assert await changed(editor, "MEMORY.md", "write") == "allowed by rule"
        assert await editor.request("agentfs/setSwitch", {"name": "memory", "on": False}) == {"ok": True}
        await is_gone()
        assert (await editor.request("agentfs/status"))["data"]["switches"] == {"memory": False}
        await editor.request("agentfs/setSwitch", {"name": "memory", "on": True})
        assert await changed(editor, "USER.md", "write") == "allowed by rule"
        assert (root / "USER.md").read_text().startswith("written anew")


# --- whatever way leads to a file -------------------------------------------------------------------------


async def test_no_link_and_no_created_file_gets_round_a_rule(root: Path) -> None:
    (root / "private").mkdir()
    (root / "private" / "a.md").write_text("one\n")
    (root / "public.md").symlink_to("private/a.md")
    (root / "door").symlink_to("private")
    rules = [
        {"files": ["*.md"], "read": "allow", "write": "allow", "edit": "allow"},
        {"files": ["private/"], "read": "deny", "write": "deny", "edit": "deny"},
    ]
    async with editing(root, options={"rules": rules, **AUTO}) as editor:
        for path in ("private/a.md", "public.md", "door/a.md", "door/../private/a.md", "Private/a.md"):
            assert (await editor.read(path))["error"]["code"] == "ACCESS_DENIED", path
            assert (await editor.write(path, "x\n"))["error"]["code"] == "ACCESS_DENIED", path
        for path in ("private/new/b.md", "door/c.md", "PRIVATE/c.md", "private./c.md"):
            assert (await editor.write(path, "x\n"))["error"]["code"] == "ACCESS_DENIED", path
        assert (await editor.write("public2.md", "x\n"))["data"]["review"]["by"] == "rule"
    assert sorted(path.name for path in root.rglob("*")) == [
        "a.md",
        "door",
        "private",
        "public.md",
        "public2.md",
    ]


@pytest.mark.parametrize("git", ["gitdir: .bare", "gitdir: .bare/worktrees/main", "link", "none"])
async def test_a_repository_is_never_touched_whatever_its_folder_is_called(root: Path, git: str) -> None:
    """As beside worktrees. A `config` or a hook in it would run at the next `git status`."""
    async with editing(root, options=AUTO) as editor:
        (root / ".bare" / "objects").mkdir(parents=True)
        (root / ".bare" / "hooks").mkdir()
        (root / ".bare" / "HEAD").write_text("ref: refs/heads/main\n")
        (root / ".bare" / "config").write_text("[core]\n")
        if git == "link":
            (root / ".git").symlink_to(".bare")
        elif git != "none":
            (root / ".git").write_text(f"{git}\n")
        for answer in (
            await editor.read(".bare/config"),
            await editor.write(".bare/hooks/pre-commit", "#!/bin/sh\n"),
            await editor.write(".bare/worktrees/main/commondir", "../../evil\n"),
        ):
            assert answer["error"]["code"] == "ACCESS_DENIED"
            assert ".bare/**" in answer["text"]
        assert (await editor.write("hooks/a.txt", "a\n"))["status"] == "success"


@pytest.mark.parametrize("git", [b"gitdir: a\0b\n", b"gitdir: " + b"../" * 2000])
async def test_a_folder_with_an_odd_git_file_is_served(root: Path, git: bytes) -> None:
    (root / ".git").write_bytes(git)
    async with editing(root, options=AUTO) as editor:
        assert (await editor.write("a.txt", "a\n"))["status"] == "success"


async def test_what_the_configuration_of_git_names_is_asked_for_in_auto_edit_too(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]\nhooksPath = tools/hooks\n[include]\npath = ../cfg\n")
    (root / "tools" / "hooks").mkdir(parents=True)
    (root / "cfg").write_text("[core]\n")
    allowed = {"rules": [{"files": ["*"], "write": "allow"}], "protected": ["!tools/hooks/README.md"]}
    reject: dict[str, Any] = {ASK: pressing("Reject")}
    async with editing(root, options={**AUTO, **allowed}, answers=reject) as editor:
        assert (await editor.read("cfg"))["data"]["content"] == "[core]\n"
        for path in ("tools/hooks/pre-commit", "cfg"):
            assert (await editor.write(path, "x\n"))["error"]["code"] == "USER_REJECTED"
        for path in ("tools/hooks.md", "tools/hooks/README.md"):
            assert (await editor.write(path, "a\n"))["data"]["review"]["rung"] == "policy"
        (root / ".git" / "config").write_text("[core]\n")
        assert (await editor.write("tools/hooks/pre-commit", "a\n"))["status"] == "success"


async def test_a_read_that_a_rule_asks_for_is_asked(root: Path) -> None:
    (root / "diary.txt").write_text("one\n")
    answers: dict[str, Any] = {"window/showMessageRequest": lambda _: {"title": "Allow once"}}
    rules = [{"files": ["diary.*"], "read": "ask"}]
    async with editing(root, options={"rules": rules, **AUTO}, answers=answers) as editor:
        assert (await editor.edit("diary.txt", "one", "1"))["error"]["code"] == "INVALID_PARAM"
        assert (await editor.read("diary.txt"))["data"]["content"] == "one\n"
        assert len(editor.all("window/showMessageRequest")) == 2  # one of them is a confirmation
        assert (await editor.edit("diary.txt", "one", "1"))["data"]["applied"] is True
        editor.answers["window/showMessageRequest"] = lambda _: {"title": "Deny"}
        assert (await editor.read("diary.txt"))["error"]["code"] == "USER_REJECTED"


# --- at once, and only towards stricter -------------------------------------------------------------------


async def test_pending_proposals_are_judged_again_towards_stricter_only(root: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        asked = {
            name: editor.start("agentfs/write", {"path": name, "content": "x\n"}) for name in ("a.md", "b.md")
        }
        shown = {one["files"][0]["path"]: one for one in [await editor.proposed(1), await editor.proposed(2)]}
        configure(
            editor,
            approval={"mode": "auto_edit"},
            rules=[{"files": ["a.md"], "write": "deny"}, {"files": ["b.md"], "write": "allow"}],
        )
        withdrawn = await asked["a.md"]
        assert withdrawn["error"]["code"] == "ACCESS_DENIED"
        assert withdrawn["context"]["review"]["decision"] == "withdrawn"
        assert (await editor.write("c.md", "x\n"))["data"]["review"]["decision"] == "allowed"
        assert not asked["b.md"].done()
        await editor.settle(shown["b.md"])
        assert (await asked["b.md"])["data"]["review"]["decision"] == "accepted"


async def test_a_change_that_waits_for_its_turn_is_judged_when_it_comes(root: Path) -> None:
    (root / "a.md").write_text("one\n")
    async with editing(root, options={"require_read": False}, **REVIEWING) as editor:
        first = editor.start("agentfs/edit", {"path": "a.md", "old_string": "one", "new_string": "two"})
        proposal = await editor.proposed()
        configure(editor, require_read=False, **AUTO)
        second = editor.start("agentfs/edit", {"path": "a.md", "old_string": "two", "new_string": "three"})
        await editor.request("agentfs/status")
        configure(editor, require_read=False, **AUTO, rules=[{"files": ["*.md"], "edit": "ask"}])
        await editor.settle(proposal)
        assert (await first)["status"] == "success"
        await editor.settle(await editor.proposed(2))
        assert (await second)["data"]["review"]["decision"] == "accepted"


# --- the workspace's own file -----------------------------------------------------------------------------


async def test_a_workspaces_file_tightens_at_once_and_loosens_nothing(root: Path) -> None:
    (root / "ten.txt").write_text("0\n1\n2\n3\n")
    own = root / ".agentfs.toml"
    own.write_text(
        "save = 'always'\n"
        "limits = {read_lines = 2, read_chars = 1000000000}\n"
        "[[rules]]\nfiles = ['*.sql']\nread = 'deny'\nwrite = 'ask'\n"
    )
    async with editing(root, options=AUTO, **REVIEWING) as editor:
        warned = await editor.seen("window/logMessage")
        assert warned["message"] == f'{own}: save can only be "never" in a workspace; ignored.'
        assert (await editor.read("ten.txt"))["data"]["content"] == "0\n1\n"
        assert await changed(editor, "a.sql", "write") == "rejected by user"
        assert await changed(editor, "a.txt", "write") == "allowed by mode"
        assert (await editor.read("a.sql"))["error"]["code"] == "ACCESS_DENIED"
        own.write_text("[approval]\nmode = 'manual'\n")
        assert await changed(editor, "b.txt", "write") == "rejected by user"
        assert await changed(editor, "b.sql", "write") == "rejected by user"
        own.write_text("[approval]\nmode = 'auto_edit'\n")
        configure(editor, approval={"mode": "manual"})
        assert await changed(editor, "c.txt", "write") == "rejected by user"
        own.unlink()
        configure(editor, **AUTO)
        assert await changed(editor, "d.sql", "write") == "allowed by mode"


async def test_a_workspaces_file_that_cannot_be_used_has_everything_asked(root: Path) -> None:
    (root / "a.txt").write_text("one\n")
    (root / ".agentfs.toml").write_text("rules = [")
    answers: dict[str, Any] = {**REVIEWING["answers"], "window/showMessageRequest": lambda _: None}
    rules = [{"files": ["*"], "read": "allow", "write": "allow"}]
    async with editing(
        root, options={**AUTO, "rules": rules}, capabilities=REVIEW, answers=answers
    ) as editor:
        assert "is not valid TOML" in (await editor.seen("window/logMessage"))["message"]
        assert (await editor.read("a.txt"))["error"]["code"] == "USER_REJECTED"
        assert await changed(editor, "b.txt", "write") == "rejected by user"
        (root / ".agentfs.toml").write_text("")
        assert (await editor.read("a.txt"))["status"] == "success"
        assert await changed(editor, "b.txt", "write") == "allowed by rule"


async def test_a_large_workspace_file_is_waited_for_by_what_needs_it(root: Path, tmp_path: Path) -> None:
    (root / "a.txt").write_text("one\n")
    (root / "b.txt").write_text("two\n")
    own, gate = root / ".agentfs.toml", tmp_path / "gate"
    own.write_text(LARGE.format("a", gate="gate"))
    async with gated(root, gate) as editor:
        for denied, allowed in ("ab", "ba"):
            own.write_text(LARGE.format(denied, gate="gate"))
            refused, read = (
                editor.start("agentfs/read", {"path": f"{name}.txt"}) for name in (denied, allowed)
            )
            assert (await editor.request("agentfs/setApprovalMode", {"mode": "manual"}))["ok"]
            assert not refused.done()
            await asyncio.to_thread(gate.write_bytes, b"")
            assert (await refused)["error"]["code"] == "ACCESS_DENIED"
            assert (await read)["status"] == "success"


async def test_a_large_workspace_file_written_on_and_on_holds_nothing_up(root: Path, tmp_path: Path) -> None:
    (root / "a.txt").write_text("one\n")
    own = root / ".agentfs.toml"
    own.write_text(LARGE.format("b", gate="first"))
    async with gated(root, tmp_path / "first", tmp_path / "second") as editor:
        first = editor.start("agentfs/history")
        assert (await editor.request("agentfs/setApprovalMode", {"mode": "manual"}))["ok"]
        own.write_text(LARGE.format("b", gate="second"))
        second = editor.start("agentfs/history")
        assert (await editor.request("agentfs/setApprovalMode", {"mode": "manual"}))["ok"]
        await asyncio.to_thread((tmp_path / "first").write_bytes, b"")
        assert (await first)["status"] == "success"
        assert not second.done()
        await asyncio.to_thread((tmp_path / "second").write_bytes, b"")
        assert (await second)["status"] == "success"


async def test_a_large_workspace_file_overtaken_in_turn_is_not_read(root: Path, tmp_path: Path) -> None:
    gates = [tmp_path / name for name in ("first", "second", "third")]
    waiting = []
    async with gated(root, *gates) as editor:
        for gate in gates:
            (root / ".agentfs.toml").write_text(LARGE.format("b", gate=gate.name))
            waiting.append(editor.start("agentfs/history"))
            assert (await editor.request("agentfs/setApprovalMode", {"mode": "manual"}))["ok"]
        for gate in (gates[0], gates[2]):
            await asyncio.to_thread(gate.write_bytes, b"")
        with pytest.raises(OSError, match="No such device"):  # nobody reads it
            os.open(gates[1], os.O_WRONLY | os.O_NONBLOCK)
        assert [(await one)["status"] for one in waiting] == ["success"] * 3


async def test_a_large_workspace_file_written_on_and_on_delays_no_warning(root: Path, tmp_path: Path) -> None:
    folders = [(name, root / name) for name in ("a", "b")]
    for _, folder in folders:
        folder.mkdir()
    (tmp_path / "open").touch()
    gates = [tmp_path / name for name in ("first", "second", "third")]
    async with gated(root, *gates, folders=folders) as editor:
        for gate in gates:
            (root / "a/.agentfs.toml").write_text(LARGE.format("b", gate=gate.name))
            (root / "b/.agentfs.toml").write_text("tabs = 8 # open")
            waiting = editor.start("agentfs/history")
            assert (await editor.request("agentfs/setApprovalMode", {"mode": "manual"}))["ok"]
        await asyncio.to_thread(gates[0].write_bytes, b"")
        told = await editor.seen("window/logMessage")
        assert told["message"] == f"{root}/b/.agentfs.toml: Unknown setting tabs; ignored."
        assert not waiting.done()
        await asyncio.to_thread(gates[2].write_bytes, b"")
        assert (await waiting)["status"] == "success"


async def test_no_change_is_asked_about_as_a_large_workspace_file_is_read(root: Path, tmp_path: Path) -> None:
    (root / "a.txt").write_text("one\n")
    gate = tmp_path / "gate"
    async with gated(root, gate, options={**AUTO, "save_timeout_s": 0.1}, **REVIEWING) as editor:
        editor.open("a.txt")
        await editor.read("a.txt")
        editor.answers[APPLY] = lambda _: NO_ANSWER
        first = editor.start("agentfs/edit", {"path": "a.txt", "old_string": "one", "new_string": "two"})
        applying = await editor.seen_message(APPLY)
        second = editor.start("agentfs/edit", {"path": "a.txt", "old_string": "two", "new_string": "three"})
        await editor.request("agentfs/status")
        (root / ".agentfs.toml").write_text(LARGE.format("b", gate="gate"))
        third = editor.start("agentfs/history")
        editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
        editor.send(
            {"jsonrpc": "2.0", "id": applying["id"], "result": editor.answers[APPLY](applying["params"])}
        )
        assert (await first)["data"]["landing"] == "editor"
        await editor.request("agentfs/status")
        assert not editor.all("agentfs/proposed")
        await asyncio.to_thread(gate.write_bytes, b"")
        assert (await second)["data"]["review"]["rung"] == "policy"
        assert (await third)["status"] == "success"


async def test_a_saved_workspace_file_withdraws_what_it_denies(root: Path) -> None:
    own = root / ".agentfs.toml"
    async with editing(root, **REVIEWING) as editor:
        asked = editor.start("agentfs/write", {"path": "a.md", "content": "x\n"})
        await editor.proposed()
        own.write_text("rules = [{files = ['a.md'], write = 'deny'}]")
        editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": own.as_uri(), "type": 1}]})
        assert (await asked)["error"]["code"] == "ACCESS_DENIED"


async def test_each_root_has_rules_of_its_own_and_the_innermost_counts(root: Path) -> None:
    inner = root / "inner"
    inner.mkdir()
    (root / ".agentfs.toml").write_text("rules = [{files = ['**/*.md', '/a.txt'], write = 'ask'}]")
    (inner / ".agentfs.toml").write_text("rules = [{files = ['/b.txt'], write = 'deny'}]")
    folders = [("outer", root), ("inner", inner)]
    async with editing(root, options=AUTO, folders=folders, **REVIEWING) as editor:
        assert await changed(editor, "outer/a.txt", "write") == "rejected by user"
        assert await changed(editor, "outer/x.md", "write") == "rejected by user"
        assert await changed(editor, "outer/b.txt", "write") == "allowed by mode"
        for path in ("inner/b.txt", "outer/inner/b.txt"):
            assert await changed(editor, path, "write") == "ACCESS_DENIED"
        assert await changed(editor, "outer/inner/x.md", "write") == "allowed by mode"
        assert await changed(editor, "inner/a.txt", "write") == "allowed by mode"


@pytest.mark.parametrize("waits", ["shown", "queued"])
async def test_a_conflict_of_a_pending_write_shows_no_text_denied_by_then(root: Path, waits: str) -> None:
    path = root / "a.txt"
    path.write_text("one\n")
    async with editing(root, **REVIEWING) as editor:
        if waits == "queued":
            await editor.read("a.txt", session="first")
            params = {"path": "a.txt", "content": "first\n", "session": "first"}
            first = editor.start("agentfs/write", params)
        await editor.read("a.txt")
        write = editor.start("agentfs/write", {"path": "a.txt", "content": "two\n"})
        shown = await editor.proposed()
        await editor.request("agentfs/status")  # both have arrived
        configure(editor, rules=[{"files": ["a.txt"], "read": "deny"}])
        path.write_text("secret\n")
        decision = {"id": shown["id"], "decision": "accepted" if waits == "shown" else "rejected"}
        await editor.request("agentfs/settle", decision)
        if waits == "queued":
            await first
        answer = await write
        assert answer["status"] == "error"
        assert "secret" not in str(answer)


async def test_a_workspace_can_insist_on_relative_paths(root: Path) -> None:
    (root / "a.txt").write_text("one\n")
    async with editing(root, options={"paths": "any"}) as editor:
        assert (await editor.read(str(root / "a.txt")))["status"] == "success"
        (root / ".agentfs.toml").write_text("paths = 'relative'")
        assert (await editor.read(str(root / "a.txt")))["error"]["code"] == "INVALID_PARAM"
        assert (await editor.read("a.txt"))["status"] == "success"
