"""Emacs with agentfs.el: files of every encoding, what others wrote, and other requests of the server."""

from pathlib import Path

import pytest

from support.real_editors import ASK
from support.real_emacs import REVIEW, decision, reviewing
from support.sample import TEXT

CHANGED = TEXT.replace("two", "2")


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("one\r\ntwo\r\nthree\r\n", "utf-8"),
        ("one\ntwo\nthree", "utf-8"),
        ("one\r\ntwo\r\nthree", "utf-8"),
        ("\ufeffone\ntwo\nthree\n", "utf-8"),
        ("# -*- coding: gbk -*-\none 中文\ntwo\nthree\n", "gbk"),
        ("one\r\ntwo\nthree\n", "utf-8"),
        ("one 😀\ntwo 😀\nthree\n", "utf-8"),
    ],
    ids=["crlf", "no-final-newline", "crlf-no-final-newline", "bom", "gbk", "mixed", "astral"],
)
async def test_only_the_change_differs_on_disk(root: Path, text: str, encoding: str, is_open: bool) -> None:
    data = text.encode(encoding)
    more = "(setq require-final-newline nil mode-require-final-newline nil)"
    async with reviewing(root, more, files={"a.txt": data}) as emacs:
        if is_open:
            await emacs.visit("a.txt")
        answer = await emacs.read_and_edit("a.txt", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")
    assert (root / "a.txt").read_bytes() == data.replace(b"two", b"2")


async def test_an_amended_text_keeps_line_ends_and_the_missing_final_newline(root: Path) -> None:
    async with reviewing(root, files={"a.txt": b"one\r\ntwo\r\nthree"}) as emacs:
        answer = await emacs.read_and_edit("a.txt", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("e")
        await emacs.screen.shows("C-c C-c accept this text")
        emacs.screen.press("\x1b<zero\r\x03\x03")
        assert decision(await answer) == ("amended", "disk")
    assert (root / "a.txt").read_bytes() == b"zero\r\none\r\n2\r\nthree"


async def test_text_of_others_is_shown_with_codes_and_has_no_effect(root: Path) -> None:
    hostile = '# -*- mode: text; eval: (write-region "" nil "PWNED") -*-\n\u202eabc\x1b[31m\n'
    local = '# Local Variables:\n# eval: (write-region "" nil "PWNED")\n# End:\n'
    async with reviewing(root, "(setq enable-local-variables :all enable-local-eval t)") as emacs:
        (root / ".dir-locals.el").write_text('((nil . ((eval . (write-region "" nil "PWNED")))))')
        params = {
            "path": "c.txt",
            "content": hostile + local,
            "agent": "A\u202eda",
            "explanation": "\u202e\n@@ no",
        }
        answer = emacs.wire.ask("agentfs/write", params)
        shown = await emacs.review("+\\u202eabc\\x1b[31m")
        assert "A\\u202eda" in shown
        assert "      | @@ no" in shown
        emacs.screen.press("e")
        assert "\\u202eabc" in await emacs.screen.shows("C-c C-c accept this text")
        emacs.screen.press("\x03\x03")
        await emacs.screen.shows("look at it with your text")
        await emacs.accept()
        assert decision(await answer) == ("accepted", "disk")
    assert (root / "c.txt").read_text() == hostile + local
    assert not (root / "PWNED").exists()


async def test_an_org_file_that_is_amended_calls_no_mode(root: Path) -> None:
    """Org colors a block with the mode that it names, and this one saves every file from then on."""
    text = "#+begin_src auto-save-visited\nnone\n#+end_src\n"
    told = '(interactive) (message "saves %s" auto-save-visited-mode)'
    key = f'(global-set-key (kbd "C-c t") (lambda () {told}))'
    async with reviewing(root, key) as emacs:
        emacs.wire.ask("agentfs/write", {"path": "plan.org", "content": text})
        await emacs.review("+none")
        emacs.screen.press("e")
        assert "none" in await emacs.screen.shows("C-c C-c accept this text")
        emacs.screen.press("\x03t")
        assert "saves nil" in await emacs.screen.shows("saves ")


async def test_a_read_that_needs_a_yes_is_listed_until_it_is_answered(root: Path) -> None:
    async with reviewing(root, files={".env": b"KEY=1\n"}) as emacs:
        before = await emacs.layout()
        answer = emacs.wire.ask("agentfs/read", {"path": ".env", "agent": "Ada"})
        await emacs.screen.shows("agentfs:1")
        assert await emacs.layout() == before
        emacs.screen.press(REVIEW)
        shown = await emacs.screen.shows("Press the number of an answer")
        assert ".env" in shown
        assert "1  Deny\n  2  Allow once" in shown
        emacs.screen.press("2")
        assert (await answer)["data"]["content"] == "KEY=1\n"
        assert len(emacs.wire.all(ASK)) == 1
        assert await emacs.layout() == before


async def test_a_withdrawn_question_is_no_longer_listed(root: Path) -> None:
    async with reviewing(root, files={".env": b"KEY=1\n"}) as emacs:
        emacs.wire.ask("agentfs/read", {"path": ".env"})
        await emacs.screen.shows("agentfs:1")
        emacs.wire.notify("$/cancelRequest", {"id": "test-1"})
        await emacs.screen.shows(lambda text: "agentfs:1" not in text)


async def test_ediff_changes_what_is_accepted(root: Path) -> None:
    async with reviewing(root) as emacs:
        await emacs.visit("a.py")
        before = await emacs.layout()
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("E")
        await emacs.screen.shows("*agentfs proposed a.py*")
        await emacs.screen.shows("Ediff")
        emacs.screen.press("n")
        await emacs.screen.shows("diff 1 of 1")
        emacs.screen.press("a")
        emacs.screen.press("qy")
        await emacs.ready("(no change)")
        emacs.screen.press("u")
        await emacs.ready("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")
        assert await emacs.layout() == before


async def test_what_landed_is_listed_and_undone_after_a_review(root: Path) -> None:
    async with reviewing(root) as emacs:
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("y")
        await answer
        emacs.screen.press("\x1bxagentfs-history\r")
        await emacs.screen.shows("accepted  a.py")
        emacs.screen.press("u")
        await emacs.wire.seen("agentfs/proposed", 2)
        await emacs.review("+two")
        emacs.screen.press("y")
        await emacs.wire.seen("agentfs/settled", 2)
    assert (root / "a.py").read_text() == TEXT


async def test_undoing_a_new_file_removes_it(root: Path) -> None:
    async with reviewing(root) as emacs:
        answer = emacs.wire.ask("agentfs/write", {"path": "c.txt", "content": "one\n"})
        await emacs.review("+one")
        emacs.screen.press("y")
        await answer
        emacs.screen.press("\x1bxagentfs-undo\r")
        await emacs.wire.seen("agentfs/proposed", 2)
        assert "+++ /dev/null\n" in await emacs.review("-one")
        emacs.screen.press("y")
        await emacs.wire.seen("agentfs/settled", 2)
    assert not (root / "c.txt").exists()


async def test_the_last_change_is_undone_with_one_command(root: Path) -> None:
    async with reviewing(root) as emacs:
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("y")
        await answer
        emacs.screen.press("\x1bxagentfs-undo\r")
        await emacs.wire.seen("agentfs/proposed", 2)
        await emacs.review("+two")
        emacs.screen.press("y")
        await emacs.wire.seen("agentfs/settled", 2)
    assert (root / "a.py").read_text() == TEXT


async def test_a_withdrawn_proposal_is_not_accepted(root: Path) -> None:
    async with reviewing(root) as emacs:
        before = await emacs.layout()
        await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.wire.notify("$/cancelRequest", {"id": "test-2"})
        await emacs.screen.shows("the agent or the server withdrew it, nothing changed")
        emacs.screen.press("y")
        await emacs.screen.shows("\nEdit a.py (+1/-1): the agent or the server withdrew it")  # the last line
        emacs.screen.press("q")
        assert await emacs.layout() == before
    assert (root / "a.py").read_text() == TEXT
