"""Mistakes of a review client: every message of docs/protocol.md#91-review-clients malformed, untimely, or
repeated. It gets an error, and decides nothing."""

from pathlib import Path
from typing import Any

from support.editor import REVIEWING, Editor, editing
from support.sample import CHANGED, EDIT, TEXT, asked, report
from support.sharing import in_module, shared
from support.wire import Message

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, **REVIEWING))


def wrong_settles(uri: str) -> list[Any]:
    text = {"uri": uri, "decision": "amended", "text": "x\n"}
    decisions: list[Any] = [None, "", "accept", "Accepted", "yes", True, 1, ["accepted"], {"accepted": True}]
    bodies: list[Message] = [{"decision": decision} for decision in decisions]
    bodies += [{}, {"decision": "amended"}, {"decision": "accepted", "extra": 1}]
    bodies += [{"decision": "accepted", "feedback": wrong} for wrong in (1, False, [], {}, "x" * 10_001)]
    bodies += [{"decision": "accepted", "always": wrong} for wrong in ("true", 1, 0, [])]
    bodies += [{"decision": "rejected", "always": True}]
    files: list[Any] = [True, False, 0, "", uri, {}, {"uri": uri}, [uri], [None], [{}], [{"uri": None}]]
    files += [[{"uri": uri + "x", "decision": "accepted"}], [{"uri": "file:///etc/passwd"}], [text, text]]
    files += [[{"uri": uri, "decision": wrong}] for wrong in ("", "no", False, 0, [], {})]
    files += [[{**text, "text": wrong}] for wrong in (None, 1, ["x"], {}, False)]
    files += [[{"uri": uri, "decision": "rejected", "feedback": wrong}] for wrong in (1, [], "x" * 10_001)]
    files += [
        [{**text, "feedback": "Not here."}],
        [{"uri": uri, "feedback": "Not here."}],
        [{**text, "decision": "accepted"}],
        [{**text, "version": 1}],
        [{"uri": uri, "decision": "amended"}],
    ]
    bodies += [{"decision": "accepted", "always": True, "files": [{"uri": uri, "decision": "rejected"}]}]
    return bodies + [{"decision": "accepted", "files": wrong} for wrong in files]


async def test_a_settle_of_a_wrong_shape_is_refused_and_can_be_repeated(editor: Editor, file: Path) -> None:
    proposal, answer = await asked(editor)
    for params in (None, [], "x", {}, {"id": None}, {"id": 5}, {"id": [proposal["id"]]}):
        refused = await editor.request("agentfs/settle", params)
        assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM"), params
    for body in wrong_settles(file.as_uri()):
        refused = await editor.request("agentfs/settle", {"id": proposal["id"], **body})
        assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM"), body
        assert isinstance(refused["reason"], str)
    assert not answer.done()
    assert file.read_text() == TEXT
    assert (await editor.settle(proposal))["settle"]["ok"]
    assert (await answer)["status"] == "success"
    assert file.read_text() == CHANGED


async def test_reports_of_a_wrong_shape_are_refused_and_can_be_repeated(editor: Editor, file: Path) -> None:
    uri = file.as_uri()
    wrong: list[Any] = [
        True,
        {},
        [uri],
        [{}],
        [{"uri": uri}],
        [{"uri": uri + "x", "applied": True, "saved": True}],
    ]
    wrong += [[{"uri": uri, "applied": told, "saved": told}] for told in (None, "true", 1, 0, [], {})]
    document = editor.open("a.py")
    proposal, answer = await asked(editor)
    settled = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
    assert editor.apply(settled["apply"])
    for files in wrong:
        refused = await editor.request("agentfs/applied", {"id": proposal["id"], "files": files})
        assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM"), files
    assert await report(editor, proposal, "applied", a=True) == {"ok": True, "save": [uri]}
    editor.save("a.py")
    for files in wrong:
        refused = await editor.request("agentfs/saved", {"id": proposal["id"], "files": files})
        assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM"), files
    assert await report(editor, proposal, "saved", a=True) == {}
    assert (await answer)["data"]["landing"] == "disk"
    assert document.text == file.read_text() == CHANGED


