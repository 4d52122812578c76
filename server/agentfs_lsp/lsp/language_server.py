"""The server of one connection: a pygls `LanguageServer` and the state that its features share.

The features are in `features/`; `server.py` combines both.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from agentfs_lsp import __version__
from agentfs_lsp.adapters.clock import SteadyClock
from agentfs_lsp.adapters.documents import OpenDocuments
from agentfs_lsp.adapters.review.asking import Asking
from agentfs_lsp.adapters.review.attached import AttachedReviewer
from agentfs_lsp.adapters.review.channels import ReviewChannels
from agentfs_lsp.adapters.review.client import ClientReviews
from agentfs_lsp.adapters.review.diff_file import DiffFiles
from agentfs_lsp.adapters.review.pairing import Pairings, Turn
from agentfs_lsp.adapters.review.questions import Screen
from agentfs_lsp.adapters.secrets import DetectSecrets
from agentfs_lsp.adapters.syntax import TreeSitter
from agentfs_lsp.api.incidents import record_incident
from agentfs_lsp.api.messages.history import trouble_text
from agentfs_lsp.domain.settings.groups import MIB
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.announcements import Announcements, settled_on_wire
from agentfs_lsp.lsp.capabilities import flatten
from agentfs_lsp.lsp.configuration.configuration import Configuration
from agentfs_lsp.lsp.configuration.layers import Layers, effective
from agentfs_lsp.lsp.editor import LspEditor
from agentfs_lsp.lsp.found_in_editor import LspFoundInEditor
from agentfs_lsp.lsp.line import Line
from agentfs_lsp.lsp.outgoing import WARNING
from agentfs_lsp.lsp.protocol import AgentfsProtocol
from agentfs_lsp.lsp.roots import Folders
from agentfs_lsp.lsp.sweeping import Sweeping
from agentfs_lsp.lsp.telemetry import TelemetryEvents
from agentfs_lsp.service.files.store import FileStore
from agentfs_lsp.service.landing.deciding import check_all_unmoved
from agentfs_lsp.service.operations import Observer, Operations
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.proposal.proposals import Proposals
from agentfs_lsp.service.proposal.record import History, HistoryTrouble
from agentfs_lsp.service.state.sessions import Sessions
from agentfs_lsp.service.state.workspace import Workspace

_log = logging.getLogger(__name__)

FINISH_S = 5.0
"""The time for requests in progress to finish at shutdown, in seconds."""

NOTIFICATIONS = ("agentfs/documentState", "agentfs/fileEncodings")
"""The notifications of clients in addition to LSP's; every other method of agentfs is a request."""


