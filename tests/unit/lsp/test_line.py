"""Requests resume in the order in which they arrived, whatever order the loop uses."""

import asyncio

from agentfs_lsp.lsp.line import Line


async def test_a_latecomer_as_the_wait_ends_overtakes_nobody() -> None:
    line, opened, passed = Line(), asyncio.Event(), []

    async def request(name: str) -> None:
        await line.wait_for(opened.wait)
        passed.append(name)

    first = asyncio.ensure_future(request("first"))
    await asyncio.sleep(0)  # it waits
    second = asyncio.ensure_future(request("second"))
    opened.set()
    assert not line.is_empty
    # In the loop's order, `second` starts here, before `first` resumes.
    await asyncio.gather(first, second)
    assert passed == ["first", "second"]
    assert line.is_empty


async def test_of_many_around_the_end_of_the_wait_none_overtakes_another() -> None:
    line, opened, passed, requests = Line(), asyncio.Event(), [], []

    async def request(number: int) -> None:
        await line.wait_for(opened.wait)
        passed.append(number)

    def come(count: int) -> None:
        requests.extend(
            asyncio.ensure_future(request(number)) for number in range(len(requests), len(requests) + count)
        )

    come(3)
    await asyncio.sleep(0)
    come(3)
    asyncio.get_running_loop().call_soon(opened.set)
    come(3)
    asyncio.get_running_loop().call_soon(come, 3)
    await asyncio.sleep(0)
    come(3)
    await asyncio.sleep(0)
    come(3)
    await asyncio.gather(*requests)
    assert passed == list(range(18))


async def test_one_that_is_cancelled_holds_nobody_up() -> None:
    line, opened = Line(), asyncio.Event()
    first, second = (asyncio.ensure_future(line.wait_for(opened.wait)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    opened.set()
    await second
    assert line.is_empty
