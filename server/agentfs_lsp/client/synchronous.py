"""`AgentFS`: agentfs for programs without asyncio."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from agentfs_lsp.client.answer import Answer
from agentfs_lsp.client.asynchronous import AsyncAgentFS, Dialect, Format, StrPath
from agentfs_lsp.client.errors import ServerGone
from agentfs_lsp.client.reviewers import deny_all
from agentfs_lsp.client.reviews import Reviewer

_CLOSED: Final = "This connection is closed."
_Result = TypeVar("_Result")


class AgentFS:
    """`AsyncAgentFS` with blocking methods, which any thread may call. Create one with `open`, `attach`, or
    `connect`; close it, or use it in `with`. Ctrl-C while a call waits for a decision withdraws the
    proposal. Calls from a coroutine of its own reviewer, or from a forked process, raise RuntimeError."""

    def __init__(self, client: AsyncAgentFS) -> None:
        """Use `open`, `attach`, or `connect`."""
        self._client = client
        self._changed: Callable[[], object] | None = None
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._is_closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="agentfs", daemon=True)
        self._thread.start()
        try:
            self._run(client.start())
        except BaseException:
            self._stop()
            raise

    @classmethod
    def open(
        cls,
        root: StrPath,
        review: Reviewer = deny_all,
        *,
        settings: Mapping[str, Any] | None = None,
        command: Sequence[str] | None = None,
    ) -> Self:
        """As `AsyncAgentFS.open`, but the server is started at once. Raises ServerGone and
        NotADirectoryError."""
        return cls(AsyncAgentFS.open(root, review, settings=settings, command=command))

    @classmethod
    def attach(cls, root: StrPath, *, name: str) -> Self:
        """As `AsyncAgentFS.attach`, at once. Raises NoEditor."""
        return cls(AsyncAgentFS.attach(root, name=name))

    @classmethod
    def connect(
        cls,
        root: StrPath,
        review: Reviewer = deny_all,
        *,
        name: str,
        settings: Mapping[str, Any] | None = None,
    ) -> Self:
        """As `AsyncAgentFS.connect`, at once."""
        return cls(AsyncAgentFS.connect(root, review, name=name, settings=settings))

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders to which relative paths belong; an editor's may be others than the one asked for."""
        return self._client.roots

    @property
    def is_editors(self) -> bool:
        """Whether this is an editor's server, where the user reviews changes in the editor."""
        return self._client.is_editors

    @property
    def is_connected(self) -> bool:
        """Whether requests reach the server: not once either end is closed."""
        return self._client.is_connected

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server. Undecided proposals are withdrawn; a landing in progress is finished. Does nothing
        in a forked process: the server is its parent's."""
        if not self._is_closed and self._pid == os.getpid():
            if (misuse := self._misuse()) is not None:
                raise misuse
            try:
                self._run(self._client.close())
            finally:
                self._stop()

    @property
    def on_tools_changed(self) -> Callable[[], object] | None:
        """Called when `tools` would return other definitions, on a thread of its own, which may call this
        object's methods."""
        return self._changed

    @on_tools_changed.setter
    def on_tools_changed(self, changed: Callable[[], object] | None) -> None:
        def on_a_thread() -> None:
            threading.Thread(target=changed, name="agentfs-tools", daemon=True).start()

        self._changed = changed
        self._client.on_tools_changed = None if changed is None else on_a_thread

    def read(self, path: StrPath, *, timeout_s: float | None = None, **params: Any) -> Answer:
        """As `AsyncAgentFS.read`."""
        return self._run(self._client.read(path, timeout_s=timeout_s, **params))

    def write(self, path: StrPath, content: str, *, timeout_s: float | None = None, **params: Any) -> Answer:
        """As `AsyncAgentFS.write`."""
        return self._run(self._client.write(path, content, timeout_s=timeout_s, **params))

    def edit(
        self,
        path: StrPath,
        old_string: str,
        new_string: str,
        *,
        timeout_s: float | None = None,
        **params: Any,
    ) -> Answer:
        """As `AsyncAgentFS.edit`."""
        return self._run(self._client.edit(path, old_string, new_string, timeout_s=timeout_s, **params))

    def batch(
        self, operations: Sequence[Mapping[str, Any]], *, timeout_s: float | None = None, **params: Any
    ) -> Answer:
        """As `AsyncAgentFS.batch`."""
        return self._run(self._client.batch(operations, timeout_s=timeout_s, **params))

    def undo(self, change_id: str | None = None, *, timeout_s: float | None = None, **params: Any) -> Answer:
        """As `AsyncAgentFS.undo`."""
        return self._run(self._client.undo(change_id, timeout_s=timeout_s, **params))

    def history(
        self, path: StrPath | None = None, *, timeout_s: float | None = None, **params: Any
    ) -> Answer:
        """As `AsyncAgentFS.history`."""
        return self._run(self._client.history(path, timeout_s=timeout_s, **params))

    def status(self, *, timeout_s: float | None = None, **params: Any) -> Answer:
        """As `AsyncAgentFS.status`."""
        return self._run(self._client.status(timeout_s=timeout_s, **params))

    def tools(
        self,
        format: Format = "openai",  # noqa: A002
        dialect: Dialect = "standard",
        *,
        timeout_s: float | None = None,
    ) -> list[dict[str, Any]]:
        """As `AsyncAgentFS.tools`."""
        return self._run(self._client.tools(format, dialect, timeout_s=timeout_s))

    def prompt(self, dialect: Dialect = "standard", *, timeout_s: float | None = None) -> str:
        """As `AsyncAgentFS.prompt`."""
        return self._run(self._client.prompt(dialect, timeout_s=timeout_s))

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        dialect: Dialect = "standard",
        *,
        timeout_s: float | None = None,
        **params: Any,
    ) -> Answer:
        """As `AsyncAgentFS.call`."""
        return self._run(self._client.call(name, arguments, dialect, timeout_s=timeout_s, **params))

    def request(self, method: str, params: Mapping[str, Any], *, timeout_s: float | None = None) -> Answer:
        """As `AsyncAgentFS.request`."""
        return self._run(self._client.request(method, params, timeout_s=timeout_s))

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        misuse = self._misuse()
        if misuse is not None:  # before the lock, which a fork may have copied locked
            work.close()
            raise misuse
        with self._lock:
            if self._is_closed:
                work.close()
                raise ServerGone(_CLOSED)
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError:
            raise ServerGone(_CLOSED) from None
        except BaseException:
            future.cancel()
            raise

    def _misuse(self) -> RuntimeError | None:
        """Why a call from here would wait for ever."""
        if self._pid != os.getpid():
            return RuntimeError("A forked process can't use its parent's AgentFS. Open one in this process.")
        if threading.current_thread() is self._thread:
            return RuntimeError("A coroutine can't call AgentFS. Use AsyncAgentFS.")
        return None

    def _stop(self) -> None:
        with self._lock:  # what is called from now on is refused
            self._is_closed = True
        asyncio.run_coroutine_threadsafe(_end_others(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _end_others() -> None:
    """A call that came while the connection was closed must not wait for ever."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
