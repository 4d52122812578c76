"""Commands, for editors that know no other requests: docs/protocol.md#15-commands."""

from typing import Any

import pytest

from support.editor import Editor, Message

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def run(editor: Editor, command: Any, *arguments: Any, **more: Any) -> Message:
    return await editor.request(
        "workspace/executeCommand", {"command": command, "arguments": list(arguments), **more}
    )


def told(editor: Editor) -> Message:
    return editor.initialized["capabilities"]


async def test_every_agents_request_is_a_command(auto: Editor) -> None:
    methods = told(auto)["experimental"]["agentfs"]["methods"]
    of_the_editor = {"proposal", "settle", "applied", "saved", "setApprovalMode", "setSwitch"}
    of_the_editor |= {"agents", "disconnect", "userHistory", "userUndo"}
    of_agents = {name for method in methods if (name := method.removeprefix("agentfs/")) not in of_the_editor}
    commands = told(auto)["executeCommandProvider"]["commands"]
    assert set(commands) == {f"agentfs.{name}" for name in of_agents} | {"agentfs.manual"}


@pytest.mark.parametrize(
    ("arguments", "came"),
    [
        (None, None),
        ([], None),
        ([None], None),
        ([[]], []),
        (["a.py"], "a.py"),
        ("a.py", "a.py"),
        ({"path": "a.py"}, {"path": "a.py"}),
        ([{"path": "a.py"}, {"path": "b.py"}], [{"path": "a.py"}, {"path": "b.py"}]),
        ([{"pathh": "a.py"}], {"pathh": "a.py"}),
    ],
)
async def test_wrong_arguments_are_named(auto: Editor, arguments: Any, came: Any) -> None:
    answer = await auto.request(
        "workspace/executeCommand", {"command": "agentfs.edit", "arguments": arguments}
    )
    assert (answer["status"], answer["error"]["code"]) == ("error", "INVALID_PARAM")
    assert answer["context"]["params_input"] == came


@pytest.mark.parametrize("command", ["agentfs.settle", "agentfs.nothing", "other.command", "", None, 7, {}])
async def test_an_unknown_command_is_answered_with_those_there_are(auto: Editor, command: Any) -> None:
    answer = await run(auto, command, {"id": "x", "decision": "accepted"})
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert "agentfs.read" in answer["error"]["message"]


@pytest.mark.parametrize("params", [None, [], 7, {}, {"arguments": [{}]}])
async def test_a_command_request_of_any_shape_is_answered(auto: Editor, params: Any) -> None:
    answer = await auto.request("workspace/executeCommand", params)
    assert answer["error"]["code"] == "INVALID_PARAM"