class AgentfsLanguageServer(LanguageServer):
    """One connection, from its first message to its last. Created by `server.create_server`."""

    protocol: AgentfsProtocol

    def __init__(
        self,
        send: Callable[[dict[str, Any]], None],
        stop: Callable[[int], None],
        files: FileStore,
        history: History,
        diff_files: DiffFiles,
        own_folders: Sequence[str],
        catalog: Callable[[str], Translate],
        *,
        to_the_end: Sequence[str],
        observers: Sequence[Observer] = (),
    ) -> None:
        super().__init__(
            "agentfs-lsp", __version__, protocol_cls=AgentfsProtocol, converter_factory=default_converter
        )
        self.stop = stop
        self.protocol.connect(send, self.language, notifications=NOTIFICATIONS, to_the_end=to_the_end)
        self._outgoing = outgoing = self.protocol.outgoing
        self._loop = asyncio.get_running_loop()
        self._catalog = catalog
        self._translate = catalog("en")
        self.client = flatten(None)
        self.capabilities: dict[str, Any] = {}
        """The capabilities in the response to `initialize` beyond those that pygls derives from the features.
        """
        self.editor = LspEditor(outgoing, self.language)
        self.found_in_editor = LspFoundInEditor(outgoing)
        clock = SteadyClock()
        self.documents = OpenDocuments(clock=clock)
        self.reviews = ClientReviews(self.editor, self.documents, self.language)
        asking = Asking(
            self.editor,
            clock,
            lambda: self.workspace.settings,
            self.language,
            self.reviews,
            diff_files,
            Screen(self.editor, clock, lambda: self.documents.changed_at_ms),
            lambda proposal: check_all_unmoved(self.workspace, proposal),
        )
        self._pairings = Pairings(asking)
        self.reviewer_requests: dict[str, Callable[[object], object]] = {}
        """What reviewers in programs of their own may send, with its handlers."""
        in_force = effective(Layers(), {}, own_folders)
        limits = in_force.settings.limits
        self._workspace = Workspace(
            files,
            self.documents,
            ReviewChannels(asking),
            Sessions(limits.records, limits.base_text_mib * MIB, limits.sessions),
            Proposals(clock, self._status_changed, self._proposal_ended),
            clock,
            in_force,
            history,
            Operations((TelemetryEvents(outgoing), *observers)),
            scanner=DetectSecrets(),
            syntax=TreeSitter(),
            found_in_editor=self.found_in_editor,
        )
        self.workspace.outside.on_changed = self._status_changed
        history.on_trouble(self._history_in_trouble)
        self.announcements = Announcements(
            outgoing, self.workspace, self.reviews.attached, lambda: self.client.traits.review
        )
        self.folders = Folders(self.workspace)
        self.configuration = Configuration(
            outgoing, self.workspace, own_folders, self.language, self._settings_changed
        )
        self.sweeping = Sweeping(self.workspace, diff_files, outgoing, self.language)
        self._preparing: asyncio.Task[None] | None = None
        self._is_prepared = asyncio.Event()
        self._in_line = Line()
        self.on_changed: Callable[[], None] = lambda: None
        """Called when the settings or the folders may have changed."""
        self.workspace.recover = self._recover
        self._finished_by = 0.0

    @property
    def workspace(self) -> Workspace:  # type: ignore[override]
        """Our documents; pygls' copies of open documents are not used."""
        return self._workspace

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002 - pygls' signature
        """Log the error; pygls would show invalid and late messages to the user as errors."""
        _log.warning("pygls: %s", type(error).__name__)

    # --- start and end ------------------------------------------------------------------------------------

    async def wait_until_prepared(self) -> None:
        """Wait, up to a limit, for the user's settings and the cleanup after killed servers. Callers resume
        in the order of arrival, which separate timeouts would not ensure."""
        if self._preparing is None:
            self._preparing = self.in_background(self._prepare())
        await self._in_line.wait_for(self._is_prepared.wait)

    async def _prepare(self) -> None:
        try:
            await self.configuration.wait_until_known()
            await self.sweeping.wait_until_prepared()
        finally:
            self._is_prepared.set()

    def _recover(self) -> None:
        again = self.sweeping.begin_again()
        if again is not None:
            self.in_background(again)

    @property
    def is_closing(self) -> bool:
        """Whether new requests are refused."""
        return self.protocol.is_shutting_down

    def connection_lost(self) -> None:
        """The client has disconnected: everything that waits for it ends."""
        self.protocol.outgoing.abandon()
        self.reviews.abandon()

    async def finish(self) -> bool:
        """Start nothing new, withdraw pending proposals, and finish landings in progress. Returns whether all
        ended within FINISH_S of the first call."""
        self.protocol.begin_shutdown()
        for proposal in self.workspace.proposals:
            proposal.withdraw("shutdown")
        self._finished_by = self._finished_by or self._loop.time() + FINISH_S
        try:
            async with asyncio.timeout_at(self._finished_by):
                await self.protocol.pending_requests.finish_all()
                await self.sweeping.over.wait()
        except TimeoutError:
            _log.warning("what was under way was given up: it did not end in time")
            return False
        return True

    def in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a background task; an internal error in it is logged."""
        task = self.workspace.afterwards(work)
        task.add_done_callback(_report_error)
        return task

    # --- reviewers in programs of their own ---------------------------------------------------------------

    def pairing(self) -> Turn:
        """The turn of a reviewer that is about to get the server's nonce."""
        return self._pairings.begin()

    def attach(self, reviewer: AttachedReviewer) -> None:
        """From now on, tell this reviewer about proposals; first about those under review."""
        self.reviews.attach(reviewer)

    def detach(self, reviewer: AttachedReviewer) -> None:
        """It has gone. Does nothing if it was not attached."""
        self.reviews.attached.remove(reviewer)

    def settled_on_wire(self, proposal: Proposal) -> object:
        """The params of `agentfs/settled`."""
        return settled_on_wire(proposal)

    # --- what the user set --------------------------------------------------------------------------------

    def language(self) -> Translate:
        """The user's current language."""
        return self._translate

    def choose_language(self) -> None:
        """Use the language in the settings, or else the client's."""
        self._translate = self._catalog(self.workspace.settings.locale or self.client.locale)

    def set_mode(self, mode: Mode, session: str | None) -> None:
        """Set the mode for one session or, with None, for all."""
        self.workspace.sessions.set_mode(mode, session)
        self._status_changed()

    def _settings_changed(self, before: Settings) -> None:
        if before.roots != self.workspace.settings.roots:
            self.folders.apply()
        self.choose_language()
        self._status_changed()
        self.tools_may_have_changed()

    def tools_may_have_changed(self) -> None:
        """The settings or the folders have changed."""
        self.announcements.tools()
        self.on_changed()

    # --- what is told -------------------------------------------------------------------------------------

    def _proposal_ended(self, proposal: Proposal) -> None:
        self.reviews.ended(proposal)
        self.workspace.close_landed()
        self.announcements.settled(proposal)

    def _status_changed(self) -> None:
        self.announcements.status()

    def _history_in_trouble(self, trouble: HistoryTrouble, where: str) -> None:
        """Called from the history's thread."""
        text = trouble_text(trouble, where, self._translate)
        self._loop.call_soon_threadsafe(self._outgoing.tell, WARNING, text)


def _report_error(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        record_incident(_log, error)
