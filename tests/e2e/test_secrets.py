"""A likely secret that is new to the file needs approval in every mode
(docs/protocol.md#13-settings-and-policy)."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from support.calling import call
from support.editor import ASK, AUTO, Editor, editing
from support.operations import writes
from support.personas import pressing
from support.sample import settle
from support.sharing import in_module, shared
from support.wire import Message

ACCESS_KEY = "AKIA" + "IOSFODNN7EXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"
TEXT = f"[default]\naws_secret_access_key = {SECRET_KEY}\n"
SAID = "Likely secrets require the user's approval in every mode: AWS secret access key in line 2."
ALLOWED = {"rules": [{"files": ["*"], "read": "allow", "write": "allow", "edit": "allow"}]}


def auto(root: Path) -> AbstractAsyncContextManager[Editor]:
    return editing(root, options=AUTO, answers={ASK: pressing("Reject")})


pytestmark = in_module
server, root, editor = shared(auto)


def asked(editor: Editor) -> int:
    return len(editor.all(ASK))


PASSWORD = "Xk9qLm33" + "vB7w"
CODE = f'user = "bob"\npassword = "{PASSWORD}"\n'


@pytest.mark.parametrize("whose", ["users", "workspaces"])
async def test_a_password_is_asked_about_where_the_scanner_is_on(
    root: Path, tmp_path: Path, whose: str
) -> None:
    options = {**AUTO, "secrets": {"scan": True}} if whose == "users" else AUTO
    if whose == "workspaces":
        (root / ".agentfs.toml").write_text("secrets.scan = true\n")
    log = tmp_path / "log"
    answers = {ASK: pressing("Reject")}
    arguments = ("--log-level", "debug")
    async with editing(root, options=options, answers=answers, stderr=log, arguments=arguments) as editor:
        answer = await editor.write("a.py", CODE)
        assert answer["error"]["code"] == "USER_REJECTED"
        assert (
            "Likely secrets require the user's approval in every mode: password in line 2." in answer["text"]
        )
        assert PASSWORD not in answer["text"]
        dry = await editor.write("a.py", CODE, dry_run=True)
        assert dry["data"]["warnings"] == [{"kind": "secret", "line": 2, "detail": "password"}]
        assert (await editor.write("b.py", 'user = "bob"\n'))["status"] == "success"
        assert asked(editor) == 1
    assert PASSWORD not in log.read_text()


async def test_no_password_is_looked_for_where_the_scanner_is_off(editor: Editor) -> None:
    before = asked(editor)
    answer = await editor.write("a.py", CODE)
    assert (answer["data"]["warnings"], asked(editor)) == ([], before)


@pytest.mark.parametrize("options", [AUTO, ALLOWED, {**AUTO, **ALLOWED}], ids=["mode", "rule", "both"])
async def test_a_new_secret_is_asked_about_whatever_would_allow_it(root: Path, options: Message) -> None:
    async with editing(root, options=options, answers={ASK: pressing("Reject")}) as editor:
        answer = await editor.write("config", TEXT)
        assert (answer["error"]["code"], asked(editor)) == ("USER_REJECTED", 1)
        assert answer["text"].endswith(SAID)
        assert not (root / "config").exists()
        landed = await editor.write("config", "nothing secret\n")
        assert (landed["data"]["review"]["rung"], asked(editor)) == ("policy", 1)
        assert "secret" not in landed["text"]


async def test_always_is_no_answer_for_the_next_one(root: Path) -> None:
    async with editing(root, answers={ASK: pressing("Always for this session")}) as editor:
        for number, content in enumerate(("plain\n", "plain too\n")):
            await editor.write(f"{number}", content)
        assert asked(editor) == 2  # one of them is a confirmation
        for number in range(2):
            answer = await editor.write(f"config{number}", TEXT)
            assert answer["data"]["review"]["decision"] == "accepted"
        assert asked(editor) == 6


async def test_kind_and_line_stand_in_the_text_and_the_value_nowhere(root: Path) -> None:
    async with editing(root, options=AUTO, answers={ASK: pressing("Approve")}) as editor:
        tried = await editor.write("config", TEXT, dry_run=True)
        landed = await editor.write("config", TEXT)
        question = await editor.seen(ASK)
        short = await call(editor, "workspace", "write", path="other", content=TEXT)
        several = await editor.write("all", f"{TEXT}key = {ACCESS_KEY}\n" * 4)
    for answer in (tried, landed, short):
        assert answer["text"].endswith(SAID)
        assert answer["data"]["warnings"] == [
            {"kind": "secret", "line": 2, "detail": "AWS secret access key"}
        ]
        assert SECRET_KEY not in answer["text"]
    assert short["text"] == f"Wrote 75 bytes to other. {SAID}"
    assert "⚠ line 2: a likely secret (AWS secret access key)" in question["message"]
    assert several["text"].endswith(
        "in every mode: AWS secret access key in line 2, AWS access key in line 3,"
        " AWS secret access key in line 5, and 5 more."
    )


async def test_where_nobody_can_be_asked_it_is_refused_and_says_why(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        answer = await editor.write("config", TEXT)
    assert answer["error"]["code"] == "ACCESS_DENIED"
    assert answer["text"].endswith(
        f"an editor that can ask. No setting allows this change without approval. {SAID}"
    )
    assert not (root / "config").exists()


async def test_what_the_file_held_already_is_not_asked_for_again(editor: Editor, root: Path) -> None:
    (root / "config").write_text(TEXT)
    await editor.read("config")
    for old, new in (
        ("[default]", "[other]"),
        ("_key = ", "_key="),
        (f"={SECRET_KEY}", f"={SECRET_KEY} # x"),
    ):
        answer = await editor.edit("config", old, new)
        assert answer["data"]["applied"], answer["text"]
        assert answer["data"]["warnings"] == []
    moved = await editor.write("config", "\n\n" + (root / "config").read_text())
    assert (moved["data"]["applied"], asked(editor)) == (True, 0)
    other = await editor.edit("config", "MDENG", "NDENG")
    assert (other["error"]["code"], asked(editor)) == ("USER_REJECTED", 1)


async def test_a_secret_put_together_in_steps_is_asked_for_with_the_last(editor: Editor, root: Path) -> None:
    first = await editor.write("config", "key = AKIA\n")
    half = await editor.edit("config", "AKIA", ACCESS_KEY[:12])
    whole = await editor.edit("config", ACCESS_KEY[:12], ACCESS_KEY)
    assert (first["data"]["applied"], half["data"]["applied"]) == (True, True)
    assert whole["error"]["code"] == "USER_REJECTED"
    value = await editor.write("named", f"x: {SECRET_KEY}\n")
    named = await editor.edit("named", "x:", "- name: AWS_SECRET_ACCESS_KEY\n  value:")
    assert (value["data"]["applied"], named["error"]["code"]) == (True, "USER_REJECTED")


async def test_no_crowd_of_other_findings_hides_it(editor: Editor) -> None:
    answer = await editor.write("config", "\x07\n" * 500 + TEXT)
    question = await editor.seen(ASK)
    assert answer["error"]["code"] == "USER_REJECTED"
    assert "line 502: a likely secret (AWS secret access key)" in question["message"]


@pytest.mark.parametrize("atomic", [True, False])
async def test_a_batch_is_asked_for_if_one_file_holds_one(editor: Editor, root: Path, atomic: bool) -> None:
    operations = [writes("a", "plain\n"), writes("b", TEXT)]
    answer = await editor.request("agentfs/batch", {"operations": operations, "atomic": atomic})
    assert asked(editor) == 1
    assert sorted(path.name for path in root.iterdir()) == []
    editor.answers[ASK] = pressing("Approve")
    answer = await editor.request("agentfs/batch", {"operations": operations, "atomic": atomic})
    assert answer["text"].endswith(SAID.replace("in line 2", "in b, line 2"))


async def test_an_undo_that_brings_one_back_is_asked_for(editor: Editor, root: Path) -> None:
    (root / "config").write_text(TEXT)
    await editor.read("config")
    removed = await editor.write("config", "[default]\n")
    assert (removed["data"]["applied"], asked(editor)) == (True, 0)
    undone = await editor.undo()
    assert (undone["error"]["code"], asked(editor)) == ("USER_REJECTED", 1)
    editor.answers[ASK] = pressing("Approve")
    undone = await editor.undo()
    assert undone["text"].endswith(SAID.replace("in line 2", "in config, line 2"))
    assert (root / "config").read_text() == TEXT


async def test_a_merge_is_asked_for_by_what_it_brings_in(editor: Editor, root: Path) -> None:
    path = root / "config"
    path.write_text("a\nb\nc\nd\n")
    await editor.read("config")
    path.write_text(f"a\nb\nc\nd\nkey = {ACCESS_KEY}\n")
    theirs = await editor.edit("config", "a\n", "A\n", on_conflict="merge")
    assert (theirs["data"]["applied"], asked(editor)) == (True, 0)
    path.write_text(path.read_text() + "e\n")
    mine = await editor.edit("config", "b\n", f"b\n{TEXT}", on_conflict="merge")
    assert (mine["error"]["code"], asked(editor)) == ("USER_REJECTED", 1)


async def test_a_file_that_may_not_be_read_tells_nothing_by_the_question(root: Path) -> None:
    rules = {"rules": [{"files": ["*"], "read": "deny", "write": "allow"}]}
    (root / "config").write_text(TEXT)
    async with editing(root, options=rules, answers={ASK: pressing("Approve")}) as editor:
        for _ in range(2):  # with and without the secret in the file
            answer = await editor.write("config", TEXT)
            assert (answer["data"]["applied"], "secret" in answer["text"]) == (True, False)
            (root / "config").write_text("nothing\n")
        assert asked(editor) == 4  # two of them are confirmations


async def test_why_a_file_that_may_not_be_read_was_asked_about_is_told_whatever_it_held(root: Path) -> None:
    rules = {"rules": [{"files": ["*"], "read": "deny", "write": "allow"}]}
    async with editing(root, options=rules) as editor:  # nobody to ask
        for held in (TEXT, "nothing\n"):
            (root / "config").write_text(held)
            answer = await editor.write("config", TEXT)
            assert answer["error"]["code"] == "ACCESS_DENIED"
            assert SAID in answer["text"]
            assert "No setting allows this change" in answer["text"]
            assert "agentfs.rules" not in answer["text"]


async def test_what_the_user_makes_of_it_is_not_asked_for_again(root: Path) -> None:
    capabilities: Any = {"experimental": {"agentfs": {"review": True}}}
    async with editing(root, capabilities=capabilities, options=AUTO) as editor:
        writing = editor.start("agentfs/write", {"path": "config", "content": TEXT})
        proposal = await editor.seen("agentfs/proposed")
        uri = proposal["files"][0]["uri"]
        more = f"{TEXT}key = {ACCESS_KEY}\n"
        amended = [{"uri": uri, "decision": "amended", "text": more}]
        settled = await settle(editor, proposal, "amended", files=amended)
        assert settled["ok"], settled
        answer = await writing
        assert len(editor.all("agentfs/proposed")) == 1
    assert (root / "config").read_text() == more
    assert answer["data"]["review"]["decision"] == "amended"
    assert "AWS access key in line 3" in answer["text"]
