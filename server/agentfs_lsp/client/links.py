"""The two ways to a server: a process of one's own, and the socket of an editor's server."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, Self

from agentfs_lsp import __version__
from agentfs_lsp.client.errors import NoEditor, ServerGone
from agentfs_lsp.client.protocol import Protocol
from agentfs_lsp.sockets.discovery import PROTOCOL_VERSION, Entry, find, peer_uid

GRACE_S: Final = 10.0
"""Seconds for a server to end."""


class OwnServer:
    """A server process that ends with this program."""

    def __init__(self, process: asyncio.subprocess.Process, errors: IO[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.reader, self.writer = process.stdout, process.stdin
        self._process = process
        self._errors = errors

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Raises ServerGone if it can't be started."""
        errors = TemporaryFile()  # noqa: SIM115 - closed with the server
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                start_new_session=True,  # Ctrl-C is for this program, which then ends the server
            )
        except OSError as error:
            errors.close()
            raise ServerGone(f"The server could not be started: {error}") from error
        return cls(process, errors)

    @property
    def pid(self) -> int:
        return self._process.pid

    def last_words(self) -> str:
        """The last line that the server wrote to standard error, which may say why it ended."""
        with suppress(OSError, ValueError):
            self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 1000))
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
            return lines[-1] if lines else ""
        return ""

    async def close(self) -> None:
        """End the server with its input (docs/protocol.md#1-start-and-transport), or by force."""
        self.writer.close()
        try:
            async with asyncio.timeout(GRACE_S):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
        self._errors.close()


class EditorsServer:
    """A connection to the server of an editor."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, entry: Entry) -> None:
        self.reader, self.writer = reader, writer
        self.pid = entry.pid
        self.token = entry.token

    @classmethod
    async def find(cls, root: Path) -> Self | None:
        """Connect to the server that serves `root`; None if there is none. Raises NoEditor if it does not
        accept the connection."""
        entry = await asyncio.to_thread(find, root)
        if entry is None:
            return None
        try:
            reader, writer = await asyncio.open_unix_connection(entry.socket)
        except OSError as error:
            raise NoEditor(f"The editor's server for {root} cannot be reached: {error}") from error
        if peer_uid(writer.get_extra_info("socket")) != os.geteuid():
            writer.transport.abort()
            raise NoEditor(f"The socket for {root} belongs to another user.")
        return cls(reader, writer, entry)

    def last_words(self) -> str:
        """Nothing: its log is the editor's."""
        return ""

    async def close(self) -> None:
        """Hang up. The server withdraws what is undecided."""
        self.writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self.writer.wait_closed()


Link = OwnServer | EditorsServer


def greet(link: Link, protocol: Protocol, root: Path, settings: Mapping[str, Any], name: str) -> int:
    """Send the first request on this connection; returns its id."""
    if isinstance(link, OwnServer):
        # Its reviewer decides for this program alone.
        return protocol.initialize(
            root, {**settings, "agents": {"socket": False}, "reviewers": {"socket": False}}
        )
    client = {"name": name, "version": __version__}
    told = {"protocolVersion": PROTOCOL_VERSION, "token": link.token, "client": client, "root": str(root)}
    return protocol.request("agentfs/attach", told)
