"""Reads, applies, and reports the user's settings (docs/protocol.md#13-settings-and-policy).

It requests the settings from the client, applies them, and informs the user of problems. `layers.py`
merges the layers; `domain/settings/settings.py` defines the settings.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from agentfs_lsp.domain.errors import PolicyDenied
from agentfs_lsp.domain.settings.groups import MIB
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.capabilities import ClientCapabilities
from agentfs_lsp.lsp.configuration.layers import LayerName, Layers, effective
from agentfs_lsp.lsp.configuration.messages import problems_text
from agentfs_lsp.lsp.configuration.reading import Problem
from agentfs_lsp.lsp.configuration.workspace_file import (
    NAME,
    NO_FILE,
    WorkspaceFile,
    look_again,
    read_file,
    unread,
)
from agentfs_lsp.lsp.line import Line
from agentfs_lsp.lsp.outgoing import WARNING, ClientError, Outgoing
from agentfs_lsp.service.files.store import Root
from agentfs_lsp.service.state.workspace import Workspace

_log = logging.getLogger(__name__)

FIRST_ANSWER_S = 2.0
"""How long a change waits for the first response to workspace/configuration, in seconds."""

MOST_MESSAGES = 5
"""How many messages there are about one workspace file: a program may write it again and again."""

READ_AT_ONCE = 4096
"""The size in bytes up to which a workspace's file is parsed on the event loop; more may take tenths of a
second."""


class Configuration:
    """Keeps the effective settings up to date with those of the user and the folders. `changed` is called
    with the previous ones after a change."""

    def __init__(
        self,
        outgoing: Outgoing,
        workspace: Workspace,
        own_folders: Sequence[str],
        translate: Callable[[], Translate],
        changed: Callable[[Settings], None],
    ) -> None:
        self._outgoing = outgoing
        self._workspace = workspace
        self._own_folders = tuple(own_folders)
        self._translate = translate
        self._changed = changed
        self._layers = Layers()
        self.keeps_user_settings = False
        """Whether the client's later answers hold no workspace's values of settings for users alone."""
        self._said: dict[str, WorkspaceFile] = {}  # by root path: each workspace's own settings
        self._told: set[int] = set()  # hashes of reported problems of workspace files
        self._messages: Counter[str] = Counter()  # by workspace file
        self._report_after: set[asyncio.Task[None]] = set()
        self._parsing = asyncio.Lock()
        self._in_line = Line()
        self._pulls = 0
        self._known = asyncio.Event()

    async def wait_until_known(self) -> None:
        """Return when the user's settings are known, or after a timeout. Until they are known, no change is
        allowed without review."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_ANSWER_S):
                await self._known.wait()

    async def begin(self, client: ClientCapabilities) -> None:
        """Request the settings from the client, if it supports that, and register for changes."""
        if not client.pulls_configuration:
            self._mark_known()
        else:
            await asyncio.gather(self._pull(), self._register(client))

    def pushed(self, client: ClientCapabilities, settings: object) -> Coroutine[Any, Any, None] | None:
        """`workspace/didChangeConfiguration`: applied before the client's next message is processed. Returns
        a coroutine that requests the settings again, if the client supports that; if the notification
        contains no settings, that response is the only source."""
        self.set_layer("changed", settings)
        return self._pull(instead_of_told=settings is None) if client.pulls_configuration else None

    async def _pull(self, *, instead_of_told: bool = False) -> None:
        """Request the settings; of several concurrent requests, only the last one's response counts."""
        self._pulls = number = self._pulls + 1
        try:
            answered = await self._outgoing.request(
                "workspace/configuration", {"items": [{"section": "agentfs"}]}
            )
        except ClientError:
            answered = None
        if number != self._pulls or self._outgoing.is_closed:
            return
        section = answered[0] if isinstance(answered, list) and answered else None
        self.set_layer("configuration", section)
        if instead_of_told and section is not None:
            self.set_layer("changed", {})
        self._mark_known()

    def set_layer(self, name: LayerName, raw: object) -> None:
        is_users = name == "initialization" or self.keeps_user_settings
        self._replace(self._layers.answered(name, raw, is_users=is_users))

    def set_switch(self, name: str, on: bool) -> bool:
        """Set a switch; returns whether a switch with that name exists."""
        turned = self._layers.with_switch(name, on=on)
        if turned is not None:
            self._replace(turned)
        return turned is not None

    def roots_changed(self) -> None:
        """Forget the workspace files of roots that were closed, look at those of the others, and judge
        pending proposals again: a nested root may have other rules for its files."""
        gone = self._said.keys() - {root.path for root in self._workspace.roots}
        for path in gone:
            del self._said[path]
        if gone:
            self._apply(())
        self.look()
        self._withdraw_denied()

    def look(self) -> None:
        """Look at the workspace file of each root, and apply those that are new together."""
        new: dict[str, WorkspaceFile] = {}
        for root in self._workspace.roots:
            known = self._said.get(root.path, NO_FILE)
            now = look_again(self._workspace.files, root, known, self._read)
            if now is not known:
                new[root.path] = now
        if new:
            self._take_files(new)

    def up_to_date(self) -> Coroutine[Any, Any, object] | None:
        """Check the roots' workspace files; returns what to await if parsing one takes long."""
        self.look()
        if not self._workspace.reading_settings and self._in_line.is_empty:
            return None
        # Not for files that begin meanwhile: a program that keeps writing one would stall every request.
        return self._in_line.wait_for(partial(_all_done, tuple(self._workspace.reading_settings)))

    def _take_files(self, files: dict[str, WorkspaceFile]) -> None:
        self._said.update(files)
        self._apply(())
        # Not after files that begin meanwhile, as in `up_to_date`.
        self._report_after = self._report_after or set(self._workspace.reading_settings)
        self._report()

    def _read(self, root: Root, data: bytes) -> WorkspaceFile:
        if len(data) <= READ_AT_ONCE:
            return read_file(root, data)
        file = unread(data)
        reading = asyncio.ensure_future(self._read_in_thread(root, data, file))
        self._workspace.reading_settings.add(reading)
        reading.add_done_callback(self._end_reading)
        return file

    async def _read_in_thread(self, root: Root, data: bytes, meanwhile: WorkspaceFile) -> None:
        """Read the file on a thread, one at a time; not if it has changed again by then, and ignore the
        result if it has changed since."""
        async with self._parsing:
            if self._said.get(root.path) is meanwhile:
                file = await asyncio.to_thread(read_file, root, data)
                if self._said.get(root.path) is meanwhile:
                    self._take_files({root.path: file})

    def _end_reading(self, reading: asyncio.Task[None]) -> None:
        self._workspace.reading_settings.discard(reading)
        self._report_after.discard(reading)
        self._report()

    def _report(self) -> None:
        """Tell the user of new problems in workspace files, together: not while some are still being read."""
        if self._report_after:
            return
        new = [
            one
            for file in self._said.values()
            for one in file.problems
            if self._messages[one.origin] < MOST_MESSAGES and hash(one) not in self._told
        ]
        self._told.update(map(hash, new))
        self._messages.update({one.origin for one in new})
        self._tell(new)

    def _tell(self, problems: Sequence[Problem]) -> None:
        if problems:
            self._outgoing.tell(WARNING, problems_text(problems, self._translate()))

    async def _register(self, client: ClientCapabilities) -> None:
        wanted: dict[str, object] = {}
        if client.registers_configuration_changes:
            wanted["didChangeConfiguration"] = {"section": "agentfs"}
        if client.registers_watched_files:
            wanted["didChangeWatchedFiles"] = {"watchers": [{"globPattern": f"**/{NAME}"}]}
        registrations = [
            {"id": f"agentfs-{method}", "method": f"workspace/{method}", "registerOptions": options}
            for method, options in wanted.items()
        ]
        if not registrations:
            return
        try:
            await self._outgoing.request("client/registerCapability", {"registrations": registrations})
        except ClientError:
            _log.info("the client does not register for changes")

    def _mark_known(self) -> None:
        """The user's settings have arrived: from now on their mode applies."""
        self._workspace.settings_known = True
        self._workspace.operations.settings_known()
        self._known.set()

    def _replace(self, layers: Layers) -> None:
        before, self._layers = self._layers, layers
        known = frozenset(before.problems)
        new = tuple(problem for problem in layers.problems if problem not in known)
        if new or layers.settings != before.settings:
            self._apply(new)

    def _apply(self, problems: Sequence[Problem]) -> None:
        """Put the settings of layers and files in force, and notify everyone concerned. `problems`: the new
        ones."""
        ws, before = self._workspace, self._workspace.settings
        said = {path: file.tightening for path, file in self._said.items()}
        ws.in_force = effective(self._layers, said, self._own_folders)
        settings, limits = ws.settings, ws.settings.limits
        ws.sessions.resize(limits.records, limits.base_text_mib * MIB, limits.sessions)
        ws.history.configure(settings.history)
        ws.operations.configure(settings)
        if before.approval.mode != settings.approval.mode:
            ws.sessions.forget_mode()
        self._changed(before)
        self._tell(problems)
        self._withdraw_denied()

    def _withdraw_denied(self) -> None:
        """Pending proposals are judged again, but only more strictly."""
        ws = self._workspace
        for proposal in ws.proposals:
            if proposal.changes:
                try:
                    ws.judge_changes(proposal.changes, proposal.session)
                except PolicyDenied:
                    proposal.withdraw("settings")


async def _all_done(tasks: Sequence[asyncio.Task[None]]) -> None:
    if tasks:
        await asyncio.wait(tasks)
