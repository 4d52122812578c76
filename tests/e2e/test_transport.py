"""Bytes on the wire: docs/protocol.md#1-start-and-transport, through the real process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.editor import Editor, Message, editing
from support.wire import frame

served_by_auto = pytest.mark.asyncio(loop_scope="module")

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601


def raw(body: bytes, header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    return header % len(body) + body


def request(request_id: int | str, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode()


def started(root: Path, **options: Any) -> subprocess.Popen[bytes]:
    """A server after `initialize`, with plain blocking pipes."""
    server = subprocess.Popen(
        [sys.executable, "-m", "agentfs_lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "XDG_STATE_HOME": str(root.parent / "state")},
        **options,
    )
    server.stdin.write(raw(request(1, "initialize", capabilities={}, rootUri=root.as_uri())))
    return server


async def answer_to(editor: Editor, request_id: int | str) -> Message:
    """The whole response to a request sent as bytes."""
    return await editor.message(lambda one: one.get("id") == request_id and "method" not in one)


@served_by_auto
@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"id": "a", "method": "agentfs/status"}, INVALID_REQUEST),
        ({"id": "b", "jsonrpc": "1.0", "method": "agentfs/status"}, INVALID_REQUEST),
        ({"id": "c", "jsonrpc": "2.0", "method": 7}, INVALID_REQUEST),
        ({"id": "d", "jsonrpc": "2.0", "params": {}}, INVALID_REQUEST),
        ({"id": 1.5, "jsonrpc": "2.0", "method": "agentfs/status"}, INVALID_REQUEST),
        ({"id": "e", "jsonrpc": "2.0", "method": "agentfs/noSuchThing"}, METHOD_NOT_FOUND),
        ({"id": "f", "jsonrpc": "2.0", "method": "textDocument/hover", "params": 5}, METHOD_NOT_FOUND),
        ({"id": "g", "jsonrpc": "2.0", "method": "$/setTrace", "params": {}}, METHOD_NOT_FOUND),
        ({"id": "h", "jsonrpc": "2.0", "method": "initialize", "params": {}}, INVALID_REQUEST),
        ({"id": "i", "jsonrpc": "2.0", "method": "notebookDocument/didOpen"}, METHOD_NOT_FOUND),
        ({"id": "j", "jsonrpc": "2.0", "method": "workspace/executeCommand"}, None),
        ({"id": "k", "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": []}, None),
        ({"id": "l", "jsonrpc": "2.0", "method": "agentfs/settle"}, None),
        ({"id": "m", "jsonrpc": "2.0", "method": "agentfs/status", "extra": {"jsonrpc": "2.0"}}, None),
    ],
    ids=lambda value: None if isinstance(value, dict) else str(value),
)
async def test_every_request_gets_an_answer(auto: Editor, message: Message, code: int | None) -> None:
    auto.send(message)
    answered = await answer_to(auto, message["id"])
    assert answered.get("error", {}).get("code") == code


@served_by_auto
async def test_an_id_too_large_to_be_held_is_not_answered_with_another(auto: Editor) -> None:
    before = len(auto.received)
    for number in (b"9" * 5000, b"-1e999"):
        auto.send_bytes(raw(b'{"jsonrpc": "2.0", "id": ' + number + b', "method": "agentfs/status"}'))
    await auto.request("agentfs/status")
    refused = [one for one in auto.received[before:] if "error" in one]
    assert [(one["id"], one["error"]["code"]) for one in refused] == [(None, INVALID_REQUEST)] * 2


@served_by_auto
async def test_a_request_without_params_gets_an_envelope(auto: Editor) -> None:
    auto.send({"jsonrpc": "2.0", "id": "no params", "method": "agentfs/read"})
    answered = await answer_to(auto, "no params")
    assert answered["result"]["error"]["code"] == "INVALID_PARAM"
    assert answered["result"]["context"]["params_input"] is None


@served_by_auto
async def test_odd_and_late_notifications_and_answers_disturb_nobody(auto: Editor) -> None:
    (auto.root / "odd.py").write_text("one\n")
    before = len(auto.received)
    auto.open("odd.py")
    auto.close("odd.py")
    uri = {"uri": auto.uri("odd.py"), "version": 9}
    for method, params in [
        ("textDocument/didChange", {"textDocument": uri, "contentChanges": [{"text": "late"}]}),
        ("textDocument/didClose", {"textDocument": uri}),
        ("textDocument/didSave", {"textDocument": uri}),
        ("textDocument/didChange", None),
        ("textDocument/didOpen", {"textDocument": {"uri": 5}}),
        ("agentfs/documentState", {"uri": []}),
        ("agentfs/write", {"path": "never.py", "content": "a request without an id"}),
        ("agentfs/noSuchThing", {}),
        ("shutdown", None),
        ("initialize", {}),
        ("$/cancelRequest", {"id": "nobody's"}),
        ("$/cancelRequest", {"id": True}),
        ("$/setTrace", {"value": {"jsonrpc": "2.0"}}),
        ("$/progress", 5),
        ("window/workDoneProgress/cancel", {"token": []}),
        ("notebookDocument/didChange", {"notebookDocument": 1}),
        ("workspace/didChangeWorkspaceFolders", {"event": {"added": 1, "removed": [{}]}}),
        ("workspace/didChangeWatchedFiles", "x"),
    ]:
        auto.notify(method, params)
    for answer in [
        {"jsonrpc": "2.0", "id": "agentfs-1", "result": {}},
        {"jsonrpc": "2.0", "id": "agentfs-99999", "result": None},
        {"jsonrpc": "2.0", "id": 7, "result": 1, "error": {"code": "x"}},
        {"jsonrpc": "2.0", "id": [1], "error": None},
        {"id": None, "error": {"code": -32600, "message": "what?"}},
    ]:
        auto.send(answer)
    assert (await auto.read("odd.py"))["data"]["source"] == "disk"
    assert auto.received[before:-1] == []
    assert not (auto.root / "never.py").exists()


async def test_a_body_over_the_limit_is_answered_and_skipped(root: Path) -> None:
    async with editing(root, arguments=["--stdio", "--max-message-mib", "1"]) as editor:
        editor.start_as("big", "agentfs/write", {"path": "a.py", "content": "x" * (1 << 20)})
        refused = await answer_to(editor, "big")
        assert refused["error"]["code"] == INVALID_REQUEST
        assert (await editor.request("agentfs/status"))["status"] == "success"
        editor._waiting.clear()
    assert list(root.iterdir()) == []


def test_a_client_that_reads_late_holds_nothing_up(root: Path) -> None:
    (root / "a.txt").write_text("x" * 60_000)
    with started(root) as server:
        for number in range(2, 200):  # 12 MB of responses
            server.stdin.write(raw(request(number, "agentfs/read", path="a.txt", limit=0)))
        server.stdin.write(raw(request(200, "shutdown")) + frame({"jsonrpc": "2.0", "method": "exit"}))
        server.stdin.flush()  # all of it is accepted, though no response has been read
        sent = server.stdout.read()
        assert server.wait() == 0
    assert sent.count(b'"jsonrpc"') == 200


def test_a_log_that_nobody_reads_holds_nothing_up(root: Path) -> None:
    with started(root, stderr=subprocess.PIPE) as server:
        for _ in range(5000):
            server.stdin.write(raw(b"{"))
        server.stdin.write(raw(request(2, "shutdown")) + frame({"jsonrpc": "2.0", "method": "exit"}))
        server.stdin.close()
        sent = server.stdout.read()
        assert server.wait() == 0
        assert b"malformed message" in server.stderr.read()
    assert sent.count(b'"jsonrpc"') == 5002
