"""The `message` rung: a question with buttons (docs/protocol.md#92-the-message-rung)."""

from pathlib import Path
from typing import Any

import pytest

from support.editor import ASK, NO_ANSWER, Editor, RpcError, configure, editing
from support.personas import answering, pressing, questions, titles
from support.sample import TEXT, edited
from support.sharing import in_module, shared
from support.wire import Message

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, name="Neovim"))


def lines(count: int, word: str = "line") -> str:
    return "".join(f"{word} {number}\n" for number in range(count))


async def test_the_question_holds_diff_agent_and_reason_with_reject_first(editor: Editor, file: Path) -> None:
    editor.answers |= answering(pressing("Approve"))
    answer = await edited(editor, agent="Ada", explanation="shorter")
    question = await editor.seen(ASK)
    assert titles(question) == ["Reject", "Approve", "Always for this session"]
    for said in ("Edit a.py (+1/-1)", "Ada", "shorter", "-two\n+2"):
        assert said in question["message"]
    assert (answer["status"], answer["data"]["landing"]) == ("success", "disk")
    review = answer["data"]["review"]
    assert (review["rung"], review["decision"], review["by"]) == ("message", "accepted", "user")
    assert isinstance(review["waited_ms"], int)
    assert file.read_text() == "one\n2\nthree\n"


async def test_where_numbers_choose_a_yes_is_confirmed_at_neither_of_the_first_two(editor: Editor) -> None:
    editor.answers |= answering(pressing("Approve"))
    places = set()
    for number in range(20):
        answer = await editor.write(f"{number}.txt", "one\n")
        assert answer["data"]["applied"]
        confirming = questions(editor)[-1]
        assert confirming["message"].endswith(f"\nagentfs: Create {number}.txt (+1)")
        offered = titles(confirming)
        assert sorted(offered) == ["Approve", *["Reject"] * 11]
        places.add(offered.index("Approve"))
    assert len(places) > 1
    assert not places & {0, 1}


@pytest.mark.parametrize("said", ["Reject", "Always for this session", None])
async def test_an_unconfirmed_yes_does_not_approve(editor: Editor, file: Path, said: str | None) -> None:
    said_in_turn = iter(["Approve", said])
    editor.answers |= answering(lambda _: (title := next(said_in_turn)) and {"title": title})
    answer = await edited(editor)
    assert len(questions(editor)) == 2
    assert answer["context"]["review"]["decision"] == "dismissed"
    assert file.read_text() == TEXT


async def test_a_no_that_nobody_may_have_meant_is_told_as_a_closed_question(root: Path) -> None:
    (root / "a.py").write_text(TEXT)
    async with editing(root, name="Neovim", answers=answering(pressing("Reject"))) as editor:
        by_keys = await edited(editor)
    async with editing(root, name="code-server", answers=answering(pressing("Reject"))) as editor:
        by_mouse = await edited(editor)
    assert "The question was closed without approval." in by_keys["text"]
    assert "The user rejected the change." in by_mouse["text"]
    assert by_keys["context"]["review"]["decision"] == by_mouse["context"]["review"]["decision"] == "rejected"


async def test_only_the_exact_title_of_a_button_is_an_answer(editor: Editor, file: Path) -> None:
    odd: list[Any] = [None, {}, [], "Approve", True, 1, ["Approve"], {"title": None}, {"title": ["Approve"]}]
    odd += [{"title": said} for said in ("approve", "Approve ", "APPROVE", "Yes", "", "Next (2/2)")]
    said = iter(odd)
    editor.answers |= answering(lambda _: next(said))
    await editor.read("a.py")
    for _ in odd:
        answer = await editor.edit("a.py", "two", "2")
        assert answer["error"]["code"] == "USER_REJECTED"
        assert answer["context"]["review"]["decision"] == "dismissed"
    assert file.read_text() == TEXT


async def test_an_answer_without_a_result_is_the_null_that_was_left_out(editor: Editor, file: Path) -> None:
    editor.answers |= answering(NO_ANSWER)
    await editor.read("a.py")
    asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
    question = await editor.seen_message(ASK)
    editor.send({"jsonrpc": "2.0", "id": question["id"]})
    answer = await asked
    assert answer["context"]["review"]["decision"] == "dismissed"


async def test_an_editor_that_errs_on_the_question_gets_all_refused(editor: Editor, file: Path) -> None:
    def err(_: object) -> object:
        raise RpcError(-32601, "no such method")

    editor.answers |= answering(err)
    answer = await edited(editor)
    assert answer["error"]["code"] == "ACCESS_DENIED"
    assert "agentfs.approval.mode" in answer["text"]
    assert file.read_text() == TEXT


