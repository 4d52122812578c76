"""Proposals and answers as values (docs/protocol.md#91-review-clients)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

Decision = Literal["accepted", "amended", "rejected"]


@dataclass(frozen=True, slots=True)
class ProposedFile:
    """One file of a proposal; texts have LF line ends. `warnings`: (line, text)."""

    uri: str
    path: str
    operation: Literal["create", "update", "delete"]
    base_text: str
    proposed_text: str
    encoding: str
    eol: str
    warnings: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed change, as reported by the server."""

    id: str
    title: str
    agent: str
    explanation: str
    files: tuple[ProposedFile, ...]

    @classmethod
    def from_wire(cls, reply: Mapping[str, Any]) -> Proposal:
        """Parse the result of `agentfs/proposal`."""
        files = tuple(_file_from_wire(file) for file in reply["files"])
        return cls(
            reply["id"], reply["title"], reply.get("agent") or "", reply.get("explanation") or "", files
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision. `texts`: the whole new text of each amended file, by URI."""

    decision: Decision
    feedback: str = ""
    always: bool = False
    texts: tuple[tuple[str, str], ...] = ()

    def to_wire(self, ident: str) -> dict[str, Any]:
        """The params of `agentfs/settle`."""
        params: dict[str, Any] = {"id": ident, "decision": self.decision}
        if self.feedback:
            params["feedback"] = self.feedback
        if self.always:
            params["always"] = True
        if self.texts:
            params["files"] = [{"uri": uri, "decision": "amended", "text": text} for uri, text in self.texts]
        return params


ACCEPT = Answer("accepted")
ALWAYS = Answer("accepted", always=True)


class Reviewer(Protocol):
    """Whoever sits at the editor."""

    def decide(self, proposal: Proposal) -> Answer | None:
        """Show the proposal and wait for an answer; None if there will be none."""

    def hear(self, what: str) -> None:
        """Something happened in the editor that the person should know."""


def _file_from_wire(file: Mapping[str, Any]) -> ProposedFile:
    return ProposedFile(
        uri=file["uri"],
        path=file["path"],
        operation=file["operation"],
        base_text=file.get("base_text") or "",
        proposed_text=file.get("proposed_text") or "",
        encoding=file.get("encoding") or "utf-8",
        eol=file.get("eol") or "lf",
        warnings=tuple(
            (warning.get("line") or 0, f"{warning['kind']}: {warning.get('detail') or ''}".rstrip(": "))
            for warning in file.get("warnings") or ()
        ),
    )
