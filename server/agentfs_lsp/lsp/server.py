"""The server of one connection: where each message goes, and what the editor's notifications do.

Adapters come from the outside (`__main__`); requests are files under `requests/`.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from agentfs_lsp.adapters.clock import SteadyClock
from agentfs_lsp.adapters.documents import OpenDocuments
from agentfs_lsp.adapters.review.channels import ReviewChannels
from agentfs_lsp.adapters.review.client import ClientReviews
from agentfs_lsp.adapters.review.questions import Screen
from agentfs_lsp.api.exchange import Exchange, answer
from agentfs_lsp.api.incidents import record_incident
from agentfs_lsp.api.messages.history import trouble_text
from agentfs_lsp.domain.policy.verdict import Policy
from agentfs_lsp.domain.settings.groups import MIB
from agentfs_lsp.lsp.announcements import Announcements
from agentfs_lsp.lsp.capabilities import flatten, served
from agentfs_lsp.lsp.configuration.configuration import Configuration
from agentfs_lsp.lsp.configuration.layers import SettingsStore
from agentfs_lsp.lsp.editor import LspEditor
from agentfs_lsp.lsp.editor_exchange import EditorExchange, answer_editor
from agentfs_lsp.lsp.file_encodings import file_encodings
from agentfs_lsp.lsp.methods import (
    AGENT_REQUESTS,
    COMMANDS,
    EDITOR_REQUESTS,
    MANUAL_COMMAND,
    USER_REQUESTS,
    unknown_command,
)
from agentfs_lsp.lsp.outgoing import Outgoing
from agentfs_lsp.lsp.pending_requests import Later
from agentfs_lsp.lsp.protocol import Method, build_pygls
from agentfs_lsp.lsp.roots import Folders
from agentfs_lsp.lsp.sweeping import Sweeping
from agentfs_lsp.service.proposal.proposals import Proposals
from agentfs_lsp.service.state.sessions import Sessions
from agentfs_lsp.service.state.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from agentfs_lsp.adapters.review.diff_file import DiffFiles
    from agentfs_lsp.api.exchange import Request
    from agentfs_lsp.domain.settings.setting import Mode
    from agentfs_lsp.domain.settings.settings import Settings
    from agentfs_lsp.domain.translation import Translate
    from agentfs_lsp.lsp.configuration.layers import Changed
    from agentfs_lsp.lsp.editor_exchange import EditorRequest
    from agentfs_lsp.service.files.store import FileStore
    from agentfs_lsp.service.proposal.proposals import Outcome, Proposal
    from agentfs_lsp.service.proposal.record import History, HistoryTrouble

_log = logging.getLogger(__name__)

FINISH_S = 5.0
"""So long what is under way may take once the server is to end."""


class Server:
    """One connection, from its first message to its last."""

    def __init__(
        self,
        send: Callable[[dict[str, Any]], None],
        stop: Callable[[int], None],
        files: FileStore,
        history: History,
        diff_files: DiffFiles,
        own_folders: Sequence[str],
        catalogue: Callable[[str], Translate],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = stop
        self._catalogue = catalogue
        self._translate = catalogue("en")
        self._client = flatten(None)
        self._settings = SettingsStore()
        self._outgoing = Outgoing(send)
        self._editor = LspEditor(self._outgoing, self._speak)
        clock = SteadyClock()
        self._documents = OpenDocuments(clock=clock)
        self._reviews = ClientReviews(self._editor, self._documents, clock, self._speak)
        settings = self._settings.current
        self.workspace = Workspace(
            files,
            self._documents,
            ReviewChannels(
                self._editor,
                clock,
                self._current,
                self._speak,
                self._reviews,
                diff_files,
                Screen(self._editor, clock, self._documents.changed_at_ms),
            ),
            Sessions(settings.limits.records, settings.limits.base_text_mib * MIB, settings.limits.sessions),
            Proposals(clock, self._status_changed, self._proposal_ended),
            clock,
            settings,
            Policy(settings, own_folders),
            history,
        )
        history.on_trouble(self._history_in_trouble)
        self._announcements = Announcements(self._outgoing, self.workspace)
        self._folders = Folders(self.workspace)
        self._configuration = Configuration(
            self._settings, self._outgoing, self.workspace, own_folders, self._speak, self._settings_changed
        )
        self._sweeping = Sweeping(self.workspace, diff_files, self._outgoing, self._speak)
        self._preparing: asyncio.Task[None] | None = None
        self._is_prepared = asyncio.Event()
        self.workspace.recover = self._recover
        self._finished_by = 0.0
        self._background: set[asyncio.Task[None]] = set()
        self.protocol = build_pygls()
        self.protocol.connect(send, self._table(), self._outgoing, self._greet, EDITOR_REQUESTS, self._speak)

    def _table(self) -> dict[str, Method]:
        """Every method served, but for `initialize`, whose answer pygls begins."""
        told = partial(Method, answers=False)
        return {
            **{
                method: Method(partial(self._serve_agent, one))
                for method, one in {**AGENT_REQUESTS, **USER_REQUESTS}.items()
            },
            **{method: Method(partial(self._serve_editor, one)) for method, one in EDITOR_REQUESTS.items()},
            "workspace/executeCommand": Method(self._execute),
            "shutdown": Method(self._shut_down),
            "$/cancelRequest": told(self._cancel),
            "window/workDoneProgress/cancel": told(self._cancel_progress),
            "textDocument/didOpen": told(self._documents.opened),
            "textDocument/didChange": told(self._documents.changed),
            "textDocument/didSave": told(self._saved),
            "textDocument/didClose": told(self._documents.closed),
            "agentfs/documentState": told(self._documents.hinted),
            "agentfs/fileEncodings": told(self._encodings_told),
            "initialized": told(self._ready),
            "workspace/didChangeConfiguration": told(self._configuration_changed),
            "workspace/didChangeWatchedFiles": told(self._configuration.look_at_all),
            "workspace/didChangeWorkspaceFolders": told(self._folders_changed),
            "exit": told(self._exit),
        }

    def _encodings_told(self, params: object) -> None:
        self.workspace.encodings = file_encodings(params)

    # --- requests -----------------------------------------------------------------------------------------

    def _serve_agent(self, request: Request, params: object, token: object = None) -> object:
        """`token`: the progress token, where it is not among the request's own params."""
        exchange = Exchange(self.workspace, params, self._translate, self._prepared)
        result = answer(request, exchange)
        if isinstance(result, dict):
            return result
        own = _member(params, "workDoneToken")
        return Later(result, lambda: exchange.past_return, token if own is None else own, exchange.stop)

    def _serve_editor(self, request: EditorRequest, params: object) -> object:
        """What the editor tells of the user's decision is not taken back by cancelling."""
        sent: asyncio.Future[None] = self._loop.create_future()
        exchange = EditorExchange(
            params,
            self._reviews,
            self._editor.encoding,
            self._translate,
            self._set_mode,
            self._set_switch,
            sent,
        )
        result = answer_editor(request, exchange)
        if isinstance(result, dict):
            return result
        return Later(result, lambda: True, sent=lambda: sent.set_result(None))

    def _execute(self, params: object) -> object:
        """`workspace/executeCommand`: a command's one argument is the request's params."""
        command, arguments = _member(params, "command"), _member(params, "arguments")
        if command == MANUAL_COMMAND:
            self._set_mode("manual", None)
            return {"ok": True}
        request = COMMANDS.get(command) if isinstance(command, str) else None
        if request is None:
            return self._serve_agent(unknown_command, params)
        one = arguments[0] if isinstance(arguments, list) and len(arguments) == 1 else arguments or None
        return self._serve_agent(request, one, _member(params, "workDoneToken"))

    def _cancel(self, params: object) -> None:
        self.protocol.pending_requests.cancel(_member(params, "id"))

    def _cancel_progress(self, params: object) -> None:
        self.protocol.pending_requests.cancel_progress(_member(params, "token"))

    # --- start and end ------------------------------------------------------------------------------------

    def _greet(self, params: object) -> dict[str, Any]:
        """Take the handshake's facts and say what this server can do."""
        self._client = client = flatten(params)
        self._editor.traits, self._editor.encoding = client.traits, client.position_encoding
        self._documents.set_encoding(client.position_encoding)
        self._documents.ends_last_line = client.traits.ends_last_line
        self._settings.replace_layer("initialization", _member(params, "initializationOptions"))
        self._choose_language()
        self._folders.opened(params)
        self._configuration.look_at_all()
        self._in_background(self._sweeping.begin())
        return served(
            client, [*AGENT_REQUESTS, *EDITOR_REQUESTS, *USER_REQUESTS], [*COMMANDS, MANUAL_COMMAND]
        )

    def _ready(self, _: object) -> None:
        self._announcements.begin(self._client)
        self._in_background(self._configuration.begin(self._client))

    async def _prepared(self) -> None:
        """Return once the user's settings are known and what killed servers left is gone, or in a while. All
        who wait go on together, in the order in which they came: timers of their own would run out in any."""
        if self._preparing is None:
            self._preparing = self._in_background(self._prepare())
        await self._is_prepared.wait()

    async def _prepare(self) -> None:
        try:
            await self._configuration.known()
            await self._sweeping.prepared()
        finally:
            self._is_prepared.set()

    def _recover(self) -> None:
        again = self._sweeping.begin_again()
        if again is not None:
            self._in_background(again)

    def _shut_down(self, _: object) -> object:
        self.protocol.rest()
        return Later(self._finished(), lambda: True)

    async def _finished(self) -> None:
        await self.finish()

    def _exit(self, _: object) -> None:
        code = 0 if self.protocol.is_resting else 1
        self.protocol.rest()
        self._stop(code)

    def lost(self) -> None:
        """The client is gone: nothing that waits for it comes any more."""
        self._outgoing.abandon()
        self._reviews.abandon()

    async def finish(self) -> bool:
        """Begin nothing new, withdraw what waits, and see landings under way through; whether all of it ended
        in FINISH_S, which begin when this is first asked for."""
        self.protocol.rest()
        for proposal in self.workspace.proposals:
            proposal.withdraw("shutdown")
        self._finished_by = self._finished_by or self._loop.time() + FINISH_S
        try:
            async with asyncio.timeout_at(self._finished_by):
                await self.protocol.pending_requests.land_all()
                await self._sweeping.over()
        except TimeoutError:
            _log.warning("what was under way was given up: it did not end in time")
            return False
        return True

    # --- what the user set --------------------------------------------------------------------------------

    def _saved(self, params: object) -> None:
        self._documents.saved(params)
        self._configuration.look_at_all()

    def _configuration_changed(self, params: object) -> None:
        asking = self._configuration.told(self._client, _member(params, "settings"))
        if asking is not None:
            self._in_background(asking)

    def _settings_changed(self, changed: Changed) -> None:
        if changed.before.roots != changed.after.roots:
            self._folders.apply()
            self._configuration.look_at_all()
        self._choose_language()
        self._status_changed()
        self._announcements.tools()

    def _folders_changed(self, params: object) -> None:
        self._folders.changed(params)
        self._configuration.look_at_all()
        self._announcements.tools()

    def _current(self) -> Settings:
        return self._settings.current

    def _choose_language(self) -> None:
        self._translate = self._catalogue(self._settings.current.locale or self._client.locale)

    def _speak(self) -> Translate:
        return self._translate

    def _set_mode(self, mode: Mode, session: str | None) -> None:
        self.workspace.sessions.set_mode(mode, session)
        self._status_changed()

    def _set_switch(self, name: str, on: bool) -> bool:
        return self._settings.switch(name, on=on) is not None

    # --- what is told -------------------------------------------------------------------------------------

    def _proposal_ended(self, proposal: Proposal, outcome: Outcome) -> None:
        self._reviews.ended(proposal)
        self._announcements.settled(proposal, outcome)

    def _status_changed(self) -> None:
        self._announcements.status()

    def _history_in_trouble(self, trouble: HistoryTrouble, where: str) -> None:
        """From the history's own thread."""
        text = trouble_text(trouble, where, self._translate)
        message = {"type": 2, "message": text}
        self._loop.call_soon_threadsafe(self._outgoing.notify, "window/showMessage", message)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            record_incident(_log, error)


def _member(params: object, name: str) -> object:
    return params.get(name) if isinstance(params, dict) else None
