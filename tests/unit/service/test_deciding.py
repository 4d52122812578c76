"""Policy or the user decides (docs/protocol.md#9-review-and-landing)."""

import asyncio

import pytest

from agentfs_lsp.domain.errors import (
    Conflict,
    LandingUnknown,
    NobodyToAsk,
    PolicyDenied,
    Rejected,
    ReviewTimedOut,
    Unencodable,
    Withdrawn,
)
from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.service.landing import late_apply
from support.fakes.disk import HOME
from support.fakes.review import ScriptedApplier, applies_and, applies_partly, pretends
from support.fakes.time import settle
from support.fakes.workspace import FakeWorkspace

TOKEN = "ghp_" + "a1B2" * 9


async def waiting(work: FakeWorkspace) -> asyncio.Task[object]:
    """An edit that waits for its review."""
    task: asyncio.Task[object] = asyncio.ensure_future(work.edit("a.py", "two", "2"))
    await settle()
    return task


# --- policy -----------------------------------------------------------------------------------------------


async def test_what_policy_lets_through_asks_nobody(read: FakeWorkspace) -> None:
    read.set(approval__mode="auto_edit")
    await read.edit("a.py", "two", "2")
    assert read.store.bytes_of("a.py") == b"one\n2\nthree\n"
    assert (read.reviewer.reviewed, len(read.reviewer.concluded_with)) == ([], 1)
    (record,) = read.history.records
    assert (record.decision, record.by) == ("allowed", "mode")


async def test_what_a_notebook_has_not_saved_is_asked_about_in_every_mode(read: FakeWorkspace) -> None:
    read.set(approval__mode="auto_edit")
    read.documents.hint_elsewhere(f"{HOME}/a.py", unsaved=True)
    read.reviewer.rejects("not now")
    with pytest.raises(Rejected):
        await read.edit("a.py", "two", "2")
    assert len(read.reviewer.reviewed) == 1
    read.documents.hint_elsewhere(f"{HOME}/a.py", unsaved=False)
    await read.edit("a.py", "two", "2")
    assert len(read.reviewer.reviewed) == 1


async def test_a_denied_change_is_not_proposed(read: FakeWorkspace) -> None:
    read.set(rules=(Rule(("a.py",), edit="deny"),))
    with pytest.raises(PolicyDenied):
        await read.edit("a.py", "two", "2")
    assert read.ended == []


async def test_settings_that_change_while_it_is_computed_count(read: FakeWorkspace) -> None:
    read.store.at("read", lambda: read.set(rules=(Rule(("a.py",), edit="deny"),)))
    with pytest.raises(PolicyDenied):
        await read.edit("a.py", "two", "2")
    assert read.store.bytes_of("a.py") == b"one\ntwo\nthree\n"


# --- the user ---------------------------------------------------------------------------------------------


async def test_a_no_changes_nothing(read: FakeWorkspace) -> None:
    read.reviewer.rejects("not now")
    with pytest.raises(Rejected) as refused:
        await read.edit("a.py", "two", "2")
    assert refused.value.feedback == "not now"
    assert read.store.bytes_of("a.py") == b"one\ntwo\nthree\n"
    assert (read.ended, read.history.records) == (["rejected"], [])


async def test_nobody_to_ask_is_no_yes(read: FakeWorkspace) -> None:
    read.reviewer.cannot_ask()
    with pytest.raises(NobodyToAsk):
        await read.edit("a.py", "two", "2")
    assert read.ended == ["failed"]


async def test_no_answer_is_a_no(read: FakeWorkspace) -> None:
    read.reviewer.never_answers(timeout_s=600)
    with pytest.raises(ReviewTimedOut):
        await read.edit("a.py", "two", "2")
    assert (read.clock.seconds, read.ended) == (600, ["timed_out"])


