"""Finds the language servers that an editor runs for a folder (docs/protocol.md#16-the-agents-socket).

Each of them has a socket and an entry, a JSON file, in a folder that only the user can open. The folder is
computed from the user's id and never taken from the environment, which agents replace or strip. The sockets
for reviewers are in a folder of their own (docs/protocol.md#18-the-reviewers-socket).
"""

from __future__ import annotations

import errno
import json
import os
import pwd
import re
import socket
import stat
import struct
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

PROTOCOL_VERSION: Final = 1

NEW: Final = ".new"
"""The suffix of an entry that is being written."""

_NAME: Final = re.compile(r"([0-9]+)-[0-9a-f]{8}")
_MAX_ENTRY: Final = 1 << 20
_LONGEST_PATH: Final = 100
"""Bytes of a socket's path; the systems' limits begin at 104."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a server tells about itself. `started`: when its process started, as `started_at` returns it;
    `roots`: absolute paths; `since_ms`: when it began to listen, in ms since 1970. `token`: what the first
    message must contain. It proves that its sender can read the entry, and nothing more."""

    pid: int
    started: str
    roots: tuple[str, ...]
    editor: str
    version: str
    protocol_version: int
    token: str
    socket: str
    since_ms: int

    def to_json(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def folder() -> Path:
    """The folder of the agents' sockets and their entries, which may not exist."""
    uid = os.geteuid()
    run = Path(f"/run/user/{uid}")
    if _is_mine(run):
        return run / "agentfs"
    with suppress(KeyError):
        home = Path(pwd.getpwuid(uid).pw_dir)
        place = home / ".local" / "state" / "agentfs" / "sockets"
        if _is_mine(home) and len(os.fsencode(place)) <= _LONGEST_PATH - 40:
            return place
    return Path(f"/tmp/agentfs-{uid}")  # noqa: S108 - checked before each use


def reviewers_folder() -> Path:
    """The folder of the reviewers' sockets, beside the agents' one."""
    return folder().with_name(f"{folder().name}-reviewers")


def ensure_folder(here: Path | None = None) -> Path:
    """A folder of sockets and entries, by default the agents', created if it is missing. Raises OSError, also
    if it is not the user's alone."""
    here = here or folder()
    here.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        here.mkdir(mode=0o700)
    if not is_private(here):
        raise PermissionError(errno.EACCES, "Must be a folder that only you can open", str(here))
    return here


def _is_mine(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def is_private(path: Path) -> bool:
    """Whether this is a folder, not a link to one, that belongs to the user and that nobody else can open."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def entries(here: Path | None = None) -> Iterator[Entry]:
    """The entries of running servers in a folder, by default the agents'. Removes those of servers that are
    gone."""
    here = here or folder()
    if not is_private(here):
        return
    # A server that is killed as it starts leaves a socket without an entry.
    for path in sorted({one.with_suffix(".json") for one in here.glob("*")}):
        name = _NAME.fullmatch(path.stem)
        if name is None:
            continue
        if started_at(int(name[1])) is None:
            _remove(path)
            continue
        entry = _read(path)
        if entry is None:
            continue
        if entry.pid == int(name[1]) and started_at(entry.pid) == entry.started:
            yield entry
        elif entry.pid == int(name[1]):
            _remove(path)


def find(root: str | os.PathLike[str], used: Entry | None = None, here: Path | None = None) -> Entry | None:
    """The server to use for `root`: the one with the longest folder that contains it; of several, that of
    `used`, else the newest. `here`: the folder of entries, by default the agents'."""
    wanted = Path(root).resolve()
    found: list[tuple[int, bool, int, Entry]] = []
    for entry in entries(here):
        depths = [len(Path(one).parts) for one in entry.roots if wanted.is_relative_to(one)]
        if depths and entry.protocol_version == PROTOCOL_VERSION:
            is_used = used is not None and entry.token == used.token
            found.append((max(depths), is_used, entry.since_ms, entry))
    return max(found, key=lambda one: one[:3])[3] if found else None


def _read(path: Path) -> Entry | None:
    """None if it is not an entry: it is being removed, or somebody put it there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            return None
        told = json.loads(os.read(descriptor, _MAX_ENTRY))
        entry = Entry(**{**told, "roots": tuple(told["roots"])})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    finally:
        os.close(descriptor)
    words = (entry.started, entry.editor, entry.version, entry.token, entry.socket, *entry.roots)
    numbers = (entry.pid, entry.protocol_version, entry.since_ms)
    is_sound = all(isinstance(one, str) for one in words) and all(isinstance(one, int) for one in numbers)
    return entry if is_sound and Path(entry.socket) == path.with_suffix(".sock") else None


def _remove(path: Path) -> None:
    """Unless someone listens there: in a container, or beside one, processes have other ids."""
    address = path.with_suffix(".sock")
    with socket.socket(socket.AF_UNIX) as asking:
        asking.setblocking(False)
        try:
            asking.connect(os.fspath(address))
        except (ConnectionRefusedError, FileNotFoundError):
            for one in (path, address, path.with_suffix(NEW)):
                with suppress(OSError):
                    one.unlink()
        except OSError:
            return  # it has no room for one more, or is no socket


def started_at(pid: int) -> str | None:
    """When a process started, in words that no later process with this id has; None if there is none."""
    if Path("/proc/self/stat").exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None
        return None if fields[0] in (b"Z", b"X") else fields[19].decode()
    told = subprocess.run(  # noqa: S603 - the system's own ps
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)],
        env={"LC_ALL": "C", "TZ": "UTC0"},  # or a server and an agent would disagree on the words
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip() or None


def peer_pid(connection: socket.socket) -> int:
    """The process that connected to a socket; 0 if this one cannot see it. Raises OSError."""
    if hasattr(socket, "SO_PEERCRED"):
        return _credentials(connection)[0]
    return connection.getsockopt(0, 2)  # SOL_LOCAL, LOCAL_PEERPID


def peer_uid(connection: socket.socket) -> int:
    """The user at the other end of a connected socket. Raises OSError."""
    if hasattr(socket, "SO_PEERCRED"):
        return _credentials(connection)[1]
    version, uid = struct.unpack_from("Ii", connection.getsockopt(0, 1, 76))  # SOL_LOCAL, LOCAL_PEERCRED
    if version != 0:
        raise OSError("unknown credentials")
    return int(uid)


def _credentials(connection: socket.socket) -> tuple[int, int, int]:
    """The other end's process, user, and group."""
    return struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
