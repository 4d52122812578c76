"""The user's amendments land as written, in the file's line ends and encoding
(docs/protocol.md#91-review-clients)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, NO_ANSWER, REVIEW, REVIEWING, Editor, RpcError, change_folder, editing
from support.sharing import in_module, shared
from support.wire import Message

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, **REVIEWING))


async def proposed(editor: Editor, path: str, old: str, new: str) -> tuple[Message, asyncio.Future[Any]]:
    await editor.read(path)
    number = len(editor.all("agentfs/proposed")) + 1
    future = editor.start("agentfs/edit", {"path": path, "old_string": old, "new_string": new})
    return await editor.proposed(number), future


async def amended(editor: Editor, proposal: Message, text: str, **more: Any) -> Message:
    [file] = proposal["files"]
    files = [{"uri": file["uri"], "decision": "amended", "text": text}]
    return (await editor.settle(proposal, "accepted", files=files, **more))["settle"]


@pytest.mark.parametrize(
    ("data", "text", "landed"),
    [
        (b"one\r\ntwo\r\nthree\r\n", "one\nTWO\nnew\nthree\n", b"one\r\nTWO\r\nnew\r\nthree\r\n"),
        (b"one\rtwo\rthree\r", "one\nTWO\nthree\n", b"one\rTWO\rthree\r"),
        (b"one\r\ntwo\nthree\r", "zero\none\nTWO\nthree\nfour\n", b"zero\r\none\r\nTWO\nthree\rfour\r"),
        (b"one\r\ntwo", "one\r\ntwo\r\nthree", b"one\r\ntwo\r\nthree"),
        (b"\xef\xbb\xbfone\ntwo\n", "one\nTWO", b"\xef\xbb\xbfone\nTWO"),
        (b"\xef\xbb\xbfone\ntwo\n", "\ufeffone\nTWO\n", b"\xef\xbb\xbfone\nTWO\n"),
        (b"one\ntwo\n", "\ufeffone\nTWO\n", b"one\nTWO\n"),
        ("one\ntwo\n".encode("utf-16"), "one\nTWO\u2028\n", "one\nTWO\u2028\n".encode("utf-16")),
        (b"\xffone\ntwo\nthree\n", "\ufffdone\nTWO\nthree\n", b"\xffone\nTWO\nthree\n"),
    ],
    ids=["crlf", "cr", "mixed", "no end", "bom", "bom given", "bom put in", "utf-16", "unknown bytes"],
)
async def test_unchanged_lines_keep_their_bytes_and_others_take_their_surroundings(
    editor: Editor, root: Path, data: bytes, text: str, landed: bytes
) -> None:
    (root / "a.txt").write_bytes(data)
    proposal, answer = await proposed(editor, "a.txt", "two", "2")
    [file] = proposal["files"]
    assert "\r" not in file["base_text"] + file["proposed_text"]
    settled = await amended(editor, proposal, text)
    told = await answer
    assert settled == {"ok": True, "apply": None}
    assert told["data"]["review"]["decision"] == "amended"
    assert (root / "a.txt").read_bytes() == landed


async def test_bytes_that_are_no_text_cannot_be_amended(editor: Editor, root: Path) -> None:
    (root / "a.txt").write_bytes(b"one\ntwo\xff\nthree\n")
    proposal, answer = await proposed(editor, "a.txt", "one", "ONE")
    refused = await amended(editor, proposal, "ONE\n2\ufffd\nthree\n")
    await editor.settle(proposal, "rejected")
    assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM")
    assert (await answer)["error"]["code"] == "USER_REJECTED"


async def test_the_client_applies_an_amendment_of_an_open_document(editor: Editor, root: Path) -> None:
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    document = editor.open("a.txt")
    proposal, answer = await proposed(editor, "a.txt", "two", "2")
    settled = await amended(editor, proposal, "one\nTWO\nthree\nfour\n")
    told = await answer
    [change] = settled["apply"]["documentChanges"]
    assert change["textDocument"]["version"] == 1
    assert [edit["newText"] for edit in change["edits"]] == ["TWO\n", "\nfour"]
    assert document.text == (root / "a.txt").read_text() == "one\nTWO\nthree\nfour\n"
    assert told["data"]["diff_preview"].count("\n+") == 2 + 1  # two lines and the header
    assert told["stats"]["lines_added"] == 2
    assert "-2\n+TWO\n" in told["data"]["review"]["amendments"]


async def test_an_amendment_to_what_was_proposed_is_an_acceptance(editor: Editor, root: Path) -> None:
    (root / "a.txt").write_text("one\ntwo\n")
    proposal, answer = await proposed(editor, "a.txt", "two", "2")
    await amended(editor, proposal, "\ufeffone\r\n2\r\n")
    review = (await answer)["data"]["review"]
    assert review["decision"] == "accepted"
    assert "amendments" not in review


async def test_an_amendment_that_takes_everything_back_is_a_rejection(editor: Editor, root: Path) -> None:
    (root / "a.txt").write_text("one\ntwo\n")
    proposal, answer = await proposed(editor, "a.txt", "two", "2")
    settled = await amended(editor, proposal, "one\ntwo\n", feedback="no")
    told = await answer
    assert settled == {"ok": True, "apply": None}
    assert told["error"]["code"] == "USER_REJECTED"
    assert told["context"]["review"] | {"waited_ms": 0} == {
        "rung": "review",
        "decision": "rejected",
        "by": "user",
        "feedback": "no",
        "waited_ms": 0,
    }


async def test_an_amendment_may_empty_a_file_old_or_new(editor: Editor, root: Path) -> None:
    (root / "a.txt").write_text("one\ntwo\n")
    proposal, answer = await proposed(editor, "a.txt", "two", "2")
    await amended(editor, proposal, "")
    await answer
    creating = editor.start("agentfs/write", {"path": "new.txt", "content": "x"})
    await amended(editor, await editor.proposed(2), "")
    created = await creating
    assert (root / "a.txt").read_bytes() == (root / "new.txt").read_bytes() == b""
    assert created["data"]["review"]["decision"] == "amended"
    assert created["data"]["applied"]


async def test_an_amendment_that_the_file_cannot_hold_decides_nothing_and_can_be_mended(root: Path) -> None:
    (root / "a.txt").write_bytes("café\n".encode("latin-1"))
    options = {"encoding": {"default": "latin-1"}}
    async with editing(root, **REVIEWING, options=options) as editor:
        proposal, answer = await proposed(editor, "a.txt", "café", "cafe")
        for text, named in (("caf\u20ac\n", "€"), ("caf\ud800\n", r"\ud800"), ("x\0\n", "NUL")):
            refused = await amended(editor, proposal, text)
            assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM")
            assert named in refused["reason"]
        settled = await amended(editor, proposal, "cafè\n")
        told = await answer
    assert settled["ok"]
    assert told["data"]["review"]["decision"] == "amended"
    assert (root / "a.txt").read_bytes() == "cafè\n".encode("latin-1")


async def test_an_amended_new_file_has_the_line_ends_it_was_proposed_with(editor: Editor, root: Path) -> None:
    creating = editor.start("agentfs/write", {"path": "new.txt", "content": "one\r\ntwo\r\n"})
    proposal = await editor.proposed()
    assert proposal["files"][0]["eol"] == "crlf"
    await amended(editor, proposal, "one\nthree\n")
    await creating
    assert (root / "new.txt").read_bytes() == b"one\r\nthree\r\n"


LARGE = "x" * 99 + "\n"


@pytest.mark.parametrize("lines", [0, 20_000], ids=["small", "large"])
@pytest.mark.parametrize("behind", ["rejected", "accepted", "amended", "cancelled"])
async def test_the_first_settle_decides_whatever_follows_it(root: Path, lines: int, behind: str) -> None:
    text = LARGE * lines
    (root / "a.txt").write_text(f"{text}two\n")
    async with editing(root, **REVIEWING) as editor:
        proposal, answer = await proposed(editor, "a.txt", "two", "2")
        with editor.in_one_piece():
            first = editor.start("agentfs/settle", amending(proposal, f"{text}TWO\n"))
            second = send_behind(editor, proposal, answer, behind, f"{text}another\n")
        told = await answer
        assert (await first)["ok"]
        assert second is None or await second == await first
    assert told["data"]["review"]["decision"] == "amended"
    assert (root / "a.txt").read_text() == f"{text}TWO\n"


@pytest.mark.parametrize("behind", ["rejected", "accepted", "amended", "cancelled", "folder closed"])
async def test_a_settle_that_cannot_be_done_leaves_the_decision_to_the_next(root: Path, behind: str) -> None:
    text = LARGE * 20_000
    (root / "a.txt").write_text(f"{text}two\n")
    async with editing(root, **REVIEWING) as editor:
        proposal, answer = await proposed(editor, "a.txt", "two", "2")
        with editor.in_one_piece():
            first = editor.start("agentfs/settle", amending(proposal, f"{text}x\0\n"))
            second = send_behind(editor, proposal, answer, behind, f"{text}another\n")
        assert (await first)["code"] == "INVALID_PARAM"
        assert second is None or (await second)["ok"]
        if behind == "cancelled":
            with pytest.raises(RpcError, match="nothing changed"):
                await answer
        else:
            await answer
        settled = await editor.seen("agentfs/settled")
    outcome, left = {
        "rejected": ("rejected", "two"),
        "accepted": ("landed", "2"),
        "amended": ("landed", "another"),
    }.get(behind, ("withdrawn", "two"))
    assert settled["outcome"] == outcome
    assert (root / "a.txt").read_text() == f"{text}{left}\n"


async def test_a_preview_that_is_answered_behind_an_amending_settle_decides_nothing(root: Path) -> None:
    text = LARGE * 20_000
    (root / "a.txt").write_text(f"{text}two\n")
    async with editing(root, capabilities=REVIEW, answers={APPLY: lambda _: NO_ANSWER}) as editor:
        proposal, answer = await proposed(editor, "a.txt", "two", "2")
        held = await editor.message(lambda message: message.get("method") == APPLY)
        with editor.in_one_piece():
            first = editor.start("agentfs/settle", amending(proposal, f"{text}TWO\n"))
            editor.send({"jsonrpc": "2.0", "id": held["id"], "result": {"applied": False}})
        assert (await first)["ok"]
        assert (await answer)["data"]["review"]["decision"] == "amended"
    assert (root / "a.txt").read_text() == f"{text}TWO\n"


def amending(proposal: Message, text: str) -> Message:
    [file] = proposal["files"]
    files = [{"uri": file["uri"], "decision": "amended", "text": text}]
    return {"id": proposal["id"], "decision": "amended", "files": files}


def send_behind(
    editor: Editor, proposal: Message, answer: asyncio.Future[Any], what: str, text: str
) -> asyncio.Future[Any] | None:
    """Send another settle, or withdraw the proposal."""
    if what == "cancelled":
        editor.cancel(answer)
    elif what == "folder closed":
        change_folder(editor, editor.root, opened=False)
    elif what == "amended":
        return editor.start("agentfs/settle", amending(proposal, text))
    else:
        return editor.start("agentfs/settle", {"id": proposal["id"], "decision": what})
    return None
