"""Cleans up after killed servers, and says what became of the landings they left
(docs/protocol.md#1-start-and-transport, docs/protocol.md#10-agentfsbatch)."""

from __future__ import annotations

import asyncio
import logging
import os.path
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agentfs_lsp.adapters.review.diff_file import DiffFiles
from agentfs_lsp.domain.errors import SystemFailed
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.outgoing import INFO, WARNING, Outgoing
from agentfs_lsp.service.files.store import Recovered
from agentfs_lsp.service.state.workspace import Workspace, in_thread

_log = logging.getLogger(__name__)

LONGEST_S = 5.0
"""How long changes wait for the cleanup after the start, in seconds."""

RETRY_S = 2.0
"""The pause before another attempt at what the system did not let finish, in seconds."""

PATHS_SHOWN = 5


class Sweeping:
    """Runs in the background. Changes wait for it for a while; uses of a file in an interrupted landing wait
    as long as it takes, because the file may be half landed. `over`: no cleanup is running."""

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
        self.over = asyncio.Event()
        self.over.set()
        self._waited_by = 0.0
        self._told: frozenset[str] = frozenset()
        """The files that the user knows to be held up."""

    def begin(self) -> Coroutine[Any, Any, None]:
        """The cleanup to run in the background. From now on changes wait for it."""
        self.over.clear()
        self._workspace.begin_recovery()
        self._waited_by = asyncio.get_running_loop().time() + LONGEST_S
        return self._sweep()

    def begin_again(self) -> Coroutine[Any, Any, None] | None:
        """A new cleanup of what another server has left since. None while one is running; whoever waits for
        that checks again afterwards."""
        if self.over.is_set():
            return self.begin()
        self._workspace.begin_recovery()
        return None

    async def wait_until_prepared(self) -> None:
        """Wait until the cleanup is complete, or a timeout."""
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._waited_by):
                await self.over.wait()

    async def _sweep(self) -> None:
        """Finish or roll back interrupted landings, remove temporary files, and inform the user."""
        held_up: frozenset[str] = frozenset()
        try:
            recovered = await self._swept()
            waiting = [one for one in recovered if one.outcome == "held_up"]
            if waiting:
                held_up = frozenset(path for one in waiting for path in one.paths)
                asyncio.get_running_loop().call_later(RETRY_S, self._workspace.recover)
            self._workspace.end_recovery(held_up)
            self._tell(one for one in recovered if one not in waiting or not self._told.issuperset(one.paths))
            self._told = held_up
            await in_thread(self._diff_files.sweep, self._workspace.roots)
        finally:
            self._workspace.end_recovery(held_up)
            self.over.set()

    def _tell(self, recovered: Iterable[Recovered]) -> None:
        told = list(recovered)
        for one in told:
            _log.warning("a landing of %d files: %s", len(one.paths), one.outcome)
        for kind, text in recovery_messages(told, self._translate()):
            self._outgoing.tell(kind, text)

    async def _swept(self) -> Sequence[Recovered]:
        while True:
            with suppress(SystemFailed):  # another server is landing: wait again
                return await in_thread(self._workspace.files.sweep)


def recovery_messages(recovered: Iterable[Recovered], translate: Translate) -> Iterator[tuple[int, str]]:
    """The types and texts of messages, one for each outcome of landings."""
    by_outcome: dict[str, Recovered] = {}
    for one in recovered:
        before = by_outcome.setdefault(one.outcome, one)
        if before is not one:
            together = os.path.dirname(one.kept_in) if one.outcome == "set_aside" else ""
            by_outcome[one.outcome] = replace(one, paths=(*before.paths, *one.paths), kept_in=together)
    return (_message(one, translate) for one in by_outcome.values())


def _message(recovered: Recovered, translate: Translate) -> tuple[int, str]:
    paths = ", ".join(map(escape_to_one_line, recovered.paths[:PATHS_SHOWN]))
    if len(recovered.paths) > PATHS_SHOWN:
        paths += " …"
    kept_in = escape_to_one_line(recovered.kept_in)
    texts = {
        "finished": translate(
            "agentfs: A change that a crash had interrupted was completed: {paths}", paths=paths
        ),
        "rolled_back": translate(
            "agentfs: A change that a crash had interrupted was rolled back: {paths}", paths=paths
        ),
        "set_aside": translate(
            "agentfs: A crash interrupted a change, which could not be completed because files or folders "
            "were changed in the meantime: {paths}. What is left of the new and the previous contents is in "
            "{folder}.",
            paths=paths,
            folder=kept_in,
        ),
        "held_up": translate(
            "agentfs: A change that a crash had interrupted cannot be completed yet ({reason}): {paths}. "
            "Until it can be, agents can neither read nor change these files.",
            reason=escape_to_one_line(recovered.reason),
            paths=paths,
        ),
    }
    kind = WARNING if recovered.outcome in ("set_aside", "held_up") else INFO
    return kind, texts[recovered.outcome]
