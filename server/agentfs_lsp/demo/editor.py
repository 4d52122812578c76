"""A terminal client that acts as the editor (docs/protocol.md#91-review-clients).

It implements the whole protocol of a client that can review and save. Everything runs on the caller's
thread, while a call waits for its response. The `Reviewer` decides, and `screen` displays.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from agentfs_lsp.api.proposals import Proposal
from agentfs_lsp.demo.connection import Connection, Message
from agentfs_lsp.demo.documents import OpenDocuments, StaleEditError
from agentfs_lsp.demo.seat import ReviewUI
from agentfs_lsp.domain.translation import Translate

METHOD_NOT_FOUND = -32601
PENDING = "agentfs:pending"

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

    def __init__(self, connection: Connection, reviewer: ReviewUI, translate: Translate) -> None:
        self.documents = OpenDocuments(connection, translate)
        self._translate = translate
        self._connection = connection
        self._reviewer = reviewer
        self._calls: list[int] = []  # pending requests, outermost first
        self._answers: dict[int, Message] = {}
        self._proposed: deque[str] = deque()

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
                self._apply_edit(message["id"], params["edit"])
            case "agentfs/proposed":
                self._proposed.append(params["id"])
            case "agentfs/settled" if params["id"] in self._proposed:  # over before anyone saw it
                self._proposed.remove(params["id"])
            case "window/showMessage":
                self._reviewer.hear(params["message"])
            case _ if "id" in message:
                if method in PLAIN_ANSWERS:
                    self._connection.answer(message["id"], PLAIN_ANSWERS[method])
                else:
                    reason = f"{method} is not known here"
                    self._connection.refuse(message["id"], METHOD_NOT_FOUND, reason)

    def _apply_edit(self, ident: object, edit: Mapping[str, Any]) -> None:
        """An edit allowed by policy: apply it, and save documents that had no unsaved changes. One that is to
        be reviewed comes again as `agentfs/proposed`."""
        if edit.get("changeAnnotations"):
            self._answer_applied(ident, PENDING)
            return
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

    # --- a review ----------------------------------------------------------------------------------------

    def _review(self, ident: str) -> bool:
        """Show a proposal and carry out the answer. False if there was none."""
        reply = self._ask("agentfs/proposal", {"id": ident})
        if "files" not in reply:
            return True
        answer = self._reviewer.decide(cast("Proposal", reply))
        if answer is None:
            return False
        settled = self._ask("agentfs/settle", answer.to_wire(ident))
        if not settled.get("ok"):
            self._reviewer.hear(f"{settled.get('code')}: {settled.get('reason')}")
            if settled.get("code") == "INVALID_PARAM" and answer.decision == "amended":
                return self._review(ident)  # it can't be written: nothing is decided, so ask again
        elif settled.get("apply") is not None:
            self._land(ident, settled["apply"])
        return True

    def _land(self, ident: str, edit: Mapping[str, Any]) -> None:
        """Do the editor's part of an accepted change."""
        failure = self._apply(edit)
        told = [{"uri": uri, "applied": not failure, "reason": failure} for uri in _uris(edit)]
        reply = self._ask("agentfs/applied", {"id": ident, "files": told})
        if not reply.get("ok"):
            if reply.get("revert") and (stuck := self._apply(reply["revert"])):
                self._reviewer.hear(
                    self._translate("The applied edits could not be reverted: {reason}", reason=stuck)
                )
            return
        saved = [self._save(uri) for uri in reply.get("save", ())]
        self._ask("agentfs/saved", {"id": ident, "files": saved})

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


def _uris(edit: Mapping[str, Any]) -> list[str]:
    return [change["textDocument"]["uri"] for change in edit["documentChanges"]]
