"""The `preview` rung: VS Code's Refactor Preview asks and applies (docs/protocol.md#9-review-and-landing)."""

from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, ASK, NO_ANSWER, PENDING, Editor, RpcError, editing
from support.personas import VSCODE, ticking
from support.sharing import in_module, shared
from support.wire import Message

TEXT = "one\ntwo\nthree\nfour\nfive\n"
CHANGED = "1\ntwo\nthree\nfour\n5\n"
IMPATIENT = {"landing_timeout_s": 0.1}

pytestmark = in_module
server, root, editor = shared(VSCODE.editing)


@pytest.fixture
def file(root: Path) -> Path:
    path = root / "a.py"
    path.write_text(TEXT)
    return path


async def written(editor: Editor, path: str = "a.py", content: str = CHANGED, **more: Any) -> Message:
    await editor.read(path)
    return await editor.write(path, content, **more)


async def test_one_annotation_a_change_one_edit_a_hunk_to_be_confirmed(editor: Editor, file: Path) -> None:
    editor.answers[APPLY] = ticking(editor, None)
    await written(editor, explanation="digits\u202e\nonly")
    sent = (await editor.seen(APPLY))["edit"]
    editor.open("a.py")
    await written(editor)
    pinned = (await editor.seen(APPLY, 2))["edit"]["documentChanges"][0]["textDocument"]
    [(name, annotation)] = sent["changeAnnotations"].items()
    assert annotation == {
        "label": "Write a.py (+2/-2)",
        "needsConfirmation": True,
        "description": r"Reason: digits\u202e only",
    }
    [change] = sent["documentChanges"]
    assert change["textDocument"] == {"uri": file.as_uri(), "version": None}
    assert [edit["newText"] for edit in change["edits"]] == ["1\n", "5\n"]
    assert [edit["annotationId"] for edit in change["edits"]] == [name, name]
    assert pinned == {"uri": file.as_uri(), "version": 1}


async def test_a_refusal_because_the_document_moved_is_a_conflict_no_no(editor: Editor, file: Path) -> None:
    editor.open("a.py")

    def type_first(params: Message) -> object:
        editor.change("a.py", TEXT + "mine\n")
        return {"applied": False}

    editor.answers[APPLY] = type_first
    answer = await written(editor)
    assert answer["error"]["code"] == "CONFLICT"
    assert answer["context"]["conflict"]["source"] == "editor"


async def test_an_applied_true_with_nothing_ticked_is_an_error(root: Path, file: Path) -> None:
    async with VSCODE.editing(root, options=IMPATIENT) as editor:
        editor.answers[APPLY] = ticking(editor, slice(0))
        closed = await written(editor)
        editor.open("a.py")
        unchanged = await written(editor)

        def type_only(params: Message) -> object:
            editor.change("a.py", TEXT.replace("three", "mine"))
            return {"applied": True}

        editor.answers[APPLY] = type_only
        moved = await written(editor)
    assert closed["error"]["code"] == unchanged["error"]["code"] == "EXECUTION_ERROR"
    assert moved["error"]["code"] == "CONFLICT"
    assert file.read_text() == TEXT


async def test_no_known_answer_is_no_approval(editor: Editor, file: Path) -> None:
    odd: list[Any] = [None, {}, True, {"applied": "true"}]
    said = iter(odd)
    editor.answers[APPLY] = lambda _: next(said)
    for _ in odd:
        answer = await written(editor)
        assert answer["error"]["code"] == "USER_REJECTED"
        assert answer["context"]["review"]["decision"] == "dismissed"
    assert file.read_text() == TEXT


async def test_one_preview_at_a_time(editor: Editor, root: Path, file: Path) -> None:
    (root / "b.py").write_text(TEXT)
    editor.answers[APPLY] = lambda _: NO_ANSWER
    for path in ("a.py", "b.py"):
        await editor.read(path)
    for path in ("a.py", "b.py"):
        editor.start("agentfs/write", {"path": path, "content": CHANGED})
    first = await editor.seen_message(APPLY)
    await editor.are_pending("shown", "queued")
    editor.send({"jsonrpc": "2.0", "id": first["id"], "result": {"applied": False}})
    second = await editor.seen(APPLY, 2)
    assert second["label"] == "Write b.py (+2/-2)"


async def test_what_no_late_preview_brought_is_no_change_in_history(editor: Editor, root: Path) -> None:
    """`written.py` is written by another program; the preview of `queued.py` was never shown."""
    editor.answers[APPLY] = lambda _: NO_ANSWER
    for path in ("written.py", "shown.py", "queued.py"):
        (root / path).write_text(TEXT)
        await editor.read(path)
    for path in ("written.py", "queued.py"):
        withdrawn = editor.start("agentfs/write", {"path": path, "content": CHANGED})
        await (editor.seen(APPLY) if path == "written.py" else editor.request("agentfs/status"))
        editor.cancel(withdrawn)
        with pytest.raises(RpcError):
            await withdrawn
        if path == "written.py":
            editor.start("agentfs/write", {"path": "shown.py", "content": CHANGED})
            await editor.seen(APPLY, 2)
    (root / "written.py").write_text(CHANGED)
    for path in ("written.py", "queued.py"):
        editor.open(path, CHANGED)
        await editor.read(path)
    history = await editor.request("agentfs/history")
    kept = {one["path"] for change in history["data"]["changes"] for one in change["files"]}
    assert not kept & {"written.py", "queued.py"}


