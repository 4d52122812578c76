"""Text synchronization of open documents (docs/protocol.md#1-start-and-transport)."""

from __future__ import annotations

from lsprotocol import types

from agentfs_lsp.lsp.language_server import AgentfsLanguageServer


def register_documents(server: AgentfsLanguageServer) -> None:

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: AgentfsLanguageServer, params: object) -> None:
        ls.documents.opened(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: AgentfsLanguageServer, params: object) -> None:
        ls.documents.changed(params)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(ls: AgentfsLanguageServer, params: object) -> None:
        ls.documents.saved(params)
        ls.configuration.look()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: AgentfsLanguageServer, params: object) -> None:
        ls.documents.closed(params)

    @server.feature("agentfs/documentState")
    def document_state(ls: AgentfsLanguageServer, params: object) -> None:
        ls.documents.state_reported(params)
