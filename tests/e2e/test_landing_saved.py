"""How accepted changes land in an editor that saves (docs/protocol.md#93-how-it-lands). Policy allows them
here, so that only the landing is tested."""

from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, AUTO, SAVES, Editor, editing
from support.sample import CHANGED, TEXT, edited
from support.sharing import in_module, shared
from support.wire import Message

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, capabilities=SAVES, options=AUTO))


def saving(editor: Editor, made_of: Any = None) -> Any:
    """A client that saves what it applied, possibly after formatting."""

    def apply(params: Message) -> object:
        done = editor.apply(params["edit"])
        if made_of is not None:
            editor.change("a.py", made_of(editor.documents[editor.uri("a.py")].text))
        editor.save("a.py")
        return {"applied": done}

    return apply


async def test_a_formatter_that_undoes_the_change_leaves_nothing_of_it(editor: Editor, file: Path) -> None:
    editor.open("a.py")
    editor.answers[APPLY] = saving(editor, lambda text: text.replace("two  ", "two"))
    await editor.read("a.py")
    answer = await editor.edit("a.py", "two", "two  ")
    assert not_there(answer)
    assert file.read_text() == TEXT


def not_there(answer: Message) -> bool:
    """Whether the response says that nothing changed, and why."""
    assert (answer["error"]["code"], answer["context"].get("landing")) == ("EXECUTION_ERROR", None)
    return "the user or the editor removed it again. Nothing was changed." in answer["text"]


async def test_typing_right_after_the_save_leaves_the_change_on_disk(editor: Editor, file: Path) -> None:
    editor.open("a.py")
    save = saving(editor)

    def apply(params: Message) -> object:
        said = save(params)
        editor.change("a.py", CHANGED + "mine\n")
        return said

    editor.answers[APPLY] = apply
    answer = await edited(editor)
    next_one = await editor.edit("a.py", "three", "3")
    assert (answer["status"], answer["data"]["landing"]) == ("success", "disk")
    assert "on_save" not in answer["data"]["review"]
    assert next_one["error"]["code"] == "CONFLICT"
    assert "+mine" in next_one["context"]["conflict"]["diff_since_read"]


OVER = TEXT.replace("two", "my two")
DONE = {  # texts of the document, and what is done with it
    "undone": [TEXT],
    "undone and typed": [f"{TEXT}mine\n"],
    "undone and saved": [TEXT, "save"],
    "undone, typed and saved": [f"{TEXT}mine\n", "save"],
    "undone, typed over and saved": [TEXT, OVER, "save"],
    "saved, undone and saved": ["save", TEXT, "save"],
    "opened again": ["close", "open"],
    "loaded again": ["write", f"{TEXT}theirs\n"],
}


@pytest.mark.parametrize("saves", [True, False], ids=["saves", "does not save"])
@pytest.mark.parametrize("how", DONE)
async def test_what_is_nowhere_to_be_found_has_not_landed(
    root: Path, file: Path, how: str, saves: bool
) -> None:
    def apply(params: Message) -> object:
        editor.apply(params["edit"])
        for step in DONE[how]:
            if step == "write":
                file.write_text(DONE[how][-1])
            elif step in ("save", "close", "open"):
                getattr(editor, step)("a.py")
            else:
                editor.change("a.py", step)
        return {"applied": True}

    options = AUTO | {"save_timeout_s": 0.1}
    async with editing(root, capabilities=SAVES if saves else {}, options=options) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = apply
        answer = await edited(editor)
        undone = await editor.undo()
    assert not_there(answer)
    assert undone["error"]["code"] != "EXECUTION_ERROR"
    left = {"loaded again": f"{TEXT}theirs\n", "undone, typed and saved": f"{TEXT}mine\n"}
    assert file.read_text() == {**left, "undone, typed over and saved": OVER}.get(how, TEXT)


@pytest.mark.parametrize("typed", [CHANGED.replace("2", "2, typed over"), "theirs\n"])
async def test_a_change_typed_over_unsaved_is_not_told_as_waiting(root: Path, file: Path, typed: str) -> None:
    def apply(params: Message) -> object:
        editor.apply(params["edit"])
        editor.change("a.py", typed)
        return {"applied": True}

    async with editing(root, capabilities=SAVES, options=AUTO | {"save_timeout_s": 0.1}) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = apply
        answer = await edited(editor)
    assert "the document was changed in another way in the meantime" in answer["text"]
    assert answer["context"]["landing"] == "unknown"
    assert answer["context"]["files"] == [{"path": "a.py", "landing": "editor"}]
    assert file.read_text() == TEXT


@pytest.mark.parametrize("then", ["theirs\n", None])
async def test_a_save_written_over_at_once_has_not_landed(root: Path, file: Path, then: str | None) -> None:
    def apply(params: Message) -> object:
        editor.apply(params["edit"])
        editor.save("a.py")
        if then is None:
            file.unlink()
        else:
            file.write_text(then)
        return {"applied": True}

    async with editing(root, capabilities=SAVES, options=AUTO | {"save_timeout_s": 0.1}) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = apply
        answer = await edited(editor)
    assert (answer["data"]["applied"], answer["data"]["landing"]) == (False, "editor")
    assert answer["text"].endswith("The user must save it. Until then it is not on disk.")


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
async def test_a_line_typed_beside_an_undone_saved_change_is_not_it(root: Path, file: Path, eol: str) -> None:
    typed = TEXT.replace("two", "mine\ntwo").replace("\n", eol)
    file.write_bytes(TEXT.replace("\n", eol).encode())
    async with editing(root, capabilities=SAVES, options=AUTO) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = saving(editor, lambda _: typed)
        answer = await edited(editor)
    assert answer["context"]["landing"] == "unknown"
    assert answer["context"]["files"] == [
        {"path": "a.py", "landing": "editor"},
        {"path": "a.py", "landing": "disk"},
    ]
    assert file.read_bytes() == typed.encode()


@pytest.mark.parametrize(("new", "landing"), [("", None), ("1\n2\n", "unknown")])
async def test_lines_back_with_one_between_them(
    root: Path, file: Path, new: str, landing: str | None
) -> None:
    typed = TEXT.replace("two", "mine\ntwo")
    async with editing(root, capabilities=SAVES, options=AUTO) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = saving(editor, lambda _: typed)
        await editor.read("a.py")
        answer = await editor.edit("a.py", "one\ntwo\n", new)
    assert answer["error"]["code"] == "EXECUTION_ERROR"
    assert answer["context"].get("landing") == landing
    assert ("Nothing was changed." in answer["text"]) is (landing is None)
    assert file.read_text() == typed


async def test_what_was_undone_in_part_and_saved_is_told_as_it_was_saved(root: Path, file: Path) -> None:
    editor_saves = AUTO | {"save_timeout_s": 10}
    async with editing(root, capabilities=SAVES, options=editor_saves) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = saving(editor, lambda text: text.replace("1\n", "one\n"))
        await editor.read("a.py")
        answer = await editor.write("a.py", TEXT.replace("one", "1").replace("three", "3"))
    assert (answer["data"]["landing"], file.read_text()) == ("disk", TEXT.replace("three", "3"))
    assert "-1\n+one\n" in answer["data"]["review"]["on_save"]
    assert answer["text"].endswith("It was saved with other changes. See review.on_save.")