async def test_what_the_user_made_of_it_lands(read: FakeWorkspace) -> None:
    read.reviewer.accepts(amended={"a.py": "one\nzwei\nthree\n"}, feedback="in German")
    done = await read.edit("a.py", "two", "2")
    assert read.store.bytes_of("a.py") == b"one\nzwei\nthree\n"
    assert done.change.shown == "one\nzwei\nthree\n"
    (record,) = read.history.records
    assert (record.decision, record.modified_by_user) == ("amended", True)
    (file,) = record.files
    assert (file.proposed, file.accepted) == ("one\n2\nthree\n", "one\nzwei\nthree\n")


async def test_what_the_user_typed_has_to_fit_the_file_too(work: FakeWorkspace) -> None:
    work.set(encoding__default="latin-1")
    await work.put_and_read("a.py", b"gr\xfc\xdfe\n")
    work.reviewer.accepts(amended={"a.py": "漢\n"})
    with pytest.raises(Unencodable) as refused:
        await work.edit("a.py", "grüße", "hallo")
    assert refused.value.file == f"{HOME}/a.py"
    assert work.reviewer.applier.errors == [refused.value]


# --- withdrawn --------------------------------------------------------------------------------------------


async def test_a_shutdown_withdraws_what_waits_once(read: FakeWorkspace) -> None:
    read.reviewer.never_answers()
    task = await waiting(read)
    (proposal,) = read.ws.proposals
    assert len(read.ws.proposals) == 1
    assert proposal.withdraw("shutdown")
    assert not proposal.withdraw("settings")
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_was_decided_cannot_be_withdrawn(read: FakeWorkspace) -> None:
    read.editor.open("a.py")
    withdrawn: list[bool] = []

    def too_late() -> None:
        (proposal,) = read.ws.proposals
        withdrawn.append(proposal.withdraw("agent"))

    read.reviewer.accepts(ScriptedApplier(read.editor, applies_and(too_late)))
    await read.edit("a.py", "two", "2")
    assert (withdrawn, read.ended) == ([False], ["editor"])


async def test_what_is_there_though_nobody_accepted_it_is_reported(read: FakeWorkspace) -> None:
    read.editor.open("a.py")
    read.reviewer.rejects(first=lambda: read.editor.type("a.py", "two", "2"))
    with pytest.raises(LandingUnknown) as unknown:
        await read.edit("a.py", "two", "2")
    assert unknown.value.reason == "not_accepted"
    assert isinstance(unknown.value.otherwise, Rejected)
    assert [(one.path, one.where) for one in unknown.value.holding] == [("a.py", "editor")]
    assert read.ended == ["rejected"]
    assert read.ws.sessions.get("s", f"{HOME}/a.py") is None


async def test_an_edit_misplaced_by_an_editor_that_counts_lines_otherwise_is_reported(
    work: FakeWorkspace,
) -> None:
    """It applies before the decision, and does not end lines at the lone carriage return."""
    await work.put_and_read("a.py", "one\rtwo\nthree")

    def misplace() -> None:
        work.editor.open("a.py")
        work.editor.type("a.py", "three", "threedrei")

    work.reviewer.rejects(first=misplace)
    with pytest.raises(LandingUnknown):
        await work.edit("a.py", "three", "drei")


async def test_what_is_there_though_it_was_withdrawn_is_reported(read: FakeWorkspace) -> None:
    read.editor.open("a.py")
    read.reviewer.never_answers()
    task = await waiting(read)
    read.editor.type("a.py", "two", "2")
    read.editor.save("a.py")
    task.cancel()
    with pytest.raises(LandingUnknown) as unknown:
        await task
    assert isinstance(unknown.value.otherwise, Withdrawn)
    assert {one.where for one in unknown.value.holding} == {"editor", "disk"}


# --- previews that apply by themselves --------------------------------------------------------------------


async def test_a_part_that_was_ticked_in_a_preview_is_an_amended_change(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "x\nb\nc\nd\nx\n", opened=True)
    work.reviewer.applies_by_itself(applies_partly())
    done = await work.edit("a.py", "x", "y", replace_all=True)
    assert done.change.shown == "y\nb\nc\nd\nx\n"
    assert work.history.records[0].decision == "amended"


async def test_a_preview_that_applied_nothing_landed_nothing(read: FakeWorkspace) -> None:
    read.editor.open("a.py")
    read.reviewer.applies_by_itself(pretends)
    with pytest.raises(Exception, match="unchanged"):
        await read.edit("a.py", "two", "2")
    assert read.clock.seconds == 30


