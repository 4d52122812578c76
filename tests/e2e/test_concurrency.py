"""Concurrency: who waits for whom, and who never does (docs/protocol.md#8-lock,
docs/protocol.md#9-review-and-landing)."""

import asyncio
from pathlib import Path

import pytest

from support.editor import AUTO, NO_ANSWER, PENDING, REVIEW, REVIEWING, Editor, Message, RpcError, editing
from support.landing import nothing_can_land
from support.operations import edits
from support.sample import report


def write(
    editor: Editor, path: str, content: str = "new\n", session: str = "default"
) -> asyncio.Future[Message]:
    return editor.start("agentfs/write", {"path": path, "content": content, "session": session})


def edit(editor: Editor, path: str, old: str, new: str, session: str = "default") -> asyncio.Future[Message]:
    return editor.start(
        "agentfs/edit", {"path": path, "old_string": old, "new_string": new, "session": session}
    )


async def test_while_a_hundred_reviews_wait_everything_else_is_answered(root: Path) -> None:
    (root / "read.py").write_text("one\n")
    (root / "large.txt").write_text("a line of a large file\n" * 50_000)
    async with editing(root, **REVIEWING) as editor:
        waiting = [write(editor, f"new{number}.py", session=f"s{number % 10}") for number in range(120)]
        queued = [write(editor, f"new{number}.py", session="late") for number in range(10)]
        await editor.seen("agentfs/proposed", 120)
        await editor.request("agentfs/setApprovalMode", {"mode": "auto_edit", "session": "other"})
        for number in range(20):
            answer = await editor.read("read.py", session="other")
            assert answer["status"] == "success"
            one = answer["data"]["content"].strip()
            edited = await editor.edit("read.py", one, f"edit{number}", session="other")
            assert edited["data"]["applied"] is True
            assert len(await editor.pending()) == 130
        assert len((await editor.read("large.txt", limit=0))["data"]["content"]) == 1_150_000
        assert not any(one.done() for one in [*waiting, *queued])
        states = [one["state"] for one in await editor.pending()]
        assert (states.count("shown"), states.count("queued")) == (120, 10)
        for announced in reversed(editor.all("agentfs/proposed")[10:]):
            await editor.settle({"id": announced["params"]["id"]})
        for number, asked in enumerate(waiting[10:], 10):
            assert (await asked)["data"]["applied"] is True
            assert (root / f"new{number}.py").read_text() == "new\n"
        for asked in [*waiting[:10], *queued]:
            editor.cancel(asked)
        for asked in [*waiting[:10], *queued]:
            with pytest.raises(RpcError):
                await asked
        assert await editor.pending() == []


async def test_changes_to_one_file_wait_for_each_other_and_are_computed_afresh(root: Path) -> None:
    (root / "a.py").write_text("one\ntwo\n")
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.py")
        await editor.read("a.py", session="other")
        first = edit(editor, "a.py", "one", "1")
        proposal = await editor.proposed()
        second = edit(editor, "a.py", "two", "2")
        others = edit(editor, "a.py", "two", "zwei", session="other")
        await editor.are_pending("shown", "queued", "queued")
        assert len(editor.all("agentfs/proposed")) == 1
        await editor.settle(proposal)
        assert (await first)["data"]["applied"] is True
        proposal = await editor.proposed(2)
        [shown] = proposal["files"]
        assert (shown["base_text"], shown["proposed_text"]) == ("1\ntwo\n", "1\n2\n")
        await editor.settle(proposal)
        assert (await second)["data"]["applied"] is True
        conflict = await others
        assert conflict["error"]["code"] == "CONFLICT"
        assert "+1\n" in conflict["context"]["conflict"]["diff_since_read"]
        assert len(editor.all("agentfs/proposed")) == 2
    assert (root / "a.py").read_text() == "1\n2\n"


async def test_one_file_by_two_names_is_one_file(root: Path) -> None:
    (root / "a.py").write_text("one\ntwo\n")
    (root / "link.py").symlink_to("a.py")
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.py")
        first, second = edit(editor, "a.py", "one", "1"), edit(editor, "link.py", "two", "2")
        await editor.are_pending("shown", "queued")
        await editor.settle(await editor.proposed())
        await editor.settle(await editor.proposed(2))
        assert [(await one)["status"] for one in (first, second)] == ["success", "success"]
    assert (root / "a.py").read_text() == "1\n2\n"


async def test_a_crowd_on_one_file_loses_no_change(root: Path) -> None:
    (root / "a.py").write_text("".join(f"line {number}.\n" for number in range(60)))
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.py")
        asked = [edit(editor, "a.py", f"line {number}.", f"LINE {number}.") for number in range(60)]
        assert {(await one)["status"] for one in asked} == {"success"}
    assert (root / "a.py").read_text() == "".join(f"LINE {number}.\n" for number in range(60))


