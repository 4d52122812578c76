"""Files that may be changed but not read: docs/protocol.md#13-settings-and-policy."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from support.client import Answer, Editor
from support.editor import APPLY, AUTO, NO_ANSWER, REVIEWING, SAVES, RpcError, configure, editing
from support.personas import NEOVIM_0_11, VSCODE, pressing
from support.sample import settle
from support.wire import Message

SECRET = "the launch code is 4711\n"


UNREADABLE = {"rules": [{"files": ["drop/**"], "read": "deny", "write": "allow", "edit": "allow"}]}


async def test_what_may_not_be_read_is_replaced_blindly_and_nothing_is_told_of_it(root: Path) -> None:
    (root / "drop").mkdir()
    path = root / "drop" / "box.txt"
    told = []
    async with editing(root, options=UNREADABLE) as editor:
        for before in (SECRET, "as new\n", "as new\r\n", "", "\ufeffas new\n"):
            path.write_bytes(before.encode())
            answer = await editor.write("drop/box.txt", "as new\n")
            assert answer["status"] == "success", answer
            assert path.read_bytes().decode().strip("\ufeff").split() == ["as", "new"]
            answer["data"]["review"].pop("waited_ms")
            answer["data"].pop("change_id")
            told.append((answer["data"], answer["text"], answer["stats"].keys()))
            assert "4711" not in str(answer)
        tried = await editor.write("drop/box.txt", "x\n", dry_run=True)
        assert (tried["data"]["diff_preview"], tried["stats"].keys()) == ("", {"time_ms"})
        created = await editor.write("drop/new.txt", "x\n")
        assert (created["data"]["operation"], created["data"]["diff_preview"]) == ("create", "")
        assert (await editor.write("drop/new.txt", "y\n"))["data"]["applied"] is True
    assert all(one == told[0] for one in told)
    data, text, stats = told[0]
    told = (data["unchanged"], data["diff_preview"], data["warnings"], data["corrections"])
    assert told == (False, "", [], [])
    assert text == (
        "Wrote 'drop/box.txt'. "
        "Reading this file is denied or requires approval, so its content is not reported."
    )
    assert stats == {"time_ms"}


async def test_nothing_that_needs_reading_is_done_where_reading_is_denied(root: Path) -> None:
    (root / "drop").mkdir()
    path = root / "drop" / "box.txt"
    path.write_text(SECRET)
    (root / "drop" / "blob").write_bytes(b"\0\1")
    digest = "sha256:" + hashlib.sha256(SECRET.encode()).hexdigest()
    async with editing(root, options={**UNREADABLE, "require_read": False}) as editor:
        refused = [
            await editor.read("drop/box.txt"),
            await editor.edit("drop/box.txt", "4711", "0815"),
            await editor.edit("drop/box.txt", "4712", "0815", dry_run=True),
            await editor.edit("drop/missing.txt", "a", "b"),
            await editor.write("drop/box.txt", "x\n", expected_hash=digest),
            await editor.write("drop/box.txt", "x\n", expected_size_bytes=1),
            await editor.write("drop/box.txt", "x\n", expected_hash=digest, dry_run=True),
            await editor.write("drop/blob", "x\n"),
        ]
        assert {answer["error"]["code"] for answer in refused} == {"ACCESS_DENIED"}
        assert all("drop/**" in answer["text"] and "4711" not in answer["text"] for answer in refused)
        there = await editor.write("drop/box.txt", "x\n", overwrite=False)
        assert there["error"]["code"] == "CONFLICT"
        assert there["context"]["conflict"]["actual"]["hash"] is None
    assert path.read_text() == SECRET


async def test_a_blind_change_is_reviewed_like_any_and_a_conflict_tells_nothing(root: Path) -> None:
    (root / "drop").mkdir()
    path = root / "drop" / "box.txt"
    path.write_text(SECRET)
    rules = [{"files": ["drop/**"], "read": "deny"}]
    async with editing(root, options={"rules": rules}, **REVIEWING) as editor:
        same = editor.start("agentfs/write", {"path": "drop/box.txt", "content": SECRET})
        await editor.settle(await editor.proposed())
        answer = await same
        assert (answer["data"]["applied"], answer["data"]["unchanged"]) == (True, False)
        moved = editor.start("agentfs/write", {"path": "drop/box.txt", "content": "x\n"})
        proposal = await editor.proposed(2)
        shown = await editor.request("agentfs/proposal", {"id": proposal["id"]})
        assert shown["files"][0]["base_text"] == SECRET
        path.write_text("moved 4712\n")
        await editor.settle(proposal)
        conflict = (await moved)["context"]["conflict"]
        assert (
            conflict["expected"]["hash"] is conflict["actual"]["hash"] is conflict["diff_since_read"] is None
        )
    assert path.read_text() == "moved 4712\n"


async def test_reading_denied_while_a_change_is_reviewed_leaves_nothing_in_its_answer(root: Path) -> None:
    (root / "a.txt").write_text(SECRET)
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.txt")
        asked = editor.start("agentfs/write", {"path": "a.txt", "content": "x\n"})
        proposal = await editor.proposed()
        configure(editor, rules=[{"files": ["a.txt"], "read": "deny"}])
        await editor.settle(proposal)
        answer = await asked
        assert (answer["data"]["applied"], answer["data"]["diff_preview"]) == (True, "")
        assert "4711" not in str(answer)


async def test_whether_the_user_can_be_asked_tells_no_guess_from_another(root: Path) -> None:
    """The more of the file a text repeats, the shorter the diff for the message."""
    (root / "pin.txt").write_text(SECRET)
    (root / "long.txt").write_text("".join(f"line {number}\n" for number in range(1000)))
    rules = [{"files": ["*.txt"], "read": "deny", "write": "ask"}]
    asking = {"window/showMessageRequest": pressing("Reject")}
    async with editing(root, options={"rules": rules}, name="Neovim", answers=asking) as editor:

        async def code(first: str, more: int) -> str:
            answer = await editor.write("pin.txt", first + "x\n" * more)
            return str(answer["error"]["code"])

        asked, refused = 1, 2000
        while refused - asked > 1:
            middle = (asked + refused) // 2
            if await code("no such line\n", middle) == "USER_REJECTED":
                asked = middle
            else:
                refused = middle
        for more in (asked, refused):
            assert await code(SECRET, more) == await code("no such line\n", more)
        assert await code(SECRET, refused) == "ACCESS_DENIED"
        text = (root / "long.txt").read_text()
        for content in (text, f"{text}x\n", "x\n"):
            assert (await editor.write("long.txt", content))["error"]["code"] == "ACCESS_DENIED"


async def test_how_the_user_is_asked_tells_nothing_of_the_text(root: Path) -> None:
    """The preview requires UTF-8 and uniform line ends."""
    path = root / "pin.txt"
    rules = [{"files": ["*.txt"], "read": "deny", "write": "ask"}]
    async with VSCODE.editing(root, "Reject", {"rules": rules}) as editor:
        told = []
        for held in (b"47\n11\n", b"47\r\n11\n", b"47\r\n11\r\n", b""):
            path.write_bytes(held)
            answer = await editor.write("pin.txt", "0815\n")
            answer["context"]["review"].pop("waited_ms")
            told.append((answer["context"]["review"], answer["text"]))
    assert told == [told[0]] * 4
    assert told[0][0]["rung"] == "message"


GUESSES = (SECRET, "not saved\n", "the launch code is 0000\n")
DENIED: dict[str, Any] = {"rules": [{"files": ["*.txt"], "read": "deny"}]}


def without_times(answer: Message) -> Message:
    """The part of a response that two equal changes share."""
    answer["data"].pop("change_id", None)
    answer["context"].pop("params_input")
    for told in (answer["data"], answer["context"]):
        (told.get("review") or {}).pop("waited_ms", None)
    return {key: answer.get(key) for key in ("status", "data", "text", "error", "context")}


@pytest.mark.parametrize("unsaved", [False, True], ids=["saved", "unsaved"])
@pytest.mark.parametrize("press", ["Approve", "Reject", None], ids=["yes", "no", "auto_edit"])
@pytest.mark.parametrize(
    "does", ["applies", "refuses", "fails", "sleeps", "lies", "lies and sleeps", "mumbles"]
)
async def test_how_a_change_of_an_open_document_lands_tells_no_guess_from_another(
    root: Path, press: str | None, does: str, *, unsaved: bool
) -> None:
    """The editor does not save by itself, and reports no change if the text stays the same."""
    told = []
    for number, guess in enumerate(GUESSES):
        folder = root / str(number)
        folder.mkdir()
        (folder / "pin.txt").write_text(SECRET)
        options = DENIED if press else {**DENIED, "approval": {"mode": "auto_edit"}}
        if "sleeps" in does:
            options = {**options, "landing_timeout_s": 0.1}
        async with NEOVIM_0_11.editing(folder, press, options) as editor:
            editor.open("pin.txt")
            if unsaved:
                editor.change("pin.txt", "not saved\n")
            apply = editor.answers[APPLY]

            def answered(params: Message, apply: Answer = apply) -> object:
                if does == "applies":
                    [change] = params["edit"]["documentChanges"]
                    return apply(params) if change["edits"] else {"applied": True}
                if does == "fails":
                    raise RpcError(-32603, "broken")
                if does in ("lies", "lies and sleeps", "mumbles"):
                    apply(params)
                    if len(editor.all(APPLY)) > 1:  # rolls it back
                        return {"applied": True}
                if does == "mumbles":
                    return {"applied": "yes"}
                return NO_ANSWER if "sleeps" in does else {"applied": False}

            editor.answers[APPLY] = answered
            told.append(without_times(await editor.write("pin.txt", guess)))
        assert (folder / "pin.txt").read_text() == SECRET
    assert told == [told[0]] * len(GUESSES)


@pytest.mark.parametrize("does", ["saves", "can't save", "trims"])
async def test_what_a_save_makes_of_it_tells_no_guess_from_another(root: Path, does: str) -> None:
    """If the text stays the same, there is nothing to save, and nothing that fails or is trimmed."""
    told = []
    for number, guess in enumerate((*GUESSES, "the launch code is 4711 \n")):
        folder = root / str(number)
        folder.mkdir()
        (folder / "pin.txt").write_text(SECRET)
        options = {**DENIED, **AUTO, "save_timeout_s": 0.1}
        async with editing(folder, options=options, capabilities=SAVES) as editor:

            def apply_and_save(params: Message, editor: Editor = editor) -> Message:
                [change] = params["edit"]["documentChanges"]
                if change["edits"]:
                    editor.apply(params["edit"])
                    if does == "trims":
                        text = editor.documents[editor.uri("pin.txt")].text
                        editor.change("pin.txt", text.replace(" \n", "\n"))
                    if does != "can't save":
                        editor.save("pin.txt")
                return {"applied": True}

            editor.answers[APPLY] = apply_and_save
            editor.open("pin.txt")
            told.append(without_times(await editor.write("pin.txt", guess)))
    assert told == [told[0]] * len(told)
    assert (told[0]["data"]["applied"], told[0]["data"]["landing"]) == (False, "editor")
    assert "Whether it is saved" in told[0]["text"]


@pytest.mark.parametrize("saves", [True, False])
async def test_how_a_reviewed_change_lands_tells_no_guess_from_another(root: Path, *, saves: bool) -> None:
    """The client sends the whole text with its settle, and saves nothing if nothing changed."""
    told = []
    for number, guess in enumerate(GUESSES):
        folder = root / str(number)
        folder.mkdir()
        (folder / "pin.txt").write_text(SECRET)
        reviewing = {"capabilities": {"experimental": {"agentfs": {"review": True, "save": saves}}}}
        async with editing(folder, options=DENIED, **{**REVIEWING, **reviewing}) as editor:
            editor.open("pin.txt")
            asked = editor.start("agentfs/write", {"path": "pin.txt", "content": guess})
            proposal = await editor.proposed()
            files = [{"uri": editor.uri("pin.txt"), "decision": "amended", "text": guess}]
            answer = await settle(editor, proposal, "amended", files=files)
            uri = editor.uri("pin.txt")
            if edits := answer["apply"]["documentChanges"][0]["edits"]:
                editor.apply(answer["apply"])
            report = {"id": proposal["id"], "files": [{"uri": uri, "applied": True}]}
            applied = await editor.request("agentfs/applied", report)
            if applied.get("save"):
                if edits:
                    editor.save("pin.txt")
                report = {"id": proposal["id"], "files": [{"uri": uri, "saved": True}]}
                await editor.request("agentfs/saved", report)
            told.append(without_times(await asked))
        assert told[0]["data"]["landing"] == "editor"
    assert told == [told[0]] * len(GUESSES)


async def test_a_file_that_is_there_is_refused_alike_with_and_without_unsaved_changes(root: Path) -> None:
    (root / "pin.txt").write_text(SECRET)
    async with editing(root, options=DENIED) as editor:
        told = []
        for typed in (SECRET, "not saved\n"):
            if typed == SECRET:
                editor.open("pin.txt")
            else:
                editor.change("pin.txt", typed)
            told.append(without_times(await editor.write("pin.txt", "x\n", overwrite=False)))
    assert told[0] == told[1]
    assert told[0]["context"]["conflict"]["source"] == "disk"
