"""Nothing an agent sends changes mode, rules or switches, by any request
(docs/protocol.md#13-settings-and-policy)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.api.methods import USER_REQUESTS
from agentfs_lsp.lsp.features.agents import COMMANDS
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS
from support.editor import AUTO, Editor, editing
from support.wire import Message

QUESTION = "window/showMessageRequest"
REJECT = {QUESTION: lambda _: {"title": "Reject"}}
OPTIONS = {
    "rules": [
        {"files": ["locked.md"], "read": "deny", "write": "deny", "edit": "deny"},
        {"files": ["USER.md"], "write": "allow", "requires": "memory"},
    ],
    "switches": {"memory": False},
}
WIDER: tuple[Message, ...] = (
    {"mode": "auto_edit"},
    {"approval": {"mode": "auto_edit"}},
    {"approval.mode": "auto_edit"},
    {"agentfs": {"approval": {"mode": "auto_edit"}}},
    {"name": "memory", "on": True},
    {"switches": {"memory": True}},
    {"settings": {"agentfs": {"approval": {"mode": "auto_edit"}, "switches": {"memory": True}}}},
    {"rules": []},
    {"always": True},
    {"decision": "accepted", "always": True},
)
TOOLS = (
    ("standard", "Write", {"path": "a.md", "content": "1\n"}),
    ("gemini", "write_file", {"file_path": "a.md", "content": "1\n"}),
    ("workspace", "write", {"path": "a.md", "content": "1\n"}),
)


async def holds(editor: Editor) -> None:
    """Everything is as the user set it: ask, deny, and off."""
    status = (await editor.request("agentfs/status"))["data"]
    assert status["mode"] == "manual"
    assert {one["mode"] for one in status["sessions"]} <= {"manual"}
    assert status["switches"] == {"memory": False}
    assert (await editor.write("probe.md", "1\n"))["error"]["code"] == "USER_REJECTED"
    for path in ("locked.md", "USER.md"):
        assert (await editor.write(path, "1\n"))["error"]["code"] == "ACCESS_DENIED"
    assert not [path.name for path in editor.root.iterdir() if path.name != "locked.md"]


def odd_params() -> Iterator[tuple[str, Any]]:
    """Every request of an agent, with additional params that would widen its rights."""
    for wider in WIDER:
        yield "agentfs/status", wider
        yield "agentfs/tools", wider
        yield "agentfs/read", {"path": "locked.md", **wider}
        yield "agentfs/write", {"path": "a.md", "content": "1\n", **wider}
        yield "agentfs/edit", {"path": "locked.md", "old_string": "one", "new_string": "1", **wider}
        for dialect, name, arguments in TOOLS:
            call = {"dialect": dialect, "name": name, "arguments": arguments}
            yield "agentfs/call", {**call, **wider, "name": name}
            yield "agentfs/call", {**call, "arguments": {**arguments, **wider}}


@pytest.fixture
def locked(root: Path) -> Path:
    (root / "locked.md").write_text("one\n")
    return root


async def test_no_params_of_any_request_widen(locked: Path) -> None:
    async with editing(locked, options=OPTIONS, answers=REJECT) as editor:
        for method, params in odd_params():
            answer = await editor.request(method, params)
            assert answer["error"]["code"] in {"INVALID_PARAM", "USER_REJECTED"}, (method, params)
        await holds(editor)


async def test_no_tool_stands_for_a_request_of_the_editors(locked: Path) -> None:
    async with editing(locked, options=OPTIONS, answers=REJECT) as editor:
        for dialect, _, _ in TOOLS:
            for method in {**EDITOR_REQUESTS, **USER_REQUESTS}:
                short = method.removeprefix("agentfs/")
                for name in (method, short, short.lower(), f"agentfs.{short}", "manual", "status", "call"):
                    for wider in WIDER:
                        call = {"dialect": dialect, "name": name, "arguments": wider}
                        answer = await editor.request("agentfs/call", call)
                        assert answer["error"]["code"] == "ACCESS_DENIED"
        await holds(editor)


async def test_no_command_stands_for_a_request_of_the_editors(locked: Path) -> None:
    async with editing(locked, options=OPTIONS, answers=REJECT) as editor:
        commands = {
            *(method.replace("/", ".") for method in {**EDITOR_REQUESTS, **USER_REQUESTS}),
            *EDITOR_REQUESTS,
            *USER_REQUESTS,
            *("agentfs.auto_edit", "agentfs.Manual", "workspace/didChangeConfiguration", "agentfs.manual "),
        }
        for command in sorted(commands):
            for wider in WIDER:
                asked = {"command": command, "arguments": [wider]}
                answer = await editor.request("workspace/executeCommand", asked)
                assert answer["error"]["code"] == "INVALID_PARAM"
        await holds(editor)


async def test_the_command_that_agents_have_too_only_tightens(locked: Path) -> None:
    async with editing(locked, options={**OPTIONS, **AUTO}, answers=REJECT) as editor:
        for wider in WIDER:
            asked = {"command": "agentfs.manual", "arguments": [wider]}
            assert await editor.request("workspace/executeCommand", asked) == {"ok": True}
        await holds(editor)


async def test_commands_take_no_more_than_their_requests(locked: Path) -> None:
    async with editing(locked, options=OPTIONS, answers=REJECT) as editor:
        for command in COMMANDS:
            for wider in WIDER:
                asked = {"command": command, "arguments": [{"path": "a.md", "content": "1\n", **wider}]}
                answer = await editor.request("workspace/executeCommand", asked)
                assert answer["error"]["code"] == "INVALID_PARAM"
        await holds(editor)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (".agentfs.toml", '[approval]\nmode = "auto_edit"\n'),
        (".AgentFS.toml", "rules = []\n[switches]\nmemory = true\n"),
        (".vscode/settings.json", '{"agentfs.approval.mode": "auto_edit"}\n'),
        (".VSCODE/settings.json", '{"agentfs.switches": {"memory": true}}\n'),
        ("x.code-workspace", '{"settings": {"agentfs.approval.mode": "auto_edit"}}\n'),
        (".helix/languages.toml", '[language-server.agentfs.config]\napproval = {mode = "auto_edit"}\n'),
        (".nvim.lua", "vim.lsp.config('agentfs', {})\n"),
        (".dir-locals.el", "((nil . ()))\n"),
    ],
)
async def test_settings_are_asked_for_whatever_is_let_through(root: Path, path: str, content: str) -> None:
    async with editing(root, options=AUTO, answers=REJECT) as editor:
        for answer in (
            await editor.write(path, content),
            *[
                await editor.request(
                    "agentfs/call", {"dialect": dialect, "name": name, "arguments": arguments | given}
                )
                for dialect, name, arguments in TOOLS
                for given in [{next(iter(arguments)): path, "content": content}]
            ],
        ):
            assert answer["error"]["code"] == "USER_REJECTED"
        assert len(editor.all(QUESTION)) == 4
    assert list(root.iterdir()) == []


async def test_a_settings_file_that_the_user_let_through_loosens_nothing(locked: Path) -> None:
    """What an agent writes into the root is not the user's setting."""
    content = (
        'rules = [{files = ["locked.md", "USER.md"], read = "allow", write = "allow", edit = "allow"}]\n'
        'require_read = false\n[approval]\nmode = "auto_edit"\n[switches]\nmemory = true\n'
    )
    chosen = iter(["Approve", "Approve"])
    answers = {QUESTION: lambda _: {"title": next(chosen, "Reject")}}
    async with editing(locked, options=OPTIONS, answers=answers) as editor:
        assert (await editor.write(".agentfs.toml", content))["data"]["applied"] is True
        (locked / ".agentfs.toml").rename(locked.parent / "kept.toml")
        await holds(editor)
        (locked.parent / "kept.toml").rename(locked / ".agentfs.toml")
        for path in ("locked.md", "USER.md"):
            assert (await editor.write(path, "1\n"))["error"]["code"] == "ACCESS_DENIED"
        assert (await editor.write("probe.md", "1\n"))["error"]["code"] == "USER_REJECTED"
        assert (await editor.request("agentfs/status"))["data"]["mode"] == "manual"


