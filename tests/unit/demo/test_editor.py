"""What a server can rely on with the demo's client: all of docs/protocol.md#91-review-clients."""

from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.demo.editor import ACCEPT, ALWAYS, Answer, RefusedError, UnansweredError

PROPOSED = {"method": "agentfs/proposed", "params": {"id": "p1"}}
PREVIEW = {
    "id": "preview",
    "method": "workspace/applyEdit",
    "params": {"edit": {"documentChanges": [], "changeAnnotations": {"p1": {"label": "Edit a.txt"}}}},
}


def proposal(uri: str) -> dict[str, Any]:
    file = {
        "uri": uri,
        "path": "a.txt",
        "operation": "update",
        "base_text": "one\n",
        "proposed_text": "two\n",
    }
    return {
        "id": "p1",
        "state": "shown",
        "title": "Edit a.txt (+1/-1)",
        "explanation": "why",
        "files": [file],
    }


def replacing(uri: str, version: int, text: str) -> dict[str, Any]:
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    edits = [{"range": span, "newText": text}]
    return {"documentChanges": [{"textDocument": {"uri": uri, "version": version}, "edits": edits}]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n")
    return path


def reviewed(uri: str, *landing: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"expect": "agentfs/edit", "send": PROPOSED},
        {"send": PREVIEW},
        {"expect": "agentfs/proposal", "reply": proposal(uri)},
        {"expect": "agentfs/settle"},
        *landing,
        {"send": {"id": 1, "result": {"status": "success"}}},
    ]


SAVED = {"expect": "agentfs/saved", "reply": {}}


def edited(uri: str, version: int, reply: dict[str, Any], *more: dict[str, Any]) -> list[dict[str, Any]]:
    """The document is to be edited at this version; `reply` is to what the client says it applied."""
    edit = {"reply": {"ok": True, "apply": replacing(uri, version, "two")}}
    return reviewed(uri, edit, {"expect": "agentfs/applied", "reply": reply}, *more)


def test_a_change_of_closed_files_is_settled_and_the_preview_is_left_to_the_review(client, file) -> None:
    steps = reviewed(file.as_uri(), {"reply": {"ok": True, "apply": None}})
    with client(steps, [ALWAYS]) as demo:
        assert demo.editor.call("agentfs/edit", {}) == {"status": "success"}
    assert demo.params_of("agentfs/settle") == [{"id": "p1", "decision": "accepted", "always": True}]
    assert demo.answer_to("preview")["result"] == {"applied": False, "failureReason": "agentfs:pending"}
    assert demo.exit_code == 0


def test_an_amendment_that_cannot_be_written_is_asked_about_again(client, file) -> None:
    uri = file.as_uri()
    refused = {"ok": False, "code": "INVALID_PARAM", "reason": "latin-1 has no €"}
    steps = reviewed(
        uri,
        {"reply": refused},
        {"expect": "agentfs/proposal", "reply": proposal(uri)},
        {"expect": "agentfs/settle", "reply": {"ok": True, "apply": None}},
    )
    with client(steps, [Answer("amended", texts=((uri, "€\n"),)), ACCEPT]) as demo:
        assert demo.editor.call("agentfs/edit", {}) == {"status": "success"}
    assert [settled["decision"] for settled in demo.params_of("agentfs/settle")] == ["amended", "accepted"]


def test_an_open_document_is_changed_then_saved_where_the_server_says_so(client, file) -> None:
    uri = file.as_uri()
    with client(edited(uri, 1, {"ok": True, "save": [uri]}, SAVED), [ACCEPT]) as demo:
        demo.editor.documents.open(file)
        demo.editor.call("agentfs/edit", {})
    assert file.read_bytes() == b"two\n"
    assert [m["method"] for m in demo.heard if m.get("method", "").startswith("textDocument/")] == [
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didSave",
    ]
    assert demo.params_of("agentfs/applied") == [
        {"id": "p1", "files": [{"uri": uri, "applied": True, "reason": ""}]}
    ]
    assert demo.params_of("agentfs/saved") == [{"id": "p1", "files": [{"uri": uri, "saved": True}]}]


def test_what_waits_in_the_editor_is_not_saved(client, file) -> None:
    uri = file.as_uri()
    with client(edited(uri, 1, {"ok": True, "save": []}, SAVED), [ACCEPT]) as demo:
        demo.editor.documents.open(file)
        demo.editor.call("agentfs/edit", {})
        assert demo.editor.documents.get(uri).dirty
    assert file.read_bytes() == b"one\n"


def test_an_edit_for_another_version_is_refused_and_named(client, file) -> None:
    uri = file.as_uri()
    gone = {"ok": False, "code": "CONFLICT", "reason": "the document changed", "revert": None}
    with client(edited(uri, 7, gone), [ACCEPT]) as demo:
        demo.editor.documents.open(file)
        demo.editor.call("agentfs/edit", {})
        assert demo.editor.documents.get(uri).text == "one\n"
    (told,) = demo.params_of("agentfs/applied")
    assert told["files"][0]["applied"] is False
    assert "version 1, not 7" in told["files"][0]["reason"]


