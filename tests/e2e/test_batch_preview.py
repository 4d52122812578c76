"""Several files in one Refactor Preview (docs/protocol.md#10-agentfsbatch)."""

from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, ASK, Editor, path_of
from support.operations import writes
from support.personas import VSCODE, ticking
from support.wire import Message

OLD, NEW = "one\ntwo\nthree\nfour\n", "1\ntwo\nthree\n4\n"
OPERATIONS = [writes(path, NEW) for path in ("open.py", "closed.py")]


@pytest.fixture
def files(root: Path) -> Path:
    for name in ("open.py", "closed.py"):
        (root / name).write_text(OLD)
    return root


async def batch(editor: Editor, *more: Message, **params: Any) -> Message:
    editor.open("open.py")
    for path in ("open.py", "closed.py"):
        await editor.read(path)
    answer: Message = await editor.request("agentfs/batch", {"operations": [*OPERATIONS, *more], **params})
    return answer


def shown(editor: Editor) -> dict[str, str]:
    return {uri.rpartition("/")[2]: document.text for uri, document in editor.documents.items()}


def on_disk(root: Path) -> list[str]:
    return [(root / name).read_text() for name in ("open.py", "closed.py")]


async def test_all_files_stand_in_one_preview_and_what_is_accepted_waits_in_the_editor(files: Path) -> None:
    async with VSCODE.editing(files) as editor:
        editor.answers[APPLY] = ticking(editor, slice(None))
        answer = await batch(editor, explanation="digits")
        (asked,) = editor.all(APPLY)
        assert shown(editor) == {"open.py": NEW, "closed.py": NEW}
    edit = asked["params"]["edit"]
    [(name, annotation)] = edit["changeAnnotations"].items()
    assert annotation == {
        "label": "Change 2 files (+4/-4)",
        "needsConfirmation": True,
        "description": "Reason: digits",
    }
    pinned = [
        (change["textDocument"]["uri"], change["textDocument"]["version"])
        for change in edit["documentChanges"]
    ]
    assert pinned == [((files / "open.py").as_uri(), 1), ((files / "closed.py").as_uri(), None)]
    ids = [[one["annotationId"] for one in change["edits"]] for change in edit["documentChanges"]]
    assert ids == [[name, name], [name, name]]
    assert (answer["status"], answer["data"]["landing"]) == ("partial", "editor")
    assert [one["landing"] for one in answer["data"]["results"]] == ["editor", "editor"]
    review = answer["data"]["review"]
    assert (review["rung"], review["decision"]) == ("preview", "accepted")
    assert "'open.py', 'closed.py' are changed in the editor but not on disk." in answer["text"]
    assert on_disk(files) == [OLD, OLD]


async def test_where_one_file_does_not_fit_all_are_asked_for_by_message(files: Path) -> None:
    diffs: list[str] = []

    def look(params: Message) -> Message:
        diffs.append(Path(path_of(params["uri"])).read_text())
        return {"success": True}

    async with VSCODE.editing(files, press="Approve") as editor:
        editor.answers["window/showDocument"] = look
        answer = await batch(editor, writes("new.py", "new\n"))
        assert len(editor.all(ASK)) == 1
    (diff,) = diffs
    assert all(f"+++ b/{name}" in diff for name in ("open.py", "closed.py", "new.py"))
    assert answer["data"]["review"]["rung"] == "message"
    assert (files / "new.py").read_text() == "new\n"
    assert on_disk(files) == [OLD, NEW]
