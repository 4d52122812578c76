"""The handshake with every recorded editor, through pytest-lsp's client, which checks the specification:
docs/protocol.md#1-start-and-transport."""

import os
import sys
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import converters, types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

from agentfs_lsp import __version__
from support.editor import connected, recorded

CAPABILITIES = Path(__file__).parents[1] / "editors" / "capabilities"
OURS = sorted(path.name.removesuffix("-client-capabilities.json") for path in CAPABILITIES.glob("*.json"))
THEIRS = sorted(
    path.name.removesuffix(".json").replace("_v", "@v")
    for path in files("pytest_lsp.clients").iterdir()
    if path.name.endswith(".json")
)

CONVERTER = converters.get_converter()


def initialize_params(editor: str, root: Path) -> types.InitializeParams:
    """What this editor sends, with `root` open."""
    if "@" in editor:
        info, capabilities = types.ClientInfo(editor.partition("@")[0]), client_capabilities(editor)
    else:
        known = recorded(editor)
        info = CONVERTER.structure(known["clientInfo"], types.ClientInfo | None)
        capabilities = CONVERTER.structure(known["capabilities"], types.ClientCapabilities)
    return types.InitializeParams(
        capabilities=capabilities,
        client_info=info,
        process_id=os.getpid(),
        root_uri=root.as_uri(),
        workspace_folders=[types.WorkspaceFolder(root.as_uri(), root.name)],
    )


@pytest_asyncio.fixture(params=[*OURS, *THEIRS])
async def client(request: pytest.FixtureRequest, root: Path) -> AsyncIterator[LanguageClient]:
    client = make_test_lsp_client()
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _: None)
    env = {**os.environ, "XDG_STATE_HOME": str(root.parent / "state")}
    await client.start_io(sys.executable, "-m", "agentfs_lsp", env=env)
    client.result = await client.initialize_session(initialize_params(request.param, root))
    yield client
    await client.shutdown_session()
    assert client.error is None


async def ask(client: LanguageClient, method: str, **params: Any) -> Any:
    return await client.protocol.send_request_async(method, params)


async def test_every_editor_shakes_hands_and_is_served(client: LanguageClient, root: Path) -> None:
    result = client.result
    told = result.capabilities
    assert result.server_info == types.ServerInfo("agentfs-lsp", __version__)
    served = told.experimental["agentfs"]
    assert served["version"] == "1"
    assert {"agentfs/read", "agentfs/write", "agentfs/edit", "agentfs/status"} <= set(served["methods"])
    assert told.workspace.workspace_folders == types.WorkspaceFoldersServerCapabilities(
        supported=True, change_notifications=True
    )
    assert "agentfs.manual" in told.execute_command_provider.commands
    sync = told.text_document_sync
    assert (sync.open_close, sync.change) == (True, types.TextDocumentSyncKind.Incremental)

    general = client.capabilities.general
    offered = (general and general.position_encodings) or ["utf-16"]
    assert told.position_encoding in offered

    (root / "a.py").write_text("disk\n")
    opened = types.TextDocumentItem((root / "a.py").as_uri(), "python", 1, "😀 typed\n")
    client.text_document_did_open(types.DidOpenTextDocumentParams(opened))
    width = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[told.position_encoding]
    line_start, behind = types.Position(0, 0), types.Position(0, width)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, opened.uri),
            [types.TextDocumentContentChangePartial(types.Range(line_start, behind), "漢")],
        )
    )
    answer = await ask(client, "agentfs/read", path="a.py")
    assert (answer.status, answer.data.content, answer.data.source) == ("success", "漢 typed\n", "editor")
    assert client.messages == []
    assert client.log_messages == []


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {"capabilities": None, "workspaceFolders": 7, "initializationOptions": "x", "locale": 3},
        {
            "capabilities": {
                "workspace": [],
                "window": {"showDocument": 1},
                "general": {"positionEncodings": "x"},
            }
        },
        {
            "workspaceFolders": [
                None,
                {},
                {"uri": 1},
                {"uri": "file:///a%00b"},
                {"uri": "\ud800"},
                {"uri": ""},
            ]
        },
        {"rootUri": "file:///%ff%fe\ud800", "processId": "x", "clientInfo": [], "trace": {}, "jsonrpc": 1},
        {"rootPath": "/no such\ud800/\0", "capabilities": {"experimental": {"agentfs": {"review": "yes"}}}},
    ],
)
async def test_a_handshake_of_any_shape_is_answered_and_opens_nothing(root: Path, params: Any) -> None:
    async with connected(root) as editor:
        result = await editor.request("initialize", params)
        assert result["capabilities"]["positionEncoding"] == "utf-16"
        editor.notify("initialized", params)
        status = await editor.request("agentfs/status")
        assert (status["data"]["mode"], status["data"]["rung"]) == ("manual", "message")
        refused = await editor.read("a.py")
        assert refused["error"]["code"] in {"ACCESS_DENIED", "NOT_FOUND", "INVALID_PARAM"}