def test_what_was_applied_is_reverted_when_another_file_was_refused(client, file) -> None:
    uri = file.as_uri()
    refused = {"ok": False, "code": "EXECUTION_ERROR", "reason": "b.txt", "revert": replacing(uri, 2, "one")}
    with client(edited(uri, 1, refused), [ACCEPT]) as demo:
        demo.editor.documents.open(file)
        demo.editor.call("agentfs/edit", {})
        assert demo.editor.documents.get(uri).text == "one\n"
        assert demo.editor.documents.get(uri).version == 3


def test_a_settle_that_came_too_late_is_told_to_the_person(client, file) -> None:
    late = {"ok": False, "code": "WITHDRAWN", "reason": "The agent took it back."}
    with client(reviewed(file.as_uri(), {"reply": late}), [ACCEPT]) as demo:
        demo.editor.call("agentfs/edit", {})
    assert demo.reviewer.heard == ["WITHDRAWN: The agent took it back."]


def test_no_answer_rejects_nothing_and_withdraws_the_change(client, file) -> None:
    steps = [
        {"expect": "agentfs/edit", "send": PROPOSED},
        {"send": PREVIEW},
        {"expect": "agentfs/proposal", "reply": proposal(file.as_uri())},
        {"expect": "$/cancelRequest"},
        {"send": {"id": 1, "error": {"code": -32800, "message": "cancelled"}}},
    ]
    with client(steps, [None]) as demo, pytest.raises(UnansweredError):
        demo.editor.call("agentfs/edit", {})
    assert demo.params_of("$/cancelRequest") == [{"id": 1}]
    assert demo.params_of("agentfs/settle") == []


def test_a_proposal_that_is_over_before_its_turn_is_shown_to_nobody(client, file) -> None:
    second = {"method": "agentfs/proposed", "params": {"id": "p2"}}
    over = {"method": "agentfs/settled", "params": {"id": "p2", "outcome": "withdrawn"}}
    steps = [
        {"expect": "agentfs/batch", "send": PROPOSED},
        {"expect": "agentfs/proposal", "send": second},
        {"send": over},
        {"reply": proposal(file.as_uri())},
        {"expect": "agentfs/settle", "reply": {"ok": True, "apply": None}},
        {"send": {"id": 1, "result": {}}},
    ]
    with client(steps, [ACCEPT]) as demo:
        demo.editor.call("agentfs/batch", {})
    assert demo.params_of("agentfs/proposal") == [{"id": "p1"}]
    assert len(demo.reviewer.seen) == 1


def test_a_proposal_that_the_server_does_not_know_any_more_is_shown_to_nobody(client) -> None:
    steps = [
        {"expect": "agentfs/edit", "send": PROPOSED},
        {"send": PREVIEW},
        {"expect": "agentfs/proposal", "fail": {"code": -32602, "message": "no such proposal"}},
        {"expect": "response", "send": {"id": 1, "result": {}}},
    ]
    with client(steps) as demo:
        demo.editor.call("agentfs/edit", {})
    assert demo.reviewer.seen == []


@pytest.mark.parametrize("typed", ["", " and"])
def test_an_edit_that_policy_let_through_is_saved_where_nothing_was_unsaved(client, file, typed: str) -> None:
    uri = file.as_uri()
    edit = replacing(uri, 2 if typed else 1, "two")
    steps = [
        {
            "expect": "agentfs/edit",
            "send": {"id": "a", "method": "workspace/applyEdit", "params": {"edit": edit}},
        },
        {"expect": "response", "send": {"id": 1, "result": {}}},
    ]
    with client(steps) as demo:
        demo.editor.documents.open(file)
        if typed:
            demo.editor.documents.type(uri, "\n", f"{typed}\n")
        demo.editor.call("agentfs/edit", {})
        assert demo.editor.documents.get(uri).text == f"two{typed}\n"
    assert file.read_bytes() == (b"one\n" if typed else b"two\n")
    assert demo.answer_to("a")["result"] == {"applied": True}


def test_a_request_that_the_client_does_not_know_is_answered(client) -> None:
    steps = [
        {"expect": "agentfs/status", "send": {"id": "odd", "method": "workspace/odd", "params": {}}},
        {"expect": "response", "send": {"id": 1, "result": {}}},
    ]
    with client(steps) as demo:
        demo.editor.call("agentfs/status", {})
    assert demo.answer_to("odd")["error"]["code"] == -32601


def test_a_refused_call_says_why(client) -> None:
    steps = [{"expect": "agentfs/odd", "fail": {"code": -32601, "message": "no such method"}}]
    with client(steps) as demo, pytest.raises(RefusedError, match="no such method"):
        demo.editor.call("agentfs/odd", {})


def test_the_client_says_that_it_reviews_and_saves_and_in_whose_language(client, tmp_path) -> None:
    reply = {"capabilities": {"positionEncoding": "utf-32"}}
    with client([{"expect": "initialize", "reply": reply}]) as demo:
        demo.editor.start(tmp_path, "zh_CN.UTF-8")
        assert demo.editor.documents.units == "utf-32"
    (params,) = demo.params_of("initialize")
    assert params["capabilities"]["experimental"] == {"agentfs": {"review": True, "save": True}}
    assert params["rootUri"] == tmp_path.as_uri()
    assert params["locale"] == "zh_CN.UTF-8"
