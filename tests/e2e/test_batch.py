"""agentfs/batch: several files, one answer (docs/protocol.md#10-agentfsbatch)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.editor import AUTO, Editor, editing
from support.wire import Message

pytestmark = pytest.mark.asyncio(loop_scope="module")


def writes(path: str, content: str, **params: Any) -> Message:
    return {"tool": "write", "params": {"path": path, "content": content, **params}}


def edits(path: str, old: str, new: str, **params: Any) -> Message:
    return {"tool": "edit", "params": {"path": path, "old_string": old, "new_string": new, **params}}


async def batch(editor: Editor, *operations: Message, **params: Any) -> Message:
    return await editor.request("agentfs/batch", {"operations": list(operations), **params})


def content(editor: Editor, path: str) -> str | None:
    file = editor.root / path
    return file.read_text() if file.exists() else None


async def put(editor: Editor, path: str, text: str) -> None:
    file = editor.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    await editor.read(path)


async def test_several_files_land_together(auto: Editor) -> None:
    await put(auto, "one/a.py", "a = 1\nb = 2\n")
    await put(auto, "one/b.py", "b\n")
    answer = await batch(
        auto, edits("one/a.py", "1", "10"), writes("one/new/c.py", "c\n"), writes("one/b.py", "bb\n")
    )
    assert answer["status"] == "success"
    assert answer["data"]["applied"] is True
    assert answer["data"]["landing"] == "disk"
    assert answer["text"] == "Changed 3 files (+3/-2 lines). (Created directory: one/new/)"
    assert {key: answer["stats"][key] for key in ("files_changed", "lines_added", "lines_removed")} == {
        "files_changed": 3,
        "lines_added": 3,
        "lines_removed": 2,
    }
    assert answer["data"]["results"] == [
        {
            "index": 0,
            "tool": "edit",
            "path": "one/a.py",
            "status": "success",
            "operation": "update",
            "landing": "disk",
            "replacements": 1,
            "match": "exact",
        },
        {
            "index": 1,
            "tool": "write",
            "path": "one/new/c.py",
            "status": "success",
            "operation": "create",
            "landing": "disk",
        },
        {
            "index": 2,
            "tool": "write",
            "path": "one/b.py",
            "status": "success",
            "operation": "update",
            "landing": "disk",
        },
    ]
    assert content(auto, "one/a.py") == "a = 10\nb = 2\n"
    assert content(auto, "one/new/c.py") == "c\n"
    assert content(auto, "one/b.py") == "bb\n"
    diff = answer["data"]["diff_preview"]
    assert [line for line in diff.split("\n") if line.startswith("+++")] == [
        "+++ b/one/a.py",
        "+++ b/one/new/c.py",
        "+++ b/one/b.py",
    ]


async def test_operations_on_one_file_build_on_each_other(auto: Editor) -> None:
    await put(auto, "seq.py", "a = 1\nb = 2\nc = 3\n")
    answer = await batch(
        auto,
        edits("seq.py", "a = 1", "a = one"),
        edits("seq.py", "a = one\nb", "z"),
        writes("seq2.py", "x\n"),
        edits("seq2.py", "x", "y"),
    )
    assert answer["status"] == "success", answer["text"]
    assert content(auto, "seq.py") == "z = 2\nc = 3\n"
    assert content(auto, "seq2.py") == "y\n"
    assert answer["stats"]["files_changed"] == 2
    # The session knows what it wrote.
    assert (await auto.edit("seq.py", "z", "zz"))["status"] == "success"
    assert (await auto.edit("seq2.py", "y", "yy"))["status"] == "success"


async def test_an_atomic_batch_lands_nothing_when_one_operation_fails(auto: Editor) -> None:
    await put(auto, "at/a.py", "a\n")
    await put(auto, "at/b.py", "b\n")
    answer = await batch(
        auto, edits("at/a.py", "a", "A"), writes("at/made/new.py", "new\n"), edits("at/b.py", "x", "y")
    )
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert answer["error"]["message"].startswith("operations[2] edit at/b.py: ")
    assert answer["text"].startswith("operations[2] edit at/b.py: ")
    codes = [result["error"]["code"] for result in answer["context"]["batch"]]
    assert codes == ["CANCELLED", "CANCELLED", "INVALID_PARAM"]
    assert answer["context"]["path_resolved"] == "at/b.py"
    assert (content(auto, "at/a.py"), content(auto, "at/b.py")) == ("a\n", "b\n")
    assert not (auto.root / "at/made").exists()


async def test_a_batch_that_is_not_atomic_lands_what_it_can(auto: Editor) -> None:
    await put(auto, "na/a.py", "a\n")
    await put(auto, "na/b.py", "b\n")
    answer = await batch(
        auto,
        edits("na/a.py", "x", "y"),
        edits("na/a.py", "a", "A"),
        edits("na/b.py", "b", "B"),
        writes("../out", "x"),
        atomic=False,
    )
    assert answer["status"] == "partial"
    assert answer["data"]["applied"] is False
    assert answer["data"]["failed_items"] == [0, 3]
    assert [one["status"] for one in answer["data"]["results"]] == ["error", "success", "success", "error"]
    assert "operations[0] edit na/a.py: " in answer["text"]
    assert (content(auto, "na/a.py"), content(auto, "na/b.py")) == ("A\n", "B\n")


@pytest.mark.parametrize(
    ("locale", "file_left", "operation_left"),
    [
        ("en", "This file was not changed. Read it again", "This operation changed nothing. Remove the"),
        ("zh-cn", "该文件未被修改。请重新读取", "该操作没有修改任何内容。请去掉"),
    ],
)
async def test_what_failed_beside_what_landed_does_not_say_that_nothing_was_changed(
    root: Path, locale: str, file_left: str, operation_left: str
) -> None:
    (root / "a.py").write_text("a\n")
    (root / "b.py").write_text("b\n")
    async with editing(root, options={**AUTO, "locale": locale}) as editor:
        await editor.read("a.py")
        await editor.read("b.py")
        (root / "b.py").write_text("theirs\n")
        answer = await batch(
            editor,
            edits("a.py", "a", "A"),
            edits("b.py", "b", "B"),
            edits("a.py", "A", "\0"),
            atomic=False,
        )
        unread = {"path": "b.py", "old_string": "b", "new_string": "B"}
        alone = await batch(editor, {"tool": "edit", "params": unread}, atomic=False)
    assert answer["data"]["failed_items"] == [1, 2]
    assert file_left in answer["text"]
    assert operation_left in answer["text"]
    nothing = {"en": "Nothing was changed.", "zh-cn": "没有做任何修改。"}[locale]
    assert nothing not in answer["text"]
    assert nothing in alone["text"]


async def test_a_dry_run_shows_everything_and_does_nothing(auto: Editor) -> None:
    await put(auto, "dry.py", "a\n")
    answer = await batch(auto, edits("dry.py", "a", "b"), writes("drier.py", "x\n"), dry_run=True)
    assert answer["status"] == "partial"
    assert answer["text"] == "[Dry Run] Would change 2 files (+2/-1 lines)."
    assert "drier.py" in answer["data"]["diff_preview"]
    assert (content(auto, "dry.py"), content(auto, "drier.py")) == ("a\n", None)


async def test_a_dry_run_counts_only_files_that_would_change(auto: Editor) -> None:
    await put(auto, "same.py", "a\n")
    tried = await batch(auto, writes("same.py", "a\n"), writes("other.py", "x\n"), dry_run=True)
    assert (tried["text"], tried["stats"]["files_changed"]) == (
        "[Dry Run] Would change one file (+1/-0 lines).",
        1,
    )
    tried = await batch(auto, writes("same.py", "a\n"), dry_run=True)
    assert (tried["status"], tried["text"]) == ("partial", "No file was changed.")


@pytest.mark.parametrize(
    ("operations", "name"),
    [
        ([], "'operations' must not be empty"),
        ([1], "'operations[0]'"),
        ([{"tool": "read", "params": {}}], "'operations[0].tool'"),
        ([writes("a", "b"), {"tool": "edit", "params": {"path": "a"}}], "'operations[1].params.old_string'"),
        (
            [{"tool": "write", "params": {"path": "a", "content": "b", "session": "x"}}],
            "'operations[0].params.session'",
        ),
        (
            [{"tool": "write", "params": {"path": "a", "content": "b", "dry_run": True}}],
            "'operations[0].params.dry_run'",
        ),
        ([writes("a", "b")] * 1001, "'operations' must have at most 1000 entries"),
    ],
)
async def test_a_wrong_parameter_is_named_with_its_operation(
    auto: Editor, operations: Any, name: str
) -> None:
    answer = await auto.request("agentfs/batch", {"operations": operations})
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert name in answer["error"]["message"]


async def test_as_a_command(auto: Editor) -> None:
    params = {"operations": [writes("cmd.py", "x\n")]}
    answer = await auto.request(
        "workspace/executeCommand", {"command": "agentfs.batch", "arguments": [params]}
    )
    assert answer["status"] == "success"
    assert content(auto, "cmd.py") == "x\n"
