"""The journal of a landing of several files: it is created in the state folder before the first rename,
and deleted after the last (docs/protocol.md#10-agentfsbatch).

Once the journal exists, the landing will be finished by its server or by the next one that starts
(`recovery`). The journal contains names and hashes, never contents. A workspace cannot create one, because
it is in the state folder.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from agentfs_lsp.adapters.fs.handles import closing_fd, write_all
from agentfs_lsp.adapters.fs.os_errors import system_error
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.fs.syscalls import sync, sync_folder

FOLDER = "landings"
NAME = re.compile(r"([0-9a-f]{16})-\d+\.json")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a landing. `folder` is a real absolute path, `name` and `temporary` are names in it; `base`
    and `content` are hashes of the old and the new content, None for no file."""

    folder: str
    name: str
    temporary: str
    base: str | None
    content: str | None

    @property
    def path(self) -> str:
        """The file's real absolute path."""
        return os.path.join(self.folder, self.name)


class Journals:
    """Writes the journals of this server's landings."""

    def __init__(self, state: StateFolder, server_id: str) -> None:
        self._state = state
        self._server_id = server_id
        self._numbers = itertools.count(1)

    def begin(self, entries: Sequence[Entry]) -> str:
        """Record what is to be done, durably; returns the journal's path. Raises SystemRefused and
        SystemFailed naming the folder, after which there is no journal, or OSError if that is uncertain."""
        folder = self._state.ensure(FOLDER)
        path = os.path.join(folder, f"{self._server_id}-{next(self._numbers)}.json")
        try:
            _write(path, entries)
        except OSError as error:
            remove(path)
            raise system_error(error, folder) from error
        return path


def _write(path: str, entries: Sequence[Entry]) -> None:
    unfinished = f"{path}.new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with closing_fd(os.open(unfinished, flags, 0o600)) as fd:
        write_all(fd, (json.dumps([asdict(entry) for entry in entries]).encode(),))
        sync(fd)
    os.rename(unfinished, path)
    sync_folder(os.path.dirname(path))


def remove(path: str) -> None:
    """Remove the journal, durably, because the landing is over or did not start. Raises OSError."""
    for name in (f"{path}.new", path):
        with suppress(FileNotFoundError):
            os.unlink(name)
    sync_folder(os.path.dirname(path))


def read(path: str) -> list[Entry] | None:
    """The entries of a journal; None if no server wrote it like this. Raises OSError."""
    with closing_fd(os.open(path, os.O_RDONLY | os.O_NOFOLLOW)) as fd, open(fd, "rb", closefd=False) as file:
        content = file.read()
    try:
        raw = json.loads(content)
    except ValueError:
        return None
    if not isinstance(raw, list) or not all(map(_is_entry, raw)):
        return None
    return [Entry(**each) for each in raw]


def _is_entry(raw: Any) -> bool:
    if not isinstance(raw, dict) or set(raw) != {"folder", "name", "temporary", "base", "content"}:
        return False
    named = all(
        isinstance(raw[key], str) and raw[key] not in {"", ".", ".."} for key in ("name", "temporary")
    )
    inside = named and "/" not in raw["name"] + raw["temporary"]
    absolute = isinstance(raw["folder"], str) and raw["folder"].startswith("/")
    hashes = all(
        value is None or (isinstance(value, str) and _HASH.fullmatch(value))
        for value in (raw["base"], raw["content"])
    )
    return inside and absolute and hashes
