"""An agent's end of a connection to agentfs, without I/O.

Feed it the bytes that arrive, and send the bytes that `take` returns. With `reviews` it is also the whole
editor: it shows each proposal as a `Proposed` event and carries out the decision. No documents are open in
such an editor, so it has nothing to apply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from agentfs_lsp.client.endpoint import Endpoint
from agentfs_lsp.client.reviews import MAX_ATTEMPTS, Amend, Decision, Reject, Review, ReviewedFile
from agentfs_lsp.jsonrpc.codec import METHOD_NOT_FOUND

PENDING: Final = "agentfs:pending"
FEEDBACK_LIMIT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Responded:
    """The response to a request: its result, or `code` and `message` of a JSON-RPC error."""

    id: int
    result: Any = None
    code: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal waits for `Protocol.decide`. Comes again, with `Review.problem`, after a decision that the
    server could not use."""

    review: Review


@dataclass(frozen=True, slots=True)
class ToolsChanged:
    """The definitions of the tools have changed; ask for them again."""


@dataclass(frozen=True, slots=True)
class Told:
    """A message for the user, such as a warning about invalid settings."""

    text: str


Event = Responded | Proposed | ToolsChanged | Told


class Protocol(Endpoint):
    """One connection. Not thread-safe: use it from one thread, or behind a lock."""

    def __init__(self, *, reviews: bool = False) -> None:
        self._outgoing: list[bytes] = []
        super().__init__(self._outgoing.append)
        self._reviews = reviews
        self._own: dict[int, Callable[[Mapping[str, Any]], Event | None]] = {}
        self._shown: dict[str, Review] = {}

    def take(self) -> bytes:
        """The bytes to send since the last call."""
        data = b"".join(self._outgoing)
        self._outgoing.clear()
        return data

    def initialize(self, root: Path, settings: Mapping[str, Any]) -> int:
        """Send the request that begins a connection to a server of one's own. `root` is absolute."""
        uri = root.as_uri()
        params = {
            "processId": None,
            "clientInfo": {"name": "agentfs_lsp.client"},
            "locale": "en",
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": root.name}],
            "initializationOptions": settings,
            "capabilities": {
                "general": {"positionEncodings": ["utf-32", "utf-16"]},
                "workspace": {
                    "applyEdit": True,
                    "workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}},
                    "workspaceFolders": True,
                },
                "experimental": {"agentfs": {"review": self._reviews, "save": True}},
            },
        }
        return self.request("initialize", params)

    def decide(self, review: Review, decision: Decision) -> None:
        """Settle a proposal that `Proposed` showed. Does nothing if it has ended meanwhile."""
        if review.id not in self._shown:
            return

        def settled(reply: Mapping[str, Any]) -> Event | None:
            edit = reply.get("apply")
            if edit is not None:  # a document is open, although none can be
                uris = [change["textDocument"]["uri"] for change in edit["documentChanges"]]
                files = [
                    {"uri": uri, "applied": False, "reason": "No document is open here."} for uri in uris
                ]
                self._ask("agentfs/applied", {"id": review.id, "files": files}, lambda _: None)
            if reply.get("code") != "INVALID_PARAM" or review.id not in self._shown:
                return None
            problem, attempt = str(reply.get("reason")), review.attempt + 1
            again = replace(review, problem=problem, attempt=attempt)
            if attempt <= MAX_ATTEMPTS:
                return self._show(again)
            if attempt == MAX_ATTEMPTS + 1:
                why = f"The program that reviews changes gave no usable answer: {problem}"
                self.decide(again, Reject(why))
            return None

        self._ask("agentfs/settle", _settlement(review, decision), settled)

    def end(self) -> None:
        """The connection is over, and every proposal with it."""
        for review in self._shown.values():
            review.ended.set()
        self._shown.clear()

    # --- what arrives -------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> list[Event]:
        """Take bytes that arrived; returns what happened. Raises ProtocolError."""
        events: list[Event] = []
        for message in self.messages(data):
            event = self._handle(message)
            if event is not None:
                events.append(event)
        return events

    def _handle(self, message: Mapping[str, Any]) -> Event | None:
        method, ident, params = message.get("method"), message.get("id"), message.get("params")
        if method is None:
            return self._responded(message)
        params = params if isinstance(params, dict) else {}
        match method:
            case "agentfs/proposed":
                proposal = str(params.get("id"))
                self._ask("agentfs/proposal", {"id": proposal}, lambda reply: self._show(_review(reply)))
            case "agentfs/settled":
                ended = self._shown.pop(str(params.get("id")), None)
                if ended is not None:
                    ended.ended.set()
            case "agentfs/toolsChanged":
                return ToolsChanged()
            case "window/showMessage":
                return Told(str(params.get("message", "")))
            case "workspace/applyEdit":
                self.answer(ident, {"applied": False, "failureReason": PENDING})
            # A question in a message, too, is answered with this error: nobody is there to be asked.
            case _ if ident is not None:
                self.refuse(ident, METHOD_NOT_FOUND, f"{method} is not known here.")
        return None

    def _responded(self, message: Mapping[str, Any]) -> Event | None:
        ident, error = message.get("id"), message.get("error")
        if not isinstance(ident, int):
            return None
        then = self._own.pop(ident, None)
        if then is not None:
            if isinstance(error, dict):
                return then({"code": "INVALID_PARAM", "reason": error.get("message")})
            result = message.get("result")
            return then(result if isinstance(result, dict) else {})
        if isinstance(error, dict):
            code = error.get("code")
            return Responded(ident, None, code if isinstance(code, int) else 0, str(error.get("message", "")))
        return Responded(ident, message.get("result"))

    def _show(self, review: Review | None) -> Event | None:
        if review is None:
            return None  # it has ended meanwhile
        self._shown[review.id] = review
        return Proposed(review)

    # --- what is sent -------------------------------------------------------------------------------------

    def _ask(self, method: str, params: object, then: Callable[[Mapping[str, Any]], Event | None]) -> None:
        """A request of the review, whose result `then` gets; after an error, one that names what is wrong."""
        self._own[self.request(method, params)] = then


