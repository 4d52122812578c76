"""Corrections of a change before it is proposed (docs/protocol.md#61-corrections)."""

import pytest

from agentfs_lsp.domain.errors import TextLeftOut, Unencodable
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


ESCAPED = 'def f():\\n\\treturn \\"a\\\\nb\\"\\n'


def hints(done: Submitted) -> list[tuple[str, int, str]]:
    return [(one.kind, one.line, one.detail) for one in done.change.warnings]


async def test_newlines_escaped_once_too_often_are_hinted_at_and_stay(work: FakeWorkspace) -> None:
    work.reviewer.accepts()
    done = await work.write("a.py", ESCAPED)
    assert (hints(done), kinds(done)) == ([("escaped", 1, "\\n")], [])
    assert work.store.bytes_of("a.py") == ESCAPED.encode()


async def test_they_are_unescaped_once_where_the_setting_says_so(work: FakeWorkspace) -> None:
    work.set(correction__escapes=("*.py",))
    for path in ("a.py", "a.rb"):
        work.reviewer.accepts()
        done = await work.write(path, ESCAPED)
        assert bool(kinds(done)) is (path == "a.py") is not bool(hints(done))
    assert work.store.bytes_of("a.py") == b'def f():\n\treturn "a\\nb"\n'


@pytest.mark.parametrize("content", ['{"a": "b\\nc\\n"}', "a\\nb\\n\n", "a\\nb"])
async def test_what_may_be_meant_so_is_not_hinted_at(work: FakeWorkspace, content: str) -> None:
    work.set(correction__escapes=("*",))
    work.reviewer.accepts()
    done = await work.write("a.js", content)
    assert (hints(done), kinds(done)) == ([], [])


async def test_an_escape_without_that_meaning_leaves_the_text_alone(work: FakeWorkspace) -> None:
    work.set(correction__escapes=("*",))
    work.reviewer.accepts()
    done = await work.write("a.py", "a = r'\\d'\\n\\n")
    assert (hints(done), kinds(done)) == ([("escaped", 1, "\\n")], [])


async def test_html_entities_in_code_that_had_none_are_hinted_at_or_fixed(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "if a > 0:\n    pass\n")
    work.reviewer.accepts()
    done = await work.edit("a.py", "    pass\n", "    b = 1\n    if a &lt; 9 &amp;&amp; b:\n        pass\n")
    assert hints(done) == [("escaped", 3, "&lt;")]
    await work.put_and_read("b.py", "pass\n")
    work.set(correction__escapes=("*",))
    work.reviewer.accepts()
    done = await work.edit("b.py", "pass\n", 'x = "&amp;lt;" &gt; y\n')
    assert (hints(done), kinds(done)) == ([], [("escapes", "&amp;")])
    assert work.store.bytes_of("b.py") == b'x = "&lt;" > y\n'


@pytest.mark.parametrize(
    ("path", "before", "new"),
    [
        ("a.html", "x\n", "&lt;b\n"),
        ("a.py", "x\n# &amp;\n", "&lt;b\n"),
        ("a.py", "x\n", "s.replace('<', '&lt;')\n"),
        ("a.py", "x\n", "a & b\n"),
    ],
)
async def test_entities_that_may_be_meant_are_not(
    work: FakeWorkspace, path: str, before: str, new: str
) -> None:
    await work.put_and_read(path, before)
    work.reviewer.accepts()
    assert hints(await work.edit(path, "x\n", new)) == []


async def test_hints_can_be_switched_off(work: FakeWorkspace) -> None:
    work.set(correction__escape_hints=("*", "!*.py"))
    work.reviewer.accepts()
    assert hints(await work.write("a.py", ESCAPED)) == []
    work.reviewer.accepts()
    assert hints(await work.write("b.py", "a &lt; b\n")) == []


async def test_a_placeholder_is_text_where_the_setting_says_so(work: FakeWorkspace) -> None:
    work.set(correction__elided=("*", "!prompts/**"))
    left_out = "a = 1\n# ... rest of the code unchanged\n"
    for path in ("a.py", "prompts/a.py"):
        await work.put_and_read(path, "a = 0\nb = 0\n")
    with pytest.raises(TextLeftOut):
        await work.write("a.py", left_out)
    with pytest.raises(TextLeftOut):
        await work.edit("a.py", "b = 0\n", left_out)
    work.reviewer.accepts()
    assert hints(await work.write("prompts/a.py", left_out)) == [("elided", 2, "")]
    work.reviewer.accepts()
    assert hints(await work.edit("prompts/a.py", "a = 1", "# ... rest of the tests unchanged")) == [
        ("elided", 0, "")
    ]


async def test_a_hint_whose_line_has_moved_is_about_the_file(work: FakeWorkspace) -> None:
    work.set(correction__elided=(), approval__mode="auto_edit")
    left_out = "a = 1\n# ... rest of the code unchanged\n"
    await work.put_and_read("a.py", "a = 0\nb = 0\n")
    done = await work.batch(write_of("a.py", left_out), edit_of("a.py", "a = 1\n", "a = 1\n\n"))
    assert [(one.kind, one.line) for one in done.changes[0].warnings] == [("elided", 0)]
    await work.put_and_read("b.py", "a = 0\nb = 0\nc = 0\n")
    work.store.put("b.py", "\n\na = 0\nb = 0\nc = 0\n")
    merged = await work.write("b.py", "a = 0\nb = 0\n# ... rest of the code unchanged\n", merges=True)
    assert hints(merged) == [("elided", 0, "")]


async def test_what_the_user_makes_of_it_has_no_hints(work: FakeWorkspace) -> None:
    work.reviewer.accepts(amended={"a.py": "a\nb\n"})
    done = await work.write("a.py", "a\\nb\\n")
    assert hints(done) == []