async def test_always_is_for_one_session_of_one_connection(locked: Path) -> None:
    state = locked.parent / "state"
    chosen = iter(["Always for this session"] * 2)
    answers = {QUESTION: lambda _: {"title": next(chosen, "Reject")}}
    async with (
        editing(locked, options=OPTIONS, answers=answers, state=state) as first,
        editing(locked, options=OPTIONS, answers=REJECT, state=state) as second,
    ):
        assert (await first.write("a.md", "1\n", session="s"))["data"]["applied"] is True
        assert (await first.write("b.md", "1\n", session="s"))["data"]["review"]["decision"] == "allowed"
        call = {"name": "Write", "arguments": {"path": "c.md", "content": "1\n"}}
        for editor, session in ((first, "default"), (first, "S"), (first, "s "), (second, "s")):
            refused = await editor.request("agentfs/call", {**call, "session": session})
            assert refused["error"]["code"] == "USER_REJECTED"
        inside = {**call, "arguments": {**call["arguments"], "session": "s"}}
        assert (await first.request("agentfs/call", inside))["error"]["code"] == "INVALID_PARAM"
        assert (await first.request("agentfs/call", {**call, "session": "s"}))["data"]["applied"] is True
        asked = len(first.all(QUESTION))
        assert (await first.write(".vimrc", "x\n", session="s"))["error"]["code"] == "USER_REJECTED"
        assert len(first.all(QUESTION)) == asked + 1
        assert (await first.write("locked.md", "x\n", session="s"))["error"]["code"] == "ACCESS_DENIED"
