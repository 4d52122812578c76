"""The connected client as `service.proposal.review.Editor`: sends LSP requests to it and interprets the
responses.

Edits are always `documentChanges` with a version, in line-sized hunks, whatever the client declares, and
never file operations (docs/protocol.md#9-review-and-landing).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from lsprotocol.types import ErrorCodes, LSPErrorCodes

from agentfs_lsp.api.answers.proposal import proposed_on_wire
from agentfs_lsp.domain.errors import NobodyToAsk
from agentfs_lsp.domain.text.escaping import escape_links
from agentfs_lsp.domain.text.positions import Encoding, PositionCounter
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.outgoing import INFO, ClientError, Outgoing
from agentfs_lsp.lsp.raw import member
from agentfs_lsp.lsp.results import Position, TextEdit, WorkspaceEdit
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.proposal.review import Applied, Confirm, DocumentEdit, EditorTraits

_INTERRUPTED = "Keyboard interrupt"
"""Neovim's response if the user closed a question with Ctrl-C."""


class LspEditor:
    """Talks to the client. `traits` and `encoding` are set by `initialize`."""

    def __init__(self, outgoing: Outgoing, translate: Callable[[], Translate]) -> None:
        self._outgoing = outgoing
        self._translate = translate
        self.traits = EditorTraits()
        self.encoding: Encoding = "utf-16"

    async def apply(
        self, edits: Sequence[DocumentEdit], *, label: str, confirm: Confirm | None = None
    ) -> Applied:
        """`workspace/applyEdit`."""
        params = {"label": label, "edit": workspace_edit(edits, self.encoding, confirm)}
        if self._outgoing.shows_one_line:
            del params["label"]  # Neovim shows it, and waits for a key if it is long

        def answered(applied: object) -> None:
            for edit in edits:
                if isinstance(applied, bool) and edit.answer is not None:
                    edit.answer.set_result(applied)

        def late(response: Mapping[str, object]) -> None:
            failed = member(response, "error", "code") not in (None, LSPErrorCodes.RequestCancelled)
            answered(False if failed else member(response, "result", "applied"))

        try:
            answer = await self._outgoing.request("workspace/applyEdit", params, late)
        except ClientError as error:
            if not error.is_lost:
                answered(False)
            return Applied(applied=False, reason=error.message, failed=True, is_lost=error.is_lost)
        if not isinstance(answer, dict) or not isinstance(answer.get("applied"), bool):
            return Applied(applied=False, known=False)
        answered(answer["applied"])
        reason = answer.get("failureReason")
        return Applied(answer["applied"], reason if isinstance(reason, str) else "")

    def question(self) -> AbstractContextManager[None]:
        return self._outgoing.question()

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        """Send `window/showMessageRequest`; only an exact title counts as an answer. Raises NobodyToAsk."""
        params = {"type": INFO, "message": message, "actions": [{"title": title} for title in actions]}
        try:
            answer = await self._outgoing.request("window/showMessageRequest", params)
        except ClientError as error:
            busy = error.code == ErrorCodes.InternalError  # temporary: the client supports the method
            if busy and _INTERRUPTED in error.message:
                return None
            if error.code == LSPErrorCodes.RequestFailed:
                raise NobodyToAsk("occupied", error.message) from error
            raise NobodyToAsk("busy" if busy else "no_message", error.message) from error
        chosen = answer.get("title") if isinstance(answer, dict) else None
        return next((title for title in actions if escape_links(title) == chosen), None)

    async def withdrawn_answered(self) -> None:
        await self._outgoing.withdrawn_answered.wait()

    async def show(self, uri: str) -> bool:
        """`window/showDocument`, without taking the focus."""
        try:
            answer = await self._outgoing.request("window/showDocument", {"uri": uri, "takeFocus": False})
        except ClientError:
            return False
        return isinstance(answer, dict) and answer.get("success") is True

    def proposed(self, proposal: Proposal) -> None:
        """`agentfs/proposed`."""
        self._outgoing.notify("agentfs/proposed", proposed_on_wire(proposal, self._translate()))


def workspace_edit(
    edits: Sequence[DocumentEdit], encoding: Encoding, confirm: Confirm | None = None
) -> WorkspaceEdit:
    """The edits as a WorkspaceEdit, annotated if they must be confirmed."""
    wire: WorkspaceEdit = {
        "documentChanges": [
            {
                "textDocument": {"uri": edit.uri, "version": edit.version},
                "edits": _text_edits(edit, encoding, confirm),
            }
            for edit in edits
        ]
    }
    if confirm:
        wire["changeAnnotations"] = {
            confirm.id: {
                "label": confirm.label,
                "needsConfirmation": True,
                "description": confirm.description,
            }
        }
    return wire


def _text_edits(edit: DocumentEdit, encoding: Encoding, confirm: Confirm | None) -> list[TextEdit]:
    """The edits as TextEdits; positions are computed in one pass over the text."""
    counter = PositionCounter(edit.base, encoding)
    wire: list[TextEdit] = []
    for piece in edit.splices:
        start, end = _position(*counter.at(piece.start)), _position(*counter.at(piece.end))
        if edit.past_last_line and piece is edit.splices[-1]:
            end = _position(end["line"] + 1, 0)
        made: TextEdit = {"range": {"start": start, "end": end}, "newText": piece.text}
        if confirm:
            made["annotationId"] = confirm.id
        wire.append(made)
    return wire


def _position(line: int, character: int) -> Position:
    return {"line": line, "character": character}