async def test_a_file_that_moved_during_preview_is_a_conflict(editor: Editor, root: Path, file: Path) -> None:
    """The editor would show it at the old text's lines."""
    (root / "b.py").write_text(TEXT)
    editor.answers[APPLY] = lambda _: NO_ANSWER
    for path in ("a.py", "b.py"):
        await editor.read(path)
    editor.start("agentfs/write", {"path": "a.py", "content": CHANGED})
    first = await editor.seen_message(APPLY)
    waiting = editor.start("agentfs/write", {"path": "b.py", "content": CHANGED})
    await editor.are_pending("shown", "queued")
    await editor.read("b.py", session="other")  # queued after the proposal, which has been computed by then
    (root / "b.py").write_text(f"new\n{TEXT}")
    editor.answers[APPLY] = ticking(editor, slice(None))
    editor.send({"jsonrpc": "2.0", "id": first["id"], "result": {"applied": False}})
    answer = await waiting
    assert answer["error"]["code"] == "CONFLICT", answer
    assert answer["context"]["conflict"]["source"] == "disk"
    assert len(editor.all(APPLY)) == 1
    assert (root / "b.py").read_text() == f"new\n{TEXT}"


async def test_what_the_editor_would_not_keep_is_asked_by_message(root: Path) -> None:
    files = {
        "new.py": None,
        "latin.txt": b"caf\xe9\n",
        "utf16.txt": "one\n".encode("utf-16"),
        "mixed.txt": b"one\r\ntwo\n",
        "mac.txt": b"one\rtwo\r",
        "one_line.txt": b"one",
    }
    async with VSCODE.editing(root, "Approve", {"encoding": {"default": "latin-1"}}) as editor:
        for name, data in files.items():
            if data is not None:
                (root / name).write_bytes(data)
                await editor.read(name)
            answer = await editor.write(name, "two\r" if name == "one_line.txt" else "two\n")
            assert (answer["status"], answer["data"]["review"]["rung"]) == ("success", "message"), name
            assert answer["data"]["landing"] == "disk"
        assert editor.all(APPLY) == []


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("if x:\u202e\n", "a character that changes the direction of text"),
        ("token = 'ghp_" + "aB3" * 12 + "'\n", "a likely secret"),
    ],
)
async def test_what_the_user_is_to_be_warned_of_is_asked_by_message(
    root: Path, file: Path, text: str, warned: str
) -> None:
    """The preview has no place for a warning."""
    async with VSCODE.editing(root, "Approve") as editor:
        answer = await written(editor, content=text)
        assert answer["data"]["review"]["rung"] == "message"
        assert warned in (await editor.seen(ASK))["message"]
        assert editor.all(APPLY) == []


async def test_without_the_setting_vs_code_is_asked_by_message(root: Path, file: Path) -> None:
    async with VSCODE.editing(root, "Approve", {"preview": {"enabled": False}}) as editor:
        status = await editor.request("agentfs/status")
        answer = await written(editor)
    assert status["data"]["rung"] == answer["data"]["review"]["rung"] == "message"
    assert file.read_text() == CHANGED


async def test_the_tabs_a_preview_opens_and_closes_are_no_answer(root: Path, file: Path) -> None:
    async with VSCODE.editing(root, options=IMPATIENT) as editor:

        def flicker(params: Message) -> object:
            editor.open("a.py")
            editor.close("a.py")
            return {"applied": True}

        editor.answers[APPLY] = flicker
        answer = await written(editor)
    assert answer["error"]["code"] == "EXECUTION_ERROR"
    assert file.read_text() == TEXT


async def test_a_client_that_prefers_it_reviews_what_no_preview_shows(root: Path, file: Path) -> None:
    prefers: Message = {"experimental": {"agentfs": {"review": True, "preview": True}}}
    previewing: Message = {"workspace": {"workspaceEdit": {"changeAnnotationSupport": {}}}}
    async with editing(root, name="code-server", capabilities=prefers | previewing) as editor:
        editor.answers[APPLY] = lambda _: {"applied": False}
        rejected = await written(editor)
        assert rejected["context"]["review"]["rung"] == "preview"
        assert editor.all("agentfs/proposed") == []

        def fail(params: Message) -> object:
            if not editor.all("agentfs/proposed"):
                raise RpcError(-32603, "broken")
            return PENDING

        editor.answers[APPLY] = fail
        failed = editor.start("agentfs/write", {"path": "a.py", "content": CHANGED})
        await editor.settle(await editor.proposed())
        assert (await failed)["data"]["review"]["rung"] == "review"

        editor.answers[APPLY] = lambda _: PENDING
        created = editor.start("agentfs/write", {"path": "new.py", "content": "two\n"})
        await editor.settle(await editor.proposed(2))
        assert (await created)["data"]["review"]["rung"] == "review"
    assert (file.read_text(), (root / "new.py").read_text()) == (CHANGED, "two\n")
