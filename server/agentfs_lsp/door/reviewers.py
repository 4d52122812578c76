"""The reviewers' socket: one reviewer's connection, without I/O, and the socket of all
(docs/protocol.md#18-the-reviewers-socket). What reviewers may ask is the host's."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from agentfs_lsp import __version__
from agentfs_lsp.adapters.review.pairing import Turn
from agentfs_lsp.api.answers.proposal import proposed_on_wire
from agentfs_lsp.api.pending_requests import DelayedResponse
from agentfs_lsp.domain.errors import WithdrawnReason
from agentfs_lsp.door.connection import ClosingHost, Connection
from agentfs_lsp.door.listener import Listener, Wire
from agentfs_lsp.jsonrpc.codec import INVALID_PARAMS, METHOD_NOT_FOUND, RequestId
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.sockets import discovery
from agentfs_lsp.sockets.discovery import PROTOCOL_VERSION
from agentfs_lsp.sockets.pairing import NONCE_BYTES, code, commitment

NOT_PAIRED: Final = -32003
"""The user did not allow it, or could not be asked."""


class ReviewersHost(ClosingHost, Protocol):
    """The server behind the reviewers' door."""

    @property
    def reviewer_requests(self) -> Mapping[str, Callable[[object], object]]:
        """The handlers of what a paired reviewer may send."""

    def pairing(self) -> Turn:
        """The turn of a reviewer that is about to get the server's nonce."""

    def attach(self, reviewer: ReviewerConnection) -> None:
        """From now on, tell this reviewer about proposals; first about those under review."""

    def detach(self, reviewer: ReviewerConnection) -> None:
        """It has gone. Does nothing if it was not attached."""

    def settled_on_wire(self, proposal: Proposal) -> object:
        """The params of `agentfs/settled`."""


class ReviewerConnection(Connection):
    """`pid`: the reviewer's process."""

    _host: ReviewersHost

    def __init__(self, host: ReviewersHost, token: str, editor: str, wire: Wire, pid: int) -> None:
        super().__init__(host, token, editor, wire.send, wire.close)
        self._pid = pid
        self._nonce = b""
        self._commitment = ""
        self._turn: Turn | None = None
        self._is_paired = False

    def _handle(self, message: Mapping[str, Any], size: int) -> None:
        method, params, ident = message.get("method"), message.get("params"), message.get("id")
        if (turn := self._turn) is None:
            self._attach(ident, method, params)
        elif method == "$/cancelRequest":
            self._cancel(params)
        elif "id" not in message or not self._is_serving(ident, method):
            return
        elif not self._is_paired:
            self._pair(turn, message["id"], method, params)
        elif (handler := self._host.reviewer_requests.get(str(method))) is None:
            self._refuse(ident, METHOD_NOT_FOUND, f"Reviewers have no method {str(method)[:100]}.")
        else:
            self._pending.serve(message["id"], handler, params, size)

    def _attach(self, ident: object, method: object, params: Any) -> None:
        """The first message: the reviewer commits to its nonce, and gets the server's."""
        if self._accepted(ident, method, params, "reviewer") is None:
            return
        committed = params.get("commitment")
        if not isinstance(committed, str) or not committed:
            self._refuse(ident, INVALID_PARAMS, "commitment must be the SHA-256 of the nonce.")
            self.hang_up()
        elif self._pid == 0:
            self._refuse(ident, NOT_PAIRED, "The system does not tell which process this is.")
            self.hang_up()
        else:
            self._turn = self._host.pairing()
            self._commitment, self._nonce = committed, secrets.token_bytes(NONCE_BYTES)
            self._answer(
                ident,
                {
                    "protocolVersion": PROTOCOL_VERSION,
                    "server": {"name": "agentfs-lsp", "version": __version__},
                    "editor": self._editor,
                    "roots": [root.path for root in self._host.workspace.roots],
                    "nonce": self._nonce.hex(),
                },
            )

    def _pair(self, turn: Turn, ident: RequestId, method: object, params: Any) -> None:
        """The second message, once a connection: any other, and any answer but the user's yes, ends it."""
        nonce = params.get("nonce") if isinstance(params, dict) else None
        try:
            given = bytes.fromhex(nonce) if isinstance(nonce, str) else b""
        except ValueError:
            given = b""
        if self.is_attached:
            self._refuse(ident, NOT_PAIRED, "The user has not answered yet.")
            return
        if method != "agentfs/pair":
            self._refuse(ident, NOT_PAIRED, "The second message must be the request agentfs/pair.")
        elif len(given) != NONCE_BYTES or not hmac.compare_digest(
            commitment(given).encode(), self._commitment.encode("utf-8", "replace")
        ):
            self._refuse(ident, INVALID_PARAMS, "nonce is not what the reviewer committed to.")
        else:
            self.is_attached = True
            shown = code(given, self._nonce, self._pid)
            self._pending.serve(ident, lambda _: self._paired(turn, shown), None)
            return
        self.hang_up()

    def _paired(self, turn: Turn, shown: str) -> DelayedResponse:
        work: Coroutine[Any, Any, object] = self._asked(turn, shown)
        return DelayedResponse(work, sent=lambda _: None if self._is_paired else self.hang_up())

    async def _asked(self, turn: Turn, shown: str) -> object:
        pairing = await turn.ask(shown, self._begin)
        if pairing.is_allowed:
            return {"ok": True}
        return {"ok": False, "code": pairing.outcome, "reason": pairing.reason}

    def _begin(self) -> None:
        """The user has allowed it."""
        self._is_paired = True
        self._host.attach(self)

    # --- what is told -------------------------------------------------------------------------------------

    def proposed(self, proposal: Proposal) -> None:
        """A proposal waits for a decision."""
        self._notify("agentfs/proposed", proposed_on_wire(proposal, self._host.language()))

    def settled(self, proposal: Proposal) -> None:
        """A proposal that waited has ended."""
        self._notify("agentfs/settled", self._host.settled_on_wire(proposal))

    def hang_up(self) -> None:
        """It decides nothing from now on, and its turn is over."""
        if self._turn is not None:
            self._turn.end()
        self._host.detach(self)
        super().hang_up()

    async def cut_off(self, reason: WithdrawnReason) -> None:
        """Also no longer a reviewer, before what it asked for is finished."""
        self._host.detach(self)
        await super().cut_off(reason)

    async def finish(self) -> None:
        """Also no longer a reviewer. What it has settled lands."""
        self._host.detach(self)
        await super().finish()


class ReviewersSocket(Listener[ReviewerConnection]):
    """The reviewers' door of one server."""

    _host: ReviewersHost

    def __init__(self, host: ReviewersHost, editor: Callable[[], str]) -> None:
        super().__init__(host, editor)

    def _folder(self) -> Path:
        return discovery.reviewers_folder()

    def _is_on(self) -> bool:
        return self._host.workspace.settings.reviewers.socket

    def _connect(self, token: str, pid: int, wire: Wire, *, is_shut_out: bool) -> ReviewerConnection:  # noqa: ARG002
        return ReviewerConnection(self._host, token, self._editor(), wire, pid)
