"""Cleans up after killed servers (docs/protocol.md#1-start-and-transport)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

from agentfs_lsp.adapters.review.diff_file import DiffFiles
from agentfs_lsp.domain.errors import SystemFailed
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.outgoing import Outgoing
from agentfs_lsp.lsp.recovery_messages import recovery_messages
from agentfs_lsp.service.files.store import Recovered
from agentfs_lsp.service.state.workspace import Workspace, in_thread

_log = logging.getLogger(__name__)

LONGEST_S = 5.0
"""How long changes wait for the cleanup after the start, in seconds."""


class Sweeping:
    """Runs in the background. Changes wait for it for a while; uses of a file in an interrupted landing wait
    as long as it takes, because the file may be half landed."""

    def __init__(
        self,
        workspace: Workspace,
        diff_files: DiffFiles,
        outgoing: Outgoing,
        translate: Callable[[], Translate],
    ) -> None:
        self._workspace = workspace
        self._diff_files = diff_files
        self._outgoing = outgoing
        self._translate = translate
        self._over = asyncio.Event()
        self._over.set()
        self._waited_by = 0.0

    def begin(self) -> Coroutine[Any, Any, None]:
        """The cleanup to run in the background. From now on changes wait for it."""
        self._over.clear()
        self._workspace.begin_recovery()
        self._waited_by = asyncio.get_running_loop().time() + LONGEST_S
        return self._sweep()

    def begin_again(self) -> Coroutine[Any, Any, None] | None:
        """A new cleanup of what another server has left since. None while one is running; whoever waits for
        that checks again afterwards."""
        if self._over.is_set():
            return self.begin()
        self._workspace.begin_recovery()
        return None

    async def wait_until_done(self) -> None:
        """Wait until the cleanup is complete."""
        await self._over.wait()

    async def wait_until_prepared(self) -> None:
        """Wait until the cleanup is complete, or a timeout."""
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._waited_by):
                await self._over.wait()

    async def _sweep(self) -> None:
        """Finish or roll back interrupted landings, remove temporary files, and inform the user."""
        try:
            recovered = await self._swept()
            self._workspace.end_recovery()
            for one in recovered:
                _log.warning("a landing of %d files: %s", len(one.paths), one.outcome)
            for kind, text in recovery_messages(recovered, self._translate()):
                self._outgoing.tell(kind, text)
            await in_thread(self._diff_files.sweep, self._workspace.roots)
        finally:
            self._workspace.end_recovery()
            self._over.set()

    async def _swept(self) -> Sequence[Recovered]:
        while True:
            with suppress(SystemFailed):  # another server is landing: wait again
                return await in_thread(self._workspace.files.sweep)
