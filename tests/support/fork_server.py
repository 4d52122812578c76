"""Server processes for tests, forked from one that has done what every start does, in milliseconds each.

Each is a process with its own environment, descriptors and exit code. Interpreter start, imports and the
times of `_prepare` are not tested; use `command=` of `editor.connected` for those.
"""

import asyncio
import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn


class ForkedServer:
    """A server process, with the part of `asyncio.subprocess.Process` that tests use."""

    def __init__(
        self, pid: int, stdin: asyncio.StreamWriter, stdout: asyncio.StreamReader, ending: asyncio.Task[int]
    ) -> None:
        self.pid, self.stdin, self.stdout = pid, stdin, stdout
        self._ending = ending

    @property
    def returncode(self) -> int | None:
        """As `subprocess.Popen.returncode`."""
        return self._ending.result() if self._ending.done() else None

    async def wait(self) -> int:
        """Wait for the exit code."""
        return await asyncio.shield(self._ending)

    def kill(self) -> None:
        """Send SIGKILL unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Send SIGTERM unless it has ended."""
        self.send_signal(signal.SIGTERM)

    def send_signal(self, number: int) -> None:
        """Send a signal unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)


async def fork_server(
    arguments: Sequence[str], env: dict[str, str], stderr: IO[bytes] | None, limit: int
) -> ForkedServer:
    """Start `agentfs-lsp ARGUMENTS` with only `env`. `limit`: of the output's reader, in bytes."""
    loop = asyncio.get_running_loop()
    control, theirs = socket.socketpair()
    read_input, write_input = os.pipe()
    read_output, write_output = os.pipe()
    given = [theirs.fileno(), read_input, write_output, stderr.fileno() if stderr else 2]
    socket.send_fds(_forking(), [b"+"], given)
    for fd in (theirs.detach(), read_input, write_output):
        os.close(fd)
    told, error_access = await asyncio.open_unix_connection(sock=control)
    start = {"arguments": list(arguments), "env": env, "cwd": os.getcwd()}
    error_access.write(json.dumps(start).encode() + b"\n")
    pid = int(await told.readline())

    stdout = asyncio.StreamReader(limit=limit)
    protocol = asyncio.StreamReaderProtocol(stdout)
    await loop.connect_read_pipe(lambda: protocol, os.fdopen(read_output, "rb", 0))
    flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())
    transport, _ = await loop.connect_write_pipe(lambda: flow, os.fdopen(write_input, "wb", 0))

    async def end() -> int:
        code = int(await told.readline())
        error_access.close()
        return code

    stdin = asyncio.StreamWriter(transport, flow, None, loop)
    return ForkedServer(pid, stdin, stdout, asyncio.ensure_future(end()))


@cache
def _forking() -> socket.socket:
    """The connection to this test process's fork server, which ends with it."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-P", __file__, str(theirs.fileno())]
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _serve(asked: socket.socket) -> None:
    """Fork a server for each request on `asked`, and report when it ends, until `asked` is closed."""
    woken, waking = socket.socketpair()
    for end in (woken, waking):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking.fileno())
    children: dict[int, socket.socket] = {}
    selector = selectors.DefaultSelector()
    selector.register(asked, selectors.EVENT_READ)
    selector.register(woken, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is woken:
                woken.recv(4096)
                _tell_ended(children)
                continue
            begun, fds, _, _ = socket.recv_fds(asked, 1, 4)
            if not begun:
                return
            control = socket.socket(fileno=fds[0])
            start = json.loads(control.makefile("rb").readline())
            pid = os.fork()
            if pid == 0:
                _become(start, fds[1:])
            for fd in fds[1:]:
                os.close(fd)
            children[pid] = control
            control.sendall(b"%d\n" % pid)


def _tell_ended(children: dict[int, socket.socket]) -> None:
    for pid in list(children):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            with children.pop(pid) as control:
                control.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(start: dict[str, Any], standard: list[int]) -> NoReturn:
    """Run the server, in the child."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGUSR1, lambda *_: _hours.append(None))
    for number, fd in enumerate(standard):
        os.dup2(fd, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(fd, mode, 1) for fd, mode in enumerate("rww"))
    os.environ.clear()
    os.environ.update(start["env"])
    os.chdir(start["cwd"])
    _place_sockets()
    sys.argv[1:] = start["arguments"]
    code = 1
    try:
        code = main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


_hours: list[None] = []
"""As many as have passed at once for the event loop, one at each SIGUSR1: see `client.Editor.time_out`."""


def _place_sockets() -> None:
    """The user's agents must not find test servers: without AGENTFS_TEST_SOCKETS there is no socket."""
    place = os.environ.get("AGENTFS_TEST_SOCKETS")
    if place is None:
        Listener.changed = lambda _: None
    else:
        discovery.folder = lambda: Path(place)


def _prepare() -> None:
    """Do what every start does. Users in tests read instantly, their editors draw at once, and landings wait
    for each other however slow the machine is."""
    LandingLock.__init__.__defaults__ = (3600.0,)
    asyncio.BaseEventLoop.time = lambda _: time.monotonic() + 3600 * len(_hours)
    questions.READING_S = questions.DRAWING_S = 0.0
    questions.QUIET_S = 0.05
    converter = converters.get_converter()
    converter.unstructure(types.InitializeResult(types.ServerCapabilities()))
    converters.get_converter = lambda: converter
    generated_code._read = cache(generated_code._read)
    generated_code._read(generated_code._beside_bytecode())
    protection_of(Spelled.of("a.py"))


if __name__ == "__main__":
    import platformdirs  # noqa: F401
    from lsprotocol import converters, types

    from agentfs_lsp.__main__ import main
    from agentfs_lsp.adapters import generated_code
    from agentfs_lsp.adapters.disk import DiskStore  # noqa: F401
    from agentfs_lsp.adapters.fs.state_folder import LandingLock
    from agentfs_lsp.adapters.history.history import SqliteHistory  # noqa: F401
    from agentfs_lsp.adapters.review import questions
    from agentfs_lsp.domain.globs import Spelled
    from agentfs_lsp.domain.policy.protected import protection_of
    from agentfs_lsp.door.listener import Listener
    from agentfs_lsp.lsp.serving import serve_stdio  # noqa: F401
    from agentfs_lsp.sockets import discovery

    _prepare()
    _serve(socket.socket(fileno=int(sys.argv[1])))
