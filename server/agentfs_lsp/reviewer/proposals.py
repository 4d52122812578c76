"""The pending proposals of a reviewer, and what its user has decided about their files so far
(docs/protocol.md#91-review-clients)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from agentfs_lsp.domain.diff.unified import Operation

Decision = Literal["accepted", "rejected"]

GUARD_S: Final = 1.0
"""Seconds for which a proposal must have been on the screen before a key may decide: what was typed before it
came, or as it came, was meant for something else."""


@dataclass(slots=True)
class File:
    """A file of a proposal. `amended`: the text that the user has made of it, or None. `reason`: why the user
    has rejected it, for the agent."""

    uri: str
    path: str
    operation: Operation
    base: str
    proposed: str
    warnings: Sequence[Mapping[str, Any]]
    amended: str | None = None
    is_rejected: bool = False
    reason: str = ""

    @property
    def text(self) -> str:
        """The text that would land."""
        return self.proposed if self.amended is None else self.amended

    def rejection(self) -> dict[str, Any]:
        """Its part in the params of `agentfs/settle`, if the user has rejected it."""
        told = {"uri": self.uri, "decision": "rejected"}
        return {**told, "feedback": self.reason} if self.reason else told

    def amend(self, text: str) -> None:
        """The user has edited its text. Many editors end the last line of what they save: where the proposal
        has no such end, it is not the user's."""
        if text.endswith("\n") and not self.proposed.endswith("\n"):
            text = text.removesuffix("\n")
        self.amended = None if text == self.proposed else text


@dataclass(slots=True)
class Review:
    """A proposal before the user. `files` is empty until its texts are known; `at` is the marked one.
    `is_sent`: a decision is on its way."""

    id: str
    title: str
    agent: str
    session: str
    explanation: str
    atomic: bool
    blind: bool
    files: list[File] = field(default_factory=list)
    at: int = 0
    is_sent: bool = False

    def load(self, told: Mapping[str, Any]) -> None:
        """Take the texts from the result of `agentfs/proposal`."""
        self.files = [
            File(
                one["uri"],
                one["path"],
                one["operation"],
                one["base_text"],
                one["proposed_text"],
                one["warnings"],
            )
            for one in told["files"]
        ]

    def acceptance(self, *, always: bool = False) -> dict[str, Any]:
        """The params of `agentfs/settle` that accept all but the files that the user has rejected, amended as
        the user wishes."""
        files: list[dict[str, Any]] = []
        for file in self.files:
            if file.is_rejected:
                files.append(file.rejection())
            elif file.amended is not None:
                files.append({"uri": file.uri, "decision": "amended", "text": file.amended})
        params: dict[str, Any] = {"id": self.id, "decision": "accepted"}
        if files:
            params["files"] = files
        return {**params, "always": True} if always else params

    def rejection(self, reason: str) -> dict[str, Any]:
        """Those that reject all of it."""
        params: dict[str, Any] = {"id": self.id, "decision": "rejected"}
        if reason:
            params["feedback"] = reason
        if any(file.is_rejected and file.reason for file in self.files):
            params["files"] = [file.rejection() for file in self.files if file.is_rejected]
        return params

    @property
    def is_all_rejected(self) -> bool:
        return bool(self.files) and all(file.is_rejected for file in self.files)


class Reviews:
    """The pending proposals in order of arrival, and which of them is before the user."""

    def __init__(self) -> None:
        self._reviews: dict[str, Review] = {}
        self.current: Review | None = None

    def __iter__(self) -> Iterator[Review]:
        return iter(self._reviews.values())

    def __len__(self) -> int:
        return len(self._reviews)

    def propose(self, told: Mapping[str, Any]) -> bool:
        """A proposal has come: `agentfs/proposed`. Returns whether it is now before the user, because nothing
        else was."""
        if told["id"] in self._reviews:
            return False
        review = Review(
            told["id"],
            told["title"],
            told["agent"],
            told["session"],
            told["explanation"],
            told["atomic"],
            told.get("blind", False),
        )
        self._reviews[review.id] = review
        if self.current is None:
            self.current = review
        return self.current is review

    def end(self, ident: str) -> Review | None:
        """A proposal has ended. If it was before the user, the next one is."""
        review = self._reviews.get(ident)
        if review is None:
            return None
        if review is self.current:
            self.step(1)
        del self._reviews[ident]
        if review is self.current:
            self.current = None
        return review

    def step(self, by: int) -> None:
        """Put another proposal before the user."""
        listed = list(self._reviews.values())
        if self.current is not None:
            self.current = listed[(listed.index(self.current) + by) % len(listed)]


class Guard:
    """Whether a key may decide on what is on the screen. A key that comes too soon starts the time anew, so
    that a key held down never decides."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._since: float | None = None

    def hide(self) -> None:
        """Something else is on the screen, or nothing yet."""
        self._since = None

    def drawn(self) -> None:
        """It is on the screen, from now on or still."""
        if self._since is None:
            self._since = self._now()

    def admits(self) -> bool:
        """Whether a key that was pressed now may decide."""
        if self._since is None:
            return False
        if self._now() - self._since >= GUARD_S:
            return True
        self._since = self._now()
        return False
