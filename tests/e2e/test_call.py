"""Calling tools by name: docs/protocol.md#agentfscall."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from support.calling import QUESTION, call, read
from support.editor import AUTO, NO_ANSWER, REVIEWING, Editor, RpcError, editing
from support.wire import Message


@pytest.fixture
def file(root: Path) -> Path:
    path = root / "a.md"
    path.write_text("one\ntwo\n")
    return path


# --- one way in -------------------------------------------------------------------------------------------


async def test_a_call_is_the_request_it_stands_for(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        for by_tool, by_request in (
            (
                await call(editor, "standard", "Read", path="a.md", start_line=2, limit=1),
                await editor.read("a.md", start_line=2, limit=1),
            ),
            (
                await call(editor, "standard", "Edit", path="a.md", old_string="o", new_string="0"),
                await editor.edit("a.md", "o", "0"),
            ),
            (
                await call(editor, "standard", "Write", path="b.md", content="1\n", dry_run=True),
                await editor.write("b.md", "1\n", dry_run=True),
            ),
        ):
            for answer in (by_tool, by_request):
                answer["stats"].pop("time_ms")
                answer["context"].pop("params_input")
            assert by_tool == by_request


async def test_a_change_is_reviewed_with_what_the_host_says(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        host = {"session": "chat", "agent": "Ada", "explanation": "shorter"}
        await read(editor, session="chat")
        arguments = {"path": "a.md", "oldText": "two", "newText": "2"}
        asked = {"dialect": "workspace", "name": "edit", "arguments": arguments, **host}
        waiting = editor.start("agentfs/call", asked)
        proposal = await editor.proposed()
        assert {key: proposal[key] for key in host} == host
        assert proposal["tool"] == "edit"
        await editor.settle(proposal)
        landed = await waiting
    assert landed["data"]["review"]["decision"] == "accepted"
    assert file.read_text() == "one\n2\n"


async def test_sessions_are_the_hosts_and_the_lock_is_theirs(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await read(editor, session="other")
        refused = await call(editor, "workspace", "edit", path="a.md", oldText="two", newText="2")
        assert refused["error"]["message"] == "Read the file first."
        await call(editor, "workspace", "read", path="a.md")
        file.write_text("one\ntwo\nthree\n")
        conflict = await call(editor, "workspace", "edit", path="a.md", oldText="two", newText="2")
    assert conflict["error"]["code"] == "CONFLICT"
    assert "+three" in conflict["context"]["conflict"]["diff_since_read"]


WRITE = {"path": "a.md", "content": "one\n"}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("agentfs/call", {"name": "Write", "arguments": WRITE}),
        ("workspace/executeCommand", {"command": "agentfs.write", "arguments": [WRITE]}),
    ],
)
async def test_a_call_or_command_is_cancelled_and_reports_progress(
    root: Path, method: str, params: Message
) -> None:
    async with editing(root, answers={QUESTION: lambda _: NO_ANSWER}) as editor:
        waiting = editor.start(method, {**params, "workDoneToken": "its own"})
        begun = await editor.seen("$/progress")
        assert (begun["token"], begun["value"]["kind"]) == ("its own", "begin")
        editor.cancel(waiting)
        with pytest.raises(RpcError) as refused:
            await waiting
        assert refused.value.code == -32800
        assert [one["params"]["value"]["kind"] for one in editor.all("$/progress")] == ["begin", "end"]
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("place", ["beside", "among"])
@pytest.mark.parametrize(
    ("dialect", "write", "edit"),
    [
        ("standard", ("Write", "path", "content"), ("Edit", "path", "old_string", "new_string")),
        (
            "gemini",
            ("write_file", "file_path", "content"),
            ("replace", "file_path", "old_string", "new_string"),
        ),
        ("workspace", ("write", "path", "content"), ("edit", "path", "oldText", "newText")),
    ],
)
async def test_a_host_says_what_the_file_should_be(
    root: Path, file: Path, place: str, dialect: str, write: tuple[str, ...], edit: tuple[str, ...]
) -> None:
    """Next to the arguments or among them; no definition mentions it."""

    async def sent(tool: tuple[str, ...], values: tuple[str, ...], expected: Message) -> Message:
        name, *parameters = tool
        arguments: Message = dict(zip(parameters, values, strict=True))
        asked: Message = {"dialect": dialect, "name": name, "arguments": arguments}
        (asked if place == "beside" else arguments).update(expected)
        answer: Message = await editor.request("agentfs/call", asked)
        return answer

    async with editing(root, options=AUTO) as editor:
        seen = await editor.read("a.md", session="the host's own")
        expected = {
            "expected_hash": seen["data"]["hash"],
            "expected_mtime_ms": seen["stats"]["file_mtime_ms"],
            "expected_size_bytes": seen["stats"]["file_size_bytes"],
        }
        for name, wrong in (("hash", "sha256:0"), ("mtime_ms", 1), ("size_bytes", 1)):
            stale = {**expected, f"expected_{name}": wrong}
            for tool, values in ((write, ("a.md", "1\n")), (edit, ("a.md", "two", "2"))):
                refused = await sent(tool, values, stale)
                assert refused["error"]["code"] == "CONFLICT"
                assert refused["context"]["conflict"]["expected"][name] == wrong
        assert file.read_text() == "one\ntwo\n"
        edited = await sent(edit, ("a.md", "two", "2"), expected)
        assert edited["status"] == "success"
        now = {"expected_hash": (await editor.read("a.md"))["data"]["hash"]}
        assert (await sent(write, ("a.md", "3\n"), now))["status"] == "success"
        assert file.read_text() == "3\n"
        misshapen = await sent(write, ("a.md", "4\n"), {"expected_mtime_ms": "yesterday"})
        assert misshapen["error"]["message"].startswith("Parameter 'expected_mtime_ms'")


async def test_what_a_host_expects_twice_must_be_the_same(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        arguments = {"path": "a.md", "content": "1\n", "expected_size_bytes": 8}
        asked = {"name": "Write", "arguments": arguments}
        refused = await editor.request("agentfs/call", {**asked, "expected_size_bytes": 9})
        assert refused["error"]["code"] == "INVALID_PARAM"
        assert refused["text"] == (
            "Parameter 'expected_size_bytes' has different values inside and outside 'arguments'. Give "
            "it only once."
        )
        assert file.read_text() == "one\ntwo\n"
        agreed = await editor.request("agentfs/call", {**asked, "expected_size_bytes": 8})
        assert agreed["status"] == "success"


# --- wrong calls ------------------------------------------------------------------------------------------


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    root = tmp_path_factory.mktemp("calls") / "root"
    root.mkdir()
    (root / "a.md").write_text("one\n")
    async with editing(root, options=AUTO) as editor:
        yield editor


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("dialect", "name", "arguments", "named"),
    [
        ("standard", "Edit", {"path": "a.md", "old_string": "one"}, "new_string"),
        ("standard", "Edit", {"path": "a.md", "oldText": "one", "new_string": "1"}, "oldText"),
        ("standard", "Read", {"path": "a.md", "start_line": 0}, "start_line"),
        ("standard", "Write", {"path": "a.md", "content": "1", "create_dirs": True}, "create_dirs"),
        ("standard", "Write", {"path": "a.md", "content": "1", "on_conflict": "merge"}, "on_conflict"),
        ("standard", "Write", {"path": "a.md", "content": "1", "session": "x"}, "session"),
        ("standard", "Write", {"path": "a.md", "content": "1", "agent": "x"}, "agent"),
        ("standard", "Write", {"path": "a.md", "content": "1", "explanation": "x"}, "explanation"),
        ("gemini", "read_file", {"path": "a.md"}, "path"),
        ("gemini", "write_file", {"file_path": "a.md", "content": 5}, "content"),
        (
            "gemini",
            "write_file",
            {"file_path": "a", "content": "", "modified_by_user": 1},
            "modified_by_user",
        ),
        ("gemini", "replace", {"file_path": "a.md", "old_string": "a"}, "new_string"),
        ("workspace", "edit", {"path": "a.md", "old_string": "one", "newText": "1"}, "old_string"),
        ("workspace", "read", {"path": "a.md", "limit": 1}, "limit"),
        ("workspace", "read", {"path": "a.md", "expected_hash": "sha256:0"}, "expected_hash"),
        ("workspace", "read", {}, "path"),
    ],
)
async def test_wrong_arguments_are_named_as_the_dialect_names_them(
    shared: Editor, dialect: str, name: str, arguments: Message, named: str
) -> None:
    answer = await call(shared, dialect, name, **arguments)
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert answer["error"]["message"].startswith((f"Parameter '{named}'", f"Unknown parameter '{named}'"))


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("params", "named"),
    [
        (None, "name"),
        ({"name": "Read"}, "arguments"),
        ({"name": "Read", "arguments": '{"path": "a.md"}'}, "arguments"),
        ({"name": "Read", "arguments": None}, "arguments"),
        ({"name": ["Read"], "arguments": {}}, "name"),
        ({"name": "Read", "arguments": {}, "dialect": "yaml"}, "dialect"),
        ({"name": "Read", "arguments": {}, "mode": "auto_edit"}, "mode"),
    ],
)
async def test_wrong_params_are_named(shared: Editor, params: Any, named: str) -> None:
    answer = await shared.request("agentfs/call", params)
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert answer["error"]["message"].startswith((f"Parameter '{named}'", f"Unknown parameter '{named}'"))


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        ("standard", "read"),
        ("standard", "agentfs/setApprovalMode"),
        ("gemini", "Read"),
        ("workspace", "settle"),
        ("workspace", ""),
        ("workspace", "x" * 100_000),
        ("workspace", "\u202eread\n"),
    ],
)
async def test_a_tool_that_is_not_listed_is_denied(shared: Editor, dialect: str, name: str) -> None:
    answer = await call(shared, dialect, name, path="a.md")
    assert answer["error"]["code"] == "ACCESS_DENIED"
    assert len(answer["text"]) < 1000
    assert "\u202e" not in answer["text"]
