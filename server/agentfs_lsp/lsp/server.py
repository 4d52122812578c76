"""The server of one connection: every method in one table, and what the editor's notifications do.

Adapters come from the outside (`__main__`); requests are files under `requests/`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from agentfs_lsp.adapters.documents import OpenDocuments
from agentfs_lsp.adapters.review.client import ClientReviews
from agentfs_lsp.adapters.review.ladder import Ladder
from agentfs_lsp.domain.errors import BadParameter
from agentfs_lsp.domain.policy import Policy
from agentfs_lsp.domain.settings import MIB
from agentfs_lsp.lsp.capabilities import flatten, served
from agentfs_lsp.lsp.editor import LspEditor
from agentfs_lsp.lsp.editor_exchange import EditorExchange, answer_editor
from agentfs_lsp.lsp.exchange import Exchange, answer
from agentfs_lsp.lsp.flights import Later
from agentfs_lsp.lsp.outgoing import ClientError, Outgoing
from agentfs_lsp.lsp.protocol import build_pygls
from agentfs_lsp.lsp.requests.applied import applied_request
from agentfs_lsp.lsp.requests.edit import edit_request
from agentfs_lsp.lsp.requests.proposal import proposal_request
from agentfs_lsp.lsp.requests.read import read_request
from agentfs_lsp.lsp.requests.saved import saved_request
from agentfs_lsp.lsp.requests.set_approval_mode import set_approval_mode_request
from agentfs_lsp.lsp.requests.settle import settle_request
from agentfs_lsp.lsp.requests.status import status_request
from agentfs_lsp.lsp.requests.write import write_request
from agentfs_lsp.lsp.roots import folders_in, folders_of, roots_of, spellings
from agentfs_lsp.lsp.settings import SettingsStore
from agentfs_lsp.service.proposals import Proposals
from agentfs_lsp.service.sessions import Sessions
from agentfs_lsp.service.workspace import Workspace, in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentfs_lsp.adapters.review.diff_file import DiffFiles
    from agentfs_lsp.domain.settings import Mode
    from agentfs_lsp.domain.texts import Say
    from agentfs_lsp.lsp.editor_exchange import EditorRequest
    from agentfs_lsp.lsp.envelope import Envelope
    from agentfs_lsp.lsp.exchange import Request
    from agentfs_lsp.lsp.protocol import Handler
    from agentfs_lsp.lsp.settings import Changed
    from agentfs_lsp.service.ports import FileStore
    from agentfs_lsp.service.proposals import Outcome, Proposal

_log = logging.getLogger(__name__)

AGENT_REQUESTS: dict[str, Request] = {
    "agentfs/status": status_request,
    "agentfs/read": read_request,
    "agentfs/write": write_request,
    "agentfs/edit": edit_request,
}
"""What agents call; each is a command too (docs/protocol.md#15-commands)."""

EDITOR_REQUESTS: dict[str, EditorRequest] = {
    "agentfs/proposal": proposal_request,
    "agentfs/settle": settle_request,
    "agentfs/applied": applied_request,
    "agentfs/saved": saved_request,
    "agentfs/setApprovalMode": set_approval_mode_request,
}
"""What only the editor itself calls."""

COMMANDS = {method.replace("agentfs/", "agentfs."): request for method, request in AGENT_REQUESTS.items()}
MANUAL_COMMAND = "agentfs.manual"

SETTINGS_WAIT_S = 2.0
"""How long a change waits for the first answer to workspace/configuration (docs/protocol.md#13)."""


def _unknown_command(exchange: Exchange) -> Envelope:
    raise BadParameter("command", "must be one of " + ", ".join((*COMMANDS, MANUAL_COMMAND)))


class SteadyClock:
    """`service.ports.Clock`."""

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        return time.monotonic() * 1000


class Server:
    """One connection, from its first message to its last."""

    def __init__(
        self,
        send: Callable[[dict[str, Any]], None],
        stop: Callable[[int], None],
        files: FileStore,
        diff_files: DiffFiles,
        own_folders: Sequence[str],
        catalogue: Callable[[str], Say],
    ) -> None:
        self._stop = stop
        self._own_folders = tuple(own_folders)
        self._catalogue = catalogue
        self._say = catalogue("en")
        self._client = flatten(None)
        self._folders: list[tuple[str, str]] = []
        self._settings = SettingsStore()
        self._settings.listen(self._settings_changed)
        self._configured = asyncio.Event()
        self._waited_for_settings = False
        self._outgoing = Outgoing(send)
        self._editor = LspEditor(self._outgoing, self._speak)
        self._documents = OpenDocuments()
        clock = SteadyClock()
        self._reviews = ClientReviews(self._editor, clock, self._speak)
        settings = self._settings.current
        self.workspace = Workspace(
            files,
            self._documents,
            self._editor,
            Ladder(self._editor, clock, self._current, self._speak, self._reviews, diff_files),
            Sessions(settings.limits.records, settings.limits.base_text_mib * MIB),
            Proposals(clock, self._status_changed, self._proposal_ended),
            clock,
            settings,
            Policy(settings, self._own_folders),
        )
        self._diff_files = diff_files
        self._background: set[asyncio.Task[None]] = set()
        self.protocol = build_pygls()
        self.protocol.connect(send, self._table(), self._outgoing, self._greet, EDITOR_REQUESTS)

    def _table(self) -> dict[str, Handler]:
        return {
            **{method: partial(self._serve_agent, request) for method, request in AGENT_REQUESTS.items()},
            **{method: partial(self._serve_editor, request) for method, request in EDITOR_REQUESTS.items()},
            "workspace/executeCommand": self._execute,
            "$/cancelRequest": self._cancel,
            "textDocument/didOpen": self._documents.opened,
            "textDocument/didChange": self._documents.changed,
            "textDocument/didSave": self._documents.saved,
            "textDocument/didClose": self._documents.closed,
            "agentfs/documentState": self._documents.hinted,
            "initialized": self._ready,
            "workspace/didChangeConfiguration": self._configuration_changed,
            "workspace/didChangeWorkspaceFolders": self._folders_changed,
            "shutdown": self._shut_down,
            "exit": self._exit,
        }

    # --- requests -----------------------------------------------------------------------------------------

    def _serve_agent(self, request: Request, params: object) -> object:
        exchange = Exchange(self.workspace, params, self._say, self._until_configured)
        result = answer(request, exchange)
        if isinstance(result, dict):
            return result
        token = params.get("workDoneToken") if isinstance(params, dict) else None
        return Later(result, lambda: exchange.past_return, token)

    def _serve_editor(self, request: EditorRequest, params: object) -> object:
        exchange = EditorExchange(params, self._reviews, self._editor.encoding, self._say, self._set_mode)
        result = answer_editor(request, exchange)
        return result if isinstance(result, dict) else Later(result)

    def _execute(self, params: object) -> object:
        """`workspace/executeCommand`: a command's one argument is the request's params."""
        given = params if isinstance(params, dict) else {}
        command, arguments = given.get("command"), given.get("arguments")
        if command == MANUAL_COMMAND:
            self._set_mode("manual", None)
            return {"ok": True}
        request = COMMANDS.get(command) if isinstance(command, str) else None
        if request is None:
            return self._serve_agent(_unknown_command, params)
        one = arguments[0] if isinstance(arguments, list) and len(arguments) == 1 else arguments or None
        return self._serve_agent(request, one)

    def _cancel(self, params: object) -> None:
        self.protocol.flights.cancel(params.get("id") if isinstance(params, dict) else None)

    async def _until_configured(self) -> None:
        if self._waited_for_settings or self._configured.is_set():
            return
        try:
            async with asyncio.timeout(SETTINGS_WAIT_S):
                await self._configured.wait()
        except TimeoutError:
            self._waited_for_settings = True

    # --- start and end ------------------------------------------------------------------------------------

    def _greet(self, params: object) -> dict[str, Any]:
        """Take the handshake's facts and say what this server can do."""
        self._client = client = flatten(params)
        self._editor.traits, self._editor.encoding = client.traits, client.position_encoding
        self._documents.set_encoding(client.position_encoding)
        given = params if isinstance(params, dict) else {}
        self._settings.replace_layer("initialization", given.get("initializationOptions"))
        self._choose_language()
        self._folders = folders_of(params)
        self._set_roots()
        return served(client, [*AGENT_REQUESTS, *EDITOR_REQUESTS], [*COMMANDS, MANUAL_COMMAND])

    def _ready(self, params: object) -> None:
        self._in_background(self._sweep())
        if self._client.registers_configuration_changes:
            self._in_background(self._register())
        if self._client.pulls_configuration:
            self._in_background(self._pull_configuration())
        else:
            self._know_settings()

    def _know_settings(self) -> None:
        """The user's word has come: from now on the mode it gives counts."""
        self.workspace.settings_known = True
        self._configured.set()

    async def _sweep(self) -> None:
        """Remove what servers that were killed left behind."""
        await in_thread(self.workspace.files.sweep)
        await in_thread(self._diff_files.sweep, self.workspace.roots)

    async def _register(self) -> None:
        registration = {"id": "agentfs-configuration", "method": "workspace/didChangeConfiguration"}
        options = {"registerOptions": {"section": "agentfs"}}
        try:
            await self._outgoing.request(
                "client/registerCapability", {"registrations": [registration | options]}
            )
        except ClientError:
            _log.info("the client does not register for configuration changes")

    def _shut_down(self, params: object) -> object:
        self.protocol.rest()
        return Later(self.finish())

    def _exit(self, params: object) -> None:
        self._stop(0 if self.protocol.is_resting else 1)

    async def finish(self) -> None:
        """Withdraw what waits, and see landings under way through."""
        for proposal in self.workspace.proposals:
            proposal.withdraw("shutdown")
        await self.protocol.flights.land_all()

    # --- settings and folders -----------------------------------------------------------------------------

    def _configuration_changed(self, params: object) -> None:
        settings = params.get("settings") if isinstance(params, dict) else None
        if self._client.pulls_configuration:
            self._in_background(self._pull_configuration())
        else:
            self._settings.replace_layer("changed", settings)

    async def _pull_configuration(self) -> None:
        try:
            answered = await self._outgoing.request(
                "workspace/configuration", {"items": [{"section": "agentfs"}]}
            )
        except ClientError:
            answered = None
        raw = answered[0] if isinstance(answered, list) and answered else None
        self._settings.replace_layer("configuration", raw)
        self._know_settings()

    def _settings_changed(self, changed: Changed) -> None:
        ws, settings = self.workspace, changed.after
        ws.settings, ws.policy = settings, Policy(settings, self._own_folders)
        ws.sessions.resize(settings.limits.records, settings.limits.base_text_mib * MIB)
        if changed.before.approval.mode != settings.approval.mode:
            ws.sessions.forget_mode()
        if changed.before.roots != settings.roots:
            self._set_roots()
        self._choose_language()
        for problem in changed.problems:
            self._outgoing.notify("window/showMessage", {"type": 2, "message": problem.text})
        self._withdraw_denied()
        self._status_changed()

    def _withdraw_denied(self) -> None:
        """Pending proposals are judged again towards stricter only (docs/protocol.md#13)."""
        ws = self.workspace
        for proposal in ws.proposals:
            if proposal.change is not None:
                location = proposal.change.base.location
                verdict = ws.judge(proposal.tool, location, proposal.session)
                if verdict.decision == "deny":
                    proposal.withdraw("settings")

    def _folders_changed(self, params: object) -> None:
        event = params.get("event") if isinstance(params, dict) else None
        event = event if isinstance(event, dict) else {}
        removed = {uri for uri, _ in folders_in(event.get("removed"))}
        kept = [folder for folder in self._folders if folder[0] not in removed]
        self._folders = [*kept, *folders_in(event.get("added"))]
        self._set_roots()

    def _set_roots(self) -> None:
        ws = self.workspace
        roots = roots_of(self._folders, ws.settings)
        gone = {root.path for root in ws.roots} - {root.path for root in roots}
        ws.roots, ws.folders = roots, spellings(roots)
        ws.files.set_roots(roots)
        for path in gone:
            ws.sessions.forget_below(path)
        for proposal in ws.proposals:
            if any(proposal.absolute.startswith(path.rstrip("/") + "/") for path in gone):
                proposal.withdraw("root_removed")

    # --- what is told ---------------------------------------------------------------------------------------

    def _current(self) -> Any:
        return self._settings.current

    def _speak(self) -> Say:
        return self._say

    def _choose_language(self) -> None:
        self._say = self._catalogue(self._settings.current.locale or self._client.locale)

    def _set_mode(self, mode: Mode, session: str | None) -> None:
        self.workspace.sessions.set_mode(mode, session)
        self._status_changed()

    def _proposal_ended(self, proposal: Proposal, outcome: Outcome) -> None:
        if self._editor.traits.review and proposal.shown_at_ms is not None:
            self._outgoing.notify("agentfs/settled", {"id": proposal.id, "outcome": outcome})

    def _status_changed(self) -> None:
        if not self._editor.traits.review:
            return
        ws = self.workspace
        configured = ws.settings.approval.mode
        sessions = [
            {"session": name, "mode": ws.sessions.mode_of(name, configured)} for name in ws.sessions.names()
        ]
        status: dict[str, object] = {
            "mode": ws.sessions.mode_for_all(configured),
            "sessions": sessions,
            "switches": {},
            "pending": len(ws.proposals),
        }
        self._outgoing.notify("agentfs/statusChanged", status)

    def _in_background(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