async def test_always_lets_the_rest_of_the_session_through_and_no_other(editor: Editor, file: Path) -> None:
    editor.answers |= answering(pressing("Always for this session"))
    first = await edited(editor)
    second = await editor.edit("a.py", "three", "3")
    assert len(questions(editor)) == 2  # the second is the confirmation
    await editor.read("a.py", session="other")
    other = await editor.edit("a.py", "one", "1", session="other")
    assert len(questions(editor)) == 4
    assert first["data"]["review"]["decision"] == other["data"]["review"]["decision"] == "accepted"
    assert second["data"]["review"] | {"waited_ms": 0} == {
        "rung": "policy",
        "decision": "allowed",
        "by": "mode",
        "waited_ms": 0,
    }


async def test_a_long_diff_is_paged_and_only_the_last_page_can_approve(editor: Editor, root: Path) -> None:
    (root / "long.txt").write_text(lines(40))
    editor.answers |= answering(pressing("Approve"))
    await editor.read("long.txt")
    answer = await editor.write("long.txt", lines(40, "other"))
    *asked, _ = questions(editor)
    count = len(asked)
    assert count > 2
    for number, question in enumerate(asked[:-1], start=2):
        assert titles(question) == ["Reject", f"Next ({number}/{count})"]
    assert titles(asked[-1]) == ["Reject", "Approve", "Always for this session"]
    shown = "\n".join(question["message"] for question in asked).split("\n")
    assert [line for line in shown if line.startswith("-line")] == [f"-line {n}" for n in range(40)]
    assert [line for line in shown if line.startswith("+other")] == [f"+other {n}" for n in range(40)]
    assert answer["status"] == "success"


async def test_turning_pages_is_no_approval(editor: Editor, root: Path) -> None:
    (root / "long.txt").write_text(lines(40))

    def leaf_then_close(params: Message) -> object:
        [onward] = [title for title in titles(params) if title.startswith("Next")] or [None]
        return {"title": onward} if onward else None

    editor.answers |= answering(leaf_then_close)
    await editor.read("long.txt")
    closed = await editor.write("long.txt", lines(40, "other"))
    pages = len(questions(editor))
    editor.answers[ASK] = lambda _: {"title": "Approve"}
    early = await editor.write("long.txt", lines(40, "other"))
    assert len(questions(editor)) == pages + 1
    editor.answers[ASK] = pressing("Reject")
    rejected = await editor.write("long.txt", lines(40, "other"))
    assert len(questions(editor)) == pages + 2
    for answer, decision in ((closed, "dismissed"), (early, "dismissed"), (rejected, "rejected")):
        assert answer["error"]["code"] == "USER_REJECTED"
        assert answer["context"]["review"]["decision"] == decision
    assert (root / "long.txt").read_text() == lines(40)


async def test_a_diff_of_more_than_twenty_pages_is_refused_unasked(editor: Editor, root: Path) -> None:
    (root / "long.txt").write_text(lines(400))
    editor.answers |= answering(pressing("Approve"))
    await editor.read("long.txt")
    answer = await editor.write("long.txt", lines(400, "other"))
    assert questions(editor) == []
    assert answer["error"]["code"] == "ACCESS_DENIED"
    assert (root / "long.txt").read_text() == lines(400)


async def test_a_line_too_long_for_a_page_is_carried_over_whole(editor: Editor) -> None:
    editor.answers |= answering(pressing("Approve"))
    answer = await editor.write("long.txt", "x" * 5000)
    asked = questions(editor)
    assert sum(question["message"].count("x") for question in asked) >= 5000
    assert answer["data"]["applied"]


async def test_questions_come_one_at_a_time_in_order_and_each_has_its_own_time(root: Path) -> None:
    async with editing(root, answers=answering(NO_ANSWER), name="coc.nvim") as editor:
        asked = []
        for name in "abc":
            (root / name).write_text(TEXT)
            await editor.read(name)
            asked.append(editor.start("agentfs/edit", {"path": name, "old_string": "two", "new_string": "2"}))
            first = await editor.seen_message(ASK)
            configure(editor, approval={"timeout_s": 0.3})  # for later ones
        pending = await editor.are_pending("shown", "queued", "queued")
        assert [one["paths"] for one in pending] == [["a"], ["b"], ["c"]]
        editor.send({"jsonrpc": "2.0", "id": first["id"], "result": {"title": "Approve"}})
        confirming = await editor.seen_message(ASK, 2)
        editor.send({"jsonrpc": "2.0", "id": confirming["id"], "result": {"title": "Approve"}})
        answers = [await one for one in asked]
        ends = [question["message"].split("\n")[-1] for question in questions(editor)]
        assert ends == [f"agentfs: Edit {name} (+1/-1)" for name in "aabc"]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, "TIMEOUT", "TIMEOUT"]
    assert all(answer["context"]["review"]["waited_ms"] >= 300 for answer in answers[1:])
    assert [(root / name).read_text() for name in "abc"] == ["one\n2\nthree\n", TEXT, TEXT]


