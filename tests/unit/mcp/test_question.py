"""What the user is asked through the client, and which answers count."""

import pytest
from markdown_it import MarkdownIt

from agentfs_lsp.client import Accept, Reject, Review, ReviewedFile
from agentfs_lsp.mcp.question import FORM, MAX_CHARS, TYPED, decision, question
from support.vscode_links import links_in


def review(after: str, *, before: str = "one\ntwo\n", path: str = "a.py", **told: str) -> Review:
    file = ReviewedFile(
        "file:///a.py",
        path,
        "update",
        before,
        after,
        ({"line": 2, "kind": "bidi", "detail": "\u202e"},),
    )
    words = {"agent": "Ada", "explanation": "Figures.", **told}
    return Review("1", "Edit a.py (+1/-1)", "edit", "default", atomic=True, files=(file,), **words)


def test_the_question_says_who_wants_what_and_shows_the_whole_diff() -> None:
    asked = question(review("one\n2\n"))
    assert asked is not None
    assert asked["requestedSchema"] == FORM
    for said in ("Ada", "Edit a.py (+1/-1)", "Figures.", "-two\n", "+2\n", "Warning, line 2: bidi"):
        assert said in asked["message"]


def code_of(message: str) -> list[str]:
    """What a program that renders Markdown shows as code, line by line: all that others wrote."""
    tokens = MarkdownIt("commonmark").parse(message)
    assert [one.type for one in tokens] == ["paragraph_open", "inline", "paragraph_close", "fence"]
    return tokens[-1].content.splitlines()


MARKUP = '# `x` <b>\n```\n~~~~\n [ok]: /x "hidden"\n<!--\n[y](command:z)\n'


@pytest.mark.parametrize("client", ["claude-code", "Visual Studio Code", ""])
def test_nothing_in_it_is_markup_or_a_link(client: str) -> None:
    told = {"agent": "[A](command:a)", "explanation": MARKUP, "path": "[b](http://c)/`d`.py"}
    asked = question(review(MARKUP, **told), client)
    assert asked is not None
    assert links_in(asked["message"]) == []
    shown = "\n".join(code_of(asked["message"]))
    for line in ("+# `x` <b>", "+```", "+~~~~", '+ [ok]: /x "hidden"', "+<!--", "+[y]\\x28command:z)"):
        assert line in shown
    assert f"Agent: [A]\\x28command:a){' ⏎' if client.startswith('Visual') else ''}\n" in shown


def test_where_lines_are_joined_their_ends_and_blanks_are_seen() -> None:
    asked = question(review("one\n\tif  x:\n\n", before="one\n +two\n"), "Visual Studio Code - Insiders")
    assert asked is not None
    shown = code_of(asked["message"])
    assert shown[shown.index("@@ -1,2 +1,3 @@ ⏎") + 1 :] == [
        *("␣one ⏎", "- +two ⏎", "+⇥if␣␣x: ⏎", "+ ⏎", " ⏎"),
        "Warning, line 2: bidi: \\u202e ⏎",
        *(" ⏎", "Its reason: Figures. ⏎"),
    ]


def test_codex_is_asked_about_what_it_shows_and_keys_typed_on_accept_nothing() -> None:
    asked = question(review("one\n2\n"), "codex-mcp-client")
    assert asked is not None
    assert asked["requestedSchema"] == TYPED
    assert asked["message"].count("\n") < 14
    assert question(review("one\n" + "2\n" * 8), "codex-mcp-client") is None
    assert question(review("one\n" + "2" * 400), "codex-mcp-client") is None
    assert question(review("one\n2\n", explanation="x " * 250), "codex-mcp-client") is None
    typed = {"action": "accept", "content": {"decision": "fix line 12"}}
    assert decision(typed) == Reject("fix line 12")
    assert decision({"action": "accept", "content": {"decision": "accept"}}) == Accept()


def test_the_agents_reason_comes_after_the_diff_and_is_short() -> None:
    asked = question(review("one\n2\n", explanation="x" * 10_000))
    assert asked is not None
    assert asked["message"].index("+2") < asked["message"].index("Its reason: " + "x" * 500 + "…")
    assert "x" * 501 not in asked["message"]
    assert asked["requestedSchema"]["properties"]["decision"]["enum"][0] == "reject"


@pytest.mark.parametrize("client", ["Visual Studio Code", "Code - OSS", "cursor-vscode", "VSCodium"])
def test_a_client_that_cuts_a_message_is_not_asked_about_more(client: str) -> None:
    shortest = question(review("one\n"), client)
    assert shortest is not None
    left = 1000 - len(shortest["message"])
    fits = question(review("one\n" + "x" * (left - 40)), client)
    assert fits is not None
    assert len(fits["message"].encode("utf-16-le")) <= 2000
    assert question(review("one\n" + "😀" * ((left - 40) // 2 + 40)), client) is None
    assert question(review("one\n" + "x" * left), client) is None
    assert question(review("one\n" + "x" * left), "claude-code") is not None


def test_nothing_in_it_can_pass_for_something_else() -> None:
    asked = question(review("one\n\x1b[2J\u202e2\r\n", agent="A\nda\x1b", explanation="a\nb", path="a\n.py"))
    assert asked is not None
    for hidden in ("\x1b", "\u202e", "\r", "A\nda", "a\nb", "a\n.py"):
        assert hidden not in asked["message"]


@pytest.mark.parametrize("after", ["x" * MAX_CHARS, "x\n" * 1000])
def test_what_is_too_long_to_show_is_not_asked(after: str) -> None:
    assert question(review(after)) is None


def test_only_a_clear_yes_is_a_yes() -> None:
    said = {"decision": "accept", "reason": "Fine."}
    assert decision({"action": "accept", "content": said}) == Accept("Fine.")
    assert decision({"action": "accept", "content": {"decision": "accept"}}) == Accept()


@pytest.mark.parametrize(
    "reply",
    [
        None,
        [],
        {},
        {"action": "accept"},
        {"action": "accept", "content": {}},
        {"action": "accept", "content": {"decision": "reject", "reason": 3}},
        {"action": "accept", "content": {"decision": True}},
        {"action": "accept", "content": {"decision": "Accept", "reason": ""}},
        {"action": "decline", "content": {"decision": "accept"}},
        {"action": "cancel"},
    ],
)
def test_everything_else_is_a_no(reply: object) -> None:
    assert decision(reply) == Reject()


def test_a_no_has_its_reason() -> None:
    content = {"decision": "reject", "reason": "Later."}
    assert decision({"action": "accept", "content": content}) == Reject("Later.")
