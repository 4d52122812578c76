"""The agents' socket: one agent's connection, without I/O, and the socket of all
(docs/protocol.md#16-the-agents-socket)."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from agentfs_lsp import __version__
from agentfs_lsp.api.exchange import Request
from agentfs_lsp.api.methods import AGENT_REQUESTS
from agentfs_lsp.api.serving import serve
from agentfs_lsp.domain.errors import WithdrawnReason
from agentfs_lsp.door.connection import LONGEST_NAME, ClosingHost, Connection
from agentfs_lsp.door.listener import Listener, Wire
from agentfs_lsp.jsonrpc.codec import METHOD_NOT_FOUND
from agentfs_lsp.service.state.outside import OutsideAgent
from agentfs_lsp.service.state.tool_scope import file_scopes
from agentfs_lsp.sockets import discovery
from agentfs_lsp.sockets.discovery import PROTOCOL_VERSION, started_at

DISCONNECTED: Final = -32001

_UNNAMED: Final = re.compile(r"[^\w .-]+")


class AgentConnection(Connection):
    """`disconnect` is called when the user disconnects the agent: it calls `cut_off` of all connections of
    its process. `is_shut_out`: the user did so before with this process."""

    def __init__(
        self,
        host: ClosingHost,
        token: str,
        editor: str,
        wire: Wire,
        disconnect: Callable[[], Awaitable[None]],
        *,
        is_shut_out: bool,
    ) -> None:
        super().__init__(host, token, editor, wire.send, wire.close)
        self._disconnect = disconnect
        self._is_shut_out = is_shut_out
        self._id = secrets.token_hex(8)
        self._namespace = ""
        self._label = ""

    def _handle(self, message: Mapping[str, Any], size: int) -> None:
        method, params, ident = message.get("method"), message.get("params"), message.get("id")
        if not self.is_attached:
            self._attach(ident, method, params)
        elif method == "$/cancelRequest":
            self._cancel(params)
        elif "id" not in message or not self._is_serving(ident, method):
            return
        elif (request := AGENT_REQUESTS.get(str(method))) is None:
            self._refuse(ident, METHOD_NOT_FOUND, f"Agents have no method {str(method)[:100]}.")
        else:
            self._pending.serve(message["id"], partial(self._serve, request), params, size)

    def _attach(self, ident: object, method: object, params: Any) -> None:
        """The first message. Any other ends the connection."""
        accepted = self._accepted(ident, method, params, "agent")
        if accepted is None:
            return
        if self._is_shut_out:
            why = "The user has disconnected this program. It must be restarted to connect again."
            self._refuse(ident, DISCONNECTED, why)
            self.hang_up()
            return
        self.is_attached = True
        self._label = accepted[1]
        # The id is random, so that no other agent can name this one's sessions.
        self._namespace = f"{_UNNAMED.sub('', self._label)[:30]} {self._id}/"
        version = params["client"].get("version")
        ws = self._host.workspace
        ws.outside.add(
            OutsideAgent(
                self._id,
                self._label,
                version[:LONGEST_NAME] if isinstance(version, str) else None,
                self._namespace,
                ws.clock.now_ms(),
                self._disconnect,
            )
        )
        self._answer(
            ident,
            {
                "protocolVersion": PROTOCOL_VERSION,
                "server": {"name": "agentfs-lsp", "version": __version__},
                "editor": self._editor,
                "roots": [root.path for root in ws.roots],
            },
        )

    def _serve(self, request: Request, params: object) -> object:
        """Agents' requests know no other sessions than those of their connection."""
        given = params or {}
        if not isinstance(given, dict):  # no request takes these
            return serve(self._host, request, given, namespace=self._namespace)
        agent, mine = given.get("agent"), dict(given)
        if agent is None or isinstance(agent, str):
            shown = " ".join((agent or "").split())[:LONGEST_NAME] or self._label
            translate = self._host.language()
            mine["agent"] = translate("outside: {agent}", agent=shown)
        return serve(self._host, request, mine, namespace=self._namespace, raw=given)

    def tools_changed(self) -> None:
        """The definitions of the tools have changed."""
        if self.is_attached:
            self._notify("agentfs/toolsChanged", {})

    async def cut_off(self, reason: WithdrawnReason) -> None:
        """End the connection, and tell the agent why its changes were withdrawn."""
        if self.is_attached:
            for proposal in self._host.workspace.proposals:
                if proposal.session.startswith(self._namespace):
                    proposal.withdraw(reason)
        await super().cut_off(reason)

    async def finish(self) -> None:
        """Also forget the sessions."""
        await super().finish()
        if self.is_attached:
            self._host.workspace.sessions.end_all(self._namespace)
            self._host.workspace.outside.remove(self._id)


class AgentsSocket(Listener[AgentConnection]):
    """The agents' door of one server."""

    def __init__(self, host: ClosingHost, editor: Callable[[], str]) -> None:
        super().__init__(host, editor)
        self._shut_out: set[tuple[int, str]] = set()
        self._catalog: object = None

    def _folder(self) -> Path:
        return discovery.folder()

    def _is_on(self) -> bool:
        return self._host.workspace.settings.agents.socket

    async def _update(self) -> None:
        await super()._update()
        ws = self._host.workspace
        before, self._catalog = self._catalog, (file_scopes(ws), [root.path for root in ws.roots])
        if before not in (None, self._catalog):
            for connection in self._connections:
                connection.tools_changed()

    def _connect(self, token: str, pid: int, wire: Wire, *, is_shut_out: bool) -> AgentConnection:  # noqa: ARG002
        connection = AgentConnection(
            self._host,
            token,
            self._editor(),
            wire,
            lambda: self._disconnect(connection),
            is_shut_out=is_shut_out,
        )
        return connection

    async def _disconnect(self, connection: AgentConnection) -> None:
        """End all connections of the process, and refuse further ones: all that its program only claims can
        change."""
        if connection not in self._connections:
            return  # it has ended by itself
        pid = self._connections[connection].pid
        started = await asyncio.to_thread(started_at, pid)
        ended = [connection]
        if started is not None:
            self._shut_out.add((pid, started))
            ended = [one for one, carrier in self._connections.items() if carrier.pid == pid]
        await asyncio.gather(*(one.cut_off("disconnected") for one in ended))

    async def _is_shut_out(self, pid: int) -> bool:
        if all(pid != one for one, _ in self._shut_out):
            return False
        return (pid, await asyncio.to_thread(started_at, pid)) in self._shut_out
