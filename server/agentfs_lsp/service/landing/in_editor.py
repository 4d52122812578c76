"""Accepted changes in open documents: the client applies them, perhaps saves them
(docs/protocol.md#93-how-it-lands).

The client's word is not taken for anything: buffer and disk are looked at, and what is seen is answered. The
text sync and the disk may both lag behind what the client says.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.errors import DomainError, NotLanded, Rejected
from agentfs_lsp.service.landing.observing import holds_all
from agentfs_lsp.service.landing.precondition import check_unmoved
from agentfs_lsp.service.landing.reverting import put_back
from agentfs_lsp.service.landing.saving import keep_as_it_stands
from agentfs_lsp.service.proposal.change import about
from agentfs_lsp.service.state.workspace import off_loop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentfs_lsp.service.files.snapshot import Snapshot
    from agentfs_lsp.service.landing.observing import Observation, Watch
    from agentfs_lsp.service.proposal.change import FileChange, Landing
    from agentfs_lsp.service.proposal.review import Applied, Applier
    from agentfs_lsp.service.state.workspace import Workspace

UNTICKED_S = 5.0
"""Once something of a previewed change has come, what has not by then was not ticked by the user."""


class InEditor:
    """The open files of one landing, watched from the moment it is made. What failed is remembered for
    each, so that it can be told."""

    def __init__(self, ws: Workspace, changes: Sequence[FileChange], applier: Applier, watch: Watch) -> None:
        self._ws = ws
        self._applier = applier
        self._observations = [watch.add(change) for change in changes]
        self._failed: dict[Observation, DomainError] = {}

    # --- has it arrived? ----------------------------------------------------------------------------------

    async def apply(self) -> None:
        """Have the client apply all of them. Raises Conflict, NotLanded, LandingUnknown for the first that
        is not there in time."""
        await self.apply_each()
        if self.first_failure is not None:
            raise self.first_failure

    async def apply_each(self) -> None:
        """The same, and whatever fails is told by `keep`."""
        if not self._observations:
            return
        edits = [observation.edit for observation in self._observations]
        try:
            async with asyncio.timeout(self._ws.settings.landing_timeout_s):
                answers = await self._applier.apply(edits)
                for observation, answer in zip(self._observations, answers, strict=True):
                    if not await self._is_refused(observation, answer):
                        if answer.applied:
                            observation.see_applied()
                        await observation.arrival()
        except TimeoutError:
            for observation in self._observations:
                if observation not in self._failed:
                    await self._judge_silence(observation, "late")

    async def _is_refused(self, observation: Observation, answer: Applied) -> bool:
        if answer.applied or not answer.known or observation.arrived:
            return False
        observation.refused = True
        refused = NotLanded(observation.change.path, "refused", answer.reason)
        self._failed[observation] = await self._not_there(observation, refused)
        return True

    async def _judge_silence(self, observation: Observation, reason: Literal["late", "unchanged"]) -> None:
        """The time is over; passes where the change is there all the same."""
        change = observation.change
        if observation.arrived or observation.holds_all:
            return
        try:
            now = await self._ws.look_at_disk(change.base.location)
        except DomainError:
            now = None
        if now is None or not _came_to_disk(now, change):
            late = NotLanded(change.path, reason)
            self._failed[observation] = await self._not_there(observation, late)

    async def _not_there(self, observation: Observation, otherwise: NotLanded) -> DomainError:
        """Why the change is not there: because the file moved, if it did."""
        change = observation.change
        try:
            with about(change):
                now = await self._ws.look(change.base.location)
                size = max(change.base.size, now.size)
                await off_loop(size, check_unmoved, change.path, change.base, now, change.settings)
                raise otherwise
        except DomainError as error:
            return error

    async def find(self) -> None:
        """The editor asked and applied by itself: the documents tell what of it. A file of several that
        shows nothing of it was rejected."""
        waiting = [asyncio.ensure_future(one.any_of_it()) for one in self._observations]
        try:
            limit = self._ws.settings.landing_timeout_s
            await asyncio.wait(waiting, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if any(one.done() for one in waiting):
                await asyncio.wait(waiting, timeout=min(UNTICKED_S, limit))
        finally:
            for one in waiting:
                one.cancel()
        found = any(one.done() and not one.cancelled() for one in waiting)
        for observation, one in zip(self._observations, waiting, strict=True):
            if one.done() and not one.cancelled():
                observation.accept_part(one.result())
            elif (part := await observation.part_on_disk(self._ws)) is not None:
                observation.accept_part(part)
            elif found and not await observation.held(self._ws):
                self._failed[observation] = Rejected("rejected", paths=(observation.change.path,))
            else:
                await self._judge_silence(observation, "unchanged")

    @property
    def first_failure(self) -> DomainError | None:
        """What the first of those that are not there failed by."""
        return next(iter(self._failed.values()), None)

    @property
    def anything_arrived(self) -> bool:
        """Whether any of them is there."""
        return len(self._failed) < len(self._observations)

    # --- what becomes of it -------------------------------------------------------------------------------

    async def keep(self) -> list[Landing | DomainError]:
        """Those that arrived stand: have them saved where they are to be. What goes wrong from here on does
        not take them back. What failed before is its own outcome."""
        arrived = [one for one in self._observations if one not in self._failed]
        kept = dict(zip(arrived, await keep_as_it_stands(self._ws, arrived, self._applier), strict=True))
        return [kept[one] if one in kept else self._failed[one] for one in self._observations]

    def failures(self) -> list[DomainError]:
        """Where nothing is to be kept: why."""
        return [self._failed[one] for one in self._observations]

    async def take_back(self, error: DomainError) -> None:
        """None of them stands: the documents that read what was accepted are set back by the client, the
        files that were closed since by the server. Nothing takes back what the user has typed on: some of the
        change may be left all the same."""
        back = {one: one.reversal() for one in self._observations}
        try:
            async with asyncio.timeout(self._ws.settings.landing_timeout_s):
                await self._applier.take_back([edit for edit in back.values() if edit is not None], error)
                for observation, edit in back.items():
                    if edit is not None:
                        await observation.departure()
        except TimeoutError:
            pass  # whether it is there is looked at before it is told
        for observation in self._observations:
            if back[observation] is not None and self._applier.saves:
                await self._saved_again(observation)
            await put_back(self._ws, observation.change)

    async def _saved_again(self, observation: Observation) -> None:
        """Wait for a client that saves to save what it has set back, where it had saved the change."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._ws.settings.save_timeout_s):
                while not observation.is_in_document and await observation.held(self._ws):
                    await observation.more()


def _came_to_disk(now: Snapshot, change: FileChange) -> bool:
    """Whether the disk holds all of a change that it did not hold already."""
    base = change.base.blob
    if now.blob is None or now.disk is None or change.changes_nothing:
        return False
    return (base is None or now.blob.data != base.data) and holds_all(change, now.disk.shown)


async def find_in_editor(
    ws: Workspace, changes: Sequence[FileChange], applier: Applier, watch: Watch, *, all_or_none: bool
) -> list[Landing | DomainError]:
    """The editor asked and applied by itself. With `all_or_none` raises what one of them failed by, the
    others taken back; else that is its outcome."""
    in_editor = InEditor(ws, changes, applier, watch)
    await in_editor.find()
    failed = in_editor.first_failure
    if failed is not None and (all_or_none or not in_editor.anything_arrived):
        await in_editor.take_back(failed)
        raise failed
    return await in_editor.keep()
