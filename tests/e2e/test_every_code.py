"""Every code and every status of docs/protocol.md#3-envelope, each by a way an agent meets it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from agentfs_lsp.api.messages.errors import ERRORS
from support.editor import REVIEWING, Editor, Message, editing
from support.frail_server import SECRET

pytestmark = pytest.mark.asyncio(loop_scope="module")

Scenario = Callable[["Editor"], Awaitable["Message"]]

LAUNCHER = Path(__file__).parents[1] / "support" / "frail_server.py"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    root = tmp_path_factory.mktemp("codes") / "root"
    root.mkdir()
    async with editing(
        root,
        command=[sys.executable, str(LAUNCHER)],
        stderr=root.parent / "stderr",
        **REVIEWING,
    ) as one:
        yield one


async def not_found(editor: Editor) -> Message:
    return await editor.read("nothing.py")


async def access_denied(editor: Editor) -> Message:
    return await editor.read("../outside.py")


async def permission_denied(editor: Editor) -> Message:
    (editor.root / "locked.py").write_text("one\n")
    (editor.root / "locked.py").chmod(0)
    return await editor.read("locked.py")


async def is_directory(editor: Editor) -> Message:
    (editor.root / "folder").mkdir()
    return await editor.read("folder")


async def binary_file(editor: Editor) -> Message:
    (editor.root / "binary").write_bytes(b"a\0b")
    return await editor.read("binary")


async def invalid_param(editor: Editor) -> Message:
    return await editor.request("agentfs/read", {"pathh": "a.py"})


async def conflict(editor: Editor) -> Message:
    path = editor.root / "moved.py"
    path.write_text("one\n")
    await editor.read("moved.py")
    path.write_text("one more\n")
    return await editor.edit("moved.py", "one", "1")


async def user_rejected(editor: Editor) -> Message:
    asked = editor.start("agentfs/write", {"path": "rejected.py", "content": "one\n"})
    await editor.settle(await editor.proposed(len(editor.all("agentfs/proposed")) + 1), "rejected")
    return await asked


async def timeout(editor: Editor) -> Message:
    editor.notify("workspace/didChangeConfiguration", {"settings": {"approval": {"timeout_s": 0.05}}})
    answer = await editor.write("slow.py", "one\n")
    editor.notify("workspace/didChangeConfiguration", {"settings": {}})
    return answer


async def execution_error(editor: Editor) -> Message:
    """The editor says yes and then does not apply."""
    editor.notify("workspace/didChangeConfiguration", {"settings": {"landing_timeout_s": 0.05}})
    (editor.root / "open.py").write_text("one\n")
    editor.open("open.py")
    await editor.read("open.py")
    asked = editor.start("agentfs/edit", {"path": "open.py", "old_string": "one", "new_string": "1"})
    proposal = await editor.proposed(len(editor.all("agentfs/proposed")) + 1)
    await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
    answer = await asked
    editor.notify("workspace/didChangeConfiguration", {"settings": {}})
    return answer


async def internal_error(editor: Editor) -> Message:
    (editor.root / "broken.py").write_text("one\n")
    return await editor.read("broken.py")


CODES: dict[str, Scenario] = {
    "NOT_FOUND": not_found,
    "ACCESS_DENIED": access_denied,
    "PERMISSION_DENIED": permission_denied,
    "IS_DIRECTORY": is_directory,
    "BINARY_FILE": binary_file,
    "INVALID_PARAM": invalid_param,
    "CONFLICT": conflict,
    "USER_REJECTED": user_rejected,
    "TIMEOUT": timeout,
    "EXECUTION_ERROR": execution_error,
    "INTERNAL_ERROR": internal_error,
}


async def success(editor: Editor) -> Message:
    (editor.root / "a.py").write_text("one\n")
    return await editor.read("a.py")


async def partial(editor: Editor) -> Message:
    return await editor.write("dry.py", "one\n", dry_run=True)


STATUSES: dict[str, Scenario] = {"success": success, "partial": partial, "error": not_found}


@pytest.mark.parametrize(("code", "scenario"), CODES.items(), ids=CODES)
async def test_every_code_is_met(editor: Editor, code: str, scenario: Scenario) -> None:
    answer = await scenario(editor)
    assert set(answer) == {"status", "data", "text", "stats", "context", "error"}
    assert (answer["status"], answer["error"]["code"], answer["data"]) == ("error", code, {})
    assert answer["error"]["message"]
    assert answer["error"]["message"] in answer["text"]


@pytest.mark.parametrize(("status", "scenario"), STATUSES.items(), ids=STATUSES)
async def test_every_status_is_met(editor: Editor, status: str, scenario: Scenario) -> None:
    answer = await scenario(editor)
    assert answer["status"] == status
    assert ("error" in answer) == (status == "error")
    assert (answer["data"] == {}) == (status == "error")
    assert all(isinstance(one, int | float | str) for one in answer["stats"].values())
    assert answer["context"]["cwd"] == "."


async def test_a_defect_is_an_incident_and_nothing_more_is_told(editor: Editor) -> None:
    (editor.root / "broken.py").write_text("one\n")
    answers = [
        await editor.read("broken.py"),
        await editor.write("broken.py", "two\n"),
        await editor.edit("broken.py", "one", "two"),
    ]
    log = (editor.root.parent / "stderr").read_text()
    for answer in answers:
        number = re.search(r"incident ([0-9a-f]{8})", answer["error"]["message"])
        assert number is not None
        assert f"incident {number[1]}: RuntimeError" in log
        assert not re.search(SECRET + r"|Traceback|\.py\", line", json.dumps(answer))
    assert SECRET not in log
    assert (await editor.request("agentfs/status"))["data"]["pending"] == []


async def test_a_defect_while_landing_ends_the_proposal_and_frees_the_file(editor: Editor) -> None:
    for _ in range(2):
        asked = editor.start("agentfs/write", {"path": "unlandable.py", "content": "one\n"})
        proposal = await editor.proposed(len(editor.all("agentfs/proposed")) + 1)
        settled = await editor.settle(proposal)
        assert (settled["settle"]["ok"], settled["settle"]["code"]) == (False, "EXECUTION_ERROR")
        answer = await asked
        assert answer["error"]["code"] == "INTERNAL_ERROR"
        assert "not known whether something changed" in answer["text"]
        ended = [one["params"] for one in editor.all("agentfs/settled")]
        assert {"id": proposal["id"], "outcome": "failed"} in ended
        assert SECRET not in json.dumps([answer, settled])
    assert not (editor.root / "unlandable.py").exists()


async def test_no_code_is_missing_here() -> None:
    of_items_of_a_batch = {"CANCELLED"}  # tests/e2e/test_batch.py
    assert {code for code, _ in ERRORS.values()} | {"INTERNAL_ERROR"} == set(CODES) | of_items_of_a_batch
