"""agentfs/batch: several files, one response (docs/protocol.md#10-agentfsbatch)."""

from pathlib import Path
from typing import Any

import pytest

from support.editor import AUTO, Editor, editing
from support.operations import edits, writes
from support.wire import Message

pytestmark = pytest.mark.asyncio(loop_scope="module")


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


async def test_content_that_waits_unsaved_in_the_editor_is_told_as_partial(auto: Editor) -> None:
    await put(auto, "waiting.txt", "old\n")
    auto.open("waiting.txt", "new\n")
    await auto.read("waiting.txt")
    answer = await batch(auto, writes("waiting.txt", "new\n"), writes("beside.txt", "x\n"))
    assert [one["status"] for one in answer["data"]["results"]] == ["partial", "success"]
    assert (answer["data"]["applied"], answer["data"]["landing"]) == (False, "editor")
    assert answer["text"].endswith(
        " 'waiting.txt' is changed in the editor but not on disk. The user must save it."
    )
    dry = await batch(auto, writes("waiting.txt", "new\n"), dry_run=True)
    assert (dry["text"], dry["data"]["results"][0]["status"]) == ("No file was changed.", "success")


@pytest.mark.parametrize("atomic", [True, False])
async def test_hard_links_that_land_together_keep_no_old_content(auto: Editor, atomic: bool) -> None:
    await put(auto, "link-0.txt", "old\n")
    names = [f"link-{number}.txt" for number in range(3)]
    for name in names[1:]:
        (auto.root / name).hardlink_to(auto.root / names[0])
        await auto.read(name)
    two = await batch(auto, *(writes(name, "1\n") for name in names[:2]), atomic=atomic)
    assert "Other names (hard links) of 'link-0.txt'" in two["text"]
    assert content(auto, names[2]) == "old\n"
    (auto.root / names[0]).unlink()
    (auto.root / names[0]).hardlink_to(auto.root / names[1])
    await auto.read(names[0])
    both = await batch(auto, *(writes(name, f"2 {name}\n") for name in names[:2]), atomic=atomic)
    assert (both["status"], "hard links" in both["text"]) == ("success", False)
    for name in names:
        (auto.root / name).unlink()


async def test_of_many_failures_ten_are_told(auto: Editor) -> None:
    for failing, told in ((11, "the other failed operation."), (12, "the other 2 failed operations.")):
        answer = await batch(auto, *[edits("missing.py", "x", "y")] * failing, atomic=False)
        assert f"See results for {told}" in answer["text"]


@pytest.mark.parametrize(
    ("locale", "file_left", "operation_left"),
    [
        ("en", "This file was not changed. Read it again", "This operation changed nothing. Remove the"),
        ("zh-cn", "该文件未被更改。请重新读取", "该操作没有更改任何内容。请去掉"),
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
        operations = edits("a.py", "a", "A"), edits("b.py", "b", "B"), edits("a.py", "A", "\0")
        answer = await batch(editor, *operations, atomic=False)
        alone = await batch(editor, edits("b.py", "b", "B"), atomic=False)
    assert answer["data"]["failed_items"] == [1, 2]
    assert file_left in answer["text"]
    assert operation_left in answer["text"]
    nothing = {"en": "Nothing was changed.", "zh-cn": "没有做任何更改。"}[locale]
    assert nothing not in answer["text"]
    assert nothing in alone["text"]


async def test_a_dry_run_counts_only_files_that_would_change(auto: Editor) -> None:
    await put(auto, "same.py", "a\n")
    tried = await batch(auto, writes("same.py", "a\n"), writes("other.py", "x\n"), dry_run=True)
    told = (tried["text"], tried["stats"]["files_changed"])
    assert told == ("[Dry Run] Would change one file (+1/-0 lines).", 1)
    tried = await batch(auto, writes("same.py", "a\n"), dry_run=True)
    assert (tried["status"], tried["text"]) == ("partial", "No file was changed.")


@pytest.mark.parametrize(
    ("operations", "name"),
    [
        ([], "'operations' must not be empty"),
        ([1], "'operations[0]'"),
        ([{"tool": "read", "params": {}}], "'operations[0].tool'"),
        ([writes("a", "b"), {"tool": "edit", "params": {"path": "a"}}], "'operations[1].params.old_string'"),
        ([writes("a", "b", session="x")], "'operations[0].params.session'"),
        ([writes("a", "b", dry_run=True)], "'operations[0].params.dry_run'"),
        ([writes("a", "b")] * 1001, "'operations' must have at most 1000 entries"),
    ],
)
async def test_a_wrong_parameter_is_told_with_its_operation(auto: Editor, operations: Any, name: str) -> None:
    answer = await auto.request("agentfs/batch", {"operations": operations})
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert name in answer["error"]["message"]
