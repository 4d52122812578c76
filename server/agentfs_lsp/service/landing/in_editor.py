"""Accepted changes to open documents: the client applies and may save them
(docs/protocol.md#93-how-it-lands).

Answers report what buffer and disk show, never just what the client claims; both may lag behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from agentfs_lsp.domain.errors import DomainError, LandingUnknown, NotLanded, Rejected
from agentfs_lsp.domain.text.byte_order_mark import reads_same
from agentfs_lsp.domain.text.textfile import encode
from agentfs_lsp.service.files.store import Draft, FileStore
from agentfs_lsp.service.landing.holding import holds_all
from agentfs_lsp.service.landing.last_line_end import edit_of, reversal
from agentfs_lsp.service.landing.observing import Observation, Watch, previewed
from agentfs_lsp.service.landing.precondition import look_unmoved, not_opened
from agentfs_lsp.service.landing.saving import save_and_check
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.review import Applied, Applier
from agentfs_lsp.service.state.workspace import Workspace, in_thread, off_loop


class InEditor:
    """The open files of one landing, watched from construction on. Remembers each file's failure."""

    def __init__(self, ws: Workspace, changes: Sequence[FileChange], applier: Applier, watch: Watch) -> None:
        self._ws = ws
        self._applier = applier
        self._observations = [watch.add(change) for change in changes]
        self._failed: dict[Observation, DomainError] = {}

    # --- has it arrived? ----------------------------------------------------------------------------------

    async def apply(self) -> None:
        """Have the client apply all changes. Raises Conflict, NotLanded or LandingUnknown for the first that
        does not arrive in time."""
        await self.apply_each()
        if self.first_failure is not None:
            raise self.first_failure

    async def apply_each(self) -> None:
        """As `apply`, but leaves failures for `keep` to report."""
        if not self._observations:
            return
        edits = [one.sending(edit_of(one.change)) for one in self._observations]
        answers: list[Applied] = []
        try:
            async with asyncio.timeout(self._ws.settings.landing_timeout_s):
                async for answer in self._applier.apply(edits):
                    answers.append(answer)  # noqa: PERF401 - keeps those that came before the timeout
                for observation, answer in zip(self._observations, answers, strict=True):
                    if answer.is_lost:
                        await self._judge_silence(observation, "ended")
                    elif not await self._is_refused(observation, answer):
                        await observation.arrival()
        except TimeoutError:
            for number, observation in enumerate(self._observations):
                if observation in self._failed:
                    continue
                if number < len(answers):
                    if await self._is_refused(observation, answers[number]):
                        continue
                    observation.outstanding = not observation.is_reported
                elif number == len(answers):  # the others have not been sent
                    observation.outstanding = not self._applier.reverts_late
                await self._judge_silence(observation, "late")

    async def _is_refused(self, observation: Observation, answer: Applied) -> bool:
        """Take in the client's answer to an edit; returns whether the client refused it."""
        is_blind = observation.change.is_blind
        if answer.applied:
            observation.see_applied()
        if answer.applied or (not is_blind and (observation.arrived or not answer.known)):
            return False
        observation.refused = True
        refused = NotLanded(observation.change.path, "refused", answer.reason)
        self._failed[observation] = await self._not_there(observation, refused)
        return True

    async def _judge_silence(
        self, observation: Observation, reason: Literal["late", "unchanged", "ended"]
    ) -> None:
        """Handle the timeout, or the end of the connection; returns if the change has arrived after all."""
        path = observation.change.path
        if observation.change.is_blind or not await self._is_there(observation):
            if reason == "ended":
                ended = self._failed[observation] = LandingUnknown(path, "ended")
                ended.file = observation.change.absolute
                return
            late = LandingUnknown(path, "late") if observation.outstanding else NotLanded(path, reason)
            self._failed[observation] = await self._not_there(observation, late)
        else:
            observation.outstanding = False

    async def _is_there(self, observation: Observation) -> bool:
        if observation.arrived or await observation.holds_all():
            return True
        change, base = observation.change, observation.change.base.blob
        try:
            now = await self._ws.look_at_disk(change.base.location)
        except DomainError:
            return False
        if now.blob is None or now.disk is None or change.changes_nothing:
            return False
        is_new = base is None or now.blob.data != base.data
        return is_new and await off_loop(now.size, holds_all, change, now.disk.shown)

    async def _not_there(self, observation: Observation, otherwise: DomainError) -> DomainError:
        """Why the change is missing: a Conflict if the file moved, else `otherwise`. For a blind change only
        the client's word counts, because a right guess can't be seen to arrive."""
        change = observation.change
        if change.is_blind:
            return otherwise
        try:
            await look_unmoved(self._ws, change)
        except DomainError as error:
            return error
        otherwise.file = change.absolute
        return otherwise

    async def find(self) -> None:
        """The editor asked and applied by itself: read the result from the documents. If there are several
        files, one that shows none of its change was rejected."""
        limit_s = self._ws.settings.landing_timeout_s
        arrived = await previewed([one.any_of_it() for one in self._observations], limit_s)
        for observation, change in zip(self._observations, arrived, strict=True):
            if change := change or await observation.part_on_disk(self._ws):
                observation.accept(change)
            elif any(arrived) and not await observation.held(self._ws):
                self._failed[observation] = Rejected("rejected", paths=(observation.change.path,))
            else:
                await self._judge_silence(observation, "unchanged")

    @property
    def first_failure(self) -> DomainError | None:
        """The error of the first file that failed, preferring one that leaves the result open."""
        return min(self._failed.values(), key=lambda one: not isinstance(one, LandingUnknown), default=None)

    @property
    def anything_arrived(self) -> bool:
        """Whether any change arrived."""
        return len(self._failed) < len(self._observations)

    # --- what becomes of it -------------------------------------------------------------------------------

    async def keep(self) -> list[Landing | DomainError]:
        """Keep the changes that arrived, and save where required; later failures don't roll them back. Files
        that failed before keep their error as outcome."""
        arrived = [one for one in self._observations if one not in self._failed]
        kept = dict(zip(arrived, await save_and_check(self._ws, arrived, self._applier), strict=True))
        return [kept[one] if one in kept else self._failed[one] for one in self._observations]

    def failures(self) -> list[DomainError]:
        """The errors, when nothing is kept."""
        return [self._failed[one] for one in self._observations]

    async def roll_back(self, error: DomainError) -> None:
        """Roll back: the client reverts documents that hold exactly the accepted text, the server reverts
        files closed since. Text the user typed over is left alone, so part of the change may remain."""
        reverses = [(one, reversal(edit_of(one.change), one.document)) for one in self._observations]
        back = {one: one.sending(edit) for one, edit in reverses if edit and edit.splices}
        try:
            async with asyncio.timeout(self._ws.settings.landing_timeout_s):
                await self._applier.roll_back([*back.values()], error)
                for observation in back:
                    while await observation.is_in_document():
                        await observation.more()
        except TimeoutError:  # whether the change is there is checked before answering
            for observation in back if not self._applier.reverts_late else ():
                answered = observation.answer.done()
                unreported = observation.says_applied and not observation.is_reported
                observation.outstanding = not answered or unreported
                if not answered:
                    break  # the others have not been sent
        for observation in self._observations:
            if observation in back and self._applier.saves:
                await self._saved_again(observation)
            await self._put_back(observation.change)

    async def _put_back(self, change: FileChange) -> None:
        """Restore on disk the text from before a change whose document was saved and closed meanwhile,
        including the user's unsaved edits, unless the file holds anything but the accepted text. Whether the
        change is gone is checked before answering."""
        base, location = change.base, change.base.location
        with suppress(DomainError):
            if self._ws.documents.at(location.absolute) is not None:
                return
            now = await self._ws.look(location)
            if now.buffer is not None or now.blob is None or now.disk is None:
                return
            is_base = base.blob is not None and now.blob.data == base.blob.data
            if is_base or not reads_same(now.disk.shown, change.shown):
                return
            before = encode(base.text.text, base.text) if base.blob is None or base.dirty else base.blob.data
            draft = Draft(location, (before,), now.blob, create_dirs=False)
            with not_opened(self._ws, [replace(change, base=now)]) as check:
                await in_thread(_replace, self._ws.files, draft, check)

    async def _saved_again(self, observation: Observation) -> None:
        """If the client saved the change, wait until it has saved the rollback too."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._ws.settings.save_timeout_s):
                while not await observation.is_in_document() and await observation.held(self._ws):
                    await observation.more()


def _replace(files: FileStore, draft: Draft, check: Callable[[], None]) -> None:
    staged = files.stage([draft])
    try:
        staged.commit(check)
    except BaseException:
        staged.discard()
        raise


async def find_in_editor(
    ws: Workspace, changes: Sequence[FileChange], applier: Applier, watch: Watch, *, all_or_none: bool
) -> list[Landing | DomainError]:
    """The editor asked and applied by itself. With `all_or_none`, roll back and raise the first failure;
    otherwise failures are outcomes."""
    in_editor = InEditor(ws, changes, applier, watch)
    await in_editor.find()
    failed = in_editor.first_failure
    if failed is not None and (all_or_none or not in_editor.anything_arrived):
        await in_editor.roll_back(failed)
        raise failed
    return await in_editor.keep()
