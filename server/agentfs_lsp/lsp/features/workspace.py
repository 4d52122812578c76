"""Folders, settings, and encodings, as reported by the client (docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

from lsprotocol import types

from agentfs_lsp.lsp.file_encodings import file_encodings
from agentfs_lsp.lsp.language_server import AgentfsLanguageServer
from agentfs_lsp.lsp.raw import member


def register_workspace(server: AgentfsLanguageServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(ls: AgentfsLanguageServer, params: object) -> None:
        asking = ls.configuration.pushed(ls.client, member(params, "settings"))
        if asking is not None:
            ls.in_background(asking)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(ls: AgentfsLanguageServer, _: object) -> None:
        ls.configuration.look()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(ls: AgentfsLanguageServer, params: object) -> None:
        ls.folders.changed(params)
        ls.configuration.roots_changed()
        ls.tools_may_have_changed()

    @server.feature("agentfs/fileEncodings")
    def told_file_encodings(ls: AgentfsLanguageServer, params: object) -> None:
        ls.workspace.encodings = file_encodings(params)
