"""What real editors do with an approved edit: skip it but claim success, apply it elsewhere, ask again, say
nothing, report late. The response says what buffer and disk show."""

from pathlib import Path

import pytest

from support.editor import APPLY, AUTO, NO_ANSWER, Editor, RpcError, editing
from support.neovim import Neovim
from support.operations import writes
from support.personas import COC, EGLOT_1_9, EGLOT_1_17, HELIX, LSP_MODE_8, NEOVIM_0_11, VIM_LSP, Persona
from support.sample import TEXT, edited
from support.wire import Message

by_name = {"ids": lambda persona: persona.name}


def typing_first(persona: Persona, editor: Editor, typed: str) -> None:
    """The user types while the approved edit is on its way."""

    def apply(params: Message) -> object:
        editor.change("a.py", typed)
        return persona.apply(editor, params["edit"])

    editor.answers["workspace/applyEdit"] = apply


@pytest.mark.parametrize("persona", [NEOVIM_0_11, EGLOT_1_17, HELIX, COC], **by_name)
async def test_typing_that_overtakes_the_edit_is_a_conflict(root: Path, file: Path, persona: Persona) -> None:
    async with persona.editing(root, "Approve") as editor:
        document = editor.open("a.py")
        typing_first(persona, editor, "one\ntwo\nthree\nmine\n")
        answer = await (editor.in_vain(edited(editor)) if persona.stale == "skips" else edited(editor))
    assert answer["error"]["code"] == "CONFLICT"
    assert answer["context"]["conflict"]["source"] == "editor"
    assert "+mine" in answer["context"]["conflict"]["diff_since_read"]
    assert document.text == "one\ntwo\nthree\nmine\n"
    assert file.read_text() == TEXT


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (TEXT, "two", "2", "typed\n2\ntwo\nthree\n"),
        ("a\nb\nc\nd\n", "b\nc\n", "B\nC\n", "typed\nB\nC\nc\nd\n"),
        ("a\n\nb\nend\n", "b\n", "b\n\n", "typed\na\n\n\nb\nend\n"),
    ],
    ids=["elsewhere", "part of what was to go stays", "a line as the file has already"],
)
async def test_an_edit_in_the_wrong_place_is_unknown(
    root: Path, file: Path, before: str, old: str, new: str, after: str
) -> None:
    """The editor ignores versions."""
    file.write_text(before)
    async with VIM_LSP.editing(root, "Approve") as editor:
        document = editor.open("a.py")
        typing_first(VIM_LSP, editor, f"typed\n{before}")
        await editor.read("a.py")
        answer = await editor.in_vain(editor.edit("a.py", old, new))
        again = await editor.edit("a.py", old, new)
    assert document.text == after
    assert answer["error"]["code"] == "EXECUTION_ERROR"
    assert answer["context"]["landing"] == "unknown"
    assert (again["error"]["code"], again["error"]["message"]) == ("INVALID_PARAM", "Read the file first.")
    assert file.read_text() == before


async def test_a_no_to_the_editors_own_second_question_is_answered_at_once(root: Path, file: Path) -> None:
    def no(_: object) -> object:
        raise RpcError(-32603, "User cancelled server edit")

    async with EGLOT_1_9.editing(root, "Approve") as editor:
        editor.open("a.py")
        editor.answers["workspace/applyEdit"] = no
        answer = await edited(editor)
    assert answer["error"]["code"] == "EXECUTION_ERROR"
    assert "User cancelled server edit" in answer["text"]
    assert file.read_text() == TEXT


async def test_an_edit_never_answered_is_given_up_and_told_so_to_the_editor(root: Path, file: Path) -> None:
    async with EGLOT_1_9.editing(root, "Approve") as editor:
        document = editor.open("a.py")
        editor.answers["workspace/applyEdit"] = lambda _: NO_ANSWER
        answer = await editor.in_vain(edited(editor))
        held = await editor.seen_message("workspace/applyEdit")
        assert (await editor.seen("$/cancelRequest"))["id"] == held["id"]
        editor.send({"jsonrpc": "2.0", "id": held["id"], "result": {"applied": True}})
        other = await editor.read("a.py")
    assert answer["error"]["code"] == "EXECUTION_ERROR"
    assert other["data"]["content"] == document.text == file.read_text() == TEXT


async def test_an_answer_that_is_none_leaves_it_to_the_document_to_tell(root: Path, file: Path) -> None:
    async with EGLOT_1_9.editing(root, "Approve") as editor:
        document = editor.open("a.py")
        for told in (None, {}, [], "applied", {"applied": "yes"}, {"applied": 1}):
            editor.change("a.py", TEXT)

            def apply(params: Message, told: object = told) -> object:
                editor.apply(params["edit"])
                return told

            editor.answers["workspace/applyEdit"] = apply
            answer = await edited(editor)
            assert (answer["status"], answer["data"]["landing"]) == ("partial", "editor"), told
            assert document.text == "one\n2\nthree\n"


async def test_an_editor_that_saved_before_telling_the_change_has_landed_it(root: Path, file: Path) -> None:
    async with VIM_LSP.editing(root, "Approve") as editor:
        editor.open("a.py")

        def apply(params: Message) -> object:
            editor.apply(params["edit"], tell=False)
            editor.save("a.py")
            return {"applied": True}

        editor.answers["workspace/applyEdit"] = apply
        answer = await editor.in_vain(edited(editor))
    assert file.read_text() == "one\n2\nthree\n"
    assert (answer["status"], answer["data"]["landing"]) == ("success", "disk")


