"""A turn of a scripted model, and of the person who reviews it: a read, and changes that are accepted,
rejected, amended, and in conflict with someone else's."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from agentfs_lsp.client import Accept, Amend, AsyncAgentFS, Decision, Reject, Review
from support.sample import TEXT

Call = tuple[str, dict[str, Any]]


def _edit(old: str, new: str) -> Call:
    return "Edit", {"path": "a.py", "old_string": old, "new_string": new}


CALLS: list[Call] = [
    ("Read", {"path": "a.py"}),
    _edit("one", "1"),
    _edit("two", "2"),
    _edit("three", "3"),
    _edit("THREE", "3"),
]
CONFLICT = len(CALLS) - 1
RESULTS = [TEXT, "Updated", "Keep it in words.", "+THREE", "someone else's"]
"""What the model must have been told, in part."""


class Turn:
    """`next()`: the model's next call, None at the end."""

    def __init__(self, root: Path) -> None:
        self.file = root / "a.py"
        self.file.write_text(TEXT)
        self.agents: set[str] = set()
        self.told: list[str] = []

    def next(self, told: list[str]) -> Call | None:
        """`told`: the results so far."""
        self.told = told
        if len(told) == len(CALLS):
            return None
        if len(told) == CONFLICT:
            self.file.write_text("someone else's\n")
        return CALLS[len(told)]

    def review(self, review: Review) -> Decision:
        self.agents.add(review.agent)
        (file,) = review.files
        if "2" in file.after:
            return Reject("Keep it in words.")
        if "3" in file.after:
            return Amend({"a.py": "1\ntwo\nTHREE\n"})
        return Accept()

    def check(self) -> None:
        """After it."""
        assert len(self.told) == len(RESULTS)
        missing = [(part, told) for part, told in zip(RESULTS, self.told, strict=True) if part not in told]
        assert missing == []
        assert self.file.read_text() == "someone else's\n"
        assert self.agents == {"Ada"}


async def check_cancelling(root: Path, start: Callable[[AsyncAgentFS, Turn], Awaitable[object]]) -> None:
    """Cancel a run in its first review: the proposal is withdrawn, and nothing is changed."""
    turn = Turn(root)
    shown = asyncio.get_running_loop().create_future()

    async def review(review: Review) -> Decision:
        shown.set_result(review)
        await asyncio.to_thread(review.ended.wait)
        return Reject()

    async with AsyncAgentFS.open(root, review) as fs:
        run = asyncio.ensure_future(start(fs, turn))
        async with asyncio.timeout(60):
            proposal = await shown
        run.cancel()
        await asyncio.wait([run])
        assert run.cancelled()
        assert await asyncio.to_thread(proposal.ended.wait, 60)
    assert turn.file.read_text() == TEXT
