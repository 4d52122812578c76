"""`create_server`: creates a pygls language server with every feature of agentfs registered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agentfs_lsp.adapters.review.diff_file import DiffFiles
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.features.agents import register_agents
from agentfs_lsp.lsp.features.documents import register_documents
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS, register_editor
from agentfs_lsp.lsp.features.lifecycle import register_lifecycle
from agentfs_lsp.lsp.features.workspace import register_workspace
from agentfs_lsp.lsp.language_server import AgentfsLanguageServer
from agentfs_lsp.service.files.store import FileStore
from agentfs_lsp.service.operations import Observer
from agentfs_lsp.service.programs import Programs
from agentfs_lsp.service.proposal.record import History


def create_server(
    send: Callable[[dict[str, Any]], None],
    stop: Callable[[int], None],
    files: FileStore,
    history: History,
    diff_files: DiffFiles,
    own_folders: Sequence[str],
    catalog: Callable[[str], Translate],
    observers: Sequence[Observer] = (),
    programs: Programs | None = None,
) -> AgentfsLanguageServer:
    """Create the server of one connection; requires a running event loop. Pass each incoming JSON-RPC
    message, as a dict, to `server.protocol.handle_message`.

    `send` takes each outgoing message and must not block; `stop` takes the exit code after the client's
    `exit`; `own_folders` are absolute paths that no agent may touch, the user's state folder first;
    `catalog` returns a locale's texts; `observers` are told about each operation of an agent; `programs` runs
    the user's formatters.

    Further features are registered as with any pygls server::

        server = create_server(...)

        @server.feature("example/shout")
        def shout(ls: AgentfsLanguageServer, params: dict[str, str]) -> dict[str, str]:
            return {"text": params["text"].upper()}"""
    server = AgentfsLanguageServer(
        send,
        stop,
        files,
        history,
        diff_files,
        own_folders,
        catalog,
        to_the_end=tuple(EDITOR_REQUESTS),
        observers=observers,
    )
    if programs is not None:
        server.workspace.programs = programs
    register_agents(server)
    register_editor(server)
    register_documents(server)
    register_workspace(server)
    register_lifecycle(server)
    return server
