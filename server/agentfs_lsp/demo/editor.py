"""A terminal client that acts as the editor (docs/protocol.md#91-review-clients).

It implements the whole protocol of a client that can review and save. Everything runs on the caller's
thread, while a call waits for its response. The `Reviewer` decides, and `screen` displays.
"""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Any

from agentfs_lsp.demo.documents import OpenDocuments, StaleEditError
from agentfs_lsp.demo.review import Proposal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from agentfs_lsp.demo.connection import Connection, Message
    from agentfs_lsp.demo.review import Reviewer
    from agentfs_lsp.domain.translation import Translate

CANCELLED = -32800
METHOD_NOT_FOUND = -32601

# Constant answers to the server's requests; all others except `workspace/applyEdit` are unknown here.
PLAIN_ANSWERS: dict[str, object] = {
    "client/registerCapability": None,
    "client/unregisterCapability": None,
    "window/workDoneProgress/create": None,
    "window/showMessageRequest": None,
    "window/showDocument": {"success": False},
}

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-32", "utf-16"]},
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}},
        "workspaceFolders": True,
    },
    "textDocument": {"synchronization": {"didSave": True}},
    "experimental": {"agentfs": {"review": True, "save": True}},
}


class RefusedError(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class UnansweredError(Exception):
    """A review got no answer: the change was withdrawn, and nobody is there any more."""


class Editor:
    """The client of one server."""

    def __init__(self, connection: Connection, reviewer: Reviewer, translate: Translate) -> None:
        self.documents = OpenDocuments(connection, translate)
        self._translate = translate
        self._connection = connection
        self._reviewer = reviewer
        self._calls: list[int] = []  # pending requests, outermost first
        self._answers: dict[int, Message] = {}
        self._proposed: deque[str] = deque()
        self._held: dict[str, object] = {}  # proposal -> the `workspace/applyEdit` that waits for its end
        self._ended: dict[str, str] = {}  # proposal -> why it was not applied, "" if it was

    def start(self, folder: Path, locale: str) -> dict[str, Any]:
        """Open `folder` as the workspace; returns the server's capabilities. `locale`: its language."""
        params = {
            "processId": os.getpid(),
            "clientInfo": {"name": "agentfs-demo"},
            "locale": locale,
            "rootUri": folder.as_uri(),
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
            "capabilities": CAPABILITIES,
        }
        capabilities: dict[str, Any] = self.call("initialize", params)["capabilities"]
        self.documents.units = capabilities.get("positionEncoding", "utf-16")
        self._connection.notify("initialized", {})
        return capabilities

    def call(self, method: str, params: object) -> Any:
        """Send a request, and handle every review it leads to.

        Raises RefusedError, UnansweredError, LostServerError."""
        ident = self._begin(method, params)
        unanswered = False
        while ident not in self._answers:
            if self._proposed:
                if not self._review(self._proposed.popleft()):
                    unanswered = True
                    self._connection.notify("$/cancelRequest", {"id": ident})
            else:
                self._handle(self._connection.receive())
        if unanswered:
            self._calls.remove(ident)
            raise UnansweredError
        return self._end(ident)

    def cancel(self) -> None:
        """Cancel all pending requests: the person interrupted the turn."""
        while self._calls:
            self._connection.notify("$/cancelRequest", {"id": self._calls.pop()})

    # --- asking ----------------------------------------------------------------------------------------

    def _begin(self, method: str, params: object) -> int:
        ident = self._connection.request(method, params)
        self._calls.append(ident)
        return ident

    def _end(self, ident: int) -> Any:
        self._calls.remove(ident)
        message = self._answers.pop(ident)
        if "error" in message:
            raise RefusedError(message["error"]["code"], message["error"]["message"])
        return message.get("result")

    def _ask(self, method: str, params: object) -> dict[str, Any]:
        """A request inside a review; an error is treated as `ok: false`."""
        ident = self._begin(method, params)
        while ident not in self._answers:
            self._handle(self._connection.receive())
        try:
            result: dict[str, Any] = self._end(ident)
        except RefusedError as error:
            return {"ok": False, "code": str(error.code), "reason": str(error)}
        return result

    # --- what the server sends ---------------------------------------------------------------------------

    def _handle(self, message: Message) -> None:
        method, params = message.get("method"), message.get("params") or {}
        match method:
            case None:
                self._answers[message["id"]] = message
            case "workspace/applyEdit":
                self._apply_edit(message["id"], params)
            case "agentfs/proposed":
                self._proposed.append(params["id"])
            case "agentfs/settled":
                self._settled(params["id"], params["outcome"])
            case "$/cancelRequest":
                self._drop_held(params["id"])
            case "window/showMessage":
                self._reviewer.hear(params["message"])
            case _ if "id" in message:
                self._answer_plainly(message["id"], method)

    def _answer_plainly(self, ident: object, method: str) -> None:
        if method in PLAIN_ANSWERS:
            self._connection.answer(ident, PLAIN_ANSWERS[method])
        else:
            self._connection.refuse(ident, METHOD_NOT_FOUND, f"{method} is not known here")

    def _apply_edit(self, ident: object, params: Mapping[str, Any]) -> None:
        edit = params["edit"]
        proposal = next(iter(edit.get("changeAnnotations") or ()), None)
        if proposal is None:
            self._apply_unasked(ident, edit)
        elif proposal in self._ended:
            self._answer_applied(ident, self._ended[proposal])
        else:
            self._held[proposal] = ident

    def _apply_unasked(self, ident: object, edit: Mapping[str, Any]) -> None:
        """An edit allowed by policy: apply it, and save documents that had no unsaved changes."""
        clean = [uri for uri in _uris(edit) if (open_ := self.documents.get(uri)) and not open_.dirty]
        try:
            self.documents.apply(edit)
            for uri in clean:
                self.documents.save(uri)
        except StaleEditError as error:
            self._answer_applied(ident, str(error))
        except OSError as error:
            self._reviewer.hear(self._translate("The editor could not save: {reason}", reason=error.strerror))
            self._answer_applied(ident, "")
        else:
            self._answer_applied(ident, "")

    def _answer_applied(self, ident: object, failure: str) -> None:
        result = {"applied": False, "failureReason": failure} if failure else {"applied": True}
        self._connection.answer(ident, result)

    def _settled(self, proposal: str, outcome: str) -> None:
        if proposal in self._proposed:  # over before anyone saw it
            self._proposed.remove(proposal)
            self._finish(proposal, outcome)

    def _drop_held(self, ident: object) -> None:
        for proposal, held in list(self._held.items()):
            if held == ident:
                del self._held[proposal]
                self._connection.refuse(ident, CANCELLED, "cancelled")

    # --- a review ----------------------------------------------------------------------------------------

    def _review(self, ident: str) -> bool:
        """Show a proposal and carry out the answer. False if there was none."""
        reply = self._ask("agentfs/proposal", {"id": ident})
        if "files" not in reply:
            self._finish(ident, reply.get("reason") or "gone")
            return True
        answer = self._reviewer.decide(Proposal.from_wire(reply))
        if answer is None:
            return False
        settled = self._ask("agentfs/settle", answer.to_wire(ident))
        if not settled.get("ok"):
            self._reviewer.hear(f"{settled.get('code')}: {settled.get('reason')}")
            if settled.get("code") == "INVALID_PARAM" and answer.decision == "amended":
                return self._review(ident)  # it can't be written: nothing is decided, so ask again
            self._finish(ident, settled.get("reason") or "refused")
        elif answer.decision == "rejected":
            self._finish(ident, "rejected")
        elif settled.get("apply") is None:
            self._finish(ident, "")
        else:
            self._finish(ident, self._land(ident, settled["apply"]))
        return True

    def _land(self, ident: str, edit: Mapping[str, Any]) -> str:
        """Do the editor's part of an accepted change; returns why it failed, or ""."""
        failure = self._apply(edit)
        told = [{"uri": uri, "applied": not failure, "reason": failure} for uri in _uris(edit)]
        reply = self._ask("agentfs/applied", {"id": ident, "files": told})
        if not reply.get("ok"):
            if reply.get("revert") and (stuck := self._apply(reply["revert"])):
                self._reviewer.hear(
                    self._translate("The applied edits could not be reverted: {reason}", reason=stuck)
                )
            return reply.get("reason") or "refused"
        saved = [self._save(uri) for uri in reply.get("save", ())]
        self._ask("agentfs/saved", {"id": ident, "files": saved})
        return ""

    def _apply(self, edit: Mapping[str, Any]) -> str:
        try:
            self.documents.apply(edit)
        except StaleEditError as error:
            return str(error)
        return ""

    def _save(self, uri: str) -> dict[str, Any]:
        try:
            self.documents.save(uri)
        except OSError as error:
            return {"uri": uri, "saved": False, "reason": error.strerror or str(error)}
        return {"uri": uri, "saved": True}

    def _finish(self, proposal: str, failure: str) -> None:
        self._ended[proposal] = failure
        held = self._held.pop(proposal, None)
        if held is not None:
            self._answer_applied(held, failure)


def _uris(edit: Mapping[str, Any]) -> list[str]:
    return [change["textDocument"]["uri"] for change in edit["documentChanges"]]
