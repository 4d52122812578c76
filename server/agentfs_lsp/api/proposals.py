"""The shapes of proposals for review clients (docs/protocol.md#91-review-clients). `results.py` describes
what is generated from them."""

from __future__ import annotations

from typing import TypedDict

from agentfs_lsp.api.results import State, Warned
from agentfs_lsp.domain.text.textfile import Eol
from agentfs_lsp.service.proposal.change import Operation
from agentfs_lsp.service.proposal.proposal import Tool


class ProposedFile(TypedDict):
    """A file of a proposal. `version` is null if the file is not open, `base_hash` if there is no file."""

    uri: str
    path: str
    operation: Operation
    version: int | None
    base_hash: str | None
    lines_added: int
    lines_removed: int


class Announced(TypedDict):
    """What is said of a proposal before and during its review."""

    id: str
    title: str
    tool: Tool
    session: str
    agent: str
    explanation: str
    atomic: bool
    """rejecting one of its files rejects all"""


class Proposed(Announced):
    """The params of `agentfs/proposed`."""

    files: list[ProposedFile]


class ReviewedFile(ProposedFile):
    """A file with its texts. Their line endings are `\\n`; `eol` is the file's own."""

    base_text: str
    proposed_text: str
    encoding: str
    eol: Eol
    warnings: list[Warned]


class Proposal(Announced):
    """The result of `agentfs/proposal`: the announced proposal with its state and texts."""

    state: State
    files: list[ReviewedFile]
