"""Runs the user's programs, without a shell and without anything that a workspace provides
(docs/security.md#against-a-workspace)."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from shutil import rmtree
from tempfile import mkdtemp

from agentfs_lsp.service.programs import Program, ProgramFailed

MAX_AT_ONCE = 4
"""How many programs run at once; an agent may propose many changes."""

ENDING_S = 1.0
"""How long to wait for the end of a killed process."""

_CHUNK = 64 * 1024
_LISTS = ("PATH", "PYTHONPATH", "NODE_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PERL5LIB", "RUBYLIB")
"""Variables with folders from which programs are loaded."""


class ProgramRunner:
    """The port Programs."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(MAX_AT_ONCE)

    async def filter(self, program: Program, text: str) -> str:
        """As Programs says."""
        try:
            data = text.encode()
        except UnicodeEncodeError:
            raise ProgramFailed("output") from None
        async with self._places:
            path, environment = await asyncio.to_thread(_found, program)
            try:
                folder = await asyncio.to_thread(mkdtemp, prefix="agentfs-")
            except OSError:  # none that exists, or a full disk
                raise ProgramFailed("no_folder") from None
            try:
                code, output = await _run([path, *program.words[1:]], folder, program, environment, data)
            except TimeoutError:
                raise ProgramFailed("timeout") from None
            except OSError:  # not executable after all, or its interpreter is missing
                raise ProgramFailed("missing") from None
            finally:
                await asyncio.to_thread(rmtree, folder, ignore_errors=True)
        if code != 0:
            raise ProgramFailed("exit", code)
        try:
            made = output.decode()
        except UnicodeDecodeError:
            raise ProgramFailed("output") from None
        if not made:
            raise ProgramFailed("output")
        return made


async def _run(
    words: Sequence[str], folder: str, program: Program, environment: Mapping[str, str], data: bytes
) -> tuple[int, bytes]:
    process = await _started(words, folder, environment)
    feeding = asyncio.ensure_future(_feed(process, data))
    try:
        async with asyncio.timeout(program.timeout_s):
            output = await _output(process, program.max_bytes)
            return await process.wait(), output
    except BaseException:
        await _kill(process)
        raise
    finally:
        feeding.cancel()


async def _started(words: Sequence[str], folder: str, environment: Mapping[str, str]) -> Process:
    """A process in a group of its own, so that what it starts can be killed, too. If cancelled, none: only a
    process that has started can be killed with its group."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *words,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError):
            await _kill(await starting)
        raise


async def _feed(process: Process, data: bytes) -> None:
    assert process.stdin is not None
    with suppress(OSError):  # it may end without reading all
        process.stdin.write(data)
        await process.stdin.drain()
        process.stdin.close()


async def _output(process: Process, most: int) -> bytes:
    assert process.stdout is not None
    chunks: list[bytes] = []
    size = 0
    while chunk := await process.stdout.read(_CHUNK):
        size += len(chunk)
        if size > most:
            raise ProgramFailed("output")
        chunks.append(chunk)
    return b"".join(chunks)


async def _kill(process: Process) -> None:
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(TimeoutError):
        async with asyncio.timeout(ENDING_S):
            await process.wait()


# --- where programs are found -----------------------------------------------------------------------------


def _found(program: Program) -> tuple[str, Mapping[str, str]]:
    """The program's path, and the environment to run it in. Raises ProgramFailed."""
    inside = _Inside(program.roots)
    return _path(program.words[0], inside), dict(_environment(inside))


def path_of(name: str, roots: Sequence[str]) -> str:
    """The path of the program with this name, or at this path, that would run. Raises ProgramFailed."""
    return _path(name, _Inside(roots))


def _path(name: str, inside: _Inside) -> str:
    if os.path.isabs(name):
        candidates = [name]
    else:
        candidates = [os.path.join(folder, name) for folder in os.get_exec_path() if os.path.isabs(folder)]
    runnable = [one for one in candidates if os.path.isfile(one) and os.access(one, os.X_OK)]
    path = next((one for one in runnable if not inside(one)), None)
    if path is None:
        raise ProgramFailed("in_workspace" if runnable else "missing")
    return path


class _Inside:
    """Whether something is in one of these folders, by any name or link."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = {found for root in roots if (found := _identity(root))}

    def __call__(self, path: str) -> bool:
        there = any(_identity(folder) in self._roots for folder in _above(os.path.abspath(path)))
        return there or any(_identity(folder) in self._roots for folder in _above(os.path.realpath(path)))


def _above(path: str) -> Iterator[str]:
    """The path, and the folders above it."""
    yield path
    while (folder := os.path.dirname(path)) != path:
        yield folder
        path = folder


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _environment(inside: _Inside) -> Iterator[tuple[str, str]]:
    """The user's environment, without folders of the workspace from which something could be loaded."""
    for name, value in os.environ.items():
        if name in _LISTS:
            kept = [one for one in value.split(os.pathsep) if os.path.isabs(one) and not inside(one)]
            if kept:
                yield name, os.pathsep.join(kept)
        else:
            yield name, value
    yield "PYTHONSAFEPATH", "1"  # `python -m` would import from the current folder