def _review(reply: Mapping[str, Any]) -> Review | None:
    """The proposal in a response to `agentfs/proposal`; None if that is a refusal."""
    if "files" not in reply:
        return None
    files = tuple(
        ReviewedFile(
            uri=file["uri"],
            path=file["path"],
            operation=file["operation"],
            before=file["base_text"],
            after=file["proposed_text"],
            warnings=tuple(file["warnings"]),
        )
        for file in reply["files"]
    )
    told = {key: reply[key] for key in ("id", "title", "tool", "session", "agent", "explanation", "atomic")}
    return Review(**told, files=files, blind="blind" in reply)


def _settlement(review: Review, decision: Decision) -> dict[str, Any]:
    """The params of `agentfs/settle`. Raises ValueError for files that are not in the proposal."""
    if isinstance(decision, Reject):
        told: dict[str, Any] = {"decision": "rejected", "feedback": decision.reason[:FEEDBACK_LIMIT]}
    else:
        texts = decision.texts if isinstance(decision, Amend) else {}
        uris = {file.path: file.uri for file in review.files}
        if unknown := {*texts, *decision.rejected} - set(uris):
            raise ValueError(f"not in the proposal: {', '.join(sorted(unknown))}")
        amended = [{"uri": uris[path], "decision": "amended", "text": text} for path, text in texts.items()]
        rejected = [
            {"uri": uris[path], "decision": "rejected", "feedback": reason[:FEEDBACK_LIMIT]}
            for path, reason in decision.rejected.items()
        ]
        told = {
            "decision": "amended" if amended else "accepted",
            "feedback": decision.feedback[:FEEDBACK_LIMIT],
            "files": amended + rejected,
        }
    return {"id": review.id} | {key: value for key, value in told.items() if value}
