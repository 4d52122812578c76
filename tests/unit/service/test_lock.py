"""Concurrent work of others (docs/protocol.md#8-lock)."""

import asyncio

import pytest

from agentfs_lsp.domain.errors import Conflict, FileMissing, Rejected, TooManyPending
from agentfs_lsp.domain.revision import Expected, hash_bytes
from agentfs_lsp.service.proposal.proposal import Decision, Proposal
from support.fakes.disk import HOME
from support.fakes.review import Answer, ScriptedApplier
from support.fakes.time import settle
from support.fakes.workspace import FakeWorkspace

URI = f"file://{HOME}/a.py"


def waiting(held: asyncio.Event, answer: Answer) -> Answer:
    """The user answers once `held` is set."""

    async def waits(proposal: Proposal) -> tuple[Decision, ScriptedApplier]:
        await held.wait()
        return await answer(proposal)

    return waits


async def refused(work: FakeWorkspace, **more: object) -> Conflict:
    with pytest.raises(Conflict) as conflict:
        await work.edit("a.py", "two", "2", **more)
    assert work.ended[-1:] == ["conflict"]
    return conflict.value


async def test_what_the_user_types_is_a_change_too(read: FakeWorkspace) -> None:
    read.editor.open("a.py", "one\ntwo\ntyped\n")
    conflict = await refused(read)
    assert (conflict.source, conflict.reason) == ("editor", "changed")


async def test_a_write_that_waits_is_held_against_what_was_read_when_it_was_sent(read: FakeWorkspace) -> None:
    read.reviewer.rejects()
    read.reviewer.accepts()
    held = asyncio.Event()
    read.reviewer.script.appendleft(waiting(held, read.reviewer.script.popleft()))
    first = asyncio.ensure_future(read.edit("a.py", "two", "2"))
    second = asyncio.ensure_future(read.write("a.py", "one\ntwo\nthree\nfour\n"))
    await settle()
    read.store.put("a.py", "one\ntwo\ntheirs\n")
    await read.read("a.py")  # while the write waits
    held.set()
    with pytest.raises(Rejected):
        await first
    with pytest.raises(Conflict) as conflict:
        await second
    assert conflict.value.reason == "changed"
    assert read.store.bytes_of("a.py") == b"one\ntwo\ntheirs\n"


async def test_a_write_behind_a_merge_of_its_session_does_not_build_on_it(read: FakeWorkspace) -> None:
    read.set(approval__mode="auto_edit")
    read.store.put("a.py", "one\ntwo\nthree\ntheirs\n")
    first = read.edit("a.py", "one", "1", merges=True)
    second = read.write("a.py", "one\ntwo\nthree\nfour\n")
    _, conflict = await asyncio.gather(first, second, return_exceptions=True)
    assert isinstance(conflict, Conflict)
    assert read.store.bytes_of("a.py") == b"1\ntwo\nthree\ntheirs\n"


async def test_a_write_behind_a_change_of_its_session_builds_on_it(read: FakeWorkspace) -> None:
    read.set(approval__mode="auto_edit")
    await asyncio.gather(read.edit("a.py", "one", "1"), read.write("a.py", "1\ntwo\nthree\nfour\n"))
    assert read.store.bytes_of("a.py") == b"1\ntwo\nthree\nfour\n"


async def test_a_file_that_is_gone_is_told_to_whoever_read_or_expected_it(read: FakeWorkspace) -> None:
    read.store.remove("a.py")
    assert (await refused(read)).reason == "gone"
    with pytest.raises(Conflict) as conflict:
        await read.edit("never.py", "x", "y", expected_hash=hash_bytes(b"x"))
    assert conflict.value.expected == Expected(hash=hash_bytes(b"x"))


async def test_what_the_caller_expects_counts_instead_of_the_record(read: FakeWorkspace) -> None:
    conflict = await refused(read, expected_hash=hash_bytes(b"else"))
    assert (conflict.reason, conflict.diff) == ("expected", None)
    read.store.put("a.py", b"one\ntwo\nelse\n")
    after = await read.edited("a.py", "two", "2", expected_hash=hash_bytes(b"one\ntwo\nelse\n"))
    assert after == b"one\n2\nelse\n"


async def test_equal_times_and_sizes_may_be_chance(read: FakeWorkspace) -> None:
    expected = Expected(size_bytes=14)
    read.store.put("a.py", "one\nTWO\nthree\n")
    with pytest.raises(Conflict, match="changed"):
        await read.write("a.py", "x\n", expected=expected)
    read.reviewer.accepts()
    await read.write("a.py", "x\n", expected=expected, session="never read it")
    assert read.store.bytes_of("a.py") == b"x\n"


async def test_an_editor_that_shows_the_wrong_encoding_would_lose_bytes(work: FakeWorkspace) -> None:
    work.set(encoding__default="latin-1")
    await work.put_and_read("a.py", b"gr\xfc\xdfe\ntwo\n")
    work.documents.open(URI, f"{HOME}/a.py", "gr\ufffd\ufffde\ntwo\n")
    assert (await refused(work)).reason == "wrong_encoding"


async def test_line_ends_that_an_editor_shows_are_no_change(read: FakeWorkspace) -> None:
    read.documents.open(URI, f"{HOME}/a.py", "one\r\ntwo\r\nthree\r\n")
    await read.edited("a.py", "two", "2")
    assert read.editor.text_of("a.py") == "one\r\n2\r\nthree\r\n"


async def test_an_unsaved_text_that_was_read_may_be_saved_in_between(work: FakeWorkspace) -> None:
    work.store.put("a.py", "one\n")
    work.editor.open("a.py", "one\r\ntwo\r\n")
    await work.read("a.py")
    work.editor.close("a.py")
    work.store.put("a.py", "one\ntwo\n")
    assert await work.edited("a.py", "two", "2") == b"one\n2\n"


