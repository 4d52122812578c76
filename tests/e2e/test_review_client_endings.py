"""How reviews end without approval, and what the client is told (docs/protocol.md#91-review-clients,
docs/protocol.md#9-review-and-landing)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, NO_ANSWER, REVIEWING, Editor, change_folder, configure, editing
from support.sample import CHANGED, TEXT, asked, edited, settle
from support.sharing import in_module, shared

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, **REVIEWING))


async def test_what_eyes_miss_is_pointed_at_and_written_so(editor: Editor, root: Path, file: Path) -> None:
    (root / "link.py").hardlink_to(file)
    text = "one\ntwo \u202e\nthree\nkey = 'AKIAABCDEFGHIJKLMNOP'\n"
    await editor.read("a.py")
    answer = editor.start("agentfs/write", {"path": "a.py", "content": text})
    proposal = await editor.proposed()
    [shown] = proposal["files"]
    await editor.settle(proposal)
    told = await answer
    assert [(one["kind"], one["line"]) for one in shown["warnings"]][:3] == [
        ("hard_links", 0),
        ("bidirectional", 2),
        ("secret", 4),
    ]
    assert shown["proposed_text"] == text
    assert told["data"]["warnings"] == shown["warnings"][:3]
    assert r"+two \u202e" in told["data"]["diff_preview"]
    assert file.read_text() == text


NEW = "".join(f"new {number}\n" for number in range(40))


@pytest.mark.parametrize("more", [0, 100_000], ids=["small", "large"])
@pytest.mark.parametrize(
    ("put_in", "typed"), [(NEW, NEW[NEW.index("new 30") :] + "mine\n"), ("2\n3\n", "2, typed over\n")]
)
async def test_what_the_user_made_of_an_edit_that_nobody_accepted_is_not_told_as_nothing(
    editor: Editor, root: Path, put_in: str, typed: str, more: int
) -> None:
    base = "one\ntwo\n" + "x\n" * more
    (root / "b.py").write_text(base)
    editor.open("b.py")
    await editor.read("b.py")
    number = len(editor.all("agentfs/proposed")) + 1
    answer = editor.start("agentfs/edit", {"path": "b.py", "old_string": "two\n", "new_string": put_in})
    proposal = await editor.proposed(number)
    editor.change("b.py", base.replace("two\n", put_in))
    editor.change("b.py", base.replace("two\n", typed))
    await editor.settle(proposal, "rejected")
    told = await answer
    editor.close("b.py")
    assert told["context"]["landing"] == "unknown"
    assert told["context"]["files"] == [{"path": "b.py", "landing": "editor"}]


async def test_a_preview_answered_without_a_settle_is_dismissed(editor: Editor, file: Path) -> None:
    odd: list[Any] = [{"applied": False}, {"applied": True}, None, {}]
    odd += [
        {"applied": False, "failureReason": "closed"},
        {"applied": True, "failureReason": "agentfs:pending"},
    ]
    for number, previewed in enumerate(odd, start=1):
        editor.answers[APPLY] = lambda _, said=previewed: said
        answer = await edited(editor)
        ended = await editor.seen("agentfs/settled", number)
        late = await settle(editor, ended)
        assert answer["error"]["code"] == "USER_REJECTED"
        assert answer["context"]["review"]["decision"] == "dismissed"
        assert ended["outcome"] == "rejected"
        assert (late["ok"], late["code"]) == (False, "SETTLED")
    assert file.read_text() == TEXT


async def test_a_client_may_hold_the_preview_until_all_is_over(editor: Editor, file: Path) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    editor.open("a.py")
    proposal, answer = await asked(editor)
    await editor.settle(proposal)
    told = await answer
    held = await editor.seen_message(APPLY)
    editor.send({"jsonrpc": "2.0", "id": held["id"], "result": {"applied": True}})
    again = await editor.read("a.py")
    assert editor.all("$/cancelRequest") == []
    assert told["data"]["landing"] == "disk"
    assert again["data"]["content"] == CHANGED


async def test_every_proposal_ends_with_its_outcome(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:

        async def outcome(number: int) -> str:
            told = await editor.seen("agentfs/settled", number)
            assert told["id"] == (await editor.seen("agentfs/proposed", number))["id"]
            return f"{told['outcome']} {told.get('reason', '')}".rstrip()

        async def one(number: int, decision: str | None) -> str:
            proposal, answer = await asked(editor, number)
            if decision == "conflict":
                file.write_text(TEXT + "theirs\n")
            if decision is None:
                editor.cancel(answer)
            else:
                await settle(editor, proposal, "rejected" if decision == "rejected" else "accepted")
            if editor.documents:  # which does not apply it
                await editor.time_out()
            await asyncio.wait([answer])
            answer.exception()
            return await outcome(number)

        assert await one(1, "rejected") == "rejected"
        assert await one(2, None) == "withdrawn agent"
        assert await one(3, "conflict") == "conflict"
        editor.open("a.py")
        assert await one(4, "accepted") == "failed"
        editor.close("a.py")
        assert await one(5, "accepted") == "landed"
        file.write_text(TEXT)
        editor.open("a.py", TEXT + "mine\n")
        proposal, answer = await asked(editor, 6)
        await editor.settle(proposal)
        await answer
        assert await outcome(6) == "editor"
        assert len(editor.all("agentfs/settled")) == 6


DENIED = {"rules": [{"files": ["a.py"], "write": "deny", "edit": "deny"}]}


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("reason", ["settings", "root_removed", "shutdown"])
async def test_who_withdrew_a_proposal_is_told(root: Path, reason: str) -> None:
    async with editing(root, **REVIEWING) as editor:
        _, answer = await asked(editor)
        if reason == "settings":
            configure(editor, **DENIED)
        elif reason == "root_removed":
            change_folder(editor, root, opened=False)
        else:
            await editor.request("shutdown")
        assert (await editor.seen("agentfs/settled"))["reason"] == reason
        await asyncio.wait([answer])
        answer.exception()