async def test_a_preview_says_no_where_the_file_had_moved(read: FakeWorkspace) -> None:
    read.reviewer.channel = "preview"
    read.reviewer.rejects(first=lambda: read.store.put("a.py", "theirs\n"))
    with pytest.raises(Conflict):
        await read.edit("a.py", "two", "2")
    await read.put_and_read("a.py", "one\ntwo\nthree\n")
    read.reviewer.rejects()
    with pytest.raises(Rejected):
        await read.edit("a.py", "two", "2")


@pytest.mark.parametrize("pieces", ["all", "some", "all, saved"])
async def test_a_preview_applied_too_late_is_the_users_own_edit(work: FakeWorkspace, pieces: str) -> None:
    await work.put_and_read("a.py", "x\nb\nc\nd\nx\n", opened=True)
    work.reviewer.channel = "preview"
    work.reviewer.never_answers(timeout_s=600)
    with pytest.raises(ReviewTimedOut):
        await work.edit("a.py", "x", "y", replace_all=True)
    await settle()
    work.editor.type("a.py", "x", "y")
    if pieces != "some":
        work.editor.type("a.py", "x", "y")
    if pieces == "all, saved":
        work.editor.save("a.py")
    await settle()
    (record,) = work.history.records
    assert (record.decision, record.by) == ("withdrawn", "user")
    assert record.files[0].after == work.editor.text_of("a.py")


async def test_a_withdrawn_preview_is_looked_out_for_an_hour(read: FakeWorkspace) -> None:
    read.editor.open("a.py")
    read.reviewer.channel = "preview"
    read.reviewer.never_answers()
    task = await waiting(read)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await settle()
    assert read.ws.late_watched == 1
    await read.clock.sleep(late_apply.WATCHED_S + 1)
    assert read.ws.late_watched == 0
    read.editor.type("a.py", "two", "2")
    assert read.history.records == []


async def test_only_so_many_withdrawn_previews_are_looked_out_for(read: FakeWorkspace) -> None:
    read.reviewer.channel = "preview"
    for _ in range(late_apply.MAX_WATCHED + 1):
        read.reviewer.never_answers(timeout_s=1)
        with pytest.raises(ReviewTimedOut):
            await read.edit("a.py", "two", "2")
    await settle()
    assert read.ws.late_watched == late_apply.MAX_WATCHED


async def test_a_late_preview_counts_for_the_pending_change(read: FakeWorkspace) -> None:
    read.editor.open("a.py")
    read.reviewer.channel = "preview"
    read.reviewer.never_answers(timeout_s=1)
    with pytest.raises(ReviewTimedOut):
        await read.edit("a.py", "two", "2")
    await settle()
    read.reviewer.applies_by_itself()
    await read.edit("a.py", "two", "2")
    await settle()
    assert [one.decision for one in read.history.records] == ["accepted"]


@pytest.mark.parametrize("shown", ["one\ntwo\n", "\ufeffone\r\ntwo\r\n"])
async def test_touching_and_opening_a_file_in_review_is_no_change(work: FakeWorkspace, shown: str) -> None:
    await work.put_and_read("a.py", b"\xef\xbb\xbfone\r\ntwo\r\n")

    def looks() -> None:
        work.store.touch("a.py")
        work.documents.open(f"file://{HOME}/a.py", f"{HOME}/a.py", shown)

    work.reviewer.accepts(first=looks)
    await work.edit("a.py", "one", "1")
    assert work.editor.text_of("a.py") == shown.replace("one", "1")


async def test_what_the_user_made_of_it_is_known_to_the_session(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one\r\ntwo\r\n")
    work.reviewer.accepts(amended={"a.py": "one\nTWO\nthree\n"})
    await work.edit("a.py", "two", "2")
    assert work.store.bytes_of("a.py") == b"one\r\nTWO\r\nthree\r\n"
    assert await work.edited("a.py", "TWO", "2") == b"one\r\n2\r\nthree\r\n"
