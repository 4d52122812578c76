"""What an answer says about documents and disk is true, whatever editor and user do after an accepted change
(docs/protocol.md#93-how-it-lands)."""

from typing import Any

import pytest

from agentfs_lsp.domain.errors import Conflict, LandingUnknown, NotLanded
from support.fakes.disk import HOME
from support.fakes.review import (
    ScriptedApplier,
    applies,
    applies_and,
    applies_partly,
    applies_silently,
    never_answers,
    pretends,
    refuses,
    saves,
    saves_and,
    saves_not,
    uri_of,
)
from support.fakes.workspace import FakeWorkspace, write_of

OLD, NEW = "one\ntwo\nthree\n", "one\n2\nthree\n"
BATCH = (write_of("a.py", NEW), write_of("b.py", NEW))


@pytest.fixture
async def opened(work: FakeWorkspace) -> FakeWorkspace:
    """a.py and b.py are open and read, and every change is allowed."""
    work.set(approval__mode="auto_edit")
    for name in ("a.py", "b.py"):
        await work.put_and_read(name, OLD, opened=True)
    return work


def on_disk(work: FakeWorkspace) -> list[str]:
    return [data.decode() for data in work.store.tree().values()]


def hands(work: FakeWorkspace, how: Any, *, of_b: Any = None, save: Any = None) -> None:
    """How the editor handles edits of a.py and b.py, by default refusing the latter."""
    work.reviewer.applier = ScriptedApplier(work.editor, how, {"b.py": of_b or refuses()}, save=save)


def going(work: FakeWorkspace, *, typing: str = "", save: bool = True, close: bool = True) -> Any:
    """The editor applies, then the user types, saves and closes."""

    def go() -> None:
        if typing:
            work.editor.type("a.py", "three\n", f"three\n{typing}")
        if save:
            work.editor.save("a.py")
        if close:
            work.editor.close("a.py")

    return applies_and(go)


async def unknown(work: FakeWorkspace, **more: Any) -> list[tuple[str, str]]:
    with pytest.raises(LandingUnknown) as raised:
        await work.batch(*BATCH, **more)
    return [(one.path, one.where) for one in raised.value.holding]


# --- a document that is gone ------------------------------------------------------------------------------


async def test_the_users_own_text_that_was_saved_with_it_stays(opened: FakeWorkspace) -> None:
    opened.editor.type("a.py", "three\n", "three\nmine\n")
    await opened.read("a.py")
    hands(opened, going(opened))
    with pytest.raises(NotLanded):
        await opened.batch(write_of("a.py", NEW + "mine\n"), write_of("b.py", NEW))
    assert on_disk(opened) == [OLD + "mine\n", OLD]


async def test_where_the_user_typed_on_it_stays_and_its_file_is_named(opened: FakeWorkspace) -> None:
    hands(opened, going(opened, typing="mine\n"))
    assert await unknown(opened) == [("a.py", "disk")]
    assert on_disk(opened) == [NEW + "mine\n", OLD]


@pytest.mark.parametrize("answers", [True, False])
async def test_what_was_typed_on_saved_and_closed_has_landed(opened: FakeWorkspace, answers: bool) -> None:
    take = going(opened, typing="mine\n")

    async def how(editor: Any, edit: Any) -> Any:
        await take(editor, edit)
        return await (pretends if answers else never_answers)(editor, edit)

    hands(opened, how, save=saves_not)
    done = await opened.edit("a.py", "two", "2")
    assert done.landing is not None
    assert done.landing.where == "disk"
    assert done.landing.on_save is not None
    assert "+mine" in done.landing.on_save
    assert on_disk(opened)[0] == NEW + "mine\n"


# --- a file that gets another name ------------------------------------------------------------------------


def renaming(work: FakeWorkspace, *, typing: str = "", save: bool = False) -> Any:
    """The editor applies, then the user types and saves, and renames a.py."""

    def go() -> None:
        if typing:
            work.editor.type("a.py", "three\n", f"three\n{typing}")
        if save:
            work.editor.save("a.py")
        work.editor.rename("a.py", "c.py")

    return applies_and(go)


@pytest.mark.parametrize("typing", ["", "mine\n"])
@pytest.mark.parametrize("save", [True, False])
async def test_what_was_renamed_with_a_change_is_named(
    opened: FakeWorkspace, typing: str, save: bool
) -> None:
    hands(opened, renaming(opened, typing=typing, save=save), save=saves_not)
    with pytest.raises(LandingUnknown) as raised:
        await opened.edit("a.py", "two", "2")
    where = ("editor", "disk") if save else ("editor",)
    assert [(one.path, one.where) for one in raised.value.holding] == [("c.py", one) for one in where]
    assert (raised.value.path, raised.value.reason) == ("a.py", "closed")
    assert opened.editor.text_of("c.py") == NEW + typing


