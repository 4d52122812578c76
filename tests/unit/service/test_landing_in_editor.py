"""Accepted changes of open documents (docs/protocol.md#93-how-it-lands): the client's claims are verified."""

from typing import Any

import pytest

from agentfs_lsp.domain.errors import Conflict, LandingUnknown, NotLanded, SystemFailed
from agentfs_lsp.service.change_request import Submitted
from agentfs_lsp.service.proposal.change import Landing
from support.fakes.disk import HOME
from support.fakes.review import (
    How,
    ScriptedApplier,
    applies_after,
    applies_and,
    applies_partly,
    applies_silently,
    cannot_save,
    hangs_saving,
    never_answers,
    pretends,
    refuses,
    saves,
    saves_after,
    saves_and,
    saves_not,
    says_nothing,
)
from support.fakes.store import disk_full
from support.fakes.workspace import FakeWorkspace, edit_of, write_of

URI = f"file://{HOME}/a.py"


@pytest.fixture
async def opened(work: FakeWorkspace) -> FakeWorkspace:
    """a.py has three lines and is open; session "s" has read it."""
    await work.put_and_read("a.py", "one\ntwo\nthree\n", opened=True)
    return work


async def edited(work: FakeWorkspace, applier: ScriptedApplier | None = None, **more: Any) -> Submitted:
    work.reviewer.accepts(applier, **more)
    return await work.edit("a.py", "two", "2")


async def landing(work: FakeWorkspace, applier: ScriptedApplier | None = None, **more: Any) -> Landing:
    landed = (await edited(work, applier, **more)).landing
    assert landed is not None
    return landed


async def not_landed(work: FakeWorkspace, applier: ScriptedApplier) -> NotLanded:
    with pytest.raises(NotLanded) as refused:
        await edited(work, applier)
    assert work.store.bytes_of("a.py") == b"one\ntwo\nthree\n"
    assert work.history.records == []
    return refused.value


async def unknown(work: FakeWorkspace, applier: ScriptedApplier, *operations: Any) -> LandingUnknown:
    work.reviewer.accepts(applier)
    with pytest.raises(LandingUnknown) as raised:
        await (work.batch(*operations) if operations else work.edit("a.py", "two", "2"))
    assert work.ws.sessions.get("s", f"{HOME}/a.py") is None
    return raised.value


def where(error: LandingUnknown) -> list[tuple[str, str]]:
    return [(one.path, one.where) for one in error.holding]


# --- has it arrived? --------------------------------------------------------------------------------------


async def test_what_a_client_applies_waits_unsaved(opened: FakeWorkspace) -> None:
    landed = await landing(opened, ScriptedApplier(opened.editor))
    assert (landed.where, landed.text) == ("editor", "one\n2\nthree\n")
    assert opened.store.bytes_of("a.py") == b"one\ntwo\nthree\n"


async def test_the_text_may_come_long_behind_the_answer(opened: FakeWorkspace) -> None:
    landed = await landing(opened, ScriptedApplier(opened.editor, applies_after(20)))
    assert (landed.where, opened.clock.seconds) == ("editor", 20)


@pytest.mark.parametrize("how", [pretends, never_answers, says_nothing])
async def test_what_has_no_answer_or_report_in_time_may_still_come(opened: FakeWorkspace, how: How) -> None:
    opened.set(landing_timeout_s=5)
    error = await unknown(opened, ScriptedApplier(opened.editor, how))
    assert (error.reason, opened.clock.seconds) == ("late", 5)
    assert where(error) == [("a.py", "editor")]


async def test_a_client_that_takes_back_what_is_late_is_not_waited_for_forever(opened: FakeWorkspace) -> None:
    error = await not_landed(opened, ScriptedApplier(opened.editor, never_answers, reverts_late=True))
    assert (error.reason, opened.clock.seconds) == ("late", 30)


async def test_a_client_that_refuses_is_told_by_its_reason(opened: FakeWorkspace) -> None:
    error = await not_landed(opened, ScriptedApplier(opened.editor, refuses("read-only")))
    assert (error.reason, error.detail) == ("refused", "read-only")


