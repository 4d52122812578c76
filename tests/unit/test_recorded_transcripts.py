"""The recorded transcripts (tests/e2e/test_transcripts.py) cover every request, command, tool and message,
and each value of every closed set."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_type_hints

import pytest

from agentfs_lsp.adapters.review.conversation import Code
from agentfs_lsp.api.dialects.table import DIALECTS
from agentfs_lsp.api.messages.errors import ERRORS
from agentfs_lsp.api.methods import AGENT_REQUESTS, USER_REQUESTS
from agentfs_lsp.api.results import State
from agentfs_lsp.domain.matching.levels import Level
from agentfs_lsp.domain.text.escaping import Kind
from agentfs_lsp.lsp.features.agents import COMMANDS, MANUAL_COMMAND
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS
from agentfs_lsp.service.proposal.proposal import Decision, Outcome, Rung
from support.docs import REPOSITORY, keys, section, table, text_of
from support.transcripts import blocks_of
from support.wire import Message

FOLDER = REPOSITORY / "tests" / "cases" / "transcripts"

Exchange = tuple[str, "Message", "Message"]
"""A method, the request's params, and its response."""


DECISIONS = set(get_args(get_type_hints(Decision, localns={"Mapping": dict})["decision"]))


@cache
def blocks() -> list[tuple[str, Any]]:
    """Those of all transcripts."""
    return [block for file in sorted(FOLDER.iterdir()) for block in blocks_of(file.read_text("utf-8"))]


def exchanges() -> Iterator[Exchange]:
    """The client's requests."""
    asked: dict[Any, tuple[str, Message]] = {}
    for by, message in blocks():
        if by == "client" and "id" in message and "method" in message:
            asked[message["id"]] = (message["method"], message["params"] or {})
        elif by == "server" and "method" not in message and message["id"] in asked:
            yield (*asked.pop(message["id"]), message)


def served() -> Iterator[tuple[str, Message]]:
    """Method and params of requests that were not refused."""
    for method, params, answer in exchanges():
        result = answer.get("result")
        if isinstance(result, dict) and result.get("status") != "error" and result.get("ok") is not False:
            yield method, params


def told(*path: str) -> set[Any]:
    """All values of the server at this path of keys."""

    def found(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            for each in value:
                yield from found(each)
        elif isinstance(value, dict):
            inner = value
            for key in path:
                inner = inner.get(key) if isinstance(inner, dict) else None
            yield from [inner] if isinstance(inner, str | int) else []
            for each in value.values():
                yield from found(each)

    return {one for by, message in blocks() if by == "server" for one in found(message)}


HOW = "add it to a scenario: AGENTFS_RECORD=1 .venv/bin/pytest tests/e2e/test_transcripts.py records it"


def test_every_request_is_served_in_a_transcript() -> None:
    missing = {*AGENT_REQUESTS, *EDITOR_REQUESTS, *USER_REQUESTS} - {method for method, _ in served()}
    assert not missing, HOW


def test_every_command_is_served_in_a_transcript() -> None:
    run = {params["command"] for method, params in served() if method == "workspace/executeCommand"}
    missing = {*COMMANDS, MANUAL_COMMAND} - run
    assert not missing, HOW


def test_every_request_is_refused_in_a_transcript_for_its_params() -> None:
    refused = {
        method
        for method, _, answer in exchanges()
        if "INVALID_PARAM" in json.dumps(answer.get("result")) and method != "agentfs/saved"
    }
    never = {"agentfs/saved"}  # always answered by {}
    missing = {*AGENT_REQUESTS, *EDITOR_REQUESTS, *USER_REQUESTS} - never - refused
    assert not missing, f"with invalid params: {HOW}"


def test_every_tool_of_every_dialect_is_called_in_a_transcript() -> None:
    called = {
        (params.get("dialect", "standard"), params["name"])
        for method, params in served()
        if method == "agentfs/call"
    }
    missing = {(name, tool.name) for name, dialect in DIALECTS.items() for tool in dialect.tools} - called
    assert not missing, HOW


def test_every_message_that_the_server_sends_or_hears_of_is_in_a_transcript() -> None:
    methods = {message.get("method") for by, message in blocks() if by in ("client", "server")}
    protocol = text_of("protocol.md")
    rows = [*table(section(protocol, "14 The editor's own methods"), "notification")]
    rows += table(section(protocol, "1 Start and transport"), "message")
    assert set(keys(rows)) <= methods


CLOSED_SETS: dict[str, tuple[set[Any], tuple[str, ...]]] = {
    "error codes": ({code for code, _ in ERRORS.values()} | {"INTERNAL_ERROR"}, ("error", "code")),
    # -32603 needs a bug in one of the editor's own requests, and none is known.
    "JSON-RPC errors": ({-32700, -32600, -32601, -32002, -32800}, ("error", "code")),
    "rungs": (set(get_args(Rung)) - {"terminal"}, ("review", "rung")),
    "decisions": (DECISIONS, ("review", "decision")),
    "outcomes": (set(get_args(Outcome)), ("outcome",)),
    "states of a proposal": (set(get_args(State)), ("state",)),
    "codes of a no to a review client": (set(get_args(Code)), ("code",)),
    "levels of matching": (set(get_args(Level)), ("match",)),
    "kinds of warnings": ({*get_args(Kind), "secret", "misread", "hard_links", "on_save"}, ("kind",)),
}
"""All values, and the keys under which the server sends them."""


@pytest.mark.parametrize(("there_is", "path"), CLOSED_SETS.values(), ids=CLOSED_SETS)
def test_every_known_value_occurs_in_a_transcript(there_is: set[Any], path: tuple[str, ...]) -> None:
    missing = there_is - told(*path)
    assert not missing, HOW