async def test_of_a_file_that_moved_while_its_question_waited_nothing_is_asked(root: Path) -> None:
    async with editing(root, answers=answering(NO_ANSWER), name="Neovim") as editor:
        for name in "ab":
            (root / name).write_text(TEXT)
            await editor.read(name)
        edits = [{"path": name, "old_string": "two", "new_string": "2"} for name in "ab"]
        editor.start("agentfs/edit", edits[0])
        first = await editor.seen_message(ASK)
        waiting = editor.start("agentfs/edit", edits[1])
        await editor.are_pending("shown", "queued")
        await editor.read("b", session="other")  # queued after the proposal, which has been computed by then
        (root / "b").write_text(f"new\n{TEXT}")
        editor.answers |= answering(pressing("Approve"))
        editor.send({"jsonrpc": "2.0", "id": first["id"], "result": {"title": "Reject"}})
        answer = await waiting
        assert answer["error"]["code"] == "CONFLICT"
        assert not [one for one in questions(editor) if "Edit b" in one["message"]]


async def test_a_cancelled_question_makes_way_for_the_next(editor: Editor, root: Path, file: Path) -> None:
    (root / "b.py").write_text(TEXT)
    editor.answers |= answering(NO_ANSWER)
    await editor.read("a.py")
    await editor.read("b.py")
    first = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
    question = await editor.seen_message(ASK)
    second = editor.start("agentfs/edit", {"path": "b.py", "old_string": "two", "new_string": "2"})
    editor.cancel(first)
    with pytest.raises(RpcError) as refused:
        await first
    assert (await editor.seen("$/cancelRequest"))["id"] == question["id"]
    editor.send({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "Approve"}})
    for number in (2, 3):
        next_question = await editor.seen_message(ASK, number)
        editor.send({"jsonrpc": "2.0", "id": next_question["id"], "result": {"title": "Approve"}})
    answer = await second
    assert refused.value.code == -32800
    assert answer["status"] == "success"
    assert file.read_text() == TEXT


async def test_what_agents_write_neither_hides_the_diff_nor_passes_for_it(editor: Editor, file: Path) -> None:
    editor.answers |= answering(pressing("Approve"))
    await editor.read("a.py")
    await editor.edit("a.py", "two", "2\u202e\u200b", agent="A\u202eda", explanation="-two\n+3\n" * 1000)
    *before, last, _ = questions(editor)
    assert all("Approve" not in titles(question) for question in before)
    message = "\n".join(question["message"] for question in (*before, last))
    assert "\u202e" not in message
    assert "\u200b" not in message
    assert r"+2\u202e\u200b" in message
    assert "\n+3" not in message
    assert len(message) < 2000
    assert "changes the direction of text" in message


async def test_no_name_can_pass_for_a_diff(editor: Editor, root: Path) -> None:
    forged = "x\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+ok\t"
    (root / forged.replace("/", "|")).write_text(TEXT)
    (root / "README").symlink_to(forged.replace("/", "|"))
    editor.answers |= answering(pressing("Approve"))
    read = await editor.read("README", agent=forged)
    answer = await editor.edit("README", "two", "2", agent=forged)
    message = (await editor.seen(ASK))["message"]
    assert message.count("\n--- ") == message.count("\n+++ ") == message.count("\n@@ ") == 1
    assert r"Requested by: x\x0a--- a/f\x0a" in message
    assert "\n" not in read["text"] + answer["text"].split("\n(")[0]
    assert "\n" in answer["context"]["path_resolved"]
    assert [line[:4] for line in answer["data"]["diff_preview"].split("\n")[:3]] == ["--- ", "+++ ", "@@ -"]


async def test_many_warnings_leave_room_for_the_diff(editor: Editor) -> None:
    editor.answers |= answering(pressing("Reject"))
    await editor.write("new.txt", "bell\a\n" * 25)
    question = await editor.seen(ASK)
    assert question["message"].count("⚠") == 9
    assert "17 more" in question["message"]
