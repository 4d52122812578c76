"""What a reviewer is shown, and what it can answer (docs/protocol.md#91-review-clients)."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

MAX_ATTEMPTS = 10
"""How often a reviewer is asked about a proposal if its answers cannot be used: an automatic one would give
the same answer for ever."""


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """One file of a proposal. `path` is relative to the root; `before` is empty for a new file, and `after`
    for a deletion. Both have `\\n` as line end; the file keeps its own. `warnings`: see `Answer.warnings`."""

    uri: str
    path: str
    operation: Literal["create", "update", "delete"]
    before: str
    after: str
    warnings: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Review:
    """A proposal that waits for a decision. It contains one file, or all files of a batch or an undo.

    `atomic`: rejecting one of the files rejects all. `blind`: the agent may not read the file that it
    changes, so show its text to nobody but the user. `agent` and `explanation` are the agent's own words:
    show them escaped. `problem`: why the previous answer could not be used, empty at first; `attempt` counts
    them, and after `MAX_ATTEMPTS` the proposal is rejected. `ended`: set once the proposal is decided,
    withdrawn, or timed out, after which no answer counts."""

    id: str
    title: str
    tool: str
    session: str
    agent: str
    explanation: str
    atomic: bool
    files: tuple[ReviewedFile, ...]
    blind: bool = False
    problem: str = ""
    attempt: int = 1
    ended: threading.Event = field(default_factory=threading.Event, compare=False)


@dataclass(frozen=True, slots=True)
class Accept:
    """Land the change as proposed. `feedback` goes to the agent. `rejected`: the files of several that do not
    land, by their `path`, each with a reason for the agent, which may be empty."""

    feedback: str = ""
    rejected: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Amend:
    """Land other texts. `texts`: the whole new text of each amended file, by its `path`; files that are not
    named land as proposed. `feedback` and `rejected`: as in `Accept`."""

    texts: Mapping[str, str]
    feedback: str = ""
    rejected: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reject:
    """Land nothing. `reason` goes to the agent."""

    reason: str = ""


Decision = Accept | Amend | Reject

Reviewer = Callable[[Review], Decision | Awaitable[Decision]]
"""Decides about one proposal at a time. A plain function is called on a thread of its own, so that it may
wait for a person. If it raises, or returns anything but a decision, the proposal is rejected."""
