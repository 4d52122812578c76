"""An MCP client whose server does what the test says."""

import asyncio
import json
from typing import Any

from agentfs_lsp.client import Accept, Decision, Review
from agentfs_lsp.mcp.calls import Calls, Job, Outcome
from agentfs_lsp.mcp.catalog import Catalog
from agentfs_lsp.mcp.connection import Connection
from support.fakes.time import settle
from support.mcp import legacy, lines
from support.wire import Message

EDIT = {"path": "/w/a.py", "old_string": "two", "new_string": "2"}


class Agent:
    """A client, and a server that does what the test says: `works` are the jobs under way."""

    def __init__(self, hold: float | None = None) -> None:
        self.connection = Connection(Catalog("/w"))
        self.calls = Calls(
            self.connection,
            self._flush,
            self._work,
            lambda _: "Editing a.py: waiting for the review",
            hold,
            lambda path: f"/w/{path.removeprefix('/w/')}",
        )
        self.works: list[tuple[Job, asyncio.Future[Outcome]]] = []
        self.decisions: list[Decision] = []
        self.review: Review | None = None
        self.received: list[Any] = []
        self._sent = b""

    def _flush(self) -> None:
        self._sent += self.connection.take()

    async def _work(self, job: Job) -> Outcome:
        done = asyncio.get_running_loop().create_future()
        self.works.append((job, done))
        if self.review is not None:
            self.decisions.append(await job.ask(self.review))
            accepted = isinstance(self.decisions[-1], Accept)
            return Outcome("landed" if accepted else "rejected", is_error=not accepted)
        return await done

    async def send(self, *messages: Message) -> list[Any]:
        """Send, let everyone run, and return what has come since."""
        for event in self.connection.receive(lines(messages)):
            self.calls.happened(event)
        self._flush()
        return await self.heard()

    async def heard(self) -> list[Any]:
        await settle()
        new = [json.loads(one) for one in self._sent.splitlines()]
        self._sent = b""
        self.received += new
        return new

    async def after(self, seconds: float) -> list[Any]:
        await asyncio.sleep(seconds)
        return await self.heard()

    def land(self, text: str = "Updated.", at: int = -1, **more: Any) -> None:
        self.works[at][1].set_result(Outcome(text, **more))


def text(answer: Message) -> str:
    return str(answer["result"]["content"][0]["text"])


def edit(ident: object = 1, **more: Any) -> Message:
    return legacy("tools/call", ident, name="edit", arguments=EDIT, **more)


def wait(ident: object = 2, job: str = "p-1", **more: Any) -> Message:
    return legacy("tools/call", ident, name="wait", arguments={"id": job}, **more)
