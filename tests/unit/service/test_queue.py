"""First come, first served, with all files at once (docs/protocol.md#8-lock)."""

import asyncio

from agentfs_lsp.service.state.queue import FileQueue


class Line:
    """Who has had a turn, and who must end it."""

    def __init__(self) -> None:
        self.queue = FileQueue()
        self.went: list[str] = []
        self.done: dict[str, asyncio.Event] = {}

    def comes(self, name: str, *files: str) -> asyncio.Task[None]:
        self.done[name] = asyncio.Event()

        async def take() -> None:
            async with self.queue.turn(*files):
                self.went.append(name)
                await self.done[name].wait()

        return asyncio.ensure_future(take())

    async def settled(self) -> list[str]:
        for _ in range(5):
            await asyncio.sleep(0)
        return self.went


async def test_several_files_are_awaited_at_once_and_nobody_is_overtaken() -> None:
    line = Line()
    tasks = [line.comes("one", "b"), line.comes("both", "a", "b"), line.comes("late", "a")]
    tasks.append(line.comes("elsewhere", "c"))
    assert await line.settled() == ["one", "elsewhere"]
    line.done["one"].set()
    assert await line.settled() == ["one", "elsewhere", "both"]
    line.done["both"].set()
    assert await line.settled() == ["one", "elsewhere", "both", "late"]
    line.done["late"].set()
    line.done["elsewhere"].set()
    await asyncio.gather(*tasks)
    assert line.queue._lines == {}


async def test_needing_the_same_files_in_another_order_is_no_deadlock() -> None:
    line = Line()
    tasks = [line.comes("first", "a", "b", "a"), line.comes("second", "b", "a")]
    assert await line.settled() == ["first"]
    line.done["first"].set()
    assert await line.settled() == ["first", "second"]
    line.done["second"].set()
    await asyncio.gather(*tasks)


async def test_leaving_the_line_holds_nobody_up() -> None:
    line = Line()
    tasks = [line.comes("one", "a"), line.comes("gone", "a", "b"), line.comes("last", "b", "a")]
    await line.settled()
    tasks[1].cancel()
    line.done["one"].set()
    assert await line.settled() == ["one", "last"]
    line.done["last"].set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert line.queue._lines == {}
