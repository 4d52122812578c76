"""The person's answers to proposals (docs/protocol.md#91-review-clients)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Decision = Literal["accepted", "amended", "rejected"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision. `texts`: the whole new text of each amended file, by URI."""

    decision: Decision
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
