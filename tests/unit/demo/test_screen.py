"""The screen says what happened, at any width, and no text can control the terminal."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from agentfs_lsp.adapters.catalog import translator_for
from agentfs_lsp.demo.editor import Answer
from agentfs_lsp.demo.screen import GUTTER, Screen
from agentfs_lsp.domain.translation import Translate, english

NASTY = "\x1b]0;title\x07\x1b[2J\u202e\x9b31m"


def show(draw, width: int = 80, translate: Translate = english, **console) -> str:
    output = io.StringIO()
    draw(Screen(Console(file=output, width=width, highlight=False, **console), translate))
    return output.getvalue()


def envelope(status: str, text: str = "", **more) -> dict:
    return {"status": status, "data": {}, "text": text, "stats": {}, "context": {}, **more}


def proposed(words: str, *warnings: tuple[int, str, str], lines: tuple[str, str] = ("old", "new")) -> dict:
    told = [dict(zip(("line", "kind", "detail"), one, strict=True)) for one in warnings]
    return {
        "title": f"Edit {words}",
        "agent": words,
        "explanation": words,
        "files": [
            {
                "path": words,
                "operation": "update",
                "base_text": f"{lines[0]}\n",
                "proposed_text": f"{lines[1]}\n",
                "warnings": told,
            }
        ],
    }


def test_nothing_that_comes_from_outside_reaches_the_terminal() -> None:
    def draw(screen: Screen) -> None:
        proposal = proposed(NASTY, (1, NASTY, NASTY), lines=(NASTY, NASTY * 2))
        screen.opening(NASTY, (("files", NASTY),), asked=True)
        screen.request("agentfs/edit", {"path": NASTY, "old_string": NASTY})
        screen.proposal(proposal)
        screen.decision(Answer("rejected", NASTY))
        screen.result(envelope("error", NASTY, error={"code": "CONFLICT"}))
        screen.aside("editor", NASTY)
        screen.line(NASTY)

    shown = re.sub(r"\x1b\[[0-9;]*m", "", show(draw, force_terminal=True))
    assert not set("\x1b\x07\u202e\x9b") & set(shown)
    assert shown.count("\\x1b]0;title") >= 8


def test_a_warning_names_its_line() -> None:
    proposal = proposed("a.py", (3, "invisible", "U+200B"), (0, "hard_links", "1"))
    shown = show(lambda screen: screen.proposal(proposal))
    assert "! line 3: invisible: U+200B" in shown
    assert "! hard_links: 1" in shown


@pytest.mark.parametrize("width", [20, 40, 79, 200])
def test_no_line_is_wider_than_the_terminal(width) -> None:
    proposal = proposed("src/a.py", lines=("old " * 40, "new" * 60))

    def draw(screen: Screen) -> None:
        screen.request("agentfs/edit", {"path": "a", "old_string": "x" * 90, "new_string": "a\nb\n"})
        screen.proposal(proposal)
        screen.result(envelope("success", "Updated " + "word " * 50))

    shown = show(draw, width)
    assert max(map(len, shown.split("\n"))) <= max(width, 35)
    assert re.sub(r"\s", "", shown).count("new" * 60) == 1 or width < 200


def test_what_is_said_begins_in_one_column_however_wide_the_letters_of_the_role() -> None:
    def draw(screen: Screen) -> None:
        screen.decision(Answer("accepted"))
        screen.request("agentfs/edit", {"path": "a"})

    decision, request = show(draw, translate=translator_for("zh-cn")).splitlines()
    assert cell_len(decision.partition("接受")[0]) == cell_len(request.partition("agentfs")[0]) == GUTTER


def test_a_partial_answer_says_where_the_change_is() -> None:
    review = {"rung": "review", "decision": "accepted", "by": "user"}
    answer = envelope("partial", "It waits in the editor.")
    answer["data"] = {"landing": "editor", "review": review}
    shown = show(lambda screen: screen.result(answer))
    assert "◐      partial  It waits in the editor." in shown
    assert "landing: editor · review: accepted by user (rung review)" in shown


def test_a_conflict_shows_what_changed_since_the_read() -> None:
    answer = envelope("error", "Read it again.", error={"code": "CONFLICT"})
    answer["context"] = {"conflict": {"diff_since_read": "@@ -1 +1 @@\n-old\n+new\n"}}
    shown = show(lambda screen: screen.result(answer))
    assert "error CONFLICT  Read it again." in shown
    assert "1   - old" in shown


def test_a_long_answer_is_cut_and_says_so() -> None:
    shown = show(lambda screen: screen.result(envelope("success", "line\n" * 50)))
    assert shown.count("line") == 5
    assert "…" in shown


def test_colors_are_left_out_where_they_are_not_wanted(monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = show(lambda screen: screen.result(envelope("success", "Done.")), force_terminal=True)
    assert "32m" not in shown
