"""agentfs/edit as a use case (docs/protocol.md#7-agentfsedit). `tests/cases/edit/` tests matching."""

import pytest

from agentfs_lsp.domain.errors import (
    BinaryFile,
    Conflict,
    CountMismatch,
    EmptyOldString,
    FileMissing,
    IsDirectory,
    NoMatch,
    NothingChanges,
    ResultTooLarge,
    SeveralMatches,
    TextLeftOut,
    Unencodable,
)
from support.fakes.disk import HOME
from support.fakes.workspace import FakeWorkspace


async def test_a_piece_is_replaced_and_known_from_then_on(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one\ntwo\n")
    work.reviewer.accepts()
    done = await work.edit("a.py", "two", "2")
    assert (done.change.replacements, done.change.level) == (1, "exact")
    assert await work.edited("a.py", "one", "1") == b"1\n2\n"


async def test_every_place_is_replaced_where_that_is_asked_for(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "x\ny\nx\n")
    with pytest.raises(SeveralMatches):
        await work.edit("a.py", "x", "z")
    with pytest.raises(CountMismatch):
        await work.edit("a.py", "x", "z", expected_count=3)
    assert await work.edited("a.py", "x", "z", replace_all=True) == b"z\ny\nz\n"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("three", "3", NoMatch),
        ("", "x", EmptyOldString),
        ("two", "two", NothingChanges),
        ("one", "\ufeffone", NothingChanges),
        ("two", "2\n# ... existing code ...", TextLeftOut),
    ],
)
async def test_an_edit_that_cannot_be_made_is_refused(
    work: FakeWorkspace, old: str, new: str, error: type[Exception]
) -> None:
    await work.put_and_read("a.py", "one\ntwo\n")
    with pytest.raises(error):
        await work.edit("a.py", old, new)
    assert work.ended == ["failed"]


async def test_a_mark_is_not_put_in_front_of_a_text(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one\ntwo\n")
    work.reviewer.accepts()
    done = await work.edit("a.py", "one\n", "\ufeff1\n")
    assert work.store.bytes_of("a.py") == b"1\ntwo\n"
    assert [one.kind for one in done.change.corrections] == ["byte_order_mark"]


@pytest.mark.parametrize(
    ("old", "new", "corrected"),
    [
        ("one", "\ufeff1", True),
        ("one", "\ufeff\ufeff1", True),
        ("\ufeffone", "1", False),
        ("\ufeffone", "\ufeff1", False),
    ],
)
async def test_an_editor_with_marks_keeps_one(
    work: FakeWorkspace, old: str, new: str, corrected: bool
) -> None:
    work.set(approval__mode="auto_edit")
    await work.put_and_read("a.py", "\ufeffone\n".encode(), opened=True)
    done = await work.edit("a.py", old, new)
    assert work.editor.text_of("a.py") == "\ufeff1\n"
    assert bool(done.change.corrections) is corrected


async def test_a_mark_alone_put_in_or_taken_out_changes_nothing(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "\ufeffone\n".encode(), opened=True)
    for old, new in (("one", "\ufeffone"), ("\ufeffone", "one")):
        with pytest.raises(NothingChanges):
            await work.edit("a.py", old, new)


async def test_an_editor_that_ends_the_last_line_itself_gets_no_second_end(work: FakeWorkspace) -> None:
    work.store.put("a.py", "one\ntwo\n")
    work.editor.open("a.py", ends_last_line=True)
    work.documents.save(f"file://{HOME}/a.py")
    await work.read("a.py")
    await work.edited("a.py", "two", "2\nthree\n")
    assert work.editor.text_of("a.py") == "one\n2\nthree"


async def test_a_line_end_behind_the_last_line_is_the_editors_own(work: FakeWorkspace) -> None:
    work.store.put("a.py", "one\ntwo")
    work.editor.open("a.py", ends_last_line=True)
    await work.read("a.py")
    work.reviewer.accepts()
    done = await work.edit("a.py", "two", "2\n")
    assert work.editor.text_of("a.py") == "one\n2"
    assert done.change.end_is_kept


@pytest.mark.parametrize("name", ["a.py", "large.py"])
async def test_a_large_file_is_edited_as_a_small_one_is(work: FakeWorkspace, name: str) -> None:
    text = "a line of text\n" * (10_000 if name == "large.py" else 3) + "last\n"
    await work.put_and_read(name, text)
    await work.edited(name, "last", "2")
    assert await work.edited(name, "\n2", "\n3") == text.replace("last", "3").encode()


async def test_no_open_file_is_edited_whose_lines_the_editor_may_count_otherwise(work: FakeWorkspace) -> None:
    work.store.put("a.py", "one\rtwo\n")
    work.documents.open(f"file://{HOME}/a.py", f"{HOME}/a.py", "one\rtwo\n", ends_lines_at_cr=False)
    await work.read("a.py")
    with pytest.raises(Conflict, match="carriage_returns"):
        await work.edit("a.py", "two", "2")


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("blob", BinaryFile),
        (".", IsDirectory),
        ("missing/", IsDirectory),
        ("sub", IsDirectory),
        ("no", FileMissing),
    ],
)
async def test_only_text_is_edited(work: FakeWorkspace, path: str, error: type[Exception]) -> None:
    work.store.put("blob", b"\0")
    work.store.mkdir("sub")
    with pytest.raises(error):
        await work.edit(path, "a", "b")


async def test_a_file_is_not_made_larger_than_could_be_changed_again(work: FakeWorkspace) -> None:
    work.set(limits__max_file_bytes=100)
    await work.put_and_read("a.txt", "x" * 90)
    with pytest.raises(ResultTooLarge):
        await work.edit("a.txt", "x" * 90, "é" * 60)


@pytest.mark.parametrize("new", ["one\ufffd", "grün"])
async def test_no_more_than_ascii_stands_for_bytes_that_do_not_decode(work: FakeWorkspace, new: str) -> None:
    await work.put_and_read("a.txt", b"caf\xe9\none\n")
    assert await work.edited("a.txt", "one", "two") == b"caf\xe9\ntwo\n"
    with pytest.raises(Unencodable) as refused:
        await work.edit("a.txt", "two", new)
    assert (refused.value.ascii_only, refused.value.line) == (True, 2)


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(
            b"\xef\xbb\xbfone\n", "one", "\ufefftwo", b"\xef\xbb\xbftwo\n", id="a mark is put in front"
        ),
        pytest.param(b"one\n", "one\n", "", b"", id="the last line goes"),
    ],
)
async def test_an_edit_leaves(work: FakeWorkspace, before: bytes, old: str, new: str, after: bytes) -> None:
    await work.put_and_read("a.py", before)
    assert await work.edited("a.py", old, new) == after
