"""Runs a program in a terminal, of 24 lines and 80 columns by default: sends keys and reads the screen."""

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import termios
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pyte

LINES, COLUMNS = 24, 80
TIMEOUT_S = 120.0
"""Seconds to wait for something to appear before failing."""
LONGEST_GUARD_S = 2.0
"""More than the seconds for which any program takes keys for something else's."""


class _Screen(pyte.Screen):
    """Takes the private sequences that pyte itself can't."""

    def report_device_status(self, mode: int, *, private: bool = False) -> None:
        if not private:
            super().report_device_status(mode)

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        if not private:
            super().select_graphic_rendition(*attributes)


class Terminal:
    """The program's terminal."""

    def __init__(self, fd: int, columns: int, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._fd = fd
        self._screen = _Screen(columns, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = asyncio.Event()
        asyncio.get_running_loop().add_reader(fd, self._read)

    @property
    def text(self) -> str:
        """The lines on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def cells(self) -> list[list[pyte.screens.Char]]:
        """The characters on the screen with their colors, by line; the cursor's in reverse."""
        lines = [
            [self._screen.buffer[line][column] for column in range(self._screen.columns)]
            for line in range(self._screen.lines)
        ]
        cursor = self._screen.cursor
        if not cursor.hidden:
            under = lines[cursor.y][cursor.x]
            lines[cursor.y][cursor.x] = under._replace(reverse=not under.reverse)
        return lines

    @property
    def modes(self) -> list[Any]:
        """What `tcgetattr` says."""
        return termios.tcgetattr(self._fd)

    @property
    def hides_cursor(self) -> bool:
        """Whether the cursor is hidden."""
        return bool(self._screen.cursor.hidden)

    def press(self, keys: str | bytes) -> None:
        """Send the keys in the terminal's encoding."""
        os.write(self._fd, keys if isinstance(keys, bytes) else keys.encode())

    def resize(self, lines: int) -> None:
        """Change the number of lines."""
        self._screen.resize(lines)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, self._screen.columns, 0, 0))

    async def shows(self, wanted: str | Callable[[str], bool]) -> str:
        """Wait until the screen shows it; returns the screen's text."""
        fits = (lambda text: wanted in text) if isinstance(wanted, str) else wanted
        try:
            async with asyncio.timeout(TIMEOUT_S):
                while not fits(self.text):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"never shown: {wanted!r}\n{self.text}") from None
        return self.text

    async def press_until(self, keys: str, wanted: str) -> str:
        """Press the keys until the screen shows it: they may have come too soon to count, and the program may
        begin to count anew with each key that does."""
        async with asyncio.timeout(TIMEOUT_S):
            while wanted not in self.text:
                self.press(keys)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LONGEST_GUARD_S):
                        while wanted not in self.text:
                            self._changed.clear()
                            await self._changed.wait()
        return self.text

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:  # the program ended
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._fd)
        self._stream.feed(data)
        self._changed.set()


@contextlib.asynccontextmanager
async def terminal(
    command: list[str], cwd: Path, env: dict[str, str], *, columns: int = COLUMNS
) -> AsyncIterator[Terminal]:
    """Run the program in its own terminal; killed at the end."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env={**os.environ, "TERM": "linux", "LC_ALL": "C.UTF-8", **env},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # Emacs opens /dev/tty
    )
    os.close(slave)
    shown = Terminal(master, columns, process)
    try:
        yield shown
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        shown.close()


def read_to_end(fd: int) -> bytes:
    """What the program in this terminal still prints, until it ends."""
    printed = b""
    while True:
        try:
            printed += os.read(fd, 1 << 16)
        except OSError:  # it has ended
            os.close(fd)
            return printed