@pytest.mark.parametrize("there", ["", "other\n"])
async def test_what_was_saved_under_another_name_is_named(opened: FakeWorkspace, there: str) -> None:
    """VS Code makes the new file, opens it as it is, and gives it the text."""

    def save_as() -> None:
        text = opened.editor.text_of("a.py")
        assert text is not None
        opened.store.put("c.py", there)
        opened.documents.open(uri_of("c.py"), f"{HOME}/c.py", there)
        opened.documents.change(uri_of("c.py"), text)
        opened.editor.save("c.py")
        opened.editor.close("a.py")

    hands(opened, applies_and(save_as), save=saves_not)
    with pytest.raises(LandingUnknown) as raised:
        await opened.edit("a.py", "two", "2")
    assert [(one.path, one.where) for one in raised.value.holding] == [("c.py", "editor"), ("c.py", "disk")]
    assert opened.store.bytes_of("c.py") == NEW.encode()


async def test_a_saved_part_of_a_batch_whose_file_another_program_moves_may_be_elsewhere(
    opened: FakeWorkspace,
) -> None:
    """Its document stays open, and is rolled back."""

    def go() -> None:
        opened.editor.save("a.py")
        opened.store.rename("a.py", "d.py")

    hands(opened, applies_and(go))
    assert ("a.py", "elsewhere") in await unknown(opened)
    assert opened.store.bytes_of("d.py") == NEW.encode()


async def test_what_was_renamed_with_a_part_of_a_batch_is_named_and_stays(opened: FakeWorkspace) -> None:
    hands(opened, renaming(opened))
    with pytest.raises(LandingUnknown) as raised:
        await opened.batch(*BATCH)
    assert [(one.path, one.where) for one in raised.value.holding] == [("c.py", "editor")]
    assert (raised.value.path, raised.value.reason) == ("a.py", "not_rolled_back")
    assert opened.editor.text_of("c.py") == NEW


@pytest.mark.parametrize("hidden", [True, False])
async def test_of_a_name_that_the_session_may_not_know_only_the_rename_is_told(
    opened: FakeWorkspace, hidden: bool
) -> None:
    def go() -> None:
        opened.editor.rename("a.py", ".git/c.py" if hidden else "c.py")
        if not hidden:
            opened.editor.close("c.py")  # unsaved

    hands(opened, applies_and(lambda: (opened.editor.save("a.py"), go())))
    with pytest.raises(LandingUnknown) as raised:
        await opened.edit("a.py", "two", "2")
    wanted = ("a.py", "elsewhere") if hidden else ("c.py", "disk")
    assert [(one.path, one.where) for one in raised.value.holding] == [wanted]


async def test_a_file_that_is_gone_with_a_change_may_be_elsewhere(opened: FakeWorkspace) -> None:
    def go() -> None:
        opened.store.rename("a.py", "c.py")
        opened.editor.close("a.py")

    hands(opened, applies_and(lambda: (opened.editor.save("a.py"), go())))
    with pytest.raises(LandingUnknown) as raised:
        await opened.edit("a.py", "two", "2")
    assert [(one.path, one.where) for one in raised.value.holding] == [("a.py", "elsewhere")]


@pytest.mark.parametrize("opens", [True, False])
async def test_a_file_renamed_with_what_was_saved_and_undone_since(
    opened: FakeWorkspace, opens: bool
) -> None:
    def go() -> None:
        opened.editor.save("a.py")
        opened.editor.type("a.py", NEW, OLD)
        opened.editor.rename("a.py", "c.py")

    if not opens:
        opened.documents.watch_texts = lambda _: lambda: None  # type: ignore[method-assign]
    hands(opened, applies_and(go))
    with pytest.raises(LandingUnknown) as raised:
        await opened.edit("a.py", "two", "2")
    wanted = ("c.py", "disk") if opens else ("a.py", "elsewhere")
    assert [(one.path, one.where) for one in raised.value.holding] == [wanted]
    assert opened.store.bytes_of("c.py") == NEW.encode()


async def test_a_file_renamed_without_the_change_holds_nothing_of_it(opened: FakeWorkspace) -> None:
    hands(opened, applies_and(lambda: opened.editor.rename("a.py", "c.py"), refuses()))
    with pytest.raises(Conflict, match="gone"):
        await opened.edit("a.py", "two", "2")


async def test_a_new_text_that_was_never_saved_is_gone_with_its_document(opened: FakeWorkspace) -> None:
    opened.store.remove("a.py")
    hands(opened, applies_and(lambda: opened.editor.close("a.py")))
    with pytest.raises(NotLanded):
        await opened.edit("a.py", "two", "2")


