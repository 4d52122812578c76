"""Responses are true of disk and documents, whatever editor and user do meanwhile
(docs/protocol.md#93-how-it-lands, docs/protocol.md#10-agentfsbatch).

Single cases found by the random model check (`support/model.py`). Those that need no process are in
`tests/unit/service/test_true_outcomes.py`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, ASK, AUTO, NO_ANSWER, REVIEWING, SAVES, Editor, RpcError, editing
from support.operations import edits
from support.personas import VSCODE, pressing, ticking
from support.sample import asked as asked_to_edit
from support.sample import edited, report, settle
from support.wire import Message

OLD, NEW = "one\ntwo\nthree\n", "one\n2\nthree\n"
OPERATIONS = [edits(path, "two", "2") for path in ("a.py", "b.py")]
IMPATIENT: Any = {"landing_timeout_s": 0.3, "save_timeout_s": 0.3}


@pytest.fixture(autouse=True)
def files(root: Path) -> None:
    for name in ("a.py", "b.py"):
        (root / name).write_text(OLD)


def on_disk(root: Path) -> list[str]:
    return [(root / name).read_text() for name in ("a.py", "b.py")]


def doing(editor: Editor, *steps: Callable[[Message], object]) -> Callable[[Message], object]:
    """Handles edits one by one; the last handler also handles all further ones."""

    def answer(params: Message) -> object:
        return steps[min(len(editor.all(APPLY)), len(steps)) - 1](params)

    return answer


def applying(editor: Editor, *, typing: str = "", save: bool = False, close: bool = False) -> Any:
    """Applies, and then does the rest to the document."""

    def apply(params: Message) -> Message:
        [change] = params["edit"]["documentChanges"]
        path = change["textDocument"]["uri"].rpartition("/")[2]
        done = editor.apply(params["edit"])
        after(editor, path, typing=typing, save=save, close=close)
        return {"applied": done}

    return apply


def after(editor: Editor, path: str, *, typing: str = "", save: bool = False, close: bool = False) -> None:
    if typing:
        editor.change(path, editor.documents[editor.uri(path)].text + typing)
    if save:
        editor.save(path)
    if close:
        editor.close(path)


def refuse(_: Message) -> Message:
    return {"applied": False, "failureReason": "read-only"}


async def batch(editor: Editor, **params: Any) -> Message:
    for name in ("a.py", "b.py"):
        await editor.read(name)
    answer: Message = await editor.request("agentfs/batch", {"operations": OPERATIONS, **params})
    return answer


def unknown_in(answer: Message) -> list[tuple[str, str]]:
    assert (answer["error"]["code"], answer["context"]["landing"]) == ("EXECUTION_ERROR", "unknown")
    assert "Nothing was changed." not in answer["text"]
    return [(one["path"], one["landing"]) for one in answer["context"]["files"]]


@pytest.mark.parametrize("new", ["two\nnew\n", "new\ntwo\n", "2\nnew\n"])
@pytest.mark.parametrize("typing", ["", "mine\n"])
async def test_an_edit_the_editor_applied_twice_is_not_told_made(root: Path, new: str, typing: str) -> None:
    async with editing(root, options=AUTO) as editor:

        def apply_twice(params: Message) -> Message:
            done = [editor.apply(params["edit"], pinned=False) for _ in range(2)]
            after(editor, "a.py", typing=typing)
            return {"applied": all(done)}

        editor.open("a.py")
        editor.answers[APPLY] = apply_twice
        await editor.read("a.py")
        assert unknown_in(await editor.edit("a.py", "two\n", new)) == [("a.py", "editor")]
        assert editor.documents[editor.uri("a.py")].text.count("new\n") == 2


# --- a document that is gone ------------------------------------------------------------------------------


@pytest.mark.parametrize("typing", ["", "mine\n"])
async def test_a_review_client_with_an_open_and_a_closed_file(root: Path, typing: str) -> None:
    async with editing(root, **REVIEWING) as editor:
        editor.open("a.py")
        for name in ("a.py", "b.py"):
            await editor.read(name)
        asked = editor.start("agentfs/batch", {"operations": OPERATIONS})
        proposal = await editor.proposed()
        settled = await settle(editor, proposal)
        assert editor.apply(settled["apply"])
        after(editor, "a.py", typing=typing, save=True, close=True)
        (root / "b.py").write_text("theirs\n")
        assert (await report(editor, proposal, "applied", a=True))["ok"] is False
        await editor.time_out()  # it does not apply the reversal
        answer = await asked
    if typing:
        assert unknown_in(answer) == [("a.py", "disk")]
        assert on_disk(root) == [NEW + typing, "theirs\n"]
    else:
        assert answer["error"]["code"] == "CONFLICT"
        assert on_disk(root) == [OLD, "theirs\n"]


@pytest.mark.parametrize("applies", [True, False])
async def test_a_disk_that_held_the_text_all_along_is_no_landing(root: Path, applies: bool) -> None:
    """The user had typed over it, unsaved, and closes the document."""
    async with VSCODE.editing(root, options=IMPATIENT) as editor:

        def apply_and_close(params: Message) -> Message:
            if applies:
                editor.apply(params["edit"])
            editor.close("a.py")
            return {"applied": True}

        (root / "a.py").write_text(NEW)
        editor.open("a.py")
        editor.change("a.py", OLD)
        editor.answers[APPLY] = apply_and_close
        answer = await edited(editor)
    assert "Nothing was changed." in answer["text"]


# --- a file that gets another name ------------------------------------------------------------------------


def rename(editor: Editor, *, save: bool) -> None:
    """Rename a.py, whose document keeps its text, as VS Code does."""
    text = editor.documents[editor.uri("a.py")].text
    if save:
        editor.save("a.py")
    (editor.root / "a.py").rename(editor.root / "c.py")
    editor.close("a.py")
    editor.open("c.py", text)


@pytest.mark.parametrize("save", [True, False])
@pytest.mark.parametrize("instant", ["applied", "saved"])
async def test_a_file_that_is_renamed_while_a_review_client_lands_its_change(
    root: Path, save: bool, instant: str
) -> None:
    async with editing(root, **REVIEWING) as editor:
        editor.open("a.py")
        proposal, asked = await asked_to_edit(editor)
        settled = await settle(editor, proposal)
        assert editor.apply(settled["apply"])
        if instant == "applied":
            rename(editor, save=save)
        assert (await report(editor, proposal, "applied", a=True))["ok"]
        if instant == "saved":
            rename(editor, save=save)
        await report(editor, proposal, "saved", a=save)
        answer = await asked
    assert unknown_in(answer) == [("c.py", "editor"), *([("c.py", "disk")] if save else [])]
    assert (root / "c.py").read_text() == (NEW if save else OLD)


@pytest.mark.parametrize("save", [True, False])
async def test_a_file_of_a_batch_that_is_renamed_with_its_half(root: Path, save: bool) -> None:
    async with editing(root, options=AUTO | IMPATIENT) as editor:

        def apply_and_rename(params: Message) -> Message:
            done = editor.apply(params["edit"])
            (root / "b.py").write_text("theirs\n")
            rename(editor, save=save)
            return {"applied": done}

        editor.open("a.py")
        editor.answers[APPLY] = apply_and_rename
        answer = await batch(editor)
        assert editor.documents[editor.uri("c.py")].text == NEW
    assert unknown_in(answer) == [("c.py", "editor"), *([("c.py", "disk")] if save else [])]


async def test_a_file_that_is_gone_with_a_change_is_perhaps_renamed(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT) as editor:

        def apply_and_move(params: Message) -> Message:
            done = editor.apply(params["edit"])
            editor.save("a.py")
            (root / "a.py").rename(root / "c.py")
            editor.close("a.py")
            return {"applied": done}

        editor.open("a.py")
        editor.answers[APPLY] = apply_and_move
        answer = await edited(editor)
    assert unknown_in(answer) == []
    assert "Some of the change is, or may be, in 'a.py' (perhaps renamed)." in answer["text"]
    assert (root / "c.py").read_text() == NEW


@pytest.mark.parametrize("instant", ["applied", "reported"])
@pytest.mark.parametrize(
    ("name", "link", "leads_to"), [("cur.py", "cur.py", "{}/a.py"), ("cur/a.py", "cur", "{}")]
)
async def test_a_link_that_is_switched_while_a_review_client_lands_its_change(
    root: Path, instant: str, name: str, link: str, leads_to: str
) -> None:
    for version in ("v1", "v2"):
        (root / version).mkdir()
        (root / version / "a.py").write_text(f"{version}\ntwo\n")
    (root / link).symlink_to(leads_to.format("v1"))

    def switch() -> None:
        (root / "new").symlink_to(leads_to.format("v2"))
        (root / "new").replace(root / link)

    async with editing(root, **REVIEWING, options=IMPATIENT) as editor:

        async def tell(what: str) -> Message:
            told = [{"uri": editor.uri(name), what: True}]
            return await editor.request(f"agentfs/{what}", {"id": proposal["id"], "files": told})

        editor.open(name)
        await editor.read(name)
        proposal, asked = await asked_to_edit(editor, path=name)
        settled = await settle(editor, proposal)
        assert editor.apply(settled["apply"])
        if instant == "applied":
            switch()
        if (await tell("applied"))["ok"]:
            switch()
            editor.save(name)
            await tell("saved")
        else:
            editor.save(name)
        answer = await asked
    assert ("v2/a.py", "editor") in unknown_in(answer)


async def test_a_late_keystroke_behind_a_preview_that_is_saved_and_closed(root: Path) -> None:
    async with VSCODE.editing(root, options=IMPATIENT) as editor:
        editor.open("a.py")
        tick = ticking(editor, slice(None), b=slice(0))

        def apply(params: Message) -> object:
            said = tick(params)
            after(editor, "a.py", typing="mine\n", save=True, close=True)
            return said

        editor.answers[APPLY] = doing(editor, apply, refuse)
        answer = await batch(editor)
    assert unknown_in(answer) == [("a.py", "disk")]
    assert on_disk(root) == [NEW + "mine\n", OLD]


async def test_what_was_ticked_of_a_preview_and_saved_and_closed_at_once_has_landed(root: Path) -> None:
    async with VSCODE.editing(root, options=IMPATIENT) as editor:
        editor.open("a.py")
        tick = ticking(editor, slice(1))

        def apply(params: Message) -> object:
            said = tick(params)
            after(editor, "a.py", save=True, close=True)
            return said

        editor.answers[APPLY] = apply
        await editor.read("a.py")
        answer = await editor.write("a.py", "1\ntwo\n3\n")
    assert (answer["data"]["landing"], answer["data"]["review"]["decision"]) == ("disk", "amended")
    assert on_disk(root)[0] == "1\ntwo\nthree\n"


# --- a document that is set back --------------------------------------------------------------------------


async def test_what_the_user_sets_back_while_another_file_is_waited_for_is_told(root: Path) -> None:
    (root / "c.py").write_text(OLD)
    operations = [*OPERATIONS, edits("c.py", "two", "2")]
    async with editing(root, options=AUTO, capabilities=SAVES) as editor:
        editor.open("a.py")
        editor.open("b.py")

        def apply_and_let_it_fail(params: Message) -> object:
            (root / "c.py").write_text("theirs\n")
            return applying(editor, save=True)(params)

        take = applying(editor, save=True)
        editor.answers[APPLY] = doing(editor, take, apply_and_let_it_fail, take, applying(editor))
        for name in ("a.py", "b.py", "c.py"):
            await editor.read(name)
        asked = editor.start("agentfs/batch", {"operations": operations})
        await editor.seen(APPLY, 4)  # both are reverted, waiting for b.py's save
        for _ in range(3):
            await editor.request("agentfs/status", {})
        editor.change("a.py", NEW)
        editor.save("b.py")
        answer = await asked
    assert unknown_in(answer) == [("a.py", "editor")]
    assert "'a.py' (in the editor)" in answer["text"]
    assert on_disk(root) == [OLD, OLD]


# --- a client that says something else --------------------------------------------------------------------


def no(_: Message) -> object:
    return {"applied": False}


def odd(_: Message) -> object:
    return None


def silence(_: Message) -> object:
    return NO_ANSWER


def error(_: Message) -> object:
    raise RpcError(-32603, "broken")


@pytest.mark.parametrize("said", [no, odd, silence, error])
@pytest.mark.parametrize("atomic", [True, False])
async def test_a_preview_that_is_applied_against_its_own_answer(
    root: Path, said: Callable[[Message], object], atomic: bool
) -> None:
    async with VSCODE.editing(root, options=IMPATIENT) as editor:
        editor.open("a.py")
        editor.open("b.py")
        tick = ticking(editor, slice(None), b=slice(0))

        def apply(params: Message) -> object:
            tick(params)
            return said(params)

        editor.answers |= {APPLY: apply, ASK: pressing("Approve")}
        answer = batch(editor, atomic=atomic)
        answer = await (editor.in_vain(answer) if said is silence else answer)
        text = editor.documents[editor.uri("a.py")].text
    if "results" in answer["data"]:
        first, second = answer["data"]["results"]
        assert first["landing"] == "unknown"
        assert second.get("landing") != "unknown"
    else:
        assert unknown_in(answer) == [("a.py", "editor")]
    assert text == NEW


# --- a disk that does not say -----------------------------------------------------------------------------