async def test_changes_right_behind_that_of_a_large_file_know_what_it_is_now(root: Path) -> None:
    """Its hash and text are computed after the response."""
    lines = [f"line {number} of a large file\n" for number in range(50_000)]
    (root / "large.txt").write_text("".join(lines))
    async with editing(root, options=AUTO) as editor:
        await editor.read("large.txt", limit=1)
        for _ in range(5):
            there = edit(editor, "large.txt", "line 7 of", "LINE 7 of")
            back = edit(editor, "large.txt", "LINE 7 of", "line 7 of")
            assert [(await one)["status"] for one in (there, back)] == ["success", "success"]
        assert (await edit(editor, "large.txt", "line 7 of", "LINE 7 of"))["status"] == "success"
        (root / "large.txt").write_text("".join(lines).replace("line 9 of", "mine of"))
        refused = await edit(editor, "large.txt", "line 8 of", "LINE 8 of")
        assert refused["error"]["code"] == "CONFLICT"
        assert "+mine of a large file" in refused["context"]["conflict"]["diff_since_read"]
        await editor.read("large.txt", limit=1)
        assert (await edit(editor, "large.txt", "line 8 of", "LINE 8 of"))["status"] == "success"
    lines[8], lines[9] = "LINE 8 of a large file\n", "mine of a large file\n"
    assert (root / "large.txt").read_text() == "".join(lines)


async def test_landings_that_wait_for_another_server_hold_up_neither_reads_nor_messages(root: Path) -> None:
    (root / "large.txt").write_text("a line of a large file\n" * 10_000)
    async with editing(root, options=AUTO) as editor:
        with nothing_can_land(editor.state):
            waiting = [write(editor, f"new{number}.py", session=f"s{number}") for number in range(40)]
            await editor.are_pending(*["landing"] * 40)
            for _ in range(3):
                read = await editor.read("large.txt", limit=0)
                assert read["stats"]["total_lines"] == 10_000
            assert not any(one.done() for one in waiting)
        for asked in waiting:
            assert (await asked)["data"]["applied"] is True


@pytest.mark.parametrize("typing", ["", "mine\n"])
async def test_a_file_that_is_opened_while_its_landing_waits_is_not_written(root: Path, typing: str) -> None:
    for name in ("a.py", "b.py"):
        (root / name).write_text("one\n")
    operations = [edits(name, "one", "1") for name in ("a.py", "b.py")]
    async with editing(root, options=AUTO) as editor:
        for name in ("a.py", "b.py"):
            await editor.read(name)
        with nothing_can_land(editor.state):
            waiting = editor.start("agentfs/batch", {"operations": operations})
            await editor.are_pending("landing")
            editor.open("a.py")
            if typing:
                editor.change("a.py", f"one\n{typing}")
            await editor.request("agentfs/status")  # the server has then seen it
        answer = await waiting
        document = editor.documents[editor.uri("a.py")].text
    assert (root / "a.py").read_text() == "one\n"
    if typing:
        assert answer["error"]["code"] == "CONFLICT"
        assert (document, (root / "b.py").read_text()) == (f"one\n{typing}", "one\n")
    else:
        assert (answer["status"], answer["data"]["applied"]) == ("partial", False)
        assert (document, (root / "b.py").read_text()) == ("1\n", "1\n")


async def test_a_review_client_that_opens_the_file_while_it_lands_gets_the_edit(root: Path) -> None:
    (root / "a.py").write_text("one\n")
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.py")
        asked = edit(editor, "a.py", "one", "1")
        proposal = await editor.proposed()
        with nothing_can_land(editor.state):
            settling = editor.start("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
            await editor.are_pending("landing")
            editor.open("a.py")
            await editor.request("agentfs/status")
        settled = await settling
        assert editor.apply(settled["apply"])
        await report(editor, proposal, "applied", a=True)
        editor.save("a.py")
        await report(editor, proposal, "saved", a=True)
        assert (await asked)["data"]["landing"] == "disk"
    assert (root / "a.py").read_text() == "1\n"


@pytest.mark.parametrize(
    "answer",
    [
        NO_ANSWER,
        None,
        {},
        [],
        "yes",
        {"applied": "true"},
        {"applied": False},
        {"applied": False, "failureReason": {}},
        {"applied": True},
        RpcError(-32603, "no"),
    ],
    ids=lambda answer: "never" if answer is NO_ANSWER else str(answer),
)
async def test_a_client_that_answers_wrongly_or_never_holds_nobody_up(root: Path, answer: object) -> None:
    """The first review is answered, and the second one continues."""

    def apply(params: Message) -> object:
        [change] = params["edit"]["documentChanges"]
        if change["textDocument"]["uri"] != editor.uri("a.py"):
            return PENDING
        if isinstance(answer, RpcError):
            raise answer
        return answer

    async with editing(root, capabilities=REVIEW, answers={"workspace/applyEdit": apply}) as editor:
        first, second = write(editor, "a.py"), write(editor, "b.py")
        announced = await editor.message(lambda one: one.get("params", {}).get("title") == "Create b.py (+1)")
        await editor.settle(announced["params"])
        assert (await second)["data"]["applied"] is True
        if answer is NO_ANSWER:
            assert [one["state"] for one in await editor.pending()] == ["shown"]
            editor.cancel(first)
            with pytest.raises(RpcError):
                await first
        else:
            assert (await first)["error"]["code"] == "USER_REJECTED"
    assert [path.name for path in root.iterdir()] == ["b.py"]
