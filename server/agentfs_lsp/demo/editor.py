"""A terminal client that acts as the editor (docs/protocol.md#91-review-clients).

It implements the whole protocol of a client that can review and save. Everything runs on the caller's
thread, while a call waits for its response.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from agentfs_lsp.api.results import Proposal
from agentfs_lsp.demo.connection import Connection, Message
from agentfs_lsp.demo.documents import OpenDocuments
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.jsonrpc.codec import METHOD_NOT_FOUND

PENDING = "agentfs:pending"

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


@dataclass(frozen=True, slots=True)
class Answer:
    """The person's decision on a proposal. `texts`: the whole new text of each amended file, by URI."""

    decision: Literal["accepted", "amended", "rejected"]
    feedback: str = ""
    always: bool = False
    texts: tuple[tuple[str, str], ...] = ()

    def to_wire(self, ident: str) -> dict[str, Any]:
        """The params of `agentfs/settle`."""
        files = [{"uri": uri, "decision": "amended", "text": text} for uri, text in self.texts]
        told = {"feedback": self.feedback, "always": self.always, "files": files}
        return {"id": ident, "decision": self.decision} | {key: value for key, value in told.items() if value}


ACCEPT = Answer("accepted")
ALWAYS = Answer("accepted", always=True)


class RefusedError(Exception):
    """The server answered with a JSON-RPC error."""


class UnansweredError(Exception):
    """A review got no answer: the change was withdrawn, and nobody is there any more."""


class Editor:
    """The client of one server. `decide` answers a proposal, with None if nobody is there; `hear` is told
    what happens in the editor."""

    def __init__(
        self,
        connection: Connection,
        decide: Callable[[Proposal], Answer | None],
        hear: Callable[[str], None],
        translate: Translate,
    ) -> None:
        self.documents = OpenDocuments(connection, translate)
        self._connection = connection
        self._decide = decide
        self._hear = hear
        self._translate = translate
        self._answers: dict[int, Message | None] = {}  # to each pending request, outermost first
        self._proposed: deque[str] = deque()
        self.outcome = ""
        """What became of the last proposal: the outcome in `agentfs/settled`."""

    def start(self, folder: Path, locale: str) -> None:
        """Open `folder` as the workspace. `locale`: the server's language."""
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

    def call(self, method: str, params: object) -> Any:
        """Send a request, and handle every review it leads to.

        Raises RefusedError, UnansweredError, LostServerError."""
        ident = self._begin(method, params)
        unanswered = False
        while (message := self._answers[ident]) is None:
            if not self._proposed:
                self._handle(self._connection.receive())
            elif not self._review(self._proposed.popleft()):
                unanswered = True
                self._connection.cancel(ident)
        del self._answers[ident]
        if unanswered:
            raise UnansweredError
        if "error" in message:
            raise RefusedError(message["error"]["message"])
        return message["result"]

    def attend(self, work: Future[None]) -> None:
        """Handle the reviews that others ask for, until `work` is done.

        Raises UnansweredError, LostServerError, and what `work` raises."""
        work.add_done_callback(lambda _: self._connection.wake())
        while not work.done():
            if not self._proposed:
                self._handle(self._connection.receive())
            elif not self._review(self._proposed.popleft()):
                raise UnansweredError
        work.result()
        self.call("agentfs/status", {})  # what was settled has been heard after it

    def cancel(self) -> None:
        """Cancel all pending requests: the person interrupted the turn."""
        for ident in reversed(self._answers):
            self._connection.cancel(ident)

    def _begin(self, method: str, params: object) -> int:
        ident = self._connection.request(method, params)
        self._answers[ident] = None
        return ident

    def _ask(self, method: str, params: object) -> dict[str, Any]:
        """A request inside a review; an error is treated as `ok: false`."""
        ident = self._begin(method, params)
        while (message := self._answers[ident]) is None:
            self._handle(self._connection.receive())
        del self._answers[ident]
        if "error" in message:
            return {"ok": False, "code": str(message["error"]["code"]), "reason": message["error"]["message"]}
        return cast("dict[str, Any]", message["result"])

    # --- what the server sends ---------------------------------------------------------------------------

    def _handle(self, message: Message) -> None:
        method, params = message.get("method"), message.get("params") or {}
        match method:
            case None:
                self._answers[message["id"]] = message
            case "workspace/applyEdit":
                failure = self._apply_allowed(params["edit"])
                result = {"applied": False, "failureReason": failure} if failure else {"applied": True}
                self._connection.answer(message["id"], result)
            case "agentfs/proposed":
                self._proposed.append(params["id"])
            case "agentfs/settled":
                self.outcome = params["outcome"]
                if params["id"] in self._proposed:  # over before anyone saw it
                    self._proposed.remove(params["id"])
            case "window/showMessage":
                self._hear(params["message"])
            case "window/showMessageRequest":
                self._connection.answer(message["id"], None)
            case _ if "id" in message:
                self._connection.refuse(message["id"], METHOD_NOT_FOUND, f"{method} is not known here")

    def _apply_allowed(self, edit: Mapping[str, Any]) -> str:
        """Apply an edit that policy allows, and save documents that had no unsaved changes; returns why not.

        One that is to be reviewed comes again as `agentfs/proposed`."""
        if edit.get("changeAnnotations"):
            return PENDING
        clean = [uri for uri in _uris(edit) if (open_ := self.documents.get(uri)) and not open_.dirty]
        failure = self.documents.apply(edit)
        if not failure:
            for saved in map(self._save, clean):
                if not saved["saved"]:
                    self._hear(self._translate("The editor could not save: {reason}", reason=saved["reason"]))
        return failure

    # --- a review ----------------------------------------------------------------------------------------

    def _review(self, ident: str) -> bool:
        """Show a proposal and carry out the answer. False if there was none."""
        reply = self._ask("agentfs/proposal", {"id": ident})
        if "files" not in reply:
            return True
        answer = self._decide(cast("Proposal", reply))
        if answer is None:
            return False
        settled = self._ask("agentfs/settle", answer.to_wire(ident))
        if not settled.get("ok"):
            self._hear(f"{settled.get('code')}: {settled.get('reason')}")
            if settled.get("code") == "INVALID_PARAM" and answer.decision == "amended":
                return self._review(ident)  # it can't be written: nothing is decided, so ask again
        elif settled.get("apply") is not None:
            self._land(ident, settled["apply"])
        return True

    def _land(self, ident: str, edit: Mapping[str, Any]) -> None:
        """Do the editor's part of an accepted change."""
        failure = self.documents.apply(edit)
        told = [{"uri": uri, "applied": not failure, "reason": failure} for uri in _uris(edit)]
        reply = self._ask("agentfs/applied", {"id": ident, "files": told})
        if reply.get("ok"):
            saved = [self._save(uri) for uri in reply.get("save", ())]
            self._ask("agentfs/saved", {"id": ident, "files": saved})
        elif reply.get("revert") and (stuck := self.documents.apply(reply["revert"])):
            self._hear(self._translate("The applied edits could not be reverted: {reason}", reason=stuck))

    def _save(self, uri: str) -> dict[str, Any]:
        try:
            self.documents.save(uri)
        except OSError as error:
            return {"uri": uri, "saved": False, "reason": error.strerror or str(error)}
        return {"uri": uri, "saved": True}


def _uris(edit: Mapping[str, Any]) -> list[str]:
    return [change["textDocument"]["uri"] for change in edit["documentChanges"]]
