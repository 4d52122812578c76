"""A batch with an unresponsive client: timeouts withdraw it, and partial results are rolled back
(docs/protocol.md#10-agentfsbatch, docs/protocol.md#93-how-it-lands)."""

from pathlib import Path

import pytest

from support.editor import APPLY, AUTO, NO_ANSWER, Editor, editing
from support.operations import edits, writes
from support.wire import Message

OPERATIONS = [
    *(edits(path, "1", "2") for path in ("open.py", "unsaved.py", "closed.py")),
    writes("made/new.py", "new = 1\n"),
]
OPEN = {"open.py": "a = 1\n", "unsaved.py": "b = 1\nmine\n"}
OLD = {"open.py": "a = 1\n", "unsaved.py": "b = 1\n", "closed.py": "c = 1\n"}


@pytest.fixture
def files(root: Path) -> Path:
    for name, text in OLD.items():
        (root / name).write_text(text)
    return root


async def opened(editor: Editor) -> None:
    """Two files are open, one with unsaved changes; the agent has read all of them."""
    for name, text in OPEN.items():
        editor.open(name, text)
    for name in OLD:
        await editor.read(name)


def on_disk(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def in_editor(editor: Editor) -> dict[str, str]:
    return {uri.rpartition("/")[2]: document.text for uri, document in editor.documents.items()}


async def test_a_part_applied_before_the_client_fell_silent_is_rolled_back(files: Path) -> None:
    async with editing(files, options=AUTO) as editor:

        def apply_the_first(params: Message) -> object:
            of_the_first = params["edit"]["documentChanges"][0]["textDocument"]["uri"] == editor.uri(
                "open.py"
            )
            return {"applied": editor.apply(params["edit"])} if of_the_first else NO_ANSWER

        editor.answers[APPLY] = apply_the_first
        await opened(editor)
        answer = await editor.in_vain(editor.start("agentfs/batch", {"operations": OPERATIONS}), 2)
        assert (on_disk(files), in_editor(editor)) == (OLD, OPEN)
        assert not (files / "made").exists()
        assert len(editor.all(APPLY)) == 3, "the second of them is cancelled, the third rolls the first back"
    assert answer["error"]["code"] == "EXECUTION_ERROR"
    assert answer["context"]["files"] == [{"path": "unsaved.py", "landing": "editor"}]


@pytest.mark.parametrize(("before", "after"), [("one\r\n", ""), ("a\r\nb\nc\n", "c\n")])
async def test_a_rollback_restores_line_ends(root: Path, before: str, after: str) -> None:
    (root / "a.py").write_text(before, newline="")
    async with editing(root, options=AUTO, name="Helix") as editor:

        def apply(params: Message) -> object:
            (root / "b.py").write_text("theirs\n")  # the file that lands next
            return {"applied": editor.apply(params["edit"])}

        editor.answers[APPLY] = apply
        document = editor.open("a.py", before)
        await editor.read("a.py")
        operations = [writes(path, after, allow_empty=True) for path in ("a.py", "b.py")]
        answer = await editor.request("agentfs/batch", {"operations": operations})
    assert (len(editor.all(APPLY)), answer["error"]["code"], document.text) == (2, "CONFLICT", before)


async def test_a_client_that_rolls_nothing_back_delays_no_answer(files: Path) -> None:
    async with editing(files, options=AUTO) as editor:

        def apply_the_first(params: Message) -> object:
            match len(editor.all(APPLY)):
                case 1:
                    return {"applied": editor.apply(params["edit"])}
                case 2:
                    return {"applied": False}
                case _:
                    return NO_ANSWER

        editor.answers[APPLY] = apply_the_first
        await opened(editor)
        answer = await editor.in_vain(editor.start("agentfs/batch", {"operations": OPERATIONS}), 3)
        back = (await editor.seen_message(APPLY, 3))["id"]
        assert (await editor.seen("$/cancelRequest"))["id"] == back
        assert (on_disk(files), in_editor(editor)) == (OLD, {**OPEN, "open.py": "a = 2\n"})
    assert (answer["error"]["code"], answer["context"]["landing"]) == ("EXECUTION_ERROR", "unknown")
    assert "could not be reverted" in answer["text"]
    assert "Nothing was changed." not in answer["text"]


async def test_where_it_is_not_known_no_text_says_that_nothing_was_changed(files: Path) -> None:
    async with editing(files, options=AUTO) as editor:

        def type_over_it(_: Message) -> Message:
            editor.change("open.py", "mine\n")
            return {"applied": True}

        editor.answers[APPLY] = type_over_it
        await opened(editor)
        (files / "closed.py").write_text("theirs\n")
        params = {"operations": [OPERATIONS[0], OPERATIONS[2]], "atomic": False}
        answer = await editor.in_vain(editor.start("agentfs/batch", params))
    assert (answer["status"], answer["data"]["failed_items"]) == ("partial", [0, 1])
    assert answer["text"].startswith("operations[0] edit open.py: It is not known whether")
    assert "Read the file before you continue." in answer["text"]
    assert "operations[1] edit closed.py: 'closed.py' was changed on disk" in answer["text"]
    assert "This file was not changed." in answer["text"]
    assert "Nothing was changed." not in answer["text"]