@pytest.mark.parametrize("persona", [LSP_MODE_8, EGLOT_1_9], **by_name)
async def test_a_null_to_what_it_does_not_know_is_no_answer(root: Path, file: Path, persona: Persona) -> None:
    async with persona.editing(root, "Approve") as editor:
        editor.open("a.py")
        for method in ("workspace/applyEdit", "window/showMessageRequest", "window/showDocument"):
            editor.answers[method] = lambda _: None
        answer = await edited(editor)
    assert answer["error"]["code"] == "USER_REJECTED"
    assert answer["context"]["review"]["decision"] == "dismissed"
    assert file.read_text() == TEXT


def keeps_last_end(editor: Editor) -> None:
    """The editor stores lines, and the end of the last one separately."""
    stored: dict[str, Neovim] = {}

    def apply(params: Message) -> Message:
        (change,) = params["edit"]["documentChanges"]
        document = editor.documents[change["textDocument"]["uri"]]
        neovim = stored.setdefault(document.uri, Neovim(document.text, fixeol=True))
        *_, document.text = neovim.apply(change["edits"])
        editor.catch_up("a.py")
        return {"applied": True}

    editor.answers[APPLY] = apply


@pytest.mark.parametrize("name", ["Neovim", "coc.nvim"])
async def test_a_line_end_the_editor_keeps_has_landed(root: Path, file: Path, name: str) -> None:
    async with editing(root, options=AUTO, name=name) as editor:
        keeps_last_end(editor)
        document = editor.open("a.py")
        await editor.read("a.py")
        answer = await editor.write("a.py", "one\n2\nthree")
        assert answer["data"]["landing"] == "editor"
        assert answer["data"]["review"]["decision"] == "allowed"
        assert [one["kind"] for one in answer["data"]["corrections"]] == ["last_line_end"]
        assert "No newline" not in answer["data"]["diff_preview"]
        history = await editor.request("agentfs/history", {"texts": True})
        assert history["data"]["changes"][0]["files"][0]["after_text"] == document.text == "one\n2\nthree\n"
        undone = await editor.undo(answer["data"]["change_id"])
        assert undone["data"]["landing"] == "disk"  # which has that text
        assert document.text == TEXT
        assert (await editor.edit("a.py", "one", "1"))["data"]["landing"] == "editor"


async def test_when_only_a_line_end_was_to_go_that_the_editor_keeps_it_is_told(
    root: Path, file: Path
) -> None:
    async with editing(root, options=AUTO, name="vim-lsp") as editor:
        keeps_last_end(editor)
        editor.open("a.py")
        await editor.read("a.py")
        answer = await editor.write("a.py", TEXT.removesuffix("\n"))
    assert [one["kind"] for one in answer["data"]["corrections"]] == ["last_line_end"]
    assert "(+0/-0 lines" in answer["text"]
    assert file.read_text() == TEXT


@pytest.mark.parametrize("found", ["\n", "\ufeff"])
async def test_a_document_that_is_not_as_empty_as_its_file_gets_the_change_alone(
    root: Path, file: Path, found: str
) -> None:
    """Editors report an empty file as an empty line, or keep a lone byte-order mark in the text."""
    file.write_text(found.strip())
    async with editing(root, options=AUTO, name="coc.nvim") as editor:
        document = editor.open("a.py", found)
        editor.notify("textDocument/didSave", {"textDocument": {"uri": document.uri}})
        await editor.read("a.py")
        answer = await editor.write("a.py", "alpha\nbeta\n")
        assert answer["data"]["landing"] == "editor"
        assert document.text in ("alpha\nbeta\n", "\ufeffalpha\nbeta\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one\n", "one\ntwo\n"),
        ("one\n", "\n"),
        ("one\n\ntwo\n", ""),
        ("one\ntwo\nthree\n", "one\n"),
        ("one", "one\n"),
        ("\n", "one\n"),
        ("", "one\n"),
    ],
)
async def test_last_lines_come_as_proposed_and_go_with_a_rollback_and_an_undo(
    root: Path, file: Path, before: str, after: str
) -> None:
    file.write_text(before)
    async with editing(root, options=AUTO, name="Neovim") as editor:
        keeps_last_end(editor)
        reported = Neovim(before, fixeol=True).text
        document = editor.open("a.py", reported)
        for path in ("a.py", "b.py"):
            await editor.read(path)
        applies = editor.answers[APPLY]

        def apply(params: Message) -> object:
            (root / "b.py").write_text("theirs\n")  # the file that lands next
            return applies(params)

        operations = [writes(path, after, allow_empty=True) for path in ("a.py", "b.py")]
        editor.answers[APPLY] = apply
        answer = await editor.request("agentfs/batch", {"operations": operations})
        assert (answer["error"]["code"], document.text) == ("CONFLICT", reported)
        assert "landing" not in answer["context"]
        answer = await editor.write("a.py", after, allow_empty=True)
        assert (answer["data"]["landing"], answer["data"]["corrections"]) == ("editor", [])
        assert document.text == (after or "\n")
        await editor.undo()
        assert document.text == (after if before == "one" else reported)  # an end stays


async def test_only_removing_a_line_end_that_the_editor_keeps_changes_nothing(root: Path, file: Path) -> None:
    file.write_text("one\ntwo")
    async with editing(root, options=AUTO, name="Neovim") as editor:
        await editor.read("a.py")
        await editor.write("a.py", "one\ntwo\n")
        editor.open("a.py")
        answers = [
            await editor.write("a.py", "one\ntwo"),
            await editor.edit("a.py", "two\n", "two"),
            await editor.undo(),
        ]
    assert [answer["data"]["unchanged"] for answer in answers] == [True, True, True]
    for answer in answers:
        assert [one["kind"] for one in answer["data"]["corrections"]] == ["last_line_end"]
        assert "The editor decides how the last line ends" in answer["text"]
