"""Each page of a message fits what the editor shows, and together they are complete
(docs/protocol.md#92-the-message-rung)."""

import re
from html.parser import HTMLParser
from itertools import islice
from typing import SupportsIndex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agentfs_lsp.adapters.review.message_limits import MessageLimits, limits_of
from agentfs_lsp.adapters.review.paging import BLANK, CONTINUED, LINE_END, TAB, last_line_for, paged
from agentfs_lsp.domain.text.width import shortened, width_of
from agentfs_lsp.service.proposal.review import EditorTraits

NAMES = ("code-server", "Eglot", "emacs", "", "Neovim", "helix", "vim-lsp", "coc.nvim", "never heard of")
LAST = "agentfs: Edit a.py (+1/-1), by Ada"

limits = st.builds(
    lambda name, shows: limits_of(EditorTraits(name=name, show_document=shows)),
    st.sampled_from(NAMES),
    st.booleans(),
)
line = st.text(st.sampled_from("abc +-*_<&1.#界😀\u200d\uffff\t⏎␣⇥⋯"), max_size=1500)
# Each row ends with a column that the next character is too wide for.
AT_THE_EDGES = f"{'界' * 39}a" * 40
FULL_ROWS = ["a" * 80] * 20
LONG_WORDS = [" ".join(["a" * 33] * 3)] * 20


def columns_of(text: str) -> int:
    """The worst case in a terminal."""
    codes = dict.fromkeys("\u070f\u200c\u200d\ufffe\uffff", len("<200d>"))
    return sum(codes.get(one) or (8 if one == "\t" else 1 if one.isascii() else 2) for one in text)


def rows_of(page: str, limits: MessageLimits) -> int:
    """The worst case in a terminal: a full row takes another one, and `: ` follows the last."""
    rows, at = 0, limits.prefix
    for line in f"{page}: ".split("\n"):
        rows += 1
        for word in re.findall(r"\S+|\s", line) if limits.wraps_at_words else line:
            if limits.wraps_at_words and at and at + columns_of(word) > limits.columns:
                rows, at = rows + 1, 0
            for character in word:
                steps = [2] if columns_of(character) == 2 else [1] * columns_of(character)
                for step in steps:
                    if at + step > limits.columns:  # wide characters are never split
                        rows, at = rows + 1, 0
                    at += step
        rows += at == limits.columns
        at = 0
    return rows


@pytest.mark.parametrize("one", ["\u070f", "\u200c", "\u200d", "\ufffe", "\uffff", "\t", "é", "界", "a"])
def test_a_character_counts_as_wide_as_it_is_shown_at_worst(one: str) -> None:
    assert width_of(one) == columns_of(one)


@example([AT_THE_EDGES], limits_of(EditorTraits(name="Neovim")))
@example(FULL_ROWS, limits_of(EditorTraits(name="Neovim")))
@example(LONG_WORDS, limits_of(EditorTraits(name="helix")))
@example(LONG_WORDS, limits_of(EditorTraits(name="never heard of")))
@given(st.lists(line, max_size=30), limits)
def test_every_page_fits_the_editor(lines: list[str], limits: MessageLimits) -> None:
    for page in paged(lines, LAST, limits):
        assert rows_of(page, limits) <= limits.rows
        assert len(page.encode("utf-16-le")) // 2 <= limits.characters
        assert page.split("\n")[-1] == LAST


@example(LONG_WORDS)
@given(st.lists(line, max_size=30))
def test_helix_which_makes_no_room_for_broken_rows_gets_lines_of_one_row(lines: list[str]) -> None:
    limits = limits_of(EditorTraits(name="helix"))
    for page in paged(lines, LAST, limits):
        assert max(map(columns_of, page.split("\n"))) < limits.columns


