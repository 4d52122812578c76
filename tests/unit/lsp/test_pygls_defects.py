"""The overrides in `lsp/protocol.py`, and the defect of unmodified pygls behind each
(docs/adr/0003-pygls.md). If a case passes with unmodified pygls, remove its override."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from agentfs_lsp.adapters.documents import OpenDocuments
from agentfs_lsp.domain.translation import english
from agentfs_lsp.lsp.protocol import AgentfsProtocol

Message = dict[str, Any]


class Server(LanguageServer):
    """An empty server that records what it sends and would show to the user."""

    def __init__(self, protocol_cls: type[LanguageServerProtocol]) -> None:
        super().__init__("probe", "1", protocol_cls=protocol_cls, converter_factory=default_converter)
        self.capabilities: Message = {}
        self.sent: list[Message] = []
        self.heard = asyncio.Event()
        self.shown: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    def report_server_error(self, error: Exception, source: Any) -> None:
        self.shown.append(type(error).__name__)

    def in_background(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.ensure_future(work))

    def write(self, data: bytes) -> None:
        """Like pygls' writer."""
        self.keep(json.loads(data.partition(b"\r\n\r\n")[2]))

    def keep(self, message: Message) -> None:
        self.sent.append(message)
        self.heard.set()

    def take(self, message: Message) -> None:
        """Like pygls' reader."""
        try:
            self.protocol.handle_message(self.protocol.structure_message(message))
        except Exception as error:  # the reader shows it to the user and continues
            self.report_server_error(error, type(error))

    def ask(self, method: str, params: object = None, **members: object) -> None:
        self.take({"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **members})

    def initialize(self) -> None:
        params = {"processId": None, "rootUri": None, "capabilities": {}}
        self.take({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        self.sent.clear()

    async def answered(self, messages: int = 1) -> Message:
        while len(self.sent) < messages:
            self.heard.clear()
            await self.heard.wait()
        return self.sent[0]


def stock() -> Server:
    server = Server(LanguageServerProtocol)
    server.protocol.set_writer(server)
    server.initialize()
    return server


def ours() -> Server:
    server = Server(AgentfsProtocol)
    assert isinstance(server.protocol, AgentfsProtocol)
    server.protocol.connect(server.keep, lambda: english)
    server.initialize()
    return server


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


# --- what comes in ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "same"), [(stock, False), (ours, True)])
async def test_params_reach_a_feature_as_they_came(make: Callable[[], Server], same: bool) -> None:
    server, got = make(), []
    sent = {"class": 1, "dry-run": True, "nested": {"_x": 2}}

    @server.feature("probe/params")
    def probe(params: Any) -> None:
        got.append(params)

    server.ask("probe/params", sent)
    assert (got == [sent]) is same


@pytest.mark.parametrize(
    "odd",
    [
        {"jsonrpc": "1.0", "id": 1, "method": "probe/odd", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "probe/odd"},
        {"jsonrpc": "2.0", "id": 1, "method": "probe/odd", "params": {"jsonrpc": "2.0"}, "more": 1},
    ],
    ids=["version", "no params", "more"],
)
@pytest.mark.parametrize(("make", "answers"), [(stock, 0), (ours, 1)])
async def test_every_request_is_answered(make: Callable[[], Server], answers: int, odd: Message) -> None:
    server = make()

    @server.feature("probe/odd")
    def probe(params: Any) -> bool:
        return True

    server.take(odd)
    assert len(server.sent) == answers


@pytest.mark.parametrize(("make", "told"), [(stock, True), (ours, False)])
async def test_an_exceptions_traceback_stays_here(make: Callable[[], Server], told: bool) -> None:
    server = make()

    @server.feature("probe/fail")
    def probe(params: Any) -> None:
        raise ValueError("what a file holds")

    server.ask("probe/fail", {})
    assert ("what a file holds" in json.dumps(server.sent)) is told


@pytest.mark.parametrize(("make", "answered"), [(stock, False), (ours, True)])
async def test_a_cancelled_request_is_answered_at_once(make: Callable[[], Server], answered: bool) -> None:
    server, go_on, begun = make(), threading.Event(), threading.Event()

    @server.feature("probe/slow")
    @server.thread()
    def slow(params: Any) -> None:
        begun.set()
        go_on.wait()

    @server.feature("$/cancelRequest")
    def cancel(params: Any) -> None:
        server.protocol.pending_requests.cancel(params["id"])

    server.ask("probe/slow", {})
    await asyncio.to_thread(begun.wait)
    server.take({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}})
    for _ in range(5):
        await asyncio.sleep(0)
    try:
        assert [one["error"]["code"] for one in server.sent] == ([-32800] if answered else [])
    finally:
        go_on.set()


@pytest.mark.parametrize(("make", "cancelled"), [(stock, True), (ours, False)])
async def test_shutdown_leaves_what_is_under_way(make: Callable[[], Server], cancelled: bool) -> None:
    server, go_on = make(), asyncio.Event()

    @server.feature("probe/landing")
    async def land(params: Any) -> str:
        await go_on.wait()
        return "landed"

    @server.feature("shutdown")
    def shutdown(params: Any) -> None: ...

    server.ask("probe/landing", {})
    await asyncio.sleep(0)
    server.ask("shutdown", id=2)
    go_on.set()
    await server.answered(2)
    (landing,) = [one for one in server.sent if one["id"] == 1]
    assert ("error" in landing) is cancelled


@pytest.mark.parametrize(("make", "shown"), [(stock, True), (ours, False)])
async def test_a_change_of_an_unknown_document_is_no_error(make: Callable[[], Server], shown: bool) -> None:
    server = make()
    change = {"text": "", "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}}
    params = {"textDocument": {"uri": "file:///gone", "version": 2}, "contentChanges": [change]}
    close = {"textDocument": {"uri": "file:///gone"}}
    server.take({"jsonrpc": "2.0", "method": "textDocument/didClose", "params": close})
    server.take({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params})
    assert bool(server.shown) is shown


async def test_lines_end_where_editors_end_them() -> None:
    """Text sync: pygls' is not registered at all."""
    uri, text = "file:///probe/a", "one\x0ctwo\nthree\n"
    place = {"line": 1, "character": 0}
    change = {"text": "X", "range": {"start": place, "end": place}}
    opened = {"textDocument": {"uri": uri, "languageId": "", "version": 1, "text": text}}
    changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]}

    server = stock()
    server.take({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": opened})
    server.take({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": changed})
    assert server.workspace.get_text_document(uri).source == "one\x0cXtwo\nthree\n"

    documents = OpenDocuments()
    documents.opened(opened)
    documents.changed(changed)
    document = documents.at("/probe/a")
    assert document is not None
    assert document.text == "one\x0ctwo\nXthree\n"


# --- the handshake ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol_cls", "starts"), [(LanguageServerProtocol, False), (AgentfsProtocol, True)]
)
async def test_odd_capabilities_at_start(protocol_cls: type[LanguageServerProtocol], starts: bool) -> None:
    server = Server(protocol_cls)
    server.protocol.set_writer(server)
    if isinstance(server.protocol, AgentfsProtocol):
        server.protocol.connect(server.keep, lambda: english)
    odd = {"textDocument": {"completion": {"completionItem": {"tagSupport": {"valueSet": "all"}}}}}
    server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": odd})
    assert bool(server.sent and "result" in server.sent[0]) is starts


# --- what goes out ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "shown"), [(stock, ["InvalidStateError"]), (ours, [])])
async def test_a_late_answer_is_dropped(make: Callable[[], Server], shown: list[str]) -> None:
    server = make()
    waiting = asyncio.ensure_future(server.protocol.send_request_async("probe/ask"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(0)
    server.take({"jsonrpc": "2.0", "id": server.sent[0]["id"], "result": None})
    assert server.shown == shown


@pytest.mark.parametrize(("make", "logged"), [(stock, True), (ours, False)])
async def test_bodies_are_not_logged(
    make: Callable[[], Server], logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    server = make()
    logging.disable(logging.NOTSET)
    with caplog.at_level(logging.INFO):
        server.protocol.notify("probe/told", {"text": "what a file holds"})
    assert ("what a file holds" in caplog.text) is logged


# --- features as with any pygls server --------------------------------------------------------------------


async def test_a_feature_gets_the_types_that_it_declares() -> None:
    server = ours()

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: Server, params: types.HoverParams) -> types.Hover:
        return types.Hover(contents=f"{params.position.line} of {params.text_document.uri}")

    at = {"textDocument": {"uri": "file:///a"}, "position": {"line": 3, "character": 0}}
    server.ask("textDocument/hover", at)
    assert server.sent[0]["result"] == {"contents": "3 of file:///a"}
    server.ask("textDocument/hover", {"position": "nowhere"})
    assert server.sent[1]["error"]["code"] == -32602


async def test_a_feature_may_be_a_coroutine_or_run_in_a_thread() -> None:
    server = ours()

    @server.feature("probe/later")
    async def later(ls: Server, params: Any) -> Any:
        await asyncio.sleep(0)
        return params

    @server.feature("probe/thread")
    @server.thread()
    def threaded(params: Any) -> bool:
        return threading.current_thread() is not threading.main_thread()

    server.ask("probe/later", {"a": 1})
    assert (await server.answered())["result"] == {"a": 1}
    server.sent.clear()
    server.ask("probe/thread", {})
    assert (await server.answered())["result"] is True
