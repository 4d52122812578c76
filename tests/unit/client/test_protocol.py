"""The client's protocol without I/O: what arrives becomes events, in pieces of any size."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.client.endpoint import ProtocolError
from agentfs_lsp.client.protocol import Proposed, Protocol, Responded, Told, ToolsChanged
from agentfs_lsp.client.reviews import MAX_ATTEMPTS, Accept, Amend, Decision, Reject, Review
from agentfs_lsp.jsonrpc.codec import decode
from agentfs_lsp.jsonrpc.framing import Framer
from support.wire import Message, frame

FILE = {
    "uri": "file:///w/a.py",
    "path": "a.py",
    "operation": "update",
    "base_text": "one\n",
    "proposed_text": "1\n",
    "warnings": [{"kind": "control", "line": 1, "detail": "U+0001"}],
}
PROPOSAL: Message = {
    "id": "p1",
    "title": "Edit a.py (+1/-1)",
    "tool": "edit",
    "session": "default",
    "agent": "Ada",
    "explanation": "Figures.",
    "atomic": True,
    "files": [FILE],
}


def sent(protocol: Protocol) -> list[Message]:
    return [decode(one) for one in Framer(1 << 20).feed(protocol.take()) if isinstance(one, bytes)]


def given_(protocol: Protocol, *messages: Message) -> list[Any]:
    return protocol.receive(b"".join(frame({"jsonrpc": "2.0", **message}) for message in messages))


def proposed(protocol: Protocol) -> Review:
    assert given_(protocol, {"method": "agentfs/proposed", "params": {"id": "p1"}}) == []
    (asked,) = sent(protocol)
    assert (asked["method"], asked["params"]) == ("agentfs/proposal", {"id": "p1"})
    (event,) = given_(protocol, {"id": asked["id"], "result": PROPOSAL})
    assert isinstance(event, Proposed)
    return event.review


def settled(protocol: Protocol, review: Review, decision: Decision) -> Message:
    protocol.decide(review, decision)
    (message,) = sent(protocol)
    assert message["method"] == "agentfs/settle"
    return message


def test_a_response_is_told_by_its_id() -> None:
    protocol = Protocol()
    first, second = protocol.request("agentfs/status", {}), protocol.request("agentfs/read", {"path": "a.py"})
    assert [(one["id"], one["method"]) for one in sent(protocol)] == [
        (first, "agentfs/status"),
        (second, "agentfs/read"),
    ]
    error = {"code": -32601, "message": "no such method"}
    events = given_(protocol, {"id": second, "error": error}, {"id": first, "result": {"status": "success"}})
    assert events == [
        Responded(second, None, -32601, "no such method"),
        Responded(first, {"status": "success"}),
    ]


def test_the_reviewer_sees_the_texts() -> None:
    review = proposed(Protocol(reviews=True))
    (file,) = review.files
    assert (review.title, review.agent, review.explanation) == ("Edit a.py (+1/-1)", "Ada", "Figures.")
    assert (file.path, file.operation, file.before, file.after) == ("a.py", "update", "one\n", "1\n")
    assert file.warnings == tuple(FILE["warnings"])


@pytest.mark.parametrize(
    ("decision", "params"),
    [
        (Accept(), {"decision": "accepted"}),
        (Accept("Thanks."), {"decision": "accepted", "feedback": "Thanks."}),
        (Reject(), {"decision": "rejected"}),
        (Reject("x" * 20_000), {"decision": "rejected", "feedback": "x" * 10_000}),
        (Amend({}), {"decision": "accepted"}),
        (
            Accept(rejected={"a.py": "Not now."}),
            {
                "decision": "accepted",
                "files": [{"uri": "file:///w/a.py", "decision": "rejected", "feedback": "Not now."}],
            },
        ),
        (
            Amend({"a.py": "I\n"}, "Roman."),
            {
                "decision": "amended",
                "feedback": "Roman.",
                "files": [{"uri": "file:///w/a.py", "decision": "amended", "text": "I\n"}],
            },
        ),
    ],
)
def test_a_decision_becomes_a_settlement(decision: Decision, params: Message) -> None:
    protocol = Protocol(reviews=True)
    message = settled(protocol, proposed(protocol), decision)
    assert message["params"] == {"id": "p1", **params}


def test_texts_of_other_files_settle_nothing() -> None:
    protocol = Protocol(reviews=True)
    review = proposed(protocol)
    for decision in (Amend({"b.py": "2\n"}), Accept(rejected={"b.py": ""})):
        with pytest.raises(ValueError, match=r"not in the proposal: b\.py"):
            protocol.decide(review, decision)
    assert sent(protocol) == []


def test_a_decision_that_cannot_be_used_is_asked_for_again() -> None:
    protocol = Protocol(reviews=True)
    message = settled(protocol, proposed(protocol), Amend({"a.py": "\0"}))
    refusal = {"ok": False, "code": "INVALID_PARAM", "reason": "The text contains NUL."}
    (event,) = given_(protocol, {"id": message["id"], "result": refusal})
    assert isinstance(event, Proposed)
    assert event.review.problem == "The text contains NUL."


def test_a_decision_that_is_too_large_to_send_is_asked_for_again() -> None:
    protocol = Protocol(reviews=True)
    message = settled(protocol, proposed(protocol), Amend({"a.py": "1\n"}))
    error = {"code": -32600, "message": "Messages may have up to 268435456 bytes."}
    (event,) = given_(protocol, {"id": message["id"], "error": error})
    assert isinstance(event, Proposed)
    assert event.review.problem == "Messages may have up to 268435456 bytes."


def test_a_reviewer_that_only_gives_what_cannot_be_used_is_not_asked_for_ever() -> None:
    protocol = Protocol(reviews=True)
    review = proposed(protocol)
    refusal = {"ok": False, "code": "INVALID_PARAM", "reason": "The text contains NUL."}
    for attempt in range(1, MAX_ATTEMPTS + 1):
        assert review.attempt == attempt
        message = settled(protocol, review, Amend({"a.py": "\0"}))
        for event in given_(protocol, {"id": message["id"], "result": refusal}):
            review = event.review
    (last,) = sent(protocol)
    reason = "The program that reviews changes gave no usable answer: The text contains NUL."
    assert last["params"] == {"id": "p1", "decision": "rejected", "feedback": reason}


def test_no_decision_about_an_ended_proposal_is_sent() -> None:
    protocol = Protocol(reviews=True)
    review = proposed(protocol)
    given_(protocol, {"method": "agentfs/settled", "params": {"id": "p1", "outcome": "withdrawn"}})
    assert review.ended.is_set()
    protocol.decide(review, Accept())
    assert sent(protocol) == []


def test_a_proposal_that_ended_before_its_texts_came_is_not_shown() -> None:
    protocol = Protocol(reviews=True)
    given_(protocol, {"method": "agentfs/proposed", "params": {"id": "p1"}})
    (asked,) = sent(protocol)
    assert (
        given_(protocol, {"id": asked["id"], "result": {"ok": False, "code": "UNKNOWN", "reason": ""}}) == []
    )
    protocol.decide(Review("p1", "", "", "", "", "", True, ()), Accept())
    assert sent(protocol) == []


def test_the_end_of_the_connection_ends_every_review() -> None:
    protocol = Protocol(reviews=True)
    review = proposed(protocol)
    protocol.end()
    assert review.ended.is_set()


def test_every_request_of_the_server_gets_an_answer() -> None:
    protocol = Protocol(reviews=True)
    requests = ["workspace/applyEdit", "window/showMessageRequest", "workspace/unknown"]
    given_(protocol, *({"id": method, "method": method, "params": {}} for method in requests))
    apply, ask, unknown = sent(protocol)
    assert apply["result"] == {"applied": False, "failureReason": "agentfs:pending"}
    assert [ask["error"]["code"], unknown["error"]["code"]] == [-32601, -32601]


def test_what_the_host_may_want_to_know_is_an_event() -> None:
    events = given_(
        Protocol(),
        {"method": "agentfs/toolsChanged"},
        {"method": "window/showMessage", "params": {"type": 2, "message": "Unknown key 'x'."}},
        {"method": "agentfs/statusChanged", "params": {}},
    )
    assert events == [ToolsChanged(), Told("Unknown key 'x'.")]


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n\r\n", b"Content-Length: 2\r\n\r\n[]", frame({})[:-2] + b"{["]
)
def test_what_is_no_message_ends_the_connection(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        Protocol().receive(data)


@given(st.data())
def test_messages_may_come_in_pieces_of_any_size(data: st.DataObject) -> None:
    whole = b"".join(frame({"jsonrpc": "2.0", "id": n, "result": {"text": "é" * n}}) for n in range(5))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=20)))
    protocol = Protocol()
    events = [
        event
        for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)
        for event in protocol.receive(whole[begin:end])
    ]
    assert events == [Responded(n, {"text": "é" * n}) for n in range(5)]
