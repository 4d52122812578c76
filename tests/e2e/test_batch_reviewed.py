"""A batch in front of the user: one review, file by file, all or none (docs/protocol.md#10-agentfsbatch)."""

from asyncio import Future
from pathlib import Path
from typing import Any

import pytest

from support.editor import REVIEWING, Editor, editing
from support.operations import edits, writes
from support.sample import report, settle
from support.wire import Message

OPERATIONS = [
    edits("open.py", "1", "2"),
    edits("closed.py", "1", "2"),
    writes("made/new.py", "new = 1\n"),
]


@pytest.fixture
def three(root: Path) -> Path:
    (root / "open.py").write_text("a = 1\n")
    (root / "closed.py").write_text("b = 1\n")
    return root


async def ask(editor: Editor, **params: Any) -> tuple[Future[Any], Message]:
    """One file is open with unsaved work, one closed, one new."""
    editor.open("open.py", "a = 1\nmine\n")
    for path in ("open.py", "closed.py"):
        await editor.read(path)
    answer = editor.start("agentfs/batch", {"operations": OPERATIONS, **params})
    return answer, await editor.proposed()


async def of_each(editor: Editor) -> tuple[str, list[tuple[str, str]]]:
    """How the proposal ended, and each of its files."""
    ended = await editor.seen("agentfs/settled")
    return ended["outcome"], [(file["path"], file["outcome"]) for file in ended.get("files", [])]


def on_disk(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


OLD = {"open.py": "a = 1\n", "closed.py": "b = 1\n"}
NEW = {"open.py": "a = 1\n", "closed.py": "b = 2\n", "made/new.py": "new = 1\n"}


async def test_all_files_are_shown_and_accepted_together(three: Path) -> None:
    async with editing(three, **REVIEWING) as editor:
        answer, proposal = await ask(editor)
        assert proposal["title"] == "Change 3 files (+3/-2)"
        assert proposal["tool"] == "batch"
        assert [(one["path"], one["operation"]) for one in proposal["files"]] == [
            ("open.py", "update"),
            ("closed.py", "update"),
            ("made/new.py", "create"),
        ]
        assert proposal["files"][0]["proposed_text"] == "a = 2\nmine\n"
        settled = await settle(editor, proposal)
        waiting = {name: text for name, text in on_disk(three).items() if not name.endswith(".tmp")}
        assert waiting == OLD, "the closed files wait for the open ones"
        (change,) = settled["apply"]["documentChanges"]
        assert change["textDocument"]["uri"] == editor.uri("open.py")
        assert editor.apply(settled["apply"])
        assert await report(editor, proposal, "applied", open=True) == {"ok": True, "save": []}
        landed = await answer
        ended = [("open.py", "editor"), ("closed.py", "landed"), ("made/new.py", "landed")]
        assert await of_each(editor) == ("editor", ended)
    assert landed["status"] == "partial"
    assert landed["data"]["landing"] == "editor"
    assert [one["landing"] for one in landed["data"]["results"]] == ["editor", "disk", "disk"]
    assert landed["data"]["review"]["decision"] == "accepted"
    assert on_disk(three) == NEW


async def test_the_text_says_what_came_of_it_beside_the_changes(three: Path) -> None:
    (three / "merged.py").write_text("one\ntwo\nthree\nfour\n")
    (three / "dos.py").write_bytes(b"one\r\n")
    operations = [
        *OPERATIONS[1:],
        edits("merged.py", "one", "1", on_conflict="merge"),
        writes("dos.py", "1\n"),
    ]
    async with editing(three, **REVIEWING) as editor:
        for path in ("closed.py", "merged.py", "dos.py"):
            await editor.read(path)
        (three / "merged.py").write_text("one\ntwo\nthree\n4\n")
        asked = editor.start("agentfs/batch", {"operations": operations})
        proposal = await editor.proposed()
        (three / "link.py").hardlink_to(three / "closed.py")
        file = {"uri": editor.uri("made/new.py"), "decision": "amended", "text": "new = 2\n"}
        await settle(editor, proposal, "amended", files=[file])
        answer = await asked
        undone = editor.start("agentfs/undo", {})
        proposal = await editor.proposed(2)
        (three / "other.py").hardlink_to(three / "closed.py")
        await settle(editor, proposal)
        undone = await undone
    text = answer["text"]
    assert "The user accepted some of it with amendments. See review.amendments." in text
    assert "(Created directory: made/)" in text
    assert "Other names (hard links) of 'closed.py' keep the old content." in text
    assert "See merged in results." in text
    assert "-four\n+4" in answer["data"]["results"][2]["merged"]
    assert answer["data"]["results"][3]["corrections"]
    assert "See corrections in results." in text
    assert "Other names (hard links) of 'closed.py' keep the old content." in undone["text"]


async def test_a_reason_to_reject_one_file_reaches_the_agent_with_that_file(three: Path) -> None:
    async with editing(three, **REVIEWING) as editor:
        answer, proposal = await ask(editor, atomic=False)
        files = [{"uri": editor.uri("closed.py"), "decision": "rejected", "feedback": "b is frozen."}]
        await editor.settle(proposal, "accepted", files=files, feedback="Thanks.")
        data, text = (await answer)["data"], (await answer)["text"]
    (rejected,) = [one for one in data["results"] if one["status"] == "error"]
    assert (rejected["path"], rejected["feedback"]) == ("closed.py", "b is frozen.")
    assert rejected["error"]["message"] == "The user rejected the change: “b is frozen.”"
    assert "edit closed.py: The user rejected the change: “b is frozen.”" in text
    assert data["review"]["feedback"] == "Thanks."


@pytest.mark.parametrize("atomic", [True, False])
async def test_reasons_to_reject_single_files_are_told_if_nothing_lands(three: Path, *, atomic: bool) -> None:
    paths = ["closed.py"] if atomic else ["open.py", "closed.py", "made/new.py"]
    async with editing(three, **REVIEWING) as editor:
        answer, proposal = await ask(editor, atomic=atomic)
        files = [
            {"uri": editor.uri(path), "decision": "rejected", "feedback": f"Not {path}"} for path in paths
        ]
        await editor.settle(proposal, "accepted", files=files, feedback="No.")
        refused = await answer
    said = "; ".join(["No.", *(f"{path}: Not {path}" for path in paths)])
    assert refused["context"]["review"]["feedback"] == said
    assert said in refused["text"]
    told = {one["path"]: one.get("feedback") for one in refused["context"]["batch"]}
    assert {path: words for path, words in told.items() if words} == {path: f"Not {path}" for path in paths}
    assert on_disk(three) == OLD
