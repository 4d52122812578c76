"""A server for the terminal reviewer, and the application with a clock and keys of the test's."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.domain.translation import Translate, english
from agentfs_lsp.reviewer.drafts import Drafts
from support.wire import Message

if TYPE_CHECKING:  # needs textual, which is optional
    from agentfs_lsp.reviewer.app import ReviewApp

ROUNDS = 500
"""Times to let the application work before it counts as stuck."""


def file_of(path: str, base: str, proposed: str, **more: Any) -> Message:
    """A file of a proposal on the wire."""
    operation = "create" if not base else "update"
    return {
        "uri": f"file:///home/ada/tides/{path}",
        "path": path,
        "operation": operation,
        "base_text": base,
        "proposed_text": proposed,
        "warnings": [],
        **more,
    }


class FakeServer:
    """Answers as the server does; the test says what is proposed and how it ends."""

    def __init__(self) -> None:
        self.proposals: dict[str, Message] = {}
        self.sent: list[tuple[str, Any]] = []
        self.answers: dict[str, Any] = {}
        self._told: Callable[[str, Mapping[str, Any]], object] = lambda *_: None
        self.lose: Callable[[], object] = lambda: None

    def follow(self, on_told: Any, on_gone: Any) -> None:
        self._told, self.lose = on_told, on_gone

    def propose(self, ident: str, *files: Message, **more: Any) -> None:
        """A proposal comes."""
        told = {
            "id": ident,
            "title": f"Edit {files[0]['path']} (+1/-1)",
            "tool": "edit",
            "session": "chat-1",
            "agent": "Ada",
            "explanation": "",
            "atomic": True,
            "files": list(files),
            **more,
        }
        self.proposals[ident] = told
        self._told("agentfs/proposed", told)

    def settle(self, ident: str, outcome: str, **more: Any) -> None:
        """A proposal ends."""
        self._told("agentfs/settled", {"id": ident, "outcome": outcome, **more})

    @property
    def settled(self) -> list[Message]:
        """What the reviewer decided."""
        return [params for method, params in self.sent if method == "agentfs/settle"]

    async def request(self, method: str, params: Any) -> Any:
        self.sent.append((method, params))
        if method in self.answers:
            answer = self.answers[method]
            return answer(params) if callable(answer) else answer
        if method == "agentfs/proposal":
            return {**self.proposals[params["id"]], "state": "shown"}
        return {"ok": True, "apply": None}


class Screen:
    """The running application."""

    def __init__(self, app: "ReviewApp", pilot: Any, server: FakeServer) -> None:
        self.app, self.pilot, self.server = app, pilot, server
        self.time = 100.0

    @property
    def text(self) -> str:
        """The lines on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    async def shows(self, words: str) -> str:
        """Wait until these are on the screen."""
        return await self.until(lambda: words in self.text, words)

    async def until(self, fits: Callable[[], bool], what: str = "") -> str:
        """Let the application work until this is so."""
        for _ in range(ROUNDS):
            await self.pilot.pause()
            if fits():
                return self.text
            await asyncio.sleep(0)
        raise AssertionError(f"never: {what}\n{self.text}")

    async def press(self, *keys: str) -> None:
        """Press keys, and let the application handle them."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def wait(self, seconds: float = 1.0) -> None:
        """Time passes."""
        self.time += seconds

    async def drawn(self, words: str) -> None:
        """Wait until these are on the screen, and for long enough to be read."""
        await self.shows(words)
        await self.until(lambda: self.app._guard._since is not None)
        self.wait()


@asynccontextmanager
async def reviewing(
    size: tuple[int, int] = (80, 24), translate: Translate = english
) -> AsyncIterator[tuple[Screen, FakeServer]]:
    """The application in a terminal of this size."""
    from agentfs_lsp.reviewer.app import ReviewApp

    server = FakeServer()
    screen: Screen
    with TemporaryDirectory() as state:
        drafts = Drafts(StateFolder(state))
        app = ReviewApp(server, "tides", translate, drafts, lambda: screen.time)
        async with app.run_test(size=size) as pilot:
            screen = Screen(app, pilot, server)
            yield screen, server