async def test_a_client_that_refuses_because_the_file_moved_is_told_so(opened: FakeWorkspace) -> None:
    applier = ScriptedApplier(
        opened.editor, applies_and(lambda: opened.editor.type("a.py", "three", "3"), refuses())
    )
    with pytest.raises(Conflict, match="reviewing"):
        await edited(opened, applier)


async def test_what_arrived_counts_whatever_the_client_says(opened: FakeWorkspace) -> None:
    assert (await landing(opened, ScriptedApplier(opened.editor, applies_silently))).where == "editor"


async def test_typing_elsewhere_is_no_reason_to_miss_it(opened: FakeWorkspace) -> None:
    applier = ScriptedApplier(opened.editor, applies_and(lambda: opened.editor.type("a.py", "one", "1")))
    landed = await landing(opened, applier)
    assert (landed.where, landed.text) == ("editor", "one\n2\nthree\n")
    assert opened.editor.text_of("a.py") == "1\n2\nthree\n"


async def test_typing_that_came_with_it_is_no_reason_to_miss_it(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one\ntwo\nthree\nfour\nfive\n", opened=True)
    typed = "one\n2\nthree\nfour\n5\n"
    applier = ScriptedApplier(work.editor, applies_and(lambda: work.documents.change(URI, typed), pretends))
    assert (await landing(work, applier)).where == "editor"
    assert work.clock.seconds == 30


async def test_a_document_that_was_saved_and_closed_is_found_on_disk(opened: FakeWorkspace) -> None:
    def goes() -> None:
        opened.store.put("a.py", "one\n2\nthree\n")
        opened.editor.close("a.py")

    landed = await landing(opened, ScriptedApplier(opened.editor, applies_and(goes, pretends)))
    assert (landed.where, opened.clock.seconds) == ("disk", 30)


async def test_a_document_closed_without_a_save_took_the_change_along(opened: FakeWorkspace) -> None:
    applier = ScriptedApplier(opened.editor, applies_and(lambda: opened.editor.close("a.py")))
    assert (await not_landed(opened, applier)).reason == "closed"
    assert await opened.edited("a.py", "three", "3") == b"one\ntwo\n3\n"


async def test_a_disk_that_moves_in_place_of_the_document_is_a_conflict(opened: FakeWorkspace) -> None:
    theirs = applies_and(lambda: opened.store.put("a.py", "one\ntwo\nthree\ntheirs\n"), pretends)
    error = await unknown(opened, ScriptedApplier(opened.editor, theirs))
    assert isinstance(error.otherwise, Conflict)
    assert opened.store.bytes_of("a.py") == b"one\ntwo\nthree\ntheirs\n"


@pytest.mark.parametrize(("closed", "reason"), [(True, "closed"), (False, "changed_otherwise")])
async def test_a_part_that_was_saved_is_left_open_or_rolled_back(
    work: FakeWorkspace, closed: bool, reason: str
) -> None:
    await work.put_and_read("a.py", "x\nb\nc\nd\nx\n", opened=True)

    def goes() -> None:
        work.store.put("a.py", "y\nb\nc\nd\nx\n")
        work.editor.close("a.py")

    work.reviewer.accepts(ScriptedApplier(work.editor, applies_and(goes) if closed else applies_partly()))
    with pytest.raises(LandingUnknown) as raised:
        await work.edit("a.py", "x", "y", replace_all=True)
    assert (raised.value.reason, where(raised.value)) == (reason, [("a.py", "disk" if closed else "editor")])


async def test_a_document_that_is_out_of_sync_may_hold_it(opened: FakeWorkspace) -> None:
    applier = ScriptedApplier(opened.editor, applies_and(lambda: opened.documents.lose_track(URI), pretends))
    assert where(await unknown(opened, applier)) == [("a.py", "editor")]


async def test_a_disk_that_cannot_be_looked_at_may_hold_it(opened: FakeWorkspace) -> None:
    def goes() -> None:
        opened.editor.close("a.py")
        opened.store.chmod("a.py", 0)

    applier = ScriptedApplier(opened.editor, applies_and(goes))
    assert where(await unknown(opened, applier)) == [("a.py", "disk")]


async def test_a_file_that_moved_before_it_was_handed_over_is_not_touched(opened: FakeWorkspace) -> None:
    applier = ScriptedApplier(opened.editor)
    with pytest.raises(Conflict, match="reviewing"):
        await edited(opened, applier, first=lambda: opened.editor.type("a.py", "three", "3"))
    assert applier.told == ["failed"]


async def test_a_file_opened_during_the_review_is_changed_in_the_editor(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one\ntwo\n")
    landed = await landing(work, first=lambda: work.editor.open("a.py"))
    assert (landed.where, work.editor.text_of("a.py")) == ("editor", "one\n2\n")


async def test_a_file_closed_during_the_review_is_changed_on_disk(opened: FakeWorkspace) -> None:
    landed = await landing(opened, first=lambda: opened.editor.close("a.py"))
    assert (landed.where, opened.store.bytes_of("a.py")) == ("disk", b"one\n2\nthree\n")


async def test_what_was_saved_below_an_open_document_is_a_conflict(opened: FakeWorkspace) -> None:
    opened.editor.type("a.py", "one", "1")
    await opened.read("a.py")
    with pytest.raises(Conflict) as refused:
        await edited(opened, first=lambda: opened.store.put("a.py", "theirs\n"))
    assert (refused.value.source, refused.value.reason) == ("disk", "reviewing")
    assert refused.value.diff is not None
    assert "+theirs" in refused.value.diff


async def test_saving_what_was_proposed_on_is_no_change(opened: FakeWorkspace) -> None:
    opened.editor.type("a.py", "one", "1")
    await opened.read("a.py")
    await edited(opened, first=lambda: opened.editor.save("a.py"))
    assert opened.editor.text_of("a.py") == "1\n2\nthree\n"


@pytest.mark.parametrize("then", ["gone", "exists", "wrong_encoding"])
async def test_what_became_of_the_file_during_the_review_is_told(work: FakeWorkspace, then: str) -> None:
    await work.put_and_read("a.py", "one é\ntwo\n")

    def happens() -> None:
        match then:
            case "gone":
                work.store.remove("a.py")
            case "exists":
                work.editor.open("new.py", "typed\n")
            case "wrong_encoding":
                work.documents.open(URI, f"{HOME}/a.py", "one \ufffd\ntwo\n")

    work.reviewer.accepts(first=happens)
    with pytest.raises(Conflict, match=then):
        await (work.write("new.py", "x\n") if then == "exists" else work.edit("a.py", "two", "2"))


# --- saving -----------------------------------------------------------------------------------------------


async def test_a_client_that_saves_saves_what_was_clean(opened: FakeWorkspace) -> None:
    landed = await landing(opened, ScriptedApplier(opened.editor, save=saves))
    assert (landed.where, landed.on_save) == ("disk", None)
    assert opened.store.bytes_of("a.py") == b"one\n2\nthree\n"


@pytest.mark.parametrize(
    ("save", "dirty", "saved"),
    [("auto", True, False), ("always", True, True), ("never", False, False)],
)
async def test_what_is_saved_is_a_setting(opened: FakeWorkspace, save: str, dirty: bool, saved: bool) -> None:
    opened.set(save=save)
    if dirty:
        opened.editor.type("a.py", "one", "1")
        await opened.read("a.py")
    landed = await landing(opened, ScriptedApplier(opened.editor, save=saves))
    assert landed.where == ("disk" if saved else "editor")


async def test_a_save_may_come_long_behind_the_answer(opened: FakeWorkspace) -> None:
    landed = await landing(opened, ScriptedApplier(opened.editor, save=saves_after(9)))
    assert (landed.where, opened.clock.seconds) == ("disk", 9)


@pytest.mark.parametrize("how", [saves_not, hangs_saving, cannot_save])
async def test_a_save_that_does_not_come_leaves_it_in_the_editor(opened: FakeWorkspace, how: object) -> None:
    landed = await landing(opened, ScriptedApplier(opened.editor, save=how))  # type: ignore[arg-type]
    assert landed.where == "editor"
    assert opened.clock.seconds == (0 if how is cannot_save else 10)


async def test_a_disk_that_changes_below_the_unsaved_change_is_no_save(opened: FakeWorkspace) -> None:
    async def theirs(editor: object, uri: str) -> bool:
        opened.store.put("a.py", "one\ntwo\nthree\ntheirs\n")
        return True

    landed = await landing(opened, ScriptedApplier(opened.editor, save=theirs))
    assert (landed.where, landed.text) == ("editor", "one\n2\nthree\n")


async def test_what_a_formatter_makes_of_it_in_saving_is_told(opened: FakeWorkspace) -> None:
    formats = saves_and(lambda: None, first=lambda: opened.editor.type("a.py", "three", "3"))
    landed = await landing(opened, ScriptedApplier(opened.editor, save=formats))
    assert landed.where == "disk"
    assert landed.on_save is not None
    assert "-three\n+3\n" in landed.on_save


async def test_a_save_counts_if_the_user_types_on_from_it(opened: FakeWorkspace) -> None:
    """Into the disk went what was typed between the edit and its save, too."""

    def types() -> None:
        opened.editor.type("a.py", "three", "three, and four")

    saving = saves_and(types, first=lambda: opened.editor.type("a.py", "one", "one, typed"))
    landed = await landing(opened, ScriptedApplier(opened.editor, save=saving))
    assert (landed.where, landed.text) == ("disk", "one, typed\n2\nthree\n")


async def test_a_line_end_that_the_save_adds_as_always_is_none_of_its_doing(work: FakeWorkspace) -> None:
    work.store.put("a.py", "one\ntwo\n")
    work.documents.open(URI, f"{HOME}/a.py", "one\ntwo")
    work.documents.save(URI)
    await work.read("a.py")
    ends = saves_and(lambda: work.store.put("a.py", "one\n2\n"))
    landed = await landing(work, ScriptedApplier(work.editor, save=ends))
    assert (landed.where, landed.on_save) == ("disk", None)


async def test_a_document_closed_while_it_is_saved_is_judged_by_the_disk(opened: FakeWorkspace) -> None:
    closes = saves_and(lambda: opened.editor.close("a.py"))
    assert (await landing(opened, ScriptedApplier(opened.editor, save=closes))).where == "disk"


async def test_a_document_closed_in_place_of_a_save_is_not_landed(opened: FakeWorkspace) -> None:
    async def closes(editor: object, uri: str) -> bool:
        opened.editor.close("a.py")
        return True

    error = await not_landed(opened, ScriptedApplier(opened.editor, save=closes))
    assert error.reason == "closed"


async def test_a_file_that_cannot_be_looked_at_after_the_save_is_unknown(opened: FakeWorkspace) -> None:
    hides = saves_and(lambda: opened.store.chmod("a.py", 0))
    error = await unknown(opened, ScriptedApplier(opened.editor, save=hides))
    assert (error.reason, where(error)) == ("changed_otherwise", [("a.py", "editor"), ("a.py", "disk")])


# --- several files, some of them open ---------------------------------------------------------------------


@pytest.fixture
async def both(opened: FakeWorkspace) -> FakeWorkspace:
    """b.py is closed; session "s" has read it too."""
    await opened.put_and_read("b.py", "old\n")
    return opened


BATCH = (edit_of("a.py", "two", "2"), write_of("b.py", "new\n"))


async def test_open_and_closed_files_land_together(both: FakeWorkspace) -> None:
    applier = ScriptedApplier(both.editor, save=saves)
    both.reviewer.accepts(applier)
    done = await both.batch(*BATCH)
    assert both.store.tree() == {"a.py": b"one\n2\nthree\n", "b.py": b"new\n"}
    assert applier.told == ["apply", "committed"]
    assert (done.errors, both.ended) == (["", ""], ["landed"])


async def test_a_disk_that_fails_has_the_editor_roll_its_part_back(both: FakeWorkspace) -> None:
    both.store.at("swap", disk_full("b.py"))
    applier = ScriptedApplier(both.editor)
    both.reviewer.accepts(applier)
    with pytest.raises(SystemFailed):
        await both.batch(*BATCH)
    assert (both.editor.text_of("a.py"), both.store.bytes_of("b.py")) == ("one\ntwo\nthree\n", b"old\n")
    assert applier.told == ["apply", "roll back", "failed"]


async def test_an_editor_that_refuses_keeps_the_closed_files_as_they_are(both: FakeWorkspace) -> None:
    both.reviewer.accepts(ScriptedApplier(both.editor, refuses()))
    with pytest.raises(NotLanded):
        await both.batch(*BATCH)
    assert both.store.tree() == {"a.py": b"one\ntwo\nthree\n", "b.py": b"old\n"}


async def test_what_is_not_rolled_back_is_reported(both: FakeWorkspace) -> None:
    both.store.at("swap", disk_full("b.py"))
    error = await unknown(both, ScriptedApplier(both.editor, rolls_back=False), *BATCH)
    assert (error.reason, where(error)) == ("not_rolled_back", [("a.py", "editor")])


async def test_what_cannot_be_put_back_is_told(both: FakeWorkspace) -> None:
    def goes() -> None:
        both.editor.save("a.py")
        both.editor.close("a.py")

    both.store.at("swap", disk_full("b.py"), "b.py")
    both.store.at("swap", disk_full("a.py"), "a.py")
    error = await unknown(both, ScriptedApplier(both.editor, applies_and(goes)), *BATCH)
    assert where(error) == [("a.py", "disk")]


async def test_a_client_that_saved_is_waited_for_to_save_what_it_set_back(both: FakeWorkspace) -> None:
    both.store.at("swap", disk_full("b.py"))
    applier = ScriptedApplier(both.editor, applies_and(lambda: both.editor.save("a.py")), save=saves_not)
    error = await unknown(both, applier, *BATCH)
    assert (where(error), both.clock.seconds) == ([("a.py", "disk")], 10)


async def test_the_edited_document_counts_not_another_of_the_file(both: FakeWorkspace) -> None:
    link = f"file://{HOME}/link.py"
    both.documents.open(link, f"{HOME}/a.py", "one\ntwo\nthree\n")
    typed = applies_and(lambda: both.documents.change(link, "mine\n"))
    both.reviewer.accepts(ScriptedApplier(both.editor, typed))
    both.store.at("swap", disk_full("b.py"), "b.py")
    with pytest.raises(SystemFailed):
        await both.batch(*BATCH)
    edited_one = both.documents.at(f"{HOME}/a.py", URI)
    assert edited_one is not None
    assert edited_one.text == "one\ntwo\nthree\n"
    both.documents.change(URI, "one\ntwo\nthree\nfour\n")
    await both.read("a.py")
    landed = await landing(both, ScriptedApplier(both.editor, typed))
    assert (landed.where, landed.text) == ("editor", "one\n2\nthree\nfour\n")


async def test_an_open_file_is_deleted_by_the_server(work: FakeWorkspace) -> None:
    work.reviewer.accepts()
    work.reviewer.accepts()
    await work.write("a.py", "x\n")
    work.editor.open("a.py")
    await work.undo()
    assert work.store.bytes_of("a.py") is None


async def test_what_is_typed_during_the_review_keeps_a_file_from_being_deleted(work: FakeWorkspace) -> None:
    work.reviewer.accepts()
    await work.write("a.py", "x\n")
    work.editor.open("a.py")

    def dirty() -> None:
        work.documents.hint(URI, dirty=True)

    work.reviewer.accepts(first=dirty)
    with pytest.raises(Conflict, match="changed"):
        await work.undo()
    assert work.store.bytes_of("a.py") == b"x\n"
