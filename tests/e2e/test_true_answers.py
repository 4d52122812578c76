"""What an answer says is true of disk and documents, whatever editor and user do meanwhile
(docs/protocol.md#93-how-it-lands, docs/protocol.md#10-agentfsbatch).

Cases that the random model check found (`support/model.py`), each by itself.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.editor import APPLY, AUTO, NO_ANSWER, REVIEWING, SAVES, RpcError, editing
from support.personas import VSCODE, pressing, ticking

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.editor import Editor
    from support.wire import Message

ASK = "window/showMessageRequest"
OLD, NEW = "one\ntwo\nthree\n", "one\n2\nthree\n"
OPERATIONS = [
    {"tool": "edit", "params": {"path": path, "old_string": "two", "new_string": "2"}}
    for path in ("a.py", "b.py")
]
IMPATIENT: Any = {"landing_timeout_s": 0.3, "save_timeout_s": 0.3}


@pytest.fixture(autouse=True)
def files(root: Path) -> None:
    for name in ("a.py", "b.py"):
        (root / name).write_text(OLD)


def on_disk(root: Path) -> list[str]:
    return [(root / name).read_text() for name in ("a.py", "b.py")]


def doing(editor: Editor, *steps: Callable[[Message], object]) -> Callable[[Message], object]:
    """Answers one edit after the other, the last of these answers for all that follow."""

    def answer(params: Message) -> object:
        return steps[min(len(editor.all(APPLY)), len(steps)) - 1](params)

    return answer


def applying(editor: Editor, *, typing: str = "", save: bool = False, close: bool = False) -> Any:
    """Applies, and does with the document what else is asked for."""

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


async def edited(editor: Editor) -> Message:
    await editor.read("a.py")
    return await editor.edit("a.py", "two", "2")


def says_that_nothing_was_changed(answer: Message) -> bool:
    return answer["status"] == "error" and "landing" not in answer["context"]


def unknown_in(answer: Message) -> list[tuple[str, str]]:
    assert (answer["error"]["code"], answer["context"]["landing"]) == ("EXECUTION_ERROR", "unknown")
    assert "Nothing was changed." not in answer["text"]
    return [(one["path"], one["landing"]) for one in answer["context"]["files"]]


# --- a document that is gone ------------------------------------------------------------------------------


@pytest.mark.parametrize("capabilities", [{}, SAVES])
async def test_half_of_a_batch_that_was_saved_and_closed_is_taken_back_on_disk(
    root: Path, capabilities: Message
) -> None:
    async with editing(root, options=AUTO | IMPATIENT, capabilities=capabilities) as editor:
        editor.open("a.py")
        editor.open("b.py")
        editor.answers[APPLY] = doing(editor, applying(editor, save=True, close=True), refuse)
        answer = await batch(editor)
    assert says_that_nothing_was_changed(answer)
    assert on_disk(root) == [OLD, OLD]


async def test_the_users_own_text_that_was_saved_with_it_stays(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT) as editor:
        editor.open("a.py", OLD + "mine\n")
        editor.open("b.py")
        editor.answers[APPLY] = doing(editor, applying(editor, save=True, close=True), refuse)
        answer = await batch(editor)
    assert says_that_nothing_was_changed(answer)
    assert on_disk(root) == [OLD + "mine\n", OLD]


async def test_where_the_user_typed_on_it_stays_and_its_file_is_named(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT) as editor:
        editor.open("a.py")
        editor.open("b.py")
        take = applying(editor, typing="mine\n", save=True, close=True)
        editor.answers[APPLY] = doing(editor, take, refuse)
        answer = await batch(editor)
    assert unknown_in(answer) == [("a.py", "disk")]
    assert "'a.py' (on disk)" in answer["text"]
    assert on_disk(root) == [NEW + "mine\n", OLD]


@pytest.mark.parametrize("typing", ["", "mine\n"])
async def test_a_review_client_with_an_open_and_a_closed_file(root: Path, typing: str) -> None:
    async with editing(root, options=IMPATIENT, **REVIEWING) as editor:
        editor.open("a.py")
        for name in ("a.py", "b.py"):
            await editor.read(name)
        asked = editor.start("agentfs/batch", {"operations": OPERATIONS})
        told = {"id": (await editor.proposed())["id"]}
        settled = await editor.request("agentfs/settle", {**told, "decision": "accepted"})
        assert editor.apply(settled["apply"])
        after(editor, "a.py", typing=typing, save=True, close=True)
        (root / "b.py").write_text("theirs\n")
        report = {**told, "files": [{"uri": editor.uri("a.py"), "applied": True}]}
        assert (await editor.request("agentfs/applied", report))["ok"] is False
        answer = await asked
    if typing:
        assert unknown_in(answer) == [("a.py", "disk")]
        assert on_disk(root) == [NEW + typing, "theirs\n"]
    else:
        assert answer["error"]["code"] == "CONFLICT"
        assert on_disk(root) == [OLD, "theirs\n"]


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


async def test_what_was_typed_on_saved_and_closed_has_landed(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT, capabilities=SAVES) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = applying(editor, typing="mine\n", save=True, close=True)
        answer = await edited(editor)
    assert (answer["data"]["applied"], answer["data"]["landing"]) == (True, "disk")
    assert "+mine" in answer["data"]["review"]["on_save"]
    assert on_disk(root)[0] == NEW + "mine\n"


async def test_what_was_saved_and_closed_without_an_answer_has_landed(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT) as editor:
        editor.open("a.py")
        take = applying(editor, typing="mine\n", save=True, close=True)
        editor.answers[APPLY] = lambda params: NO_ANSWER if take(params) else None
        answer = await edited(editor)
    assert answer["data"]["landing"] == "disk"
    assert on_disk(root)[0] == NEW + "mine\n"


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


async def test_the_disk_holds_what_was_saved_before_the_document_was_set_back(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT) as editor:
        document = editor.open("a.py")
        editor.open("b.py")
        take = applying(editor, save=True)
        editor.answers[APPLY] = doing(editor, take, refuse, applying(editor))
        answer = await batch(editor)
        assert document.text == OLD
    assert unknown_in(answer) == [("a.py", "disk")]
    assert on_disk(root) == [NEW, OLD]


async def test_a_client_that_saves_saves_what_it_has_set_back(root: Path) -> None:
    options = AUTO | {"landing_timeout_s": 0.3}
    async with editing(root, options=options, capabilities=SAVES) as editor:
        editor.open("a.py")
        editor.open("b.py")
        editor.answers[APPLY] = doing(
            editor, applying(editor, save=True), refuse, applying(editor, save=True)
        )
        answer = await batch(editor)
    assert says_that_nothing_was_changed(answer)
    assert on_disk(root) == [OLD, OLD]


async def test_what_the_user_sets_back_while_another_file_is_waited_for_is_told(root: Path) -> None:
    (root / "c.py").write_text(OLD)
    operations = [
        *OPERATIONS,
        {"tool": "edit", "params": {"path": "c.py", "old_string": "two", "new_string": "2"}},
    ]
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
        await editor.seen(APPLY, 4)  # both are set back, and b.py's save is waited for
        for _ in range(3):
            await editor.request("agentfs/status", {})
        editor.change("a.py", NEW)
        editor.save("b.py")
        answer = await asked
    assert unknown_in(answer) == [("a.py", "editor")]
    assert "'a.py' (in the editor)" in answer["text"]
    assert on_disk(root) == [OLD, OLD]


# --- a client that says something else --------------------------------------------------------------------


@pytest.mark.parametrize("atomic", [True, False])
async def test_a_client_that_refuses_and_applies_all_the_same(root: Path, atomic: bool) -> None:
    async with editing(root, options=AUTO | IMPATIENT) as editor:
        editor.open("a.py")
        editor.open("b.py")
        take = applying(editor, typing="mine\n")
        editor.answers[APPLY] = doing(editor, lambda params: refuse(params) if take(params) else None, refuse)
        answer = await batch(editor, atomic=atomic)
    if atomic:
        assert unknown_in(answer) == [("a.py", "editor")]
    else:
        first, second = answer["data"]["results"]
        assert (first["landing"], second["status"]) == ("editor", "error")
        assert "landing" not in second


async def test_a_client_that_refuses_and_applies_a_part(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT) as editor:
        editor.open("a.py")

        def apply_a_part(params: Message) -> Message:
            [change] = params["edit"]["documentChanges"]
            editor.apply({"documentChanges": [{**change, "edits": change["edits"][:1]}]})
            return {"applied": False}

        editor.answers[APPLY] = apply_a_part
        await editor.read("a.py")
        answer = await editor.write("a.py", "1\ntwo\n3\n")
    assert unknown_in(answer) == [("a.py", "editor")]


async def test_a_refusal_beside_typing_in_the_same_line_is_a_conflict(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT) as editor:
        editor.open("a.py")

        def type_first(_: Message) -> Message:
            editor.change("a.py", OLD.replace("two", "two and mine"))
            return {"applied": False}

        editor.answers[APPLY] = type_first
        answer = await edited(editor)
    assert answer["error"]["code"] == "CONFLICT"


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
    options = IMPATIENT | {"approval": {"timeout_s": 0.3}}
    async with VSCODE.editing(root, options=options) as editor:
        editor.open("a.py")
        editor.open("b.py")
        tick = ticking(editor, slice(None), b=slice(0))

        def apply(params: Message) -> object:
            tick(params)
            return said(params)

        editor.answers |= {APPLY: apply, ASK: pressing("Approve")}
        answer = await batch(editor, atomic=atomic)
        text = editor.documents[editor.uri("a.py")].text
    if "results" in answer["data"]:
        first, second = answer["data"]["results"]
        assert first["landing"] == "unknown"
        assert second.get("landing") != "unknown"
    else:
        assert unknown_in(answer) == [("a.py", "editor")]
    assert text == NEW


# --- a disk that does not say -----------------------------------------------------------------------------


async def test_a_landing_of_which_the_system_does_not_tell_is_looked_at(root: Path) -> None:
    frail = Path(__file__).parents[1] / "support" / "frail_server.py"
    async with editing(root, options=AUTO, command=[sys.executable, str(frail)]) as editor:
        answer = await editor.write("undecided.py", NEW)
    assert unknown_in(answer) == [("undecided.py", "disk")]
    assert (root / "undecided.py").read_text() == NEW


# --- undo -------------------------------------------------------------------------------------------------


async def test_an_undo_keeps_what_the_user_typed_while_it_was_saved(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT, capabilities=SAVES) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = applying(editor, typing="mine\n", save=True)
        assert (await edited(editor))["data"]["landing"] == "disk"
        editor.answers[APPLY] = applying(editor, save=True)
        undone = await editor.request("agentfs/undo", {})
    assert undone["data"]["landing"] == "disk"
    assert on_disk(root)[0] == OLD + "mine\n"


async def test_an_undo_of_which_one_file_is_closed_unsaved_names_the_others(root: Path) -> None:
    async with editing(root, options=AUTO | IMPATIENT, capabilities=SAVES) as editor:
        assert (await batch(editor))["data"]["applied"] is True
        editor.open("a.py")
        editor.open("b.py")
        editor.answers[APPLY] = doing(editor, applying(editor, save=True), applying(editor, close=True))
        answer = await editor.request("agentfs/undo", {})
    assert unknown_in(answer) == [("a.py", "disk")]
    assert on_disk(root) == [OLD, NEW]


async def amended_and_saved(editor: Editor, text: str, typed: str) -> None:
    """An edit of an open file that the user amends to `text`, and that reads `typed` once it is saved."""
    editor.open("a.py")
    await editor.read("a.py")
    asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
    told = {"id": (await editor.proposed())["id"]}
    uri = editor.uri("a.py")
    files = [{"uri": uri, "decision": "amended", "text": text}]
    settled = await editor.request("agentfs/settle", {**told, "decision": "accepted", "files": files})
    assert editor.apply(settled["apply"])
    await editor.request("agentfs/applied", {**told, "files": [{"uri": uri, "applied": True}]})
    editor.change("a.py", typed)
    editor.save("a.py")
    await editor.request("agentfs/saved", {**told, "files": [{"uri": uri, "saved": True}]})
    assert (await asked)["data"]["landing"] == "disk"


async def test_an_undo_of_an_amended_change_keeps_what_the_user_typed_while_it_was_saved(root: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        await amended_and_saved(editor, "one\nTWO\nthree\n", "one\nTWO\nthree\nmine\n")
        undoing = editor.start("agentfs/undo", {})
        proposal = await editor.proposed(2)
        assert proposal["files"][0]["proposed_text"] == OLD + "mine\n"
        await editor.settle(proposal)
        assert (await undoing)["data"]["landing"] == "disk"
    assert on_disk(root)[0] == OLD + "mine\n"


async def test_an_undo_takes_back_what_the_user_amended_elsewhere(root: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        await amended_and_saved(editor, "one\n2\nthree\namended\n", "mine\none\n2\nthree\namended\n")
        undoing = editor.start("agentfs/undo", {})
        proposal = await editor.proposed(2)
        assert proposal["files"][0]["proposed_text"] == "mine\n" + OLD
        await editor.settle(proposal, "rejected")
        await undoing
