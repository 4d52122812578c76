"""There is one way out for texts shown to the user, and it removes links from all of them."""

import ast
import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import agentfs_lsp
from agentfs_lsp.adapters.catalog import translator_for
from agentfs_lsp.domain.text.width import width_of
from agentfs_lsp.lsp.editor import LspEditor
from agentfs_lsp.lsp.outgoing import LINE_COLUMNS, Outgoing

PACKAGE = Path(agentfs_lsp.__file__).parent
SHOWING = ("window/", "$/progress", "workspace/applyEdit")
SENDING = {"self._outgoing.notify", "self._outgoing.request", "self._notify"}
LINK = "[Details](command:workbench.action.terminal.sendSequence)"
SAFE = r"[Details]\x28command:workbench.action.terminal.sendSequence)"


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Every module of the server, not of its clients."""
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(("client/", "demo/")):
            yield name, ast.parse(path.read_text())


def test_only_one_module_makes_messages_with_a_method() -> None:
    makers = {
        name
        for name, module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Dict)
        and {"jsonrpc", "method"} <= {key.value for key in node.keys if isinstance(key, ast.Constant)}
    }
    assert makers == {"lsp/outgoing.py", "door/connection.py"}  # the latter shows nothing to the user


def test_what_shows_something_is_sent_that_way() -> None:
    """These methods are only sent through `Outgoing`'s `notify` and `request`, or received; nothing uses
    pygls' own ways of showing messages."""
    sent_in_all = 0
    for name, module in modules():
        sent = {id(method) for method in sent_in(module)}
        sent_in_all += len(sent)
        for node in ast.walk(module) if name != "lsp/outgoing.py" else ():
            if isinstance(node, ast.Attribute):
                assert "show_message" not in node.attr, (name, node.lineno)
            if isinstance(node, ast.Constant) and str(node.value).startswith(SHOWING):
                comes_in = node.value == "window/workDoneProgress/cancel"
                assert id(node) in sent or comes_in, (name, node.lineno)
    assert sent_in_all >= len(SHOWING)


def sent_in(module: ast.Module) -> Iterator[ast.expr]:
    """The expressions passed as method to anything that sends."""
    for call in ast.walk(module):
        match call:
            case ast.Call(func=ast.Attribute(), args=[method, *_]) if ast.unparse(call.func) in SENDING:
                yield method
            case ast.Call(args=[send, method, *_]) if ast.unparse(send) in SENDING:
                yield method


async def test_texts_for_the_user_lose_their_links_and_nothing_else_changes() -> None:
    sent: list[dict[str, Any]] = []
    outgoing = Outgoing(sent.append)
    outgoing.notify("window/showMessage", {"type": 2, "message": LINK})
    edit = {"documentChanges": [{"edits": [{"newText": LINK, "annotationId": "1"}]}]}
    annotation = {"label": LINK, "needsConfirmation": True, "description": LINK}
    outgoing.notify(
        "workspace/applyEdit", {"label": LINK, "edit": {**edit, "changeAnnotations": {"1": annotation}}}
    )
    files = [{"path": LINK, "uri": LINK, "outcome": "landed"}]
    outgoing.notify("agentfs/proposed", {"title": LINK, "agent": LINK, "explanation": LINK, "files": files})
    outgoing.notify("window/anyNewMessage", {"token": LINK, "parts": [{"tooltip": LINK}, 1, None]})
    outgoing.notify("window/showMessage", None)
    shown, applied, proposed, new, odd = (one["params"] for one in sent)
    assert shown == {"type": 2, "message": SAFE}
    assert applied == {
        "label": SAFE,
        "edit": {
            **edit,
            "changeAnnotations": {"1": {"label": SAFE, "needsConfirmation": True, "description": SAFE}},
        },
    }
    assert proposed == {"title": SAFE, "agent": LINK, "explanation": LINK, "files": files}
    assert (new, odd) == ({"token": LINK, "parts": [{"tooltip": SAFE}, 1, None]}, None)


async def test_the_last_withdrawn_question_is_waited_for_until_its_response() -> None:
    sent: list[dict[str, Any]] = []
    outgoing = Outgoing(sent.append)
    for method in ("window/showMessageRequest", "window/showMessageRequest", "window/showDocument"):
        request = asyncio.ensure_future(outgoing.request(method, {"message": "?"}))
        await asyncio.sleep(0)
        request.cancel()
        await asyncio.wait([request])
    _, _, last, *_ = sent
    waiting = asyncio.ensure_future(outgoing.withdrawn_answered.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    outgoing.answered({"id": last["id"], "error": {"code": -32800, "message": "cancelled"}})
    await asyncio.sleep(0)
    assert waiting.done()


async def test_an_answer_to_another_servers_question_answers_none() -> None:
    sent: list[dict[str, Any]] = []
    gone, outgoing = Outgoing(sent.append), Outgoing(sent.append)
    asking = [asyncio.ensure_future(one.request("window/showMessageRequest", {})) for one in (gone, outgoing)]
    await asyncio.sleep(0)
    for request, answer in zip(sent, ("old", "new"), strict=True):
        outgoing.answered({"id": request["id"], "result": answer})
    assert await asking[1] == "new"
    asking[0].cancel()


async def test_a_button_whose_title_lost_its_link_still_answers() -> None:
    sent: list[dict[str, Any]] = []
    outgoing = Outgoing(sent.append)
    asking = asyncio.ensure_future(
        LspEditor(outgoing, lambda: translator_for("en")).ask("?", ["No", "No", LINK])
    )
    await asyncio.sleep(0)
    (request,) = sent
    assert request["params"]["actions"] == [{"title": "No"}, {"title": "No"}, {"title": SAFE}]
    outgoing.answered({"id": request["id"], "result": {"title": SAFE}})
    assert await asking == LINK


async def test_a_message_waits_until_no_question_is_open() -> None:
    sent: list[dict[str, Any]] = []
    outgoing = Outgoing(sent.append)
    outgoing.messages_wait = True
    with outgoing.question():
        outgoing.tell(2, "told")
        assert not sent
    assert sent == [
        {"jsonrpc": "2.0", "method": "window/showMessage", "params": {"type": 2, "message": "told"}}
    ]


async def test_an_editor_of_one_line_gets_one_short_error_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentfs_lsp.lsp.outgoing.LINE_S", 3600.0)
    sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    outgoing = Outgoing(sent.put_nowait)
    outgoing.shows_one_line = True
    texts = [letter * 80 for letter in "ab"]
    for text in texts:
        outgoing.tell(3, text)
    first, shown, second = [await sent.get() for _ in range(3)]
    logged = [first, second]
    assert [one["params"] for one in logged] == [{"type": 2, "message": text} for text in texts]
    assert shown["method"] == "window/showMessage"
    assert shown["params"]["type"] == 1
    assert width_of(shown["params"]["message"]) == LINE_COLUMNS
    await asyncio.sleep(0)
    assert sent.empty()
