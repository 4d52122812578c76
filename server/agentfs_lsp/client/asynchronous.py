"""`AsyncAgentFS`: agentfs for programs with asyncio."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Self

from agentfs_lsp.client.answer import Answer
from agentfs_lsp.client.deciding import decision_of
from agentfs_lsp.client.endpoint import ProtocolError
from agentfs_lsp.client.errors import NoEditor, RequestRefused, ServerGone, TimedOut
from agentfs_lsp.client.links import GRACE_S, EditorsServer, Link, OwnServer, greet
from agentfs_lsp.client.protocol import Proposed, Protocol, Responded, Told, ToolsChanged
from agentfs_lsp.client.reviewers import deny_all
from agentfs_lsp.client.reviews import Decision, Reject, Review, Reviewer
from agentfs_lsp.jsonrpc.codec import INVALID_PARAMS, REQUEST_CANCELLED

_log = logging.getLogger(__name__)

Format = Literal["openai", "anthropic", "mcp"]
Dialect = Literal["standard", "gemini", "workspace", "mcp"]
StrPath = str | os.PathLike[str]

OWN: Final = (
    (sys.executable, "-I", "-S", os.path.abspath(sys.argv[0]))
    if sys.flags.no_site  # the extension's, which is not installed but started by its path
    else (sys.executable, "-P", "-m", "agentfs_lsp")
)
"""The command of this installation's server."""

START_S: Final = 60.0
"""Seconds until a server must have started."""

PULSE_S: Final = 15.0
"""Seconds without a response after which the server is asked whether it is there."""

SILENCE_S: Final = 15.0
"""A server that does not answer that for so many seconds counts as gone."""

_READ: Final = 1 << 16


