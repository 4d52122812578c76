"""Corrections of a change before it is proposed (docs/protocol.md#61-corrections)."""

import pytest

from agentfs_lsp.domain.errors import Unencodable
from agentfs_lsp.service.change_request import Submitted
from support.fakes.workspace import FakeWorkspace, edit_of, write_of

TRIMS = "[*]\ntrim_trailing_whitespace = true\n"
ENDS = "[*]\ninsert_final_newline = true\n"
ALL = f"{TRIMS}insert_final_newline = true\nend_of_line = crlf\ncharset = utf-8-bom\n"


def kinds(done: Submitted) -> list[tuple[str, str]]:
    return [(one.kind, one.detail) for one in done.change.corrections]


async def test_changed_lines_lose_their_trailing_blanks_and_no_others_do(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", TRIMS)
    await work.put_and_read("a.py", "one  \ntwo\t\nthree  \n")
    work.reviewer.accepts()
    done = await work.edit("a.py", "two\t\n", "2  \n  \n2.5\n")
    assert work.store.bytes_of("a.py") == b"one  \n2\n\n2.5\nthree  \n"
    assert kinds(done) == [("trailing_blanks", "2-3")]


async def test_an_edit_after_it_matches_the_corrected_text(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", TRIMS)
    await work.put_and_read("a.py", "one\n")
    await work.edited("a.py", "one", "two  \nthree ")
    assert await work.edited("a.py", "two\nthree\n", "2\n") == b"2\n"


async def test_a_line_that_a_change_only_moves_stays_as_it_is(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", TRIMS)
    await work.put_and_read("a.py", "kept  \n")
    assert await work.edited("a.py", "kept  \n", "new \nkept  \n") == b"new\nkept  \n"


async def test_markdowns_two_blanks_stay_unless_editorconfig_says_otherwise(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", f"{TRIMS}[*.md]\ntrim_trailing_whitespace = false\n")
    await work.put_and_read("a.md", "one\n")
    assert await work.edited("a.md", "one", "two  \nthree") == b"two  \nthree\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\nb\n", "b\n", "c", b"a\nc\n"),
        (b"a\nb", "b", "c", b"a\nc\n"),
        (b"a\r\nb", "b", "c", b"a\r\nc\r\n"),
        (b"a\nb", "a", "c", b"c\nb"),
        (b"a\nb\n", "b\n", "", b"a\n"),
    ],
)
async def test_a_changed_last_line_is_ended(
    work: FakeWorkspace, before: bytes, old: str, new: str, after: bytes
) -> None:
    work.store.put(".editorconfig", ENDS)
    await work.put_and_read("a.txt", before)
    assert await work.edited("a.txt", old, new) == after


async def test_a_change_of_nothing_but_the_last_line_end_is_none(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", ENDS)
    await work.put_and_read("a.txt", "a\nb\n")
    done = await work.edit("a.txt", "b\n", "b")
    assert (done.unchanged, kinds(done)) == (True, [("final_newline", "")])
    assert work.reviewer.reviewed == []


async def test_a_new_file_is_as_editorconfig_says(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", ALL)
    work.reviewer.accepts()
    done = await work.write("a.txt", "ä \nb")
    assert work.store.bytes_of("a.txt") == b"\xef\xbb\xbf" + "ä\r\nb\r\n".encode()
    assert kinds(done) == [
        ("line_ends", "crlf"),
        ("charset", "utf-8-bom"),
        ("trailing_blanks", "1"),
        ("final_newline", ""),
    ]


async def test_what_its_charset_cannot_express_is_refused(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", "[*]\ncharset = latin1\n")
    work.reviewer.accepts()
    await work.write("a.txt", "ä\n")
    assert work.store.bytes_of("a.txt") == b"\xe4\n"
    with pytest.raises(Unencodable):
        await work.write("b.txt", "→\n")


async def test_the_charset_shown_is_the_one_that_lands(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", "[*]\ncharset = utf-16le\n")
    work.reviewer.accepts(first=lambda: work.store.put(".editorconfig", ""))
    await work.write("a.txt", "a\n")
    assert work.store.bytes_of("a.txt") == b"\xff\xfe" + "a\n".encode("utf-16-le")


async def test_each_is_switched_by_its_globs(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", ALL)
    only = ("*", "!*.txt")
    work.set(
        correction__trailing_blanks=only,
        correction__final_newline=only,
        correction__line_ends=only,
        correction__charset=(),
    )
    work.reviewer.accepts()
    done = await work.write("a.txt", "a \nb")
    assert (work.store.bytes_of("a.txt"), kinds(done)) == (b"a \nb", [])
    work.reviewer.accepts()
    assert len(kinds(await work.write("a.py", "a \nb"))) == 3


async def test_a_batchs_file_is_corrected_once_after_all_its_steps(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", f"{TRIMS}insert_final_newline=true\n")
    await work.put_and_read("a.py", "one\n")
    work.reviewer.accepts()
    done = await work.batch(
        edit_of("a.py", "one\n", "two  \nthree"), edit_of("a.py", "two  ", "2  "), write_of("b.py", "b")
    )
    assert work.store.bytes_of("a.py") == b"2\nthree\n"
    made = [[one.kind for one in step.made.corrections] for step in done.steps if step.made]
    assert made == [[], ["trailing_blanks", "final_newline"], ["final_newline"]]


async def test_nothing_is_read_for_a_change_without_anything_to_correct(
    work: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.store.put(".editorconfig", f"{TRIMS}insert_final_newline=true\n")
    await work.put_and_read("a.py", "one\n")
    monkeypatch.setattr("agentfs_lsp.service.correcting.style_of", None)  # calling it would fail
    assert await work.edited("a.py", "one", "two") == b"two\n"


async def test_an_undo_restores_what_was(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one  \n")
    await work.edited("a.py", "one  ", "two")
    work.store.put(".editorconfig", TRIMS)
    work.reviewer.accepts()
    await work.undo()
    assert work.store.bytes_of("a.py") == b"one  \n"
