"""A non-atomic batch is cancelled while it lands (docs/protocol.md#10-agentfsbatch)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, AUTO, Editor, editing
from support.landing import nothing_can_land
from support.operations import edits
from support.wire import Message

NAMES = ("a.py", "b.py", "c.py")


@pytest.fixture
def files(root: Path) -> Path:
    for name in NAMES:
        (root / name).write_text("old\n")
    return root


async def started(editor: Editor, **params: Any) -> asyncio.Future[Message]:
    for name in NAMES:
        await editor.read(name)
    operations = [edits(name, "old", "new") for name in NAMES]
    return editor.start("agentfs/batch", {"operations": operations, **params})


def on_disk(root: Path) -> list[str]:
    return [(root / name).read_text() for name in NAMES]


def left_out(answer: Message, *numbers: int) -> bool:
    """Whether these were skipped and reported so."""
    results = answer["data"]["results"]
    cancelled = [one["index"] for one in results if one.get("error", {}).get("code") == "CANCELLED"]
    told = all(
        f"'{NAMES[number]}' was not changed: the request was cancelled." in answer["text"]
        for number in numbers
    )
    return cancelled == answer["data"]["failed_items"] == list(numbers) and told


async def test_the_file_under_way_lands_and_the_rest_is_left(files: Path) -> None:
    async with editing(files, options=AUTO) as editor:
        with nothing_can_land(editor.state):
            asked = await started(editor, atomic=False)
            await editor.are_pending("landing")
            editor.cancel(asked)
            await editor.request("agentfs/status")  # the server has then seen the cancellation
        answer = await asked
        changes = (await editor.request("agentfs/history"))["data"]["changes"]
    assert (answer["status"], answer["data"]["applied"]) == ("partial", False)
    assert answer["text"].startswith("Changed one file (+1/-1 lines).")
    assert left_out(answer, 1, 2)
    assert on_disk(files) == ["new\n", "old\n", "old\n"]
    assert [file["path"] for file in changes[0]["files"]] == ["a.py"], "history knows what landed alone"


async def test_what_the_client_is_applying_stands_and_the_closed_files_are_left(files: Path) -> None:
    async with editing(files, options=AUTO) as editor:
        editor.open("b.py")
        asked = await started(editor, atomic=False)

        def cancel_and_apply(params: Message) -> Message:
            editor.cancel(asked)
            return {"applied": editor.apply(params["edit"])}

        editor.answers[APPLY] = cancel_and_apply
        answer = await asked
        assert editor.documents[editor.uri("b.py")].text == "new\n"
    assert left_out(answer, 0, 2)
    assert answer["data"]["results"][1]["landing"] == "editor"
    assert on_disk(files) == ["old\n", "old\n", "old\n"]


async def test_an_atomic_one_lands_as_a_whole(files: Path) -> None:
    async with editing(files, options=AUTO) as editor:
        with nothing_can_land(editor.state):
            asked = await started(editor)
            await editor.are_pending("landing")
            editor.cancel(asked)
            await editor.request("agentfs/status")
        answer = await asked
    assert answer["status"] == "success"
    assert on_disk(files) == ["new\n"] * 3