async def test_a_proposal_nobody_knows_is_told_as_unknown(editor: Editor) -> None:
    nobody = {"id": "0" * 16, "decision": "accepted"}
    told = [await editor.request(f"agentfs/{name}", nobody) for name in ("proposal", "settle", "applied")]
    assert [(answer["ok"], answer["code"]) for answer in told] == [(False, "UNKNOWN")] * 3
    assert told[2]["revert"] is None
    assert await editor.request("agentfs/saved", nobody) == {}


async def test_the_first_settle_counts_and_a_repeated_one_gets_its_answer(editor: Editor, file: Path) -> None:
    editor.open("a.py")
    proposal, answer = await asked(editor)
    settle = {"id": proposal["id"], "decision": "accepted"}
    first = await editor.request("agentfs/settle", settle)
    again = await editor.request("agentfs/settle", settle)
    other = await editor.request("agentfs/settle", {**settle, "decision": "rejected"})
    assert first["ok"]
    assert first["apply"]["documentChanges"][0]["textDocument"] == {"uri": file.as_uri(), "version": 1}
    assert again == other == first
    editor.apply(first["apply"])
    applied = await report(editor, proposal, "applied", a=True)
    assert await report(editor, proposal, "applied", a=True) == applied
    await report(editor, proposal, "saved", a=False)
    assert (await answer)["data"]["landing"] == "editor"
    assert await editor.request("agentfs/settle", settle) == first
    assert await report(editor, proposal, "applied", a=True) == applied
    assert await report(editor, proposal, "saved", a=False) == {}


async def test_a_no_is_final(editor: Editor, file: Path) -> None:
    proposal, answer = await asked(editor)
    no = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "rejected"})
    assert no == {"ok": True, "apply": None}
    assert (await answer)["error"]["code"] == "USER_REJECTED"
    yes = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
    assert yes == no
    late = await editor.request("agentfs/applied", {"id": proposal["id"], "files": []})
    assert (late["ok"], late["code"]) == (False, "SETTLED")
    assert file.read_text() == TEXT


async def test_reports_that_come_before_their_turn_say_nothing(editor: Editor, file: Path) -> None:
    uri = file.as_uri()
    editor.open("a.py")
    proposal, answer = await asked(editor)
    refused = await report(editor, proposal, "applied", a=True)
    assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM")
    await report(editor, proposal, "saved", a=False)
    assert not answer.done()
    steps = await editor.settle(proposal)
    assert steps["applied"]["save"] == [uri]
    assert (await answer)["data"]["landing"] == "disk"
    assert file.read_text() == CHANGED


async def test_reporting_on_a_file_that_the_server_wrote_is_answered(editor: Editor, file: Path) -> None:
    proposal, answer = await asked(editor)
    await editor.settle(proposal)
    await answer
    told = await editor.request("agentfs/applied", {"id": proposal["id"], "files": []})
    assert told == {"ok": True, "save": []}
    assert await editor.request("agentfs/saved", {"id": proposal["id"], "files": []}) == {}


async def test_a_file_under_another_spelling_of_its_uri_is_the_same(editor: Editor, root: Path) -> None:
    file = root / "a b.py"
    file.write_text(TEXT)
    spelt = file.as_uri().replace("file:///", "file://localhost/")
    await editor.read("a b.py")
    answer = editor.start("agentfs/edit", {**EDIT, "path": "a b.py"})
    proposal = await editor.proposed()
    files = [{"uri": spelt, "decision": "accepted"}]
    await editor.settle(proposal, "rejected", files=files)
    assert (await answer)["status"] == "success"
    assert file.read_text() == CHANGED


async def test_a_files_own_decision_counts_over_the_one_for_all(editor: Editor, file: Path) -> None:
    proposal, answer = await asked(editor)
    files = [{"uri": file.as_uri(), "decision": "rejected"}]
    await editor.settle(proposal, "accepted", files=files, feedback="not this one")
    assert (await answer)["error"]["code"] == "USER_REJECTED"
    assert (await answer)["context"]["review"]["feedback"] == "not this one"
    assert file.read_text() == TEXT
