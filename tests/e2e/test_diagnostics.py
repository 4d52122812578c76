"""What an agent and its user are told about errors that a change introduces
(docs/protocol.md#95-diagnostics)."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.editor import ASK, AUTO, REVIEWING, Editor, editing
from support.operations import writes
from support.personas import pressing
from support.wire import Message

pytestmark = pytest.mark.asyncio(loop_scope="module")

ONE = "def one():\n    return 1\n"
BROKEN = "def two(:\n    return 2\n"


def told(answer: Message) -> list[tuple[Any, ...]]:
    return [
        (one.get("path"), one["line"], one["message"], one["severity"], one["source"])
        for one in answer["data"].get("diagnostics", [])
    ]


async def test_a_syntax_error_is_told_with_the_answer(auto: Editor) -> None:
    (auto.root / "a.py").write_text(ONE)
    await auto.read("a.py")
    tried = await auto.edit("a.py", "return 1", "return (1", dry_run=True)
    answer = await auto.edit("a.py", "return 1", "return (1")
    said = "line 2: Syntax error: near “return (1”"
    assert told(tried) == told(answer) == [(None, 2, said.removeprefix("line 2: "), "error", "tree-sitter")]
    assert answer["status"] == "success"
    assert answer["text"].endswith(f"This change introduced a problem: {said}")
    assert tried["text"].endswith(f"This change would introduce a problem: {said}")
    mended = await auto.edit("a.py", "return (1", "return 1")
    assert "diagnostics" not in mended["data"]
    assert "problem" not in mended["text"]


async def test_an_error_that_was_there_is_not_told_wherever_it_moves(auto: Editor) -> None:
    (auto.root / "old.py").write_text(f"{ONE}\n\n{BROKEN}")
    await auto.read("old.py")
    moved = await auto.edit("old.py", "def one", "import os\n\n\ndef one")
    assert "diagnostics" not in moved["data"]
    rewritten = await auto.write("old.py", f"# all new\n{BROKEN}# and more\nx = [1\n")
    assert [line for _, line, *_ in told(rewritten)] == [5]


async def test_a_batch_names_the_files(auto: Editor) -> None:
    contents = {
        "b/one.json": '{"a": [1, 2}\n',
        "b/fine.ts": "const a: number = 1;\n",
        "b/two.rs": "fn main() { let x = ; }\n",
        "b/other.txt": "def (\n",
    }
    operations = [writes(path, content) for path, content in contents.items()]
    answer = await auto.request("agentfs/batch", {"operations": operations})
    assert [(path, line) for path, line, *_ in told(answer)] == [("b/one.json", 1), ("b/two.rs", 1)]
    assert "This change introduced 2 problems: b/one.json, line 1: Syntax error: " in answer["text"]


@pytest.mark.parametrize("content", ["x = (\r\n" * 40_000, "x = (\n)[" * 20_000], ids=["large", "bad"])
async def test_what_takes_too_much_is_silent(auto: Editor, content: str) -> None:
    answer = await auto.write("much.py", content)
    assert answer["data"]["applied"] is True
    assert told(answer) == []


async def test_the_setting_leaves_no_trace(root: Path) -> None:
    options = {**AUTO, "diagnostics": {"syntax": False}}
    async with editing(root, options=options) as editor:
        answer = await editor.write("a.py", BROKEN)
        assert "diagnostics" not in answer["data"]
        assert "yntax" not in json.dumps(answer)


async def test_the_review_warns_and_the_answer_is_about_what_the_user_made_of_it(root: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        future = editor.start("agentfs/write", {"path": "a.py", "content": ONE})
        proposal = await editor.proposed(1)
        shown = await editor.request("agentfs/proposal", {"id": proposal["id"]})
        assert shown["files"][0]["warnings"] == []
        files = [{"uri": proposal["files"][0]["uri"], "decision": "amended", "text": f"\n{BROKEN}"}]
        await editor.settle(proposal, "accepted", files=files)
        assert [line for _, line, *_ in told(await future)] == [2]
        future = editor.start("agentfs/write", {"path": "b.py", "content": BROKEN})
        proposal = await editor.proposed(2)
        shown = await editor.request("agentfs/proposal", {"id": proposal["id"]})
        assert shown["files"][0]["warnings"] == [{"kind": "syntax", "line": 1, "detail": "“)” is missing"}]
        files = [{"uri": proposal["files"][0]["uri"], "decision": "amended", "text": ONE}]
        await editor.settle(proposal, "accepted", files=files)
        assert told(await future) == []


async def test_a_message_warns(root: Path) -> None:
    async with editing(root, answers={ASK: pressing("Approve")}) as editor:
        answer = await editor.write("a.py", BROKEN)
        assert "⚠ line 1: a syntax error (“)” is missing)" in (await editor.seen(ASK))["message"]
        assert answer["data"]["warnings"] == []


async def test_who_may_not_read_learns_nothing(root: Path) -> None:
    rules = [{"files": ["*.py"], "read": "deny", "write": "allow", "edit": "allow"}]
    (root / "a.py").write_text(BROKEN)
    async with editing(root, options={"rules": rules}) as editor:
        answer = await editor.write("a.py", BROKEN)
        assert answer["data"]["applied"] is True
        assert "yntax" not in json.dumps(answer)
        assert "diagnostics" not in answer["data"]
