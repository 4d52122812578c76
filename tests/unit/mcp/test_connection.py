"""MCP's messages in both eras: docs/protocol.md#mcp."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agentfs_lsp.mcp import connection as module
from agentfs_lsp.mcp.catalog import CHANGING, NAMES, Catalog
from agentfs_lsp.mcp.connection import LEGACY, Called, Cancelled, Connection, Event, Replied
from support.mcp import FORM, KEY, cancelled, initialize, legacy, line, lines, modern
from support.wire import Message


class Client:
    """Sends messages and collects what comes back."""

    def __init__(self) -> None:
        self.connection = Connection(Catalog("/home/ada/tides"))
        self.events: list[Event] = []

    def send(self, *messages: Message) -> list[Any]:
        self.events += self.connection.receive(lines(messages))
        return self.taken()

    def taken(self) -> list[Any]:
        return [json.loads(one) for one in self.connection.take().splitlines()]

    def ask(self, message: Message) -> Any:
        (answer,) = self.send(message)
        assert answer["id"] == message["id"]
        return answer["result"]

    def refused(self, message: Message) -> Message:
        (answer,) = self.send(message)
        return dict(answer["error"])

    def call(self, message: Message) -> Called:
        assert self.send(message) == []
        called = self.events.pop()
        assert isinstance(called, Called)
        return called


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def old(client: Client) -> Client:
    client.send(initialize())
    return client


# --- the beginning of both eras -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "given"), [*((one, one) for one in LEGACY), ("2026-07-28", LEGACY[-1]), ("1", LEGACY[-1])]
)
def test_initialize_agrees_on_a_version(client: Client, asked: str, given: str) -> None:
    result = client.ask(initialize(asked))
    assert result["protocolVersion"] == given
    assert result["capabilities"] == {"tools": {}}
    assert result["serverInfo"]["name"] == "agentfs"
    assert "/home/ada/tides" in result["instructions"]
    assert "resultType" not in result


def test_a_modern_client_discovers_or_starts_at_once(client: Client) -> None:
    result = client.ask(modern("server/discover"))
    assert (result["resultType"], result["supportedVersions"]) == ("complete", ["2026-07-28"])
    assert result["_meta"][f"{KEY}serverInfo"]["name"] == "agentfs"
    assert client.ask(modern("tools/list", 2))["tools"]


def test_a_version_that_nobody_knows_is_refused_with_those_served(client: Client) -> None:
    error = client.refused(modern("tools/list", version="2099-01-01"))
    assert (error["code"], error["data"]["requested"]) == (-32022, "2099-01-01")
    assert "2026-07-28" in error["data"]["supported"]


def test_nothing_is_served_to_a_client_of_no_era(client: Client) -> None:
    assert client.refused(legacy("tools/list"))["code"] == -32600
    assert client.ask(legacy("ping", 2)) == {}


@pytest.mark.parametrize("method", ["resources/list", "logging/setLevel", "subscriptions/listen", "x"])
def test_what_is_not_offered_is_unknown(old: Client, method: str) -> None:
    assert old.refused(legacy(method))["code"] == -32601


def test_notifications_are_not_answered(old: Client) -> None:
    told = {"method": "notifications/initialized"}
    assert old.send(told, {"method": "notifications/roots/list_changed"}, cancelled(9)) == []
    assert old.events == []


# --- the tools ----------------------------------------------------------------------------------------------


def test_tools_are_the_same_in_both_eras_and_modern_ones_may_be_kept(old: Client) -> None:
    before, now = old.ask(legacy("tools/list")), old.ask(modern("tools/list"))
    assert before.keys() == {"tools"}
    assert before["tools"] == now["tools"]
    assert (now["ttlMs"], now["cacheScope"]) == (3_600_000, "private")
    assert old.ask(modern("tools/list")) == now


def test_each_tool_has_a_schema_all_annotations_and_is_always_loaded(old: Client) -> None:
    tools = old.ask(legacy("tools/list"))["tools"]
    assert [tool["name"] for tool in tools] == list(NAMES)
    for tool in tools:
        Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["inputSchema"]["additionalProperties"] is False
        hints = tool["annotations"]
        assert hints.keys() == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert hints["readOnlyHint"] is (tool["name"] not in CHANGING)
        assert hints["destructiveHint"] is (tool["name"] in CHANGING)
        assert hints["openWorldHint"] is False
        assert tool["_meta"] == {"anthropic/alwaysLoad": True}
        assert "outputSchema" not in tool  # some clients then drop the text


def test_instructions_and_descriptions_are_short_enough_not_to_be_cut(old: Client) -> None:
    assert len(Catalog("/home/ada/tides").instructions) < 2048
    for tool in old.ask(legacy("tools/list"))["tools"]:
        assert len(tool["description"]) < 2048


# --- calls --------------------------------------------------------------------------------------------------


def test_a_call_tells_who_calls(old: Client) -> None:
    called = old.call(legacy("tools/call", name="read", arguments={"path": "a"}, token="t"))
    assert (called.tool, called.arguments, called.token) == ("read", {"path": "a"}, "t")
    assert (called.caller.name, called.caller.can_ask, called.caller.is_modern) == ("tester", False, False)
    other = old.call(modern("tools/call", 2, name="status", capabilities=FORM))
    assert (other.caller.can_ask, other.caller.is_modern, other.arguments) == (True, True, {})


@pytest.mark.parametrize(
    ("capabilities", "can_ask"),
    [
        ({"elicitation": {}}, True),
        ({"elicitation": {"form": {}, "url": {}}}, True),
        ({"elicitation": {"url": {}}}, False),
        ({"elicitation": None}, False),
        ({}, False),
    ],
)
def test_who_can_show_a_form_can_be_asked(client: Client, capabilities: Message, can_ask: bool) -> None:
    client.send(initialize(capabilities=capabilities))
    assert client.call(legacy("tools/call", name="status")).caller.can_ask is can_ask


def test_an_answer_is_text_and_says_what_the_era_needs(old: Client) -> None:
    old.connection.answer(old.call(legacy("tools/call", name="status")), "said", is_error=True, meta={"k": 1})
    (answer,) = old.taken()
    expected = {"content": [{"type": "text", "text": "said"}], "isError": True, "_meta": {"k": 1}}
    assert answer == {"jsonrpc": "2.0", "id": 1, "result": expected}
    old.connection.answer(old.call(modern("tools/call", name="status")), "said", is_error=False, meta={})
    (answer,) = old.taken()
    assert answer["result"]["resultType"] == "complete"


@pytest.mark.parametrize("params", [{"name": "delete"}, {"name": 3}, {}, {"name": "read", "arguments": []}])
def test_calls_of_nothing_are_refused(old: Client, params: Message) -> None:
    assert old.refused(legacy("tools/call", **params))["code"] == -32602
    assert old.events == []


def test_a_cancelled_call_is_not_answered_and_an_answered_one_not_cancelled(old: Client) -> None:
    first, second = (old.call(legacy("tools/call", ident, name="status")) for ident in (1, 2))
    assert old.send(cancelled(1, "why")) == []
    assert old.events == [Cancelled(1, "why")]
    old.connection.answer(first, "late", is_error=False, meta={})
    assert old.taken() == []
    old.connection.answer(second, "in time", is_error=False, meta={})
    old.send(cancelled(2))
    assert old.events == [Cancelled(1, "why")]


def test_an_id_in_use_is_not_taken_again(old: Client) -> None:
    old.call(legacy("tools/call", name="status"))
    (answer,) = old.send(legacy("tools/call", name="status"))
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


def test_progress_goes_to_who_asked_for_it(old: Client) -> None:
    silent = old.call(legacy("tools/call", 1, name="status"))
    told = old.call(legacy("tools/call", 2, name="status", token=7))
    for call in (silent, told):
        old.connection.progress(call, 5, "waiting")
    (message,) = old.taken()
    assert message["method"] == "notifications/progress"
    assert message["params"] == {"progressToken": 7, "progress": 5, "message": "waiting"}


# --- questions ----------------------------------------------------------------------------------------------


def test_a_question_of_the_earlier_era_is_a_request(old: Client) -> None:
    ident = old.connection.ask({"message": "?"})
    (asked,) = old.taken()
    assert (asked["id"], asked["method"], asked["params"]) == (ident, "elicitation/create", {"message": "?"})
    reply = {"id": ident, "result": {"action": "accept"}}
    old.send(reply, reply, {"id": "other", "result": {}})
    assert old.events == [Replied(ident, {"action": "accept"})]


def test_an_error_in_reply_to_a_question_is_no_answer(old: Client) -> None:
    ident = old.connection.ask({})
    old.send({"id": ident, "error": {"code": -32601, "message": "no"}})
    assert old.events == [Replied(ident, None)]


def test_a_question_can_be_withdrawn_once(old: Client) -> None:
    ident = old.connection.ask({})
    old.taken()
    old.connection.drop(ident)
    old.connection.drop(ident)
    (told,) = old.taken()
    assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", ident)
    old.send({"id": ident, "result": {"action": "accept"}})
    assert old.events == []


def test_a_modern_question_is_an_answer_that_needs_input(client: Client) -> None:
    called = client.call(modern("tools/call", name="edit", arguments={}))
    client.connection.require(called, "review", {"message": "?"}, "state")
    (answer,) = client.taken()
    result = answer["result"]
    assert (result["resultType"], result["requestState"]) == ("input_required", "state")
    asked = {"method": "elicitation/create", "params": {"mode": "form", "message": "?"}}
    assert result["inputRequests"] == {"review": asked}
    replies = {"review": {"action": "accept"}}
    again = client.call(modern("tools/call", 2, name="edit", inputResponses=replies, requestState="state"))
    assert (again.replies, again.state) == (replies, "state")


def test_a_subscription_stays_open_with_nothing_to_tell(client: Client) -> None:
    wanted = {"toolsListChanged": True}
    (told,) = client.send(modern("subscriptions/listen", "s", notifications=wanted))
    assert told["method"] == "notifications/subscriptions/acknowledged"
    assert told["params"] == {"_meta": {f"{KEY}subscriptionId": "s"}, "notifications": {}}
    client.send(modern("subscriptions/listen", "t", notifications={}), cancelled("s"))
    client.connection.end()
    (ended,) = client.taken()
    assert (ended["id"], ended["result"]["_meta"][f"{KEY}subscriptionId"]) == ("t", "t")


# --- bytes --------------------------------------------------------------------------------------------------


def test_messages_arrive_in_any_pieces(client: Client) -> None:
    data = lines([initialize(), legacy("ping", 5)]).replace(b"\n", b"\r\n") + b"\n  \n"
    for at in range(len(data)):
        client.connection.receive(data[at : at + 1])
    assert [answer["id"] for answer in client.taken()] == [0, 5]


def test_every_message_is_one_line_for_everyone(old: Client) -> None:
    called = old.call(legacy("tools/call", name="status"))
    old.connection.answer(called, "a\n\u2028\u2029\ud800b", is_error=False, meta={})
    data = old.connection.take()
    assert len(data.decode().splitlines()) == 1
    assert json.loads(data)["result"]["content"][0]["text"] == "a\n\u2028\u2029\ud800b"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[]", -32600),
        (b'{"id": 1.5, "method": "ping"}', -32600),
        (b'{"id": null, "method": "ping"}', -32600),
        (b'{"id": 1, "method": 3}', -32600),
    ],
)
def test_garbage_is_refused_and_the_next_message_served(old: Client, sent: bytes, code: int) -> None:
    old.connection.receive(sent + b"\n" + line(legacy("ping", 8)))
    refused, answer = old.taken()
    assert (refused["error"]["code"], answer["id"]) == (code, 8)


@pytest.mark.parametrize("size", [101, 1000])
def test_a_message_that_is_too_long_is_skipped(
    old: Client, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 100)
    for piece in (b"x" * size, b"x" * size, b"x\n" + line(legacy("ping", 8))):
        old.connection.receive(piece)
    old.connection.receive(b"y" * size + b"\n" + line(legacy("ping", 9)))
    first, served, second, last = old.taken()
    assert [first["error"]["code"], second["error"]["code"]] == [-32600, -32600]
    assert [served["id"], last["id"]] == [8, 9]


@pytest.mark.parametrize("params", [None, [], 3, {"_meta": 3}, {"_meta": {}, "clientInfo": 3}])
def test_params_of_another_shape_harm_nobody(client: Client, params: object) -> None:
    for method in ("initialize", "tools/list", "tools/call", "server/discover"):
        (answer,) = client.send({"id": 1, "method": method, "params": params})
        assert answer["id"] == 1