async def test_another_document_with_the_text_from_before_holds_nothing(opened: FakeWorkspace) -> None:
    def go() -> None:
        opened.editor.close("a.py")
        opened.editor.open("c.py")
        opened.editor.type("c.py", "two", "mine")

    opened.store.put("c.py", OLD)
    hands(opened, applies_and(go))
    with pytest.raises(NotLanded):
        await opened.edit("a.py", "two", "2")


# --- a document that is set back --------------------------------------------------------------------------


async def test_the_disk_holds_what_was_saved_before_the_document_was_set_back(opened: FakeWorkspace) -> None:
    hands(opened, going(opened, close=False))
    assert await unknown(opened) == [("a.py", "disk")]
    assert opened.editor.text_of("a.py") == OLD
    assert on_disk(opened) == [NEW, OLD]


async def test_a_client_that_saves_saves_what_it_has_set_back(opened: FakeWorkspace) -> None:
    class SavesBack(ScriptedApplier):
        async def roll_back(self, edits: Any, error: Any) -> None:
            await super().roll_back(edits, error)
            opened.editor.save("a.py")

    how = going(opened, close=False)
    opened.reviewer.applier = SavesBack(opened.editor, how, {"b.py": refuses()}, save=saves)
    with pytest.raises(NotLanded):
        await opened.batch(*BATCH)
    assert on_disk(opened) == [OLD, OLD]


# --- a client that says something else --------------------------------------------------------------------


async def test_a_client_that_refuses_and_applies_all_the_same(opened: FakeWorkspace) -> None:
    how = applies_and(lambda: opened.editor.type("a.py", "three\n", "three\nmine\n"), applies_silently)
    hands(opened, how)
    assert await unknown(opened) == [("a.py", "editor")]


async def test_where_each_lands_by_itself_one_refusal_is_no_others(opened: FakeWorkspace) -> None:
    hands(opened, applies_silently)
    done = await opened.batch(*BATCH, atomic=False)
    assert done.errors == ["", "NotLanded"]


async def test_a_client_that_refuses_and_applies_a_part(opened: FakeWorkspace) -> None:
    async def part(editor: Any, edit: Any) -> Any:
        await applies_partly()(editor, edit)
        return await refuses()(editor, edit)

    hands(opened, part)
    with pytest.raises(LandingUnknown):
        await opened.write("a.py", "1\ntwo\n3\n")


async def test_a_refusal_beside_typing_in_the_same_line_is_a_conflict(opened: FakeWorkspace) -> None:
    hands(opened, applies_and(lambda: opened.editor.type("a.py", "two", "two and mine"), refuses()))
    with pytest.raises(Conflict):
        await opened.edit("a.py", "two", "2")


# --- undo -------------------------------------------------------------------------------------------------


async def test_an_undo_keeps_what_the_user_typed_while_it_was_saved(opened: FakeWorkspace) -> None:
    hands(opened, going(opened, typing="mine\n", close=False), save=saves_not)
    await opened.edit("a.py", "two", "2")
    hands(opened, applies, save=saves)
    await opened.undo()
    assert on_disk(opened)[0] == OLD + "mine\n"


async def test_an_undo_of_which_one_file_is_closed_unsaved_names_the_others(opened: FakeWorkspace) -> None:
    hands(opened, applies, of_b=applies, save=saves)
    await opened.batch(*BATCH)
    hands(
        opened,
        applies_and(lambda: opened.editor.save("a.py")),
        of_b=applies_and(lambda: opened.editor.close("b.py")),
        save=saves_not,
    )
    with pytest.raises(LandingUnknown) as raised:
        await opened.undo()
    assert [(one.path, one.where) for one in raised.value.holding] == [("a.py", "disk")]
    assert on_disk(opened) == [OLD, NEW]


@pytest.mark.parametrize(
    ("amended", "typed", "back"),
    [
        ("one\nTWO\nthree\n", "one\nTWO\nthree\nmine\n", OLD + "mine\n"),
        ("one\n2\nthree\namended\n", "mine\none\n2\nthree\namended\n", "mine\n" + OLD),
    ],
)
async def test_an_undo_reverts_amendments(opened: FakeWorkspace, amended: str, typed: str, back: str) -> None:
    opened.set(approval__mode="manual")
    formats = saves_and(lambda: None, first=lambda: opened.documents.change(opened.uri("a.py"), typed))
    opened.reviewer.accepts(ScriptedApplier(opened.editor, save=formats), amended={"a.py": amended})
    await opened.edit("a.py", "two", "2")
    opened.reviewer.accepts(ScriptedApplier(opened.editor, save=saves))
    await opened.undo()
    assert on_disk(opened)[0] == back