class AsyncAgentFS:
    """A workspace as agents see it: reads, and changes that are reviewed before they land.

    Create one with `open`, `attach`, or `connect`, and use it in `async with`. All methods may be called
    concurrently; the reviewer is asked about one proposal at a time. Each raises ServerGone and
    RequestRefused, and, with `timeout_s`, TimedOut. Cancelling a task that waits for a change withdraws the
    proposal."""

    def __init__(
        self,
        root: StrPath,
        connect: Callable[[Path], Awaitable[Link]],
        review: Reviewer = deny_all,
        name: str = "",
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Use `open`, `attach`, or `connect`."""
        self._root = Path(root).resolve()
        self._connect = connect
        self._reviewer = review
        self._name = name
        self._settings = settings or {}
        self._protocol = Protocol(reviews=review is not deny_all)
        self._waiting: dict[int, asyncio.Future[Responded]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._link: Link | None = None
        self._gone = "This client is not started: use it in `async with`."
        self._one_at_a_time = asyncio.Lock()
        self.on_tools_changed: Callable[[], object] | None = None
        """Called, without arguments, when `tools` would return other definitions."""
        self.on_message: Callable[[str], object] | None = None
        """Called with messages for the user; by default they are logged."""
        self.roots: tuple[Path, ...] = (self._root,)
        """The folders to which relative paths belong; an editor's may be others than the one asked for."""
        self.is_editors = False
        """Whether this is an editor's server, where the user reviews changes in the editor."""

    @property
    def is_connected(self) -> bool:
        """Whether requests reach the server: not before the start, nor once either end is closed."""
        return not self._gone

    @classmethod
    def open(
        cls,
        root: StrPath,
        review: Reviewer = deny_all,
        *,
        settings: Mapping[str, Any] | None = None,
        command: Sequence[str] | None = None,
    ) -> Self:
        """Start a server of its own for the folder `root`, where no editor runs.

        `review` decides about every change that policy does not allow or deny. `settings` are the user's, as
        in docs/configuration.md; the folder's own `.agentfs.toml` can only make them stricter. `command`
        starts another server than this installation's."""
        return cls(root, _own(command or OWN), review, settings=settings)

    @classmethod
    def attach(cls, root: StrPath, *, name: str) -> Self:
        """Join the server of the editor that has `root` open. The user reviews each change there. `name` is
        this agent's name, as the user is shown it. Starting it raises NoEditor if there is none."""
        return cls(root, _editors, name=name)

    @classmethod
    def connect(
        cls,
        root: StrPath,
        review: Reviewer = deny_all,
        *,
        name: str,
        settings: Mapping[str, Any] | None = None,
    ) -> Self:
        """`attach` if an editor has `root` open, else `open` with this reviewer and these settings."""
        return cls(root, _either, review, name, settings)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Connect; `async with` does it. Raises ServerGone if no server can be started, NoEditor, and
        NotADirectoryError if `root` is not a folder."""
        if not self._root.is_dir():
            raise NotADirectoryError(f"{self._root} is not a folder")
        self._link = link = await self._connect(self._root)
        self._gone = ""
        self._in_background(self._listen(link))
        self.is_editors = isinstance(link, EditorsServer)
        try:
            async with asyncio.timeout(START_S):
                first = greet(link, self._protocol, self._root, self._settings, self._name)
                greeting = _accepted(await self._response(first))
                if self.is_editors:
                    self.roots = tuple(Path(one) for one in greeting["roots"])
                else:
                    self._protocol.notify("initialized", {})
                    self._send()
        except TimeoutError:
            await self.close()
            raise ServerGone(f"The server did not start within {START_S:.0f} seconds.") from None
        except RequestRefused as error:
            await self.close()
            if self.is_editors:
                raise NoEditor(f"The editor does not accept this program. {error}") from error
            raise
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Disconnect, and end a server of one's own. Undecided proposals are withdrawn; a landing in progress
        is finished."""
        self._lose("This connection is closed.")
        if self._link is not None:
            await self._link.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- requests -----------------------------------------------------------------------------------------

    async def read(self, path: StrPath, *, timeout_s: float | None = None, **params: Any) -> Answer:
        """Read a file: docs/protocol.md#5-agentfsread lists the params."""
        return await self.request("agentfs/read", {"path": os.fspath(path), **params}, timeout_s=timeout_s)

    async def write(
        self, path: StrPath, content: str, *, timeout_s: float | None = None, **params: Any
    ) -> Answer:
        """Create a file, or replace it whole: docs/protocol.md#6-agentfswrite."""
        return await self.request(
            "agentfs/write", {"path": os.fspath(path), "content": content, **params}, timeout_s=timeout_s
        )

    async def edit(
        self,
        path: StrPath,
        old_string: str,
        new_string: str,
        *,
        timeout_s: float | None = None,
        **params: Any,
    ) -> Answer:
        """Replace a unique piece of a file's text: docs/protocol.md#7-agentfsedit."""
        return await self.request(
            "agentfs/edit",
            {"path": os.fspath(path), "old_string": old_string, "new_string": new_string, **params},
            timeout_s=timeout_s,
        )

    async def batch(
        self, operations: Sequence[Mapping[str, Any]], *, timeout_s: float | None = None, **params: Any
    ) -> Answer:
        """Several writes and edits in one review: docs/protocol.md#10-agentfsbatch."""
        return await self.request(
            "agentfs/batch",
            {"operations": [_spelled(one) for one in operations], **params},
            timeout_s=timeout_s,
        )

    async def undo(
        self, change_id: str | None = None, *, timeout_s: float | None = None, **params: Any
    ) -> Answer:
        """Propose the reverse of a change, by default of the session's last: docs/protocol.md#agentfsundo."""
        return await self.request("agentfs/undo", {"change_id": change_id, **params}, timeout_s=timeout_s)

    async def history(
        self, path: StrPath | None = None, *, timeout_s: float | None = None, **params: Any
    ) -> Answer:
        """The session's changes that landed, newest first, or those of one file:
        docs/protocol.md#agentfshistory."""
        of = {} if path is None else {"path": os.fspath(path)}
        return await self.request("agentfs/history", {**of, **params}, timeout_s=timeout_s)

    async def status(self, *, timeout_s: float | None = None, **params: Any) -> Answer:
        """Mode, roots, and pending proposals: docs/protocol.md#agentfsstatus."""
        return await self.request("agentfs/status", params, timeout_s=timeout_s)

    async def tools(
        self,
        format: Format = "openai",  # noqa: A002 - the wire's name
        dialect: Dialect = "standard",
        *,
        timeout_s: float | None = None,
    ) -> list[dict[str, Any]]:
        """Definitions of the tools for a model, in the format of its API."""
        return list((await self._catalog(timeout_s, format=format, dialect=dialect))["tools"])

    async def prompt(self, dialect: Dialect = "standard", *, timeout_s: float | None = None) -> str:
        """Guidance about the tools for the system prompt, in Markdown; empty if there is no tool."""
        return str((await self._catalog(timeout_s, dialect=dialect))["prompt"])

    async def _catalog(self, timeout_s: float | None, **params: Any) -> Mapping[str, Any]:
        """The data of agentfs/tools. Raises RequestRefused for a format or dialect that does not exist."""
        answer = await self.request("agentfs/tools", params, timeout_s=timeout_s)
        if not answer.ok:
            raise RequestRefused(INVALID_PARAMS, answer.text)
        return answer.data

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        dialect: Dialect = "standard",
        *,
        timeout_s: float | None = None,
        **params: Any,
    ) -> Answer:
        """Run the tool that the model called: docs/protocol.md#agentfscall."""
        return await self.request(
            "agentfs/call",
            {"name": name, "arguments": dict(arguments), "dialect": dialect, **params},
            timeout_s=timeout_s,
        )

    async def request(
        self, method: str, params: Mapping[str, Any], *, timeout_s: float | None = None
    ) -> Answer:
        """Send any request of docs/protocol.md#2-requests. `timeout_s`: seconds until it is withdrawn, by
        default never, because a person may decide. If it was too late to withdraw it, the answer says what
        became of it."""
        return await self._request(method, params, timeout_s)

    async def _request(
        self,
        method: str,
        params: Mapping[str, Any],
        timeout_s: float | None = None,
        withdrawal: asyncio.Event | None = None,
    ) -> Answer:
        """`withdrawal`: once it is set, the request is withdrawn. The server's response still counts: only
        RequestRefused with the code -32800 means that it was not too late."""
        if self._gone:
            raise ServerGone(self._gone)
        ident = self._protocol.request(method, dict(params))
        withdrawing = asyncio.ensure_future(self._withdraw(ident, withdrawal)) if withdrawal else None
        try:
            responded = await self._response(ident, timeout_s)
        except TimeoutError:
            responded = await self._withdrawn(ident, timeout_s)
        except asyncio.CancelledError:
            self._protocol.cancel(ident)
            self._send()
            raise
        finally:
            self._waiting.pop(ident, None)
            if withdrawing is not None:
                withdrawing.cancel()
        return Answer(_accepted(responded))

    async def _withdraw(self, ident: int, withdrawal: asyncio.Event) -> None:
        await withdrawal.wait()
        self._protocol.cancel(ident)
        self._send()

    async def _withdrawn(self, ident: int, timeout_s: float | None) -> Responded:
        """The response after all, if it was too late to withdraw the request."""
        self._protocol.cancel(ident)
        try:
            responded = await self._response(ident, GRACE_S)
        except TimeoutError:
            raise ServerGone(f"The server did not answer within {GRACE_S:.0f} s of a withdrawal.") from None
        if responded.code == REQUEST_CANCELLED:
            raise TimedOut(f"Nobody decided within {timeout_s} s. The request was withdrawn.") from None
        return responded

    async def _response(self, ident: int, timeout_s: float | None = None) -> Responded:
        """Raises TimeoutError and ServerGone."""
        if self._gone:
            raise ServerGone(self._gone)
        waiting = self._waiting.setdefault(ident, asyncio.get_running_loop().create_future())
        self._send()
        async with asyncio.timeout(timeout_s):
            while True:
                done, _ = await asyncio.wait([waiting], timeout=PULSE_S)
                if done:
                    return waiting.result()
                await self._check_pulse()

    async def _check_pulse(self) -> None:
        """A server that waits for a person still answers; one that is stopped or hangs does not."""
        ident = self._protocol.request("agentfs/status", {})
        pulse = self._waiting[ident] = asyncio.get_running_loop().create_future()
        self._send()
        done, _ = await asyncio.wait([pulse], timeout=SILENCE_S)
        self._waiting.pop(ident, None)
        if not done:
            self._lose(f"The server has been silent for {SILENCE_S:.0f} s.")

    # --- the connection -----------------------------------------------------------------------------------

    async def _listen(self, link: Link) -> None:
        why = "The connection to the server broke."
        try:
            while data := await link.reader.read(_READ):
                for event in self._protocol.receive(data):
                    self._happened(event)
                self._send()
            why = "The server ended."
        except ProtocolError as error:
            why = str(error)
        except OSError as error:
            why = f"The connection to the server broke: {error}"
        finally:  # whatever happens, nobody may wait for a response that nobody reads
            self._lose(f"{why} {link.last_words()}".rstrip())

    def _happened(self, event: object) -> None:
        match event:
            case Responded(id=ident) if (waiting := self._waiting.get(ident)) and not waiting.done():
                waiting.set_result(event)
            case Proposed(review):
                self._in_background(self._review(review))
            case ToolsChanged() if self.on_tools_changed:
                _tell(self.on_tools_changed)
            case Told(text):
                _tell(self.on_message or _log.warning, text)

    async def _review(self, review: Review) -> None:
        """Ask the reviewer, and send the decision."""
        async with self._one_at_a_time:
            if review.ended.is_set():
                return
            decision: Decision
            try:
                decision = await decision_of(self._reviewer, review)
                self._protocol.decide(review, decision)
            except BaseException as error:  # noqa: BLE001 - whatever it raises is a no, and ends only the review
                if not review.ended.is_set():
                    _log.exception("The reviewer failed: the change is rejected")
                why = f"The program that reviews changes failed ({type(error).__name__}). Nobody has decided."
                self._protocol.decide(review, Reject(why))
            self._send()

    def _lose(self, why: str) -> None:
        self._gone = self._gone or why
        self._protocol.end()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ServerGone(self._gone))
                waiting.exception()  # asyncio would complain if nobody waits for it any more

    def _send(self) -> None:
        """Without waiting for a server that does not read: its silence is noticed elsewhere."""
        data = self._protocol.take()
        if data and self._link is not None and not self._link.writer.is_closing():
            self._link.writer.write(data)

    def _in_background(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _spelled(operation: Mapping[str, Any]) -> Mapping[str, Any]:
    """The operation of a batch with its path as a string; whatever else is wrong with it, the server says."""
    match operation:
        case {"params": {"path": os.PathLike() as path, **params}}:
            return {**operation, "params": {"path": os.fspath(path), **params}}
    return operation


def _tell(callback: Callable[..., object], *told: object) -> None:
    """A host's mistake must not end its connection."""
    try:
        callback(*told)
    except Exception:  # noqa: BLE001 - the host is told in its log
        _log.exception("A callback failed")


def _accepted(responded: Responded) -> Any:
    """The result. Raises RequestRefused."""
    if responded.code is not None:
        raise RequestRefused(responded.code, responded.message)
    return responded.result


def _own(command: Sequence[str]) -> Callable[[Path], Awaitable[Link]]:
    return lambda _: OwnServer.start(command)


async def _editors(root: Path) -> Link:
    link = await EditorsServer.find(root)
    if link is None:
        raise NoEditor(f"No editor with agentfs has {root} open. Open the folder there, or use `open`.")
    return link


async def _either(root: Path) -> Link:
    return await EditorsServer.find(root) or await OwnServer.start(OWN)
