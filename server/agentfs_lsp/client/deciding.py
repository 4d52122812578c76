"""Has a reviewer, a coroutine or a function that blocks, decide about a proposal."""

from __future__ import annotations

import asyncio
import inspect
import threading
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any

from agentfs_lsp.client.reviews import Accept, Amend, Decision, Reject, Review, Reviewer


async def decision_of(reviewer: Reviewer, review: Review) -> Decision:
    """Raises whatever the reviewer raises, and TypeError if it returns something else."""
    if inspect.iscoroutinefunction(reviewer):
        decision = await reviewer(review)
    else:
        decision = await _on_a_thread(reviewer, review)
        if inspect.isawaitable(decision):
            decision = await decision
    if not isinstance(decision, Accept | Amend | Reject):
        raise TypeError(f"a reviewer returned {type(decision).__name__}, not a decision")
    return decision


async def _on_a_thread(reviewer: Reviewer, review: Review) -> Any:
    """What it returns. Unlike a pool's, this thread does not keep the program from ending if it waits for a
    person who never answers."""
    decided: Future[object] = Future()
    decided.set_running_or_notify_cancel()
    context = copy_context()

    def decide() -> None:
        try:
            decided.set_result(context.run(reviewer, review))
        except BaseException as error:  # noqa: BLE001 - as a result, because a future takes no StopIteration
            decided.set_result(error)

    threading.Thread(target=decide, name="agentfs-review", daemon=True).start()
    decision = await asyncio.wrap_future(decided)
    if isinstance(decision, BaseException):
        raise decision
    return decision
