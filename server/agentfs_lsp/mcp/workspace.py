"""Does what the tools do: in the server of the editor that has the folder open, looked up for each call, or
else in a server of its own, which asks through the client."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlparse

from agentfs_lsp.client import (
    Accept,
    AgentFSError,
    Answer,
    AsyncAgentFS,
    Decision,
    Reject,
    RequestRefused,
    Review,
    ServerGone,
)
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.text.markdown import code
from agentfs_lsp.jsonrpc.codec import INTERNAL_ERROR, REQUEST_CANCELLED
from agentfs_lsp.mcp.calls import HANDED_OVER, NOBODY, WITHDRAWN, Job, Outcome
from agentfs_lsp.mcp.catalog import CHANGING, FILE_TOOLS, Catalog
from agentfs_lsp.mcp.connection import Called, Caller
from agentfs_lsp.sockets.discovery import Entry, find

LOOK_S: Final = 5.0
"""Seconds between two looks for an editor while the user is asked here."""

RETURN_S: Final = 30.0
"""How long a change whose editor was closed waits for it to open the folder again, as a reload does."""

RETURN_LOOK_S: Final = 0.5
"""Seconds between two looks for it."""

MAX_READS: Final = 1000
"""The most paths whose last read is remembered."""

ENVELOPE: Final = "agentfs-envelope"
"""The member of `_meta` with the whole response (docs/protocol.md#3-envelope)."""

_CLOSED: Final = "The editor was closed before the user decided"
_AGAIN: Final = "Read the file again, then repeat the change."
_NAME_IT: Final = "Call undo again with the change_id of your change, which history lists."


class _EditorEnds(Exception):
    """The server with this entry ends before its user has decided about what was sent to it at that time, in
    ms since 1970; so nothing has changed."""

    def __init__(self, entry: Entry, sent_ms: int) -> None:
        super().__init__(_CLOSED)
        self.entry, self.sent_ms = entry, sent_ms


class _Client(AsyncAgentFS):
    """A connection on which a job's request can be withdrawn."""

    async def run(self, job: Job, method: str, params: Mapping[str, Any]) -> Answer:
        """The server's response, also to a withdrawal: only it knows whether that came too late. Raises
        AgentFSError."""
        job.is_sent = True
        return await self._request(method, params, withdrawal=job.withdrawal)


class _Server:
    """A connection and its calls under way. `entry`: the editor's, None for a server of its own. `names`: the
    names of its roots, with their paths as the editor spells them."""

    def __init__(self, fs: _Client, entry: Entry | None, names: Sequence[tuple[str, Path]]) -> None:
        self.fs, self.entry, self.names = fs, entry, names
        self.uses = 0
        self.is_left = False

    def is_of(self, entry: Entry | None) -> bool:
        """Whether this is the server of that entry, whose folders may have changed."""
        if self.entry is None or entry is None:
            return self.entry is entry
        return (self.entry.pid, self.entry.token) == (entry.pid, entry.token)


class Workspace:
    """`root`: the client's folder. `asks`: whether the client's user may be asked, where no editor is."""

    def __init__(self, root: Path, catalog: Catalog, *, asks: bool = True) -> None:
        self._root = root
        self._spelled = _spelled(root)
        self._catalog = catalog
        self._asks = asks
        self._server: _Server | None = None
        self._connecting = asyncio.Lock()
        self._one_change = asyncio.Lock()
        self._asked: Job | None = None
        self._read: dict[str, str] = {}
        """By path: the hash of what the agent has read last, and not changed since."""

    async def close(self) -> None:
        """Withdraw what is undecided, and disconnect."""
        if self._server is not None:
            await self._server.fs.close()

    def what(self, called: Called) -> str:
        """What a call does and waits for, in words for the user. Clients may show them as Markdown."""
        paths = self._paths(called.tool, called.arguments)
        files = [code(escape_to_one_line(os.path.relpath(path, self._root))) for path in paths]
        if called.tool not in CHANGING:
            return f"waiting for {called.tool} {' '.join(files)}".rstrip()
        doing = {"write": "Writing to", "edit": "Editing", "batch": "Changing"}.get(called.tool)
        if doing is None or not files:
            return f"waiting for the review of {called.tool}"
        return f"{doing} {files[0] if len(files) == 1 else f'{len(files)} files'}: waiting for the review"

    async def run(self, job: Job) -> Outcome:
        """Run the tool."""
        unknown = self._catalog.unknown(job.tool, job.arguments)
        if unknown:
            return Outcome(f"{job.tool} has no parameter {unknown[0]!r}.", is_error=True)
        before = self._on_disk(job)
        try:
            answer = await self._ask(job)
        except (ServerGone, RequestRefused) as error:
            if job.refusal is not None:
                return Outcome(job.refusal, is_error=True)
            if isinstance(error, RequestRefused) and error.code != INTERNAL_ERROR:
                return _refused(error, job)
            return Outcome(f"{error} {self._what_is_there(job, before)}", is_error=True)
        except AgentFSError as error:
            return Outcome(str(error), is_error=True)
        self._remember(job, answer)
        return Outcome(answer.for_model(), is_error=not answer.ok, meta={ENVELOPE: dict(answer.envelope)})

    async def _ask(self, job: Job) -> Answer:
        """Raises AgentFSError."""
        reopened: Entry | None = None
        while True:
            try:
                return await self._ask_once(job, reopened)
            except ServerGone:
                if job.tool in CHANGING:
                    raise
                # Another editor may be there, or the user has disconnected this one.
                return await self._ask_once(job)
            except _EditorEnds as ending:
                reopened = await self._reopened(ending, job)

    async def _ask_once(self, job: Job, only: Entry | None = None) -> Answer:
        """`only`: the one server that may be asked, and only for a review."""
        while True:
            async with self._using(label(job.caller)) as server:
                if only is not None and not server.is_of(only):
                    raise RequestRefused(REQUEST_CANCELLED, f"{_CLOSED}. {_AGAIN}")
                if only is not None and (await server.fs.status()).data["mode"] != "manual":
                    why = f"{_CLOSED}, and now applies changes without a review. {_AGAIN}"
                    raise RequestRefused(REQUEST_CANCELLED, why)
                if server.entry is not None or job.tool not in CHANGING:
                    sent_ms = int(time.time() * 1000)
                    try:
                        return await self._answer(server, job)
                    except RequestRefused as error:
                        is_undecided = error.code == REQUEST_CANCELLED and not job.withdrawal.is_set()
                        if server.entry is None or job.tool not in CHANGING or not is_undecided:
                            raise
                        raise _EditorEnds(server.entry, sent_ms) from None
                if self._asked is not None:
                    self._asked.give_way()
                async with self._one_change:  # so that a question belongs to this job
                    if server.is_left:  # an editor has opened the folder meanwhile
                        continue
                    self._asked = job
                    try:
                        return await self._answer(server, job)
                    finally:
                        job.reply(Reject())  # a question that is still open is about nothing now
                        self._asked = None

    async def _answer(self, server: _Server, job: Job) -> Answer:
        fs, tool, agent = server.fs, job.tool, label(job.caller)
        arguments = dict(job.arguments)
        if tool in FILE_TOOLS:
            if isinstance(arguments.get("path"), str):
                arguments["path"] = self.absolute(arguments["path"])
            why = {"explanation": arguments.pop("explanation")} if "explanation" in arguments else {}
            params = {"name": tool, "arguments": arguments, "dialect": "mcp", "agent": agent, **why}
            return await fs.run(job, "agentfs/call", params)
        if isinstance(arguments.get("path"), str):
            arguments["path"] = self._named(server, arguments["path"])
        operations = arguments.get("operations")
        if isinstance(operations, list):
            arguments["operations"] = [self._operation(server, one) for one in operations]
        return await fs.run(job, f"agentfs/{tool}", {**arguments, "agent": agent})

    def _operation(self, server: _Server, operation: object) -> object:
        if not isinstance(operation, dict):
            return operation  # the server says what is wrong
        params = operation.get("params")
        if not isinstance(params, dict) or not isinstance(params.get("path"), str):
            return operation
        return {**operation, "params": {**params, "path": self._named(server, params["path"])}}

    # --- an editor that comes back ------------------------------------------------------------------------

    def _remember(self, job: Job, answer: Answer) -> None:
        """What the agent has read. What it changes is no longer that."""
        if job.tool == "undo":
            self._read.clear()
        elif job.tool in CHANGING:
            for path in self._paths(job.tool, job.arguments):
                self._read.pop(path, None)
        if job.tool == "read" and "hash" in answer.data:
            for path in self._paths(job.tool, job.arguments):
                self._read.pop(path, None)
                self._read[path] = answer.data["hash"]
        if len(self._read) > MAX_READS:
            del self._read[next(iter(self._read))]

    async def _reopened(self, ending: _EditorEnds, job: Job) -> Entry:
        """Wait until the same editor opens the folder again; its server's entry. One that had it open before
        is not it, and may let the change land without a review. Raises AgentFSError, also if the agent has
        not read what the user sees there, or means its last change, which no other server knows."""
        if job.tool == "undo" and job.arguments.get("change_id") is None:
            raise RequestRefused(REQUEST_CANCELLED, f"{_CLOSED}. {_NAME_IT}") from None
        end = asyncio.get_running_loop().time() + RETURN_S
        while (entry := await asyncio.to_thread(find, self._root, ending.entry)) is None or not (
            entry.editor == ending.entry.editor and entry.since_ms >= ending.sent_ms
        ):
            if job.withdrawal.is_set() or asyncio.get_running_loop().time() > end:
                why = f"{_CLOSED}, and was not opened again within {RETURN_S:.0f} s. {_AGAIN}"
                raise RequestRefused(REQUEST_CANCELLED, why) from None
            with suppress(TimeoutError):
                await asyncio.wait_for(job.withdrawal.wait(), RETURN_LOOK_S)
        for path in self._paths(job.tool, job.arguments):
            if not await self._is_as_read(path, job):
                raise RequestRefused(REQUEST_CANCELLED, f"{_CLOSED}. {_AGAIN}") from None
        if job.withdrawal.is_set():  # just now
            raise RequestRefused(REQUEST_CANCELLED, _CLOSED) from None
        return entry

    async def _is_as_read(self, path: str, job: Job) -> bool:
        """The new server knows by this read what the agent has seen. A new file needs none."""
        known = self._read.get(path)
        if known is None:
            return _signature(path) is None
        async with self._using(label(job.caller)) as server:
            answer = await server.fs.read(self._named(server, path), limit=1)
        return answer.data.get("hash") == known

    # --- paths --------------------------------------------------------------------------------------------

    def absolute(self, path: str) -> str:
        """A path as the client means it: relative ones belong to its folder."""
        if path.startswith("file:"):
            with suppress(ValueError):  # no URI, so it is a name
                path = unquote(urlparse(path).path)
        if self._spelled is not None and (path == self._spelled or path.startswith(f"{self._spelled}/")):
            path = str(self._root) + path.removeprefix(self._spelled)
        return path if path.startswith("/") else f"{self._root}/{path}"

    def real_path(self, path: str) -> str:
        """The same for every spelling of a path, as the client means it."""
        spelled = self.absolute(path)
        try:
            return os.path.realpath(spelled)
        except ValueError:  # no file can have this name, which the server says
            return spelled

    def _named(self, server: _Server, path: str) -> str:
        """The same as the requests without a dialect take it: relative to a root."""
        path = self.absolute(path)
        inside = [
            (root, name)
            for name, folder in server.names
            for root in (str(folder), os.path.realpath(folder))  # it may be open through a link
            if path.startswith(f"{root}/") or path == root
        ]
        if not inside:
            return os.path.relpath(path, server.names[0][1])  # refused as outside, and not as absolute
        root, name = max(inside, key=lambda one: len(one[0]))
        below = path.removeprefix(root).removeprefix("/")
        if len(server.names) > 1:
            return f"{name}/{below}".rstrip("/")
        return below or "."

    def _paths(self, tool: str, arguments: Mapping[str, Any]) -> list[str]:
        found = [arguments.get("path")] if tool in FILE_TOOLS else []
        operations = arguments.get("operations")
        for one in operations if isinstance(operations, list) else []:
            params = one.get("params") if isinstance(one, dict) else None
            found.append(params.get("path") if isinstance(params, dict) else None)
        return list(dict.fromkeys(self.absolute(path) for path in found if isinstance(path, str) and path))

    def _on_disk(self, job: Job) -> dict[str, object]:
        """What tells whether the files of a change were replaced."""
        if job.tool not in CHANGING:
            return {}
        return {path: _signature(path) for path in self._paths(job.tool, job.arguments)}

    def _what_is_there(self, job: Job, before: Mapping[str, object]) -> str:
        """What became of a change whose server is gone."""
        if job.tool not in CHANGING:
            return "Try again."
        changed = [path for path, was in before.items() if _signature(path) != was]
        if before and not changed:
            return "Nothing has changed on disk so far. Read the file, then try again."
        files = ", ".join(changed) or "it is not known which"
        return f"The change may have landed: read the files before you try again. Changed on disk: {files}."

    # --- the server ---------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _using(self, agent: str) -> AsyncIterator[_Server]:
        """The server for one call."""
        server = await self._current(agent)
        server.uses += 1
        try:
            yield server
        except ServerGone:
            server.is_left = True
            if self._server is server:
                self._server = None
            raise
        finally:
            server.uses -= 1
            if server.is_left and not server.uses:
                await server.fs.close()

    async def _current(self, agent: str) -> _Server:
        """Raises AgentFSError."""
        async with self._connecting:
            server = self._server
            entry = await asyncio.to_thread(find, self._root, server.entry if server else None)
            if server is None or not server.fs.is_connected or not server.is_of(entry):
                await self._leave(for_editor=entry is not None)
                server = self._server = await self._connect(entry, agent)
            return server

    async def _connect(self, entry: Entry | None, agent: str) -> _Server:
        if entry is None:
            fs = _Client.open(self._root, self._review)
        else:
            fs = _Client.attach(self._root, name=agent)
        await fs.start()
        try:
            roots = (await fs.status()).data["roots"]
        except BaseException:
            await fs.close()
            raise
        return _Server(fs, entry, [(one["name"], Path(unquote(urlparse(one["uri"]).path))) for one in roots])

    async def _leave(self, *, for_editor: bool) -> None:
        """A server is left when its calls are answered. What was not accepted here is refused before that:
        there must not be two that decide."""
        server, self._server = self._server, None
        if server is None:
            return
        server.is_left = True
        if server.entry is None and for_editor and self._asked is not None:
            self._asked.refuse(HANDED_OVER)
        if not server.uses:
            await server.fs.close()

    async def _review(self, review: Review) -> Decision:
        """Ask the user through the client, until an editor has the folder open."""
        job = self._asked
        if job is None:
            return Reject()
        if not self._asks:
            return job.refuse(NOBODY)
        asking = asyncio.ensure_future(job.ask(review))
        while True:
            await asyncio.wait([asking], timeout=LOOK_S)
            may_land = not asking.done() or isinstance(asking.result(), Accept)
            if may_land and await asyncio.to_thread(find, self._root) is not None:
                job.refuse(HANDED_OVER)
            if job.refusal is not None:
                await asking
                return Reject(job.refusal)
            if asking.done():
                job.is_accepted = isinstance(asking.result(), Accept)
                return asking.result()


def _refused(error: RequestRefused, job: Job) -> Outcome:
    """What an error means for which the server has not acted on the request (docs/protocol.md#2-requests)."""
    if error.code == REQUEST_CANCELLED and job.withdrawal.is_set():
        return WITHDRAWN
    ended = "withdrawn" if error.code == REQUEST_CANCELLED else "refused"
    return Outcome(f"The request was {ended}; nothing has changed. {error}", is_error=True)


def label(caller: Caller) -> str:
    """The agent's name as the user is shown it."""
    return " ".join((caller.title or caller.name or "MCP client").split())[:60]


def _spelled(root: Path) -> str | None:
    """The folder as the client may spell it, if it came through a link."""
    spelled = os.environ.get("PWD", "")
    with suppress(OSError):
        if spelled and spelled != str(root) and os.path.realpath(spelled) == str(root):
            return spelled
    return None


def _signature(path: str) -> object:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
