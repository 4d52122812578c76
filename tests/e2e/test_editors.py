"""Every recorded editor as a client: its rung, and the effect of approval, rejection and silence."""

from pathlib import Path

import pytest

from support.editor import NO_ANSWER, Editor
from support.personas import PERSONAS, Persona, ticking
from support.sample import TEXT

SHORT_REVIEW = {"approval": {"timeout_s": 0.1}}

every_editor = pytest.mark.parametrize("persona", PERSONAS, ids=lambda persona: persona.name)


@pytest.fixture
def files(root: Path) -> Path:
    for name in ("open.py", "closed.py"):
        (root / name).write_text(TEXT)
    return root


def as_user(persona: Persona, editor: Editor, answer: str) -> None:
    """From now on the user answers this way, however the editor asks."""
    preview = {"Approve": slice(None), "Reject": None}
    if persona.channel == "preview":
        editor.answers["workspace/applyEdit"] = ticking(editor, preview[answer])
    else:
        editor.answers["window/showMessageRequest"] = persona.pressing(answer, editor)


@every_editor
async def test_a_no_changes_nothing_and_a_yes_lands_where_it_should(persona: Persona, files: Path) -> None:
    async with persona.editing(files) as editor:
        status = await editor.request("agentfs/status")
        document = editor.open("open.py")
        as_user(persona, editor, "Reject")
        for path in ("open.py", "closed.py"):
            await editor.read(path)
            refused = await editor.edit(path, "two", "2")
            assert refused["error"]["code"] == "USER_REJECTED"
            said = "dismissed" if persona.first_only else "rejected"
            assert refused["context"]["review"]["decision"] == said
        assert (document.text, (files / "closed.py").read_text()) == (TEXT, TEXT)
        as_user(persona, editor, "Approve")
        in_editor = await editor.edit("open.py", "two", "2")
        closed = await editor.edit("closed.py", "two", "2")
        handed = [message["params"]["edit"] for message in editor.all("workspace/applyEdit")]
    assert status["data"]["rung"] == persona.channel
    assert in_editor["data"]["review"]["rung"] == closed["data"]["review"]["rung"] == persona.channel
    assert (in_editor["status"], in_editor["data"]["applied"]) == ("partial", False)
    assert in_editor["data"]["landing"] == "editor"
    assert document.text == "one\n2\nthree\n"
    assert (files / "open.py").read_text() == TEXT
    assert all("changeAnnotations" in edit for edit in handed) == (persona.channel == "preview")
    if persona.channel == "preview":
        assert closed["data"]["landing"] == "editor"
        assert (files / "closed.py").read_text() == TEXT
    else:
        assert (closed["status"], closed["data"]["landing"]) == ("success", "disk")
        assert (files / "closed.py").read_text() == "one\n2\nthree\n"


@every_editor
async def test_silence_ends_in_a_timeout_and_a_late_yes_is_nothing(persona: Persona, files: Path) -> None:
    asking = "workspace/applyEdit" if persona.channel == "preview" else "window/showMessageRequest"
    async with persona.editing(files, NO_ANSWER, SHORT_REVIEW) as editor:
        editor.answers["workspace/applyEdit"] = lambda _: NO_ANSWER
        await editor.read("closed.py")
        answer = await editor.edit("closed.py", "two", "2")
        question = await editor.seen_message(asking)
        assert (await editor.seen("$/cancelRequest"))["id"] == question["id"]
        yes = {"applied": True} if persona.channel == "preview" else {"title": "Approve"}
        editor.send({"jsonrpc": "2.0", "id": question["id"], "result": yes})
        after = await editor.read("closed.py")
    assert answer["error"]["code"] == "TIMEOUT"
    assert answer["context"]["review"] | {"waited_ms": 0} == {
        "rung": persona.channel,
        "decision": "timed_out",
        "by": "user",
        "waited_ms": 0,
    }
    assert after["data"]["content"] == (files / "closed.py").read_text() == TEXT
