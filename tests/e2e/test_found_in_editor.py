"""What other programs in the editor find in a change that has landed (docs/protocol.md#95-diagnostics)."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from support.editor import ASK, AUTO, NO_ANSWER, Editor, editing
from support.operations import edits, writes
from support.personas import pressing
from support.wire import Message

ASKS = "agentfs/diagnostics"
TELLS: dict[str, Any] = {"experimental": {"agentfs": {"diagnostics": True}}}


def telling(
    root: Path,
    answer: Callable[[Message], object],
    options: Message = AUTO,
    capabilities: Message = TELLS,
    **more: Any,
) -> AbstractAsyncContextManager[Editor]:
    """An editor that answers so when it is asked for diagnostics."""
    answers = {ASKS: answer, ASK: pressing("Approve"), **more}
    return editing(root, capabilities=capabilities, options=options, answers=answers)


def said(line: int, message: str, severity: str = "error", source: object = "types") -> Message:
    return {"line": line, "message": message, "severity": severity, "source": source}


def finds(before: list[Message], after: list[Message]) -> Callable[[Message], object]:
    return lambda params: {
        "files": [{"uri": uri, "before": before, "after": after} for uri in params["uris"]]
    }


async def test_an_edit_tells_what_it_broke(root: Path) -> None:
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    before = [said(3, "old")]
    after = [
        said(4, "old"),
        said(2, "not a ](command:x)\n  number", source="t" * 100),
        said(2, "x" * 999, "warning"),
    ]
    async with telling(root, finds(before, after)) as editor:
        await editor.read("a.txt")
        answer = await editor.edit("a.txt", "two\n", "2\n3\n")
        methods = [one["method"] for one in editor.received if "method" in one]
        [asked] = editor.all(ASKS)
        [told] = editor.all("agentfs/landing")
    assert methods.index("agentfs/landing") < methods.index(ASKS)
    assert asked["params"] == {**told["params"], "wait_ms": 500}
    assert told["params"] == {"id": answer["data"]["change_id"], "uris": [(root / "a.txt").as_uri()]}
    assert answer["data"]["diagnostics"] == [
        said(2, "not a ]\\x28command:x) number", source="t" * 40),
        said(2, "x" * 300 + "…", "warning"),
    ]
    assert (
        "This change introduced 2 problems: line 2: not a ]\\x28command:x) number; line 2: xxx"
        in answer["text"]
    )


async def test_a_batch_tells_of_each_file_and_of_the_files_that_may_be_read(root: Path) -> None:
    rules = [{"files": ["private.txt"], "read": "ask", "write": "allow"}]
    async with telling(root, finds([], [said(1, "wrong")]), {**AUTO, "rules": rules}) as editor:
        operations = [writes("a.txt", "a\n"), writes("private.txt", "p\n"), writes("b.txt", "b\n")]
        answer = await editor.request("agentfs/batch", {"operations": operations})
        uris = editor.all(ASKS)[0]["params"]["uris"]
    assert uris == [(root / name).as_uri() for name in ("a.txt", "b.txt")]
    assert [one["path"] for one in answer["data"]["diagnostics"]] == ["a.txt", "b.txt"]
    assert "a.txt, line 1: wrong; b.txt, line 1: wrong" in answer["text"]


async def test_who_may_not_read_makes_nobody_look(root: Path) -> None:
    (root / "a.txt").write_text("one\n")
    for reading in ("deny", "ask"):
        rules = [{"files": ["a.txt"], "read": reading, "write": "allow", "edit": "allow"}]
        async with telling(root, finds([], [said(1, "secret")]), {"rules": rules}) as editor:
            if reading == "ask":
                editor.answers[ASK] = pressing("Allow once")
                await editor.read("a.txt")
            answer = await editor.write("a.txt", f"{reading}\n")
            assert answer["data"]["applied"] is True
            assert editor.all("agentfs/landing") == editor.all(ASKS) == []
            assert "secret" not in json.dumps(answer)


@pytest.mark.parametrize(
    "options", [{**AUTO, "diagnostics": {"wait_ms": 0}}, AUTO], ids=["switched off", "not declared"]
)
async def test_off_leaves_no_trace(root: Path, options: Message) -> None:
    capabilities = TELLS if options is not AUTO else {"experimental": {"agentfs": {}}}
    async with telling(root, finds([], [said(1, "wrong")]), options, capabilities) as editor:
        answer = await editor.write("a.txt", "one\n")
        assert "diagnostics" not in answer["data"]
        assert editor.all("agentfs/landing") == editor.all(ASKS) == []


MALFORMED: list[object] = [
    None,
    {"files": {}},
    {"files": [None, {"uri": 1}, {"uri": "file:///x", "before": [], "after": [said(1, "x")]}]},
]


@pytest.mark.parametrize("answered", MALFORMED, ids=["null", "object", "others"])
async def test_what_is_malformed_says_nothing(root: Path, answered: object) -> None:
    async with telling(root, lambda _: answered) as editor:
        answer = await editor.write("a.txt", "one\n")
        assert (answer["status"], answer["data"].get("diagnostics")) == ("success", None)


async def test_malformed_diagnostics_are_dropped(root: Path) -> None:
    wrong = [{}, None, said(0, "x"), said(True, "x"), said(1, "x", "hint"), {**said(1, "x"), "message": 3}]
    async with telling(root, finds([], [*wrong, said(1, "right", source=None)])) as editor:
        answer = await editor.write("a.txt", "one\n")
        assert answer["data"]["diagnostics"] == [said(1, "right", source="")]


async def test_where_the_client_could_not_tell_all_that_was_there_nothing_counts_as_new(root: Path) -> None:
    for number, told in ((199, [said(1, "right")]), (200, None)):
        before = [said(1, f"old {one}") for one in range(number)]
        async with telling(root, finds(before, [said(1, "right")])) as editor:
            answer = await editor.write(f"{number}.txt", "one\n")
            assert answer["data"].get("diagnostics") == told


async def test_the_wait_ends_for_a_client_that_never_answers_and_for_a_cancellation(root: Path) -> None:
    options = {**AUTO, "diagnostics": {"wait_ms": 1}}
    async with telling(root, lambda _: NO_ANSWER, options) as editor:
        assert (await editor.write("a.txt", "one\n"))["status"] == "success"
    async with telling(root, lambda _: NO_ANSWER, {**AUTO, "diagnostics": {"wait_ms": 10_000}}) as editor:
        asked = editor.start("agentfs/write", {"path": "b.txt", "content": "one\n"})
        await editor.seen(ASKS)
        editor.cancel(asked)
        answer = await asked
        assert (answer["status"], answer["data"]["applied"]) == ("success", True)
        assert editor.all("$/cancelRequest")


async def test_a_file_can_be_changed_again_while_an_answer_waits(root: Path) -> None:
    async with telling(root, lambda _: NO_ANSWER, {**AUTO, "diagnostics": {"wait_ms": 10_000}}) as editor:
        first = editor.start("agentfs/write", {"path": "a.txt", "content": "one\n"})
        await editor.seen(ASKS)
        second = editor.start("agentfs/edit", {"path": "a.txt", "old_string": "one", "new_string": "1"})
        await editor.seen(ASKS, 2)
        assert (root / "a.txt").read_text() == "1\n"
        for waiting in (first, second):
            editor.cancel(waiting)
            assert (await waiting)["status"] == "success"
        operations = [edits("a.txt", "1", "2")]
        third = editor.start("agentfs/batch", {"operations": operations})
        await editor.seen(ASKS, 3)
        editor.cancel(third)
        assert (await third)["data"]["applied"] is True
