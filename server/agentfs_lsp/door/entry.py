"""The entry with which agents or reviewers find a server (docs/protocol.md#16-the-agents-socket)."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from agentfs_lsp import __version__
from agentfs_lsp.sockets import discovery
from agentfs_lsp.sockets.discovery import PROTOCOL_VERSION, Entry, entries, started_at

BACKLOG: Final = 128


class OwnEntry:
    """The socket of this process in a folder, and its entry. All methods block for a moment; call them on a
    thread."""

    def __init__(self, folder: Path) -> None:
        self.token = secrets.token_hex(16)
        self._name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._folder = folder
        self._since_ms = round(time.time() * 1000)

    @property
    def _socket(self) -> Path:
        return self._folder / f"{self._name}.sock"

    @property
    def _entry(self) -> Path:
        return self._folder / f"{self._name}.json"

    def listen(self) -> socket.socket:
        """Create the socket. Raises OSError, also if the folder is not the user's alone."""
        for _ in entries(self._folder):
            pass  # removes what killed servers left
        discovery.ensure_folder(self._folder)
        listening = socket.socket(socket.AF_UNIX)
        try:
            listening.bind(os.fspath(self._socket))
            self._socket.chmod(0o600)
            listening.listen(BACKLOG)
            listening.setblocking(False)
        except BaseException:
            listening.close()
            raise
        return listening

    def write(self, roots: Sequence[str], editor: str) -> None:
        """Create or replace the entry. Raises OSError."""
        entry = Entry(
            pid=os.getpid(),
            started=started_at(os.getpid()) or "",
            roots=tuple(roots),
            editor=editor,
            version=__version__,
            protocol_version=PROTOCOL_VERSION,
            token=self.token,
            socket=os.fspath(self._socket),
            since_ms=self._since_ms,
        )
        new = self._entry.with_suffix(discovery.NEW)
        with suppress(FileNotFoundError):
            new.unlink()
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "wb") as file:
            file.write(entry.to_json())
        new.rename(self._entry)

    def remove(self) -> None:
        """Remove both; nobody finds the server any more."""
        for one in (self._entry, self._socket):
            with suppress(OSError):
                one.unlink()