# --- brought into what others have made of it -------------------------------------------------------------


async def test_a_change_is_merged_into_what_others_have_made_elsewhere(read: FakeWorkspace) -> None:
    read.store.put("a.py", "one\ntwo\n3\n")
    read.reviewer.accepts()
    done = await read.edit("a.py", "one", "1", merges=True)
    assert read.store.bytes_of("a.py") == b"1\ntwo\n3\n"
    assert done.change.merged is not None
    assert "-three\n+3\n" in done.change.merged


async def test_lines_that_both_changed_are_a_conflict(read: FakeWorkspace) -> None:
    read.editor.open("a.py", "one\nTWO\nthree\n")
    conflict = await refused(read, merges=True)
    assert (conflict.source, conflict.reason, conflict.lines) == ("editor", "overlap", (2,))
    assert conflict.expected == Expected(hash=hash_bytes(b"one\ntwo\nthree\n"))


async def test_nothing_is_merged_into_what_is_no_longer_known(read: FakeWorkspace) -> None:
    read.ws.sessions.resize(100, 0, 100)
    read.store.put("a.py", "one\ntwo\n3\n")
    assert (await refused(read, merges=True)).reason == "changed"


async def test_nothing_is_merged_on_what_the_caller_does_not_build_on(read: FakeWorkspace) -> None:
    read.store.put("a.py", "one\ntwo\n3\n")
    assert (await refused(read, merges=True, expected_hash=hash_bytes(b"else"))).reason == "expected"


# --- turns and limits -------------------------------------------------------------------------------------


async def test_a_session_has_only_so_many_changes_waiting(read: FakeWorkspace) -> None:
    read.set(limits__pending_per_session=1)
    read.reviewer.never_answers()
    waiting = asyncio.ensure_future(read.edit("a.py", "two", "2"))
    await settle()
    with pytest.raises(TooManyPending):
        await read.write("b.py", "x\n")
    read.reviewer.accepts()
    await read.write("b.py", "x\n", session="other")
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert read.ended == ["landed", "withdrawn"]


async def test_what_others_have_done_just_so_is_no_change(read: FakeWorkspace) -> None:
    read.store.put("a.py", "one\n2\nthree\n")
    assert (await read.edit("a.py", "two", "2", merges=True)).unchanged


async def test_line_ends_and_encoding_are_those_of_the_file_as_it_is(read: FakeWorkspace) -> None:
    read.store.put("a.py", "one\r\ntwo\r\nthréé\r\n".encode("utf-16"))
    assert await read.edited("a.py", "one", "1", merges=True) == "1\r\ntwo\r\nthréé\r\n".encode("utf-16")


async def test_bytes_that_are_no_text_stay_in_a_merge(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", b"\xff one\ntwo\nthree \xfe three\nfour\n")
    work.store.put("a.py", b"\xff ONE\ntwo\nthree \xfe three\nfour\n")
    after = await work.edited("a.py", "three\nfour\n", "3\nfour\n", merges=True)
    assert after == b"\xff ONE\ntwo\nthree \xfe 3\nfour\n"


async def test_a_merge_lands_on_what_it_was_merged_with_or_not_at_all(read: FakeWorkspace) -> None:
    read.store.put("a.py", "one\ntwo\n3\n")
    read.reviewer.accepts(first=lambda: read.store.put("a.py", "one\ntwo\n3\nfour\n"))
    with pytest.raises(Conflict, match="reviewing"):
        await read.edit("a.py", "one", "1", merges=True)
    assert read.reviewer.reviewed[0].changes[0].shown == "1\ntwo\n3\n"


async def test_an_open_document_takes_a_merge_beside_unsaved_changes(read: FakeWorkspace) -> None:
    read.editor.open("a.py", "one\ntwo\n3\n")
    await read.edited("a.py", "one", "1", merges=True, expected_hash=hash_bytes(b"one\ntwo\nthree\n"))
    assert read.editor.text_of("a.py") == "1\ntwo\n3\n"
    assert read.store.bytes_of("a.py") == b"one\ntwo\nthree\n"


# --- what a session knows ---------------------------------------------------------------------------------


async def test_a_touch_is_no_change(read: FakeWorkspace) -> None:
    read.store.touch("a.py")
    assert await read.edited("a.py", "two", "2") == b"one\n2\nthree\n"


async def test_a_file_that_was_seen_to_be_gone_may_be_made_again(read: FakeWorkspace) -> None:
    read.store.remove("a.py")
    with pytest.raises(FileMissing):
        await read.read("a.py")
    read.reviewer.accepts()
    await read.write("a.py", "mine\n")
    assert read.store.bytes_of("a.py") == b"mine\n"


async def test_a_conflict_does_not_count_as_a_read(read: FakeWorkspace) -> None:
    read.store.put("a.py", "two\n")
    for _ in range(2):
        assert (await refused(read)).reason == "changed"


async def test_every_expectation_must_hold(read: FakeWorkspace) -> None:
    expected = Expected(size_bytes=99, hash=hash_bytes(b"one\ntwo\nthree\n"))
    with pytest.raises(Conflict, match="expected"):
        await read.write("a.py", "x\n", expected=expected)


async def test_a_file_opened_and_closed_again_keeps_its_line_ends(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one\r\ntwo\r\n")
    work.documents.open(URI, f"{HOME}/a.py", "one\ntwo\n")
    await work.edit("a.py", "two", "2", dry_run=True)
    work.documents.close(URI)
    assert await work.edited("a.py", "two", "2") == b"one\r\n2\r\n"
