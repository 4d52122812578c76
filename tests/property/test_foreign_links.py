"""Whatever others wrote, VS Code's own expression finds no link in displayed texts."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentfs_lsp.domain.text.escaping import escape_links, escape_to_one_line
from agentfs_lsp.domain.translation import english
from agentfs_lsp.lsp.outgoing import Outgoing
from support.vscode_links import BLANKS, LINK, links_in

PIECES = st.sampled_from(
    [
        *(
            "[",
            "]",
            "(",
            ")",
            "](",
            "[x](",
            "command:",
            "COMMAND:",
            "http://",
            "https://",
            "file:",
            "FILE:///",
        ),
        *(
            "id",
            "?%7B%7D",
            ' "',
            '"',
            " '",
            "'",
            ")",
            "\n",
            "\r\n",
            "\r",
            " ",
            "\t",
            "\\",
            "<",
            ">",
            "ſ",
            "K",
        ),
        *bytes(f'"{BLANKS}"', "ascii").decode("unicode_escape"),
        *("\u200b", "\u202e", "\x1c", "\x00", "\ud800", "中", "_", "/", ":"),
    ]
)
LINKS = st.sampled_from(["[x](command:id)", "[y\nz](https://a.b 't')", "[[](FILE:///etc)", "](command:x)"])
WORDS = st.lists(st.one_of(PIECES, LINKS, st.text(max_size=3)), max_size=40).map("".join)

ROUTES: dict[str, Any] = {
    "window/showMessage": lambda text: {"type": 2, "message": text},
    "window/showMessageRequest": lambda text: {"type": 3, "message": text, "actions": [{"title": "Approve"}]},
    "workspace/applyEdit": lambda text: {
        "label": text,
        "edit": {"documentChanges": [], "changeAnnotations": {"1": {"label": text, "description": text}}},
    },
    "$/progress": lambda text: {"token": 1, "value": {"kind": "begin", "title": text, "message": text}},
    "agentfs/proposed": lambda text: {"id": "1", "title": text, "files": []},
}


def texts(value: object) -> list[str]:
    match value:
        case str():
            return [value]
        case dict():
            return [text for each in value.values() for text in texts(each)]
        case list():
            return [text for each in value for text in texts(each)]
        case _:
            return []


def test_the_expression_finds_what_vs_code_makes_a_link() -> None:
    assert links_in('see [a](command:b?%22c%22 "d") and [e\nf](HTTPS://g)') == [
        *('[a](command:b?%22c%22 "d")', "[e f](HTTPS://g)") * 2
    ]
    assert links_in("[a](b) [c](command:) [d] (command:e)") == []


@pytest.mark.parametrize("method", ROUTES)
@given(words=st.lists(WORDS, min_size=1, max_size=3))
@example(words=["[a", "](command:x)"])
@example(words=["x" * 990 + "[a](command:x?" + "y" * 50 + ")"])
def test_no_message_holds_a_link(method: str, words: list[str]) -> None:
    sent: list[dict[str, Any]] = []
    Outgoing(sent.append).notify(method, ROUTES[method]("".join(words)))
    assert [link for text in texts(sent) for link in links_in(text)] == []


@given(words=WORDS)
def test_only_what_may_be_a_link_is_shown_in_another_way(words: str) -> None:
    escaped = escape_links(words)
    assert escape_links(escaped) == escaped
    assert escaped.replace(r"]\x28", "](") == words.replace(r"]\x28", "](")
    assert (escaped == words) or "](" in words


@given(words=st.lists(WORDS, min_size=1, max_size=4))
def test_names_stay_without_links_in_every_sentence(words: list[str]) -> None:
    names = [escape_to_one_line(word) for word in words]
    joined = ", ".join(f"'{name}'" for name in names)
    for template in ("Edit {path} (+1/-0)", "{path} {path}", "{path}: {path}", "({path})"):
        assert LINK.search(english(template, path=joined)) is None


@pytest.mark.parametrize(
    "code", ["handlers[name](arg)", "[Symbol.iterator](): void", "a[0](b: string)", "](\n"]
)
def test_ordinary_code_is_left_alone(code: str) -> None:
    assert escape_links(code) == code