@given(st.lists(line, max_size=30), limits)
def test_nothing_is_left_out(lines: list[str], limits: MessageLimits) -> None:
    pages = paged(lines, LAST, limits)
    shown = "".join(page.removesuffix(LAST).replace("\n", "") for page in pages)
    if limits.joins_lines:
        assert not re.search(r"  |\t", shown), "one blank would be seen of it"
        if limits.marks_up:
            shown = re.sub(f"(^|{LINE_END})([-+])(?={LINE_END})", r"\1\2 ", shown.replace(CONTINUED, ""))
        told = shown.translate({ord(BLANK): " ", ord(TAB): "\t"}).split(f" {LINE_END}")
        escape = re.compile(r"\\(?:u(....)|x(..))")
        assert [escape.sub(lambda code: chr(int(code[1] or code[2], 16)), one) for one in told] == [
            *lines,
            "",
        ]
    else:
        assert shown == "".join(lines)


@given(st.text(st.sampled_from("x "), min_size=1, max_size=400), st.sampled_from(["code-server", "new"]))
def test_where_lines_are_joined_no_blank_is_lost_at_the_end_of_any_row(line: str, name: str) -> None:
    for page in paged([f" +{line * 5}"], LAST, limits_of(EditorTraits(name=name))):
        assert not re.search(r"^ | $|  ", page.replace(f" {LINE_END}", ""), re.MULTILINE)


class Counted(str):  # noqa: SLOT000 - it counts
    """A text that counts how much of it was taken."""

    taken = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = super().__getitem__(key)
        self.taken += len(part)
        return part


def test_of_a_line_that_is_far_too_long_no_more_is_looked_at_than_is_shown() -> None:
    limits = limits_of(EditorTraits(name="Neovim"))
    long = Counted("x" * 1_000_000)
    shown = list(islice(paged([long], LAST, limits), 40))
    assert long.taken <= sum(map(len, shown))


@given(st.text(st.sampled_from("abc/界😀"), max_size=200), st.integers(8, 80))
def test_a_shortened_text_keeps_its_end_and_fits(text: str, most: int) -> None:
    short = shortened(text, most)
    assert columns_of(short) <= most
    assert short == text or (short.count("…") and text.endswith(short.rpartition("…")[2]))


class Words(HTMLParser):
    """What is seen of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen = ""
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self.seen += data


def words_of(html: str) -> str:
    return " ".join(Words(html).seen.split())


marked_up = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *(
                    "<!--",
                    "-->",
                    "<b title='",
                    "'>",
                    "</b>",
                    "<?",
                    "<!X ",
                    "<",
                    "<https://a.b>",
                    "&lt;",
                    "&#60",
                    "&",
                ),
                *(
                    "`",
                    "``",
                    "~",
                    "~~~",
                    "*",
                    "**",
                    "_",
                    "__",
                    "\\",
                    "\\\n",
                    "[x]",
                    "(y)",
                    ": /y",
                    "(command:y)",
                    "![",
                ),
                *(
                    "# ",
                    "- ",
                    "+ ",
                    "* ",
                    "> ",
                    "1. ",
                    "12)",
                    "    ",
                    " ",
                    "\t",
                    "---",
                    "===",
                    "|",
                    "-|-",
                    "a|b",
                ),
                *("a", "b", "1", ".", "中", "⋯", "-" * 90, "|-" * 30, "\\" * 60),
            ]
        ),
        st.text(st.sampled_from("ab<>&*_`~\\[]()!#|-+=: ."), max_size=8),
    )
).map("".join)


@example([" * a", "+ * b", "+ c", "-", "+", "* * ", "\\⋯⏎"], "never heard of")
@example(["+a|b|c", "-|-|-" + "-" * 90, "+d|e|f|g"], "never heard of")
@example(["~~~", "+a"], "never heard of")
@example(["[x]: /" + "y" * 200], "never heard of")
@example([" " + "a" * 200 + "# b", "+" + "a\\" * 200], "never heard of")
@given(st.lists(marked_up), st.sampled_from(["never heard of", ""]))
def test_where_messages_may_be_marked_up_all_of_them_is_seen(texts: list[str], name: str) -> None:
    limits = limits_of(EditorTraits(name=name))
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    last_line = last_line_for(f"agentfs: Edit {'/'.join(texts)}, by Ada".replace("\n", ""), limits)
    lines = [line for text in texts for line in text.split("\n")]
    for page in paged(lines, last_line, limits):
        assert words_of(page) == " ".join(page.split())
        assert words_of(markdown.render(page)) == " ".join(page.split())
