"""Requests pass a gate in the order in which they came, whatever the loop does in which turn."""

from __future__ import annotations

import asyncio

from agentfs_lsp.lsp.gate import Gate


async def test_who_comes_as_it_is_opened_does_not_overtake_who_waits() -> None:
    gate, passed = Gate(), []

    async def request(name: str) -> None:
        await gate.passed()
        passed.append(name)

    first = asyncio.ensure_future(request("first"))
    await asyncio.sleep(0)  # it waits
    second = asyncio.ensure_future(request("second"))
    gate.open()
    assert not gate.is_free
    # In the loop's order `second` begins now, and only then `first` resumes.
    await asyncio.gather(first, second)
    assert passed == ["first", "second"]
    assert gate.is_free


async def test_of_many_around_the_opening_none_overtakes_another() -> None:
    gate, passed, requests = Gate(), [], []

    async def request(number: int) -> None:
        await gate.passed()
        passed.append(number)

    def come(count: int) -> None:
        requests.extend(
            asyncio.ensure_future(request(number)) for number in range(len(requests), len(requests) + count)
        )

    come(3)
    await asyncio.sleep(0)
    come(3)
    asyncio.get_running_loop().call_soon(gate.open)
    come(3)
    asyncio.get_running_loop().call_soon(come, 3)
    await asyncio.sleep(0)
    come(3)
    await asyncio.sleep(0)
    come(3)
    await asyncio.gather(*requests)
    assert passed == list(range(18))


async def test_one_that_is_cancelled_holds_nobody_up() -> None:
    gate = Gate()
    first, second = (asyncio.ensure_future(gate.passed()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    gate.open()
    await second
    assert gate.is_free
    gate.close()
    third = asyncio.ensure_future(gate.passed())
    await asyncio.sleep(0)
    assert not third.done()
    gate.open()
    await third
