"""Whatever others wrote, a program that shows Markdown shows it as it is."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agentfs_lsp.domain.text.markdown import code, code_block

PIECES = st.sampled_from(
    [
        *(
            "`",
            "``",
            "```",
            "~",
            "~~~",
            "\\",
            "<!--",
            "-->",
            "<b>",
            "&lt;",
            "[x]: /y",
            "[x](command:y)",
            "![",
        ),
        *("<https://a.b>", "# ", "- ", "> ", "1. ", "    ", "  ", " ", "\t", "---", "===", "|", "*", "__"),
        *("a", "中", "\\x0a"),
    ]
)
SHOWN = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=3)
LINES = st.lists(st.one_of(PIECES, SHOWN)).map("".join)


@given(st.lists(LINES, min_size=1).map("\n".join))
def test_a_block_is_one_block_of_code_with_just_these_lines(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(f"Shown:\n\n{code_block(text)}")
    assert [one.type for one in tokens] == ["paragraph_open", "inline", "paragraph_close", "fence"]
    assert tokens[-1].content == f"{text}\n"
    assert code_block(text).splitlines()[1:-1] == text.split("\n")


@given(LINES.filter(bool))
def test_a_name_within_a_sentence_is_code(line: str) -> None:
    _, inline, _ = MarkdownIt("commonmark").parse(f"waiting for {code(line)} (5 s)")
    assert inline.children is not None
    assert [(one.type, one.content) for one in inline.children] == [
        ("text", "waiting for "),
        ("code_inline", line),
        ("text", " (5 s)"),
    ]
