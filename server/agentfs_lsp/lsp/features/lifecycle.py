"""From `initialize` to `exit`, and cancellation (docs/protocol.md#1-start-and-transport)."""

from __future__ import annotations

from lsprotocol import types

from agentfs_lsp.api.pending_requests import DelayedResponse
from agentfs_lsp.lsp.capabilities import flatten, served
from agentfs_lsp.lsp.language_server import AgentfsLanguageServer
from agentfs_lsp.lsp.raw import member


def register_lifecycle(server: AgentfsLanguageServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: AgentfsLanguageServer, _: object) -> None:
        """Process the client's capabilities, and return the server's."""
        params = ls.protocol.handshake
        ls.client = client = flatten(params)
        ls.editor.traits, ls.editor.encoding = client.traits, client.position_encoding
        ls.protocol.outgoing.shows_one_line = client.shows_one_line
        ls.protocol.outgoing.messages_wait = client.messages_wait
        ls.found_in_editor.is_available = client.tells_diagnostics
        ls.documents.encoding = client.position_encoding
        ls.documents.ends_last_line = client.traits.ends_last_line
        ls.documents.least_version = client.traits.least_version
        ls.documents.ends_lines_at_cr = client.traits.ends_lines_at_cr
        ls.documents.tells_after_close = client.traits.tells_after_close
        ls.configuration.keeps_user_settings = client.keeps_user_settings
        ls.configuration.set_layer("initialization", member(params, "initializationOptions"))
        ls.choose_language()
        ls.folders.opened(params)
        ls.configuration.roots_changed()
        ls.in_background(ls.sweeping.begin())
        methods = [name for name in ls.protocol.fm.features if ls.protocol.is_own_request(name)]
        ls.capabilities = served(client, methods, list(ls.protocol.fm.commands))

    @server.feature(types.INITIALIZED)
    def initialized(ls: AgentfsLanguageServer, _: object) -> None:
        ls.announcements.begin(ls.client)
        ls.in_background(ls.configuration.begin(ls.client))
        ls.on_changed()

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: AgentfsLanguageServer, _: object) -> DelayedResponse:
        ls.protocol.begin_shutdown()
        return DelayedResponse(_finished(ls), lambda _: True)

    @server.feature(types.EXIT)
    def exit_(ls: AgentfsLanguageServer, _: object) -> None:
        code = 0 if ls.protocol.is_shutting_down else 1
        ls.protocol.begin_shutdown()
        ls.stop(code)

    @server.feature(types.CANCEL_REQUEST)
    def cancel(ls: AgentfsLanguageServer, params: object) -> None:
        ls.protocol.pending_requests.cancel(member(params, "id"))

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel_progress(ls: AgentfsLanguageServer, params: object) -> None:
        ls.protocol.pending_requests.cancel_progress(member(params, "token"))


async def _finished(server: AgentfsLanguageServer) -> None:
    await server.finish()
