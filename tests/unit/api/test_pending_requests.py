import asyncio
from typing import Any

from agentfs_lsp.api.pending_requests import DelayedResponse, PendingRequests


async def test_nothing_is_read_between_the_last_look_at_a_file_and_the_answer() -> None:
    events: list[object] = []
    read = asyncio.Event()

    def send(answer: dict[str, Any]) -> None:
        events.append(answer["result"])

    def read_next() -> None:
        events.append("the next message")
        read.set()

    async def look() -> str:
        asyncio.get_running_loop().call_soon(read_next)
        return "the answer"

    pending = PendingRequests(send, lambda *_: None, lambda: str)  # type: ignore[arg-type,return-value]
    pending.serve(1, lambda _: DelayedResponse(look()), None)
    await read.wait()
    assert events == ["the answer", "the next message"]
