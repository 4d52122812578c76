"""Replays the examples of docs/protocol.md with a real server: each of its messages is as printed.

Times and the proposal's random id vary. Comments in the document say what happens between the messages: a
file is written, opened or saved, an edit is applied, or another session starts.
"""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.api.methods import AGENT_REQUESTS
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS
from support.docs import REPOSITORY, examples, text_of
from support.editor import AUTO, PENDING, REVIEWING, Editor, editing
from support.wire import Message

DOCS = text_of("protocol.md")
STEP = re.compile(
    r"^```json\n(?P<message>.*?)^```$|^<!-- (?!table )(?P<doing>.*?) -->$", re.MULTILINE | re.DOTALL
)
VOLATILE = {"change_id", "time_ms", "mtime_ms", "file_mtime_ms", "waited_ms", "since_ms"}
FOLDER = "file:///home/ada/tides"


class Play:
    """One session of the document with its editor."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.ids: dict[str, str] = {}  # the document's proposal ids to the server's
        self.asked: dict[int, asyncio.Future[Any]] = {}
        self.answers: dict[int, Message] = {1: editor.initialized}
        self.seen: dict[str, int] = {}

    async def do(self, doing: str) -> None:
        verb, *rest = doing.split(" ", 2)
        match verb, *rest:
            case "disk", path, text:
                (self.editor.root / path).write_text(text.replace("\\n", "\n"))
            case "open", path:
                self.editor.open(path)
            case "read", path:
                await self.editor.read(path, session="chat-1")
            case "save", path:
                self.editor.save(path)
            case "apply", number:
                assert self.editor.apply(self.answers[int(number)]["apply"])
            case _:
                raise AssertionError(doing)

    async def translate(self, message: Message) -> None:
        """Send the message if it is the client's, else compare it with the server's."""
        if "method" not in message:
            await self.answered(message)
        elif message["method"] in {*AGENT_REQUESTS, *EDITOR_REQUESTS}:
            params = self.translated(message["params"])
            self.asked[message["id"]] = self.editor.start_as(message["id"], message["method"], params)
        else:
            count = self.seen[message["method"]] = self.seen.get(message["method"], 0) + 1
            params = await self.editor.seen(message["method"], count)
            if message["method"] == "agentfs/proposed":
                self.ids[message["params"]["id"]] = params["id"]
            self.compare(message["params"], params)

    async def answered(self, message: Message) -> None:
        if isinstance(message["id"], str):  # a response of the client, sent by the script
            assert message["result"] == PENDING
            return
        if message["id"] not in self.answers:
            self.answers[message["id"]] = await self.asked[message["id"]]
        self.compare(message["result"], self.answers[message["id"]])

    def translated(self, value: Any) -> Any:
        """What the document prints, with this run's values."""
        text = json.dumps(value).replace(FOLDER, self.editor.root.as_uri())
        for printed, real in self.ids.items():
            text = text.replace(printed, real)
        return json.loads(text)

    def compare(self, printed: Any, real: Any) -> None:
        real = without_times(real)
        assert without_times(self.translated(printed)) == real, (
            f"docs/protocol.md prints {json.dumps(printed)}\nthe server says {json.dumps(real)}"
        )


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: 0 if key in VOLATILE else without_times(each) for key, each in value.items()}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def steps(session: str) -> list[re.Match[str]]:
    """The messages in this session's turns; "": those before the first session."""
    found: dict[str, list[re.Match[str]]] = {}
    at = ""
    for step in STEP.finditer(DOCS):
        verb, _, name = (step["doing"] or "").partition(" ")
        if verb == "session":
            at = name
        else:
            found.setdefault(at, []).append(step)
    return found[session]


async def play(editor: Editor, script: list[re.Match[str]]) -> int:
    """Returns the number of messages."""
    session = Play(editor)
    for step in script:
        if step["doing"]:
            await session.do(step["doing"])
        else:
            await session.translate(json.loads(step["message"]))
    assert set(session.asked) <= set(session.answers), "a request is printed without its answer"
    return sum(bool(step["message"]) for step in script)


def folder(tmp_path: Path) -> Path:
    root = tmp_path / "tides"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("one\ntwo\nthree\n")
    return root


@pytest.mark.parametrize(
    ("session", "starts_with", "messages"),
    [("", {"options": AUTO}, 13), ("review", {**REVIEWING, "name": ""}, 16), ("batch", {"options": AUTO}, 2)],
)
async def test_a_session_is_as_printed(
    tmp_path: Path, session: str, starts_with: dict[str, Any], messages: int
) -> None:
    async with editing(folder(tmp_path), **starts_with) as editor:
        assert await play(editor, steps(session)) == messages


async def test_the_example_of_the_readme(tmp_path: Path) -> None:
    """Of the response it prints a part: each `"…"` stands for more keys."""
    example = examples((REPOSITORY / "README.md").read_text("utf-8"), "jsonc")[0]
    read, edit, printed = (json.loads(one.partition("\n")[2]) for one in example.split("// ")[1:])
    root = folder(tmp_path)
    before = "timeout = 30\n"
    (root / "src" / "app.py").write_text(before + "#" * (812 - len(before)))
    async with editing(root, **REVIEWING) as editor:
        await editor.request("agentfs/read", read)
        answer = asyncio.ensure_future(editor.request("agentfs/edit", edit))
        await editor.settle(await editor.proposed())
        assert_printed(printed, await answer)


def assert_printed(printed: Any, real: Any) -> None:
    if not isinstance(printed, dict):
        assert printed == real
        return
    for key in printed.keys() - {"…"}:
        assert_printed(printed[key], real[key])
    assert "…" in printed or printed.keys() == real.keys()
