"""What each editor surely shows of a message; nothing beyond that can be approved
(docs/protocol.md#92-the-message-rung)."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from support.editor import CAN_SHOW, HASTY, NO_ANSWER, REVIEW, RpcError, editing, path_of
from support.personas import EGLOT_1_9, LSP_MODE_8, NEOVIM_0_11, VIM_LSP, Persona, pressing, questions, titles
from support.sample import EDIT, TEXT, edited
from support.wire import Message

ASK, SHOW = "window/showMessageRequest", "window/showDocument"
LONG = "".join(f"line {number}\n" for number in range(200))


def in_vscode(message: str) -> str:
    """What a notification shows."""
    return message.replace("\n", " ")[:1000]


def showing(params: Message) -> Message:
    return {"success": True}


async def test_where_the_root_takes_no_diff_file_vscode_is_shown_one_elsewhere(root: Path) -> None:
    (root / ".agentfs").write_text("in the way")
    (root / "a.py").write_text(LONG)
    looked: dict[str, Any] = {}

    def look(params: Message) -> Message:
        path = path_of(params["uri"])
        looked["path"], looked["diff"] = path, Path(path).read_text()
        looked["modes"] = [oct(os.stat(at).st_mode & 0o777) for at in (path, os.path.dirname(path))]
        return {"success": True}

    answers = {SHOW: look, ASK: pressing("Approve")}
    async with editing(root, name="code-server", capabilities=CAN_SHOW, answers=answers) as editor:
        await editor.read("a.py")
        answer = await editor.write("a.py", "evil\n" + LONG)
        denied = await editor.read(looked["path"])
        [question] = questions(editor)
    assert looked["path"].startswith(str(editor.state))
    assert "+evil\n" in looked["diff"]
    assert looked["modes"] == ["0o600", "0o700"]
    assert looked["path"] in question["message"]
    assert "+evil" not in question["message"]
    assert answer["data"]["applied"]
    assert denied["status"] == "error"
    assert not os.path.exists(looked["path"])


async def test_links_in_an_explanation_do_not_push_the_diff_beyond_the_cut(root: Path) -> None:
    text = "".join(f"line {number} {'x' * 40}\n" for number in range(6)) + "evil\n"
    async with editing(root, name="code-server", answers={ASK: pressing("Approve")}) as editor:
        answer = await editor.write("a.py", text, explanation="](a:a" * 100)
        asked = [question["message"] for question in questions(editor)]
    assert answer["data"]["applied"]
    assert [in_vscode(message) for message in asked] == [message.replace("\n", " ") for message in asked]
    assert "+evil" in "".join(map(in_vscode, asked))


async def test_in_vscode_nothing_beyond_the_cut_of_a_notification_is_approved(root: Path) -> None:
    async with editing(root, name="code-server", answers={ASK: pressing("Approve")}) as editor:
        answer = await editor.write("a.py", LONG + "evil ⏎ +good\n", explanation="why " * 200)
        asked = questions(editor)
    shown = [in_vscode(question["message"]) for question in asked]
    assert [in_vscode(question["message"]) == question["message"].replace("\n", " ") for question in asked]
    assert all(f"+line {number} ⏎ " in "".join(shown) for number in range(200))
    assert r"+evil \u23ce +good ⏎ " in shown[-1]
    assert all("Approve" not in titles(question) for question in asked[:-1])
    assert "Approve" in titles(asked[-1])
    assert answer["data"]["applied"]


async def test_in_vscode_which_joins_blanks_a_change_of_blanks_alone_is_seen(root: Path) -> None:
    (root / "a.py").write_text("if a:\n    b()\n    c()\n\td\ne \nf\n")
    async with editing(root, name="code-server", answers={ASK: pressing("Approve")}) as editor:
        await editor.read("a.py")
        await editor.edit("a.py", "    c()\n\td\ne \n", "  c()\n d\ne ␣⇥\n")
        [question] = questions(editor)
    seen = " ".join(in_vscode(question["message"]).split())
    assert "⏎ ␣␣␣␣␣b() ⏎ -␣␣␣␣c() ⏎ -⇥d ⏎ -e␣ ⏎ +␣␣c() ⏎ + d ⏎ +e \\u2423\\u21e5 ⏎ ␣f ⏎" in seen


async def test_in_vscode_unchanged_lines_do_not_look_added(root: Path) -> None:
    async with editing(root, name="code-server", answers={ASK: pressing("Approve")}) as editor:
        for text in ("q\n+q\n", "+q\nq\n"):
            (root / "a.py").write_text("+q\n")
            await editor.read("a.py")
            await editor.write("a.py", text)
        before, behind = (" ".join(question["message"].split()) for question in questions(editor))
    assert "⏎ +q ⏎ ␣+q ⏎" in before
    assert "⏎ ␣+q ⏎ +q ⏎" in behind


async def test_in_vscode_reads_of_paths_that_differ_in_blanks_look_different(root: Path) -> None:
    async with editing(root, name="code-server", answers={ASK: pressing("Allow once")}) as editor:
        for path in ("a b/.env", "a  b/.env"):
            (root / path).parent.mkdir()
            (root / path).write_text("TOKEN=1\n")
            await editor.read(path)
        one, two = (question["message"] for question in questions(editor))
    assert "⏎" not in one
    assert two.startswith("a␣␣b/.env ⏎\n")


@pytest.mark.parametrize("persona", [EGLOT_1_9, LSP_MODE_8], ids=lambda persona: persona.name)
async def test_in_emacs_each_page_fits_and_ends_with_title_and_agent(root: Path, persona: Persona) -> None:
    (root / "a.py").write_text(TEXT)
    async with persona.editing(root, "Approve") as editor:
        answer = await edited(editor, agent="Ada", explanation="because " * 60)
        asked = questions(editor)
    for question in asked:
        rows = [max(1, -(-len(line) // 78)) for line in question["message"].split("\n")]
        assert sum(rows) <= 4
        assert question["message"].endswith("\nagentfs: Edit a.py (+1/-1), by Ada")
    approvable = ["Approve" in titles(question) for question in asked[:-1]]
    assert approvable == sorted(approvable)
    assert "Choose it to confirm “Approve”." in asked[-1]["message"]
    assert answer["data"]["applied"]


async def test_a_line_that_fills_its_rows_counts_one_more_as_neovim_and_vim_draw_it(root: Path) -> None:
    async with NEOVIM_0_11.editing(root, "Approve") as editor:
        await editor.write("a.py", f"{'x' * 79}\n{'y' * 159}\n" * 20, agent="Ada")
        asked = questions(editor)
    for question in asked:
        assert sum(len(row) // 80 + 1 for row in f"{question['message']}: ".split("\n")) <= 16


async def test_the_last_line_and_what_vim_writes_behind_it_take_one_row(root: Path) -> None:
    path = "d" * 200 + "/.env"
    (root / path).parent.mkdir()
    (root / path).write_text("TOKEN=1\n")
    async with editing(root, name="Neovim", answers={ASK: pressing("Deny")}) as editor:
        await editor.read(path, agent="Ada")
        await editor.write("x" * 200, "one\n", agent="Ada" * 26)
        asked = questions(editor)
    assert all(len(question["message"].split("\n")[-1] + ": ") < 80 for question in asked)


async def test_in_helix_which_breaks_lines_between_words_every_line_fits_a_row(root: Path) -> None:
    word = "x" * 33
    async with editing(root, name="helix", answers={ASK: pressing("Approve")}) as editor:
        answer = await editor.write("a.py", f"{word} {word} {word}\n" * 20, agent="Ada")
        pages = [question["message"].split("\n") for question in questions(editor)]
    assert answer["data"]["applied"]
    assert all(len(page) <= 16 for page in pages)
    assert max(len(row) for page in pages for row in page) < 62


async def test_a_short_diff_is_shown_as_a_file_too(root: Path) -> None:
    async with NEOVIM_0_11.editing(root, "Approve") as editor:
        await editor.write("a.py", "one\n", agent="Ada")
        question, _ = questions(editor)
        assert len(editor.all(SHOW)) == 1
    assert "+one" in question["message"]
    assert question["message"].endswith("\nagentfs: Create a.py (+1), by Ada")


async def test_a_message_waits_for_all_pages_and_not_beyond_the_shutdown(root: Path) -> None:
    async def turn_page(params: Message) -> object:
        onward = params["actions"][1]
        if not onward["title"].startswith("Next (2/"):
            return NO_ANSWER
        editor.notify("workspace/didChangeConfiguration", {"settings": {"agentfs": {"rules": 3}}})
        await editor.request("agentfs/status", {})
        return onward

    async with editing(root, name="helix", **HASTY, answers={ASK: turn_page}) as editor:
        editor.start("agentfs/write", {"path": "a.txt", "content": "line\n" * 60})
        await editor.seen(ASK, 2)
        assert not editor.all("window/showMessage")
        await editor.request("shutdown")
        editor.notify("exit", None)
        await editor.ended()
        assert not editor.all("window/showMessage")


async def test_a_message_does_not_wait_for_a_question_in_a_list(root: Path) -> None:
    (root / ".env").write_text("A=1\n")
    async with editing(root, capabilities=REVIEW, answers={ASK: lambda _: NO_ANSWER}) as editor:
        reading = editor.start("agentfs/read", {"path": ".env"})
        await editor.seen(ASK)
        editor.notify("workspace/didChangeConfiguration", {"settings": {"agentfs": {"rules": 3}}})
        await editor.seen("window/showMessage")
        reading.cancel()


@pytest.mark.parametrize("name", ["code-server", "Neovim", "helix", "Eglot", "never heard of"])
async def test_long_names_leave_room_for_the_title_and_are_told_in_full(root: Path, name: str) -> None:
    path = "/".join(["d" * 200] * 4) + "/end.py"
    async with editing(root, name=name, answers={ASK: pressing("Approve")}) as editor:
        answer = await editor.write(path, "one\n", agent="Ada" * 26)
        asked = questions(editor)
    ends = {question["message"].split("\n")[-1] for question in asked}
    assert len(ends) == 1
    (end,) = ends
    assert end.startswith("agentfs: Create d")
    assert "/end.py (+1), by Ada" in end
    assert len(end) <= 80
    joined = "".join(question["message"].replace(end, "") for question in asked).replace("\n", "")
    assert path in joined.replace("⋯", "")
    assert answer["data"]["applied"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("IntelliJ IDEA", [r'+x="\x3c!--"; evil(); y="-->" ⏎', r"+rm a\x5c\x2a \x26lt; h[0]\x28b) ⏎"]),
        ("Neovim", ['+x="<!--"; evil(); y="-->"', r"+rm a\* &lt; h[0](b)"]),
    ],
)
async def test_an_editor_that_may_show_markdown_gets_nothing_that_it_would_hide(
    root: Path, name: str, shown: list[str]
) -> None:
    async with editing(root, name=name, answers={ASK: pressing("Approve")}) as editor:
        answer = await editor.write("<b>.sh", 'x="<!--"; evil(); y="-->"\nrm a\\* &lt; h[0](b)\n')
        asked = [question["message"] for question in questions(editor)]
    lines = [line for message in asked for line in message.split("\n")]
    assert [line for line in lines if line in shown] == shown
    assert {"<b" in message for message in asked} == {name == "Neovim"}
    assert answer["data"]["applied"]


async def test_a_read_of_a_long_path_is_allowed_only_once_all_of_it_was_shown(root: Path) -> None:
    folder = root / "/".join(["d" * 200] * 6)
    folder.mkdir(parents=True)
    (folder / ".env").write_text("TOKEN=1\n")
    path = str((folder / ".env").relative_to(root))
    async with editing(root, name="code-server", answers={ASK: pressing("Allow once")}) as editor:
        answer = await editor.read(path, agent="Ada" * 26)
        asked = questions(editor)
    assert len(asked) > 1
    assert all(len(question["message"]) <= 1000 for question in asked)
    assert ["Allow once" in titles(question) for question in asked] == [False] * (len(asked) - 1) + [True]
    ends = {question["message"].split("\n")[-1] for question in asked}
    joined = "".join(question["message"] for question in asked)
    for end in ends:
        joined = joined.replace(end, "")
    assert path in joined.replace("\n", "").replace(" ⏎", "")
    assert answer["data"]["content"] == "TOKEN=1\n"


@pytest.mark.parametrize("name", ["", "never heard of"])
async def test_an_editor_that_is_not_known_gets_the_least_of_all(root: Path, name: str) -> None:
    answers = {SHOW: showing, ASK: pressing("Approve")}
    async with editing(root, name=name, capabilities=CAN_SHOW, answers=answers) as editor:
        answer = await editor.write("a.py", "".join(f"line {number}\n" for number in range(20)))
        *pages, confirming = (question["message"] for question in questions(editor))
    for page in pages:
        first, *others = (len(line) for line in page.split("\n"))
        assert sum(-(-width // 62) for width in (first + 33, *others)) <= 4
    assert "".join(pages).count("+line ") == 20
    confirms = "Choose it to confirm “Approve”." if name == "" else "Choose “Approve” again to confirm."
    assert confirms in confirming
    assert answer["data"]["applied"]


async def test_what_does_not_fit_one_page_is_refused_where_no_page_can_be_turned(root: Path) -> None:
    async with VIM_LSP.editing(root, "Approve") as editor:
        answer = await editor.write("a.py", LONG)
        assert questions(editor) == []
    assert answer["error"]["code"] == "ACCESS_DENIED"


async def test_a_question_that_emacs_left_unanswered_is_repeated_and_holds_no_other_back(root: Path) -> None:
    for name in ("a.py", "b.py"):
        (root / name).write_text(TEXT)
    async with editing(root, name="Eglot", **HASTY, answers={ASK: lambda _: NO_ANSWER}) as editor:
        for name in ("a.py", "b.py"):
            await editor.read(name)
        first = editor.start("agentfs/edit", EDIT)
        await editor.seen(ASK)
        second = editor.start("agentfs/edit", {**EDIT, "path": "b.py"})
        asked = [await editor.seen_message(ASK, number) for number in (1, 2, 3)]
        assert [message["params"]["message"].split("\n")[-1] for message in asked] == [
            "agentfs: Edit a.py (+1/-1)",
            "agentfs: Edit a.py (+1/-1)",
            "agentfs: Edit b.py (+1/-1)",
        ]
        for message in asked[:2]:  # a withdrawn question approves nothing
            result = pressing("Approve")(message["params"])
            editor.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        editor.answers[ASK] = pressing("Approve")
        result = pressing("Approve")(asked[2]["params"])
        editor.send({"jsonrpc": "2.0", "id": asked[2]["id"], "result": result})
        answers = [await second, await first]
    assert [answer["status"] for answer in answers] == ["success", "success"]


async def test_a_yes_and_a_no_to_a_repeated_question_are_a_no(root: Path) -> None:
    (root / "a.py").write_text(TEXT)
    answers = {ASK: lambda _: NO_ANSWER, "window/showDocument": lambda _: {"success": True}}
    async with editing(root, capabilities=CAN_SHOW, name="Eglot", **HASTY, answers=answers) as editor:
        await editor.read("a.py")
        edit = editor.start("agentfs/edit", EDIT)
        asked = [await editor.seen_message(ASK, number) for number in (1, 2)]
        with editor.in_one_piece():
            for message, title in zip(reversed(asked), ("Reject", "Approve"), strict=True):
                editor.send({"jsonrpc": "2.0", "id": message["id"], "result": {"title": title}})
        assert (await edit)["context"]["review"]["decision"] == "rejected"


SHY = """
import sys
from agentfs_lsp.__main__ import main
from agentfs_lsp.adapters.review import questions
questions.READING_S = 0.0
questions.QUIET_S = questions.LONGEST_QUIET_WAIT_S = 3600.0
sys.exit(main())
"""
"""A server that asks nobody who has typed within the hour."""


PATIENT = """
import sys
from agentfs_lsp.__main__ import main
from agentfs_lsp.adapters.review import questions
questions.FIRST_PAUSE_S = 3600.0
sys.exit(main())
"""
"""A server that shows nothing in the hour after a question that was withdrawn."""


async def test_an_agent_that_proposes_and_cancels_opens_few_windows(root: Path) -> None:
    """Not even the file of a proposal is shown that is withdrawn before it is asked about."""
    command = [sys.executable, "-P", "-c", PATIENT]
    answers = {ASK: lambda _: NO_ANSWER, SHOW: showing}
    async with editing(
        root, name="Neovim", capabilities=CAN_SHOW, command=command, answers=answers
    ) as editor:
        for number in range(5):
            writing = editor.start("agentfs/write", {"path": f"{number}.py", "content": "x\n"})
            if number == 0:
                await editor.seen(SHOW)
            for _ in range(20 if number else 0):  # by then it would have been shown
                await editor.are_pending("queued")
            editor.cancel(writing)
            with pytest.raises(RpcError):
                await writing
        assert len(editor.all(SHOW)) == 1


async def test_nobody_is_asked_while_typing(root: Path) -> None:
    (root / "a.py").write_text(TEXT)
    (root / "notes").write_text("")
    answers = {ASK: pressing("Reject")}
    async with editing(
        root, name="Neovim", command=[sys.executable, "-P", "-c", SHY], answers=answers
    ) as editor:
        editor.open("notes")
        assert (await edited(editor))["error"]["code"] == "USER_REJECTED"
        editor.change("notes", "2\n")
        asked = editor.start("agentfs/edit", EDIT)
        for _ in range(4):  # by then it would have been asked
            await editor.are_pending("queued")
        assert len(editor.all(ASK)) == 1
        editor.cancel(asked)
        with pytest.raises(RpcError):
            await asked
