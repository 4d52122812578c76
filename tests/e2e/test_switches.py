"""Switches set by the user: agentfs/setSwitch, docs/protocol.md#14-the-editors-own-methods."""

from pathlib import Path
from typing import Any

from support.editor import NO_ANSWER, REVIEW, Editor, editing
from support.wire import Message

OPTIONS = {
    "rules": [
        {"files": ["SOUL.md"], "write": "ask", "edit": "ask"},
        {"files": ["USER.md", "MEMORY.md"], "write": "allow", "edit": "allow", "requires": "memory"},
    ],
    "switches": {"memory": True, "other": False},
}


async def turn(editor: Editor, on: bool, name: str = "memory") -> Message:
    return await editor.request("agentfs/setSwitch", {"name": name, "on": on})


async def switches(editor: Editor) -> Any:
    return (await editor.request("agentfs/status"))["data"]["switches"]


async def test_a_switch_is_turned_for_one_connection(root: Path) -> None:
    state = root.parent / "state"
    async with (
        editing(root, options=OPTIONS, state=state) as first,
        editing(root, options=OPTIONS, state=state) as second,
    ):
        await turn(first, on=False)
        assert (await switches(first))["memory"] is False
        assert (await switches(second))["memory"] is True


async def test_a_pending_change_is_withdrawn_when_its_switch_is_turned_off(root: Path) -> None:
    options = {**OPTIONS, "rules": [{"files": ["USER.md"], "write": "ask", "requires": "memory"}]}
    answers = {"workspace/applyEdit": lambda _: NO_ANSWER}
    async with editing(root, options=options, capabilities=REVIEW, answers=answers) as editor:
        asked = editor.start("agentfs/write", {"path": "USER.md", "content": "Ada\n"})
        proposal = await editor.proposed()
        await turn(editor, on=False)
        assert (await asked)["error"]["code"] == "ACCESS_DENIED"
        settled = await editor.seen("agentfs/settled")
        assert settled == {"id": proposal["id"], "outcome": "withdrawn", "reason": "settings"}
    assert list(root.iterdir()) == []


async def test_a_switch_that_there_is_not_is_told(root: Path) -> None:
    async with editing(root, options=OPTIONS) as editor:
        for name in ("nothing", "", "Memory", "memory ", "x" * 100_000, "\u202e\n"):
            answer = await turn(editor, on=True, name=name)
            assert await switches(editor) == OPTIONS["switches"]
            assert (answer["ok"], answer["code"]) == (False, "UNKNOWN")
            assert answer["reason"].startswith("The settings have no switch '")
            assert len(answer["reason"]) < 1000
            assert answer["reason"].isprintable()
        for wrong in (
            {"name": 5},
            {"name": "memory", "on": 1},
            {"name": "memory", "on": False, "session": "s"},
        ):
            assert (await editor.request("agentfs/setSwitch", wrong))["code"] == "INVALID_PARAM"
        assert await switches(editor) == OPTIONS["switches"]
