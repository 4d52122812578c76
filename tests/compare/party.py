"""What every party is asked: the same few requests, which each makes in its own way."""

import asyncio
import os
import shutil
import signal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from compare.verdicts import Outcome

NOWHERE = "http://127.0.0.1:9"


class PartyFailedError(Exception):
    """The party ended, or gave no answer that can be understood."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A request to replace `old`, which must name one place, by `new`."""

    path: str
    old: str
    new: str
    replace_all: bool = False


class Document:
    """A file in the user's editor, with unsaved text. This editor does not know the party."""

    def __init__(self, file: Path, text: str) -> None:
        self.file, self.text = file, text

    def type(self, text: str) -> None:
        """The user types: this is the text now."""
        self.text = text

    def save(self) -> None:
        """The user saves."""
        self.file.write_bytes(self.text.encode())


class Party(ABC):
    """A program that changes files for agents, in a workspace of its own."""

    name: str
    about: str
    """How it is run, for the page."""
    has_read = True
    """It has a tool of its own for reading, with a claim to stay in the workspace."""
    whole_lines = False
    """Its format names whole lines, never a part of one."""
    replaces_all = False
    """It can be asked to replace every occurrence."""

    def __init__(self, root: Path) -> None:
        """`root`: the workspace. What is beside it is the party's, too."""
        self.root = root
        self.known: dict[str, str] = {}
        """What agents have read: the text by path."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Name and version as installed. Raises NotAvailableError."""

    @abstractmethod
    async def start(self) -> None:
        """Start it."""

    @abstractmethod
    async def close(self) -> None:
        """End it; it may have ended."""

    @property
    @abstractmethod
    def pid(self) -> int:
        """The first of its processes."""

    async def kill(self) -> None:
        """Kill it with all of its processes, as the system does when memory runs out."""
        for pid in _with_children(self.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    async def show(self, path: str) -> str:
        """Let the agent read a file, and know it from now on; returns what it gets."""
        self.known[path] = (self.root / path).read_bytes().decode("utf-8-sig", "replace")
        return await self.read(path)

    @abstractmethod
    async def read(self, path: str) -> str:
        """Let the agent read a file; returns what it gets, or why not."""

    @abstractmethod
    async def edit(self, edit: Edit) -> Outcome:
        """Replace a text."""

    @abstractmethod
    async def write(self, path: str, content: str) -> Outcome:
        """Create a file or replace it whole."""

    async def change(self, edits: Sequence[Edit]) -> Outcome:
        """Several files: one after the other, where there is nothing better."""
        for edit in edits:
            outcome = await self.edit(edit)
            if not outcome.success:
                return outcome
        return Outcome(True, "all")

    async def open(self, path: str, text: str) -> Document:
        """The user has the file open, with this unsaved text."""
        return Document(self.root / path, text)


def environment(home: Path) -> dict[str, str]:
    """For a party's process: a home of its own, and no network."""
    home.mkdir(exist_ok=True)
    node = shutil.which("node")
    folders = [*([str(Path(node).parent)] if node else []), "/usr/bin", "/bin"]
    return {
        "PATH": ":".join(folders),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1",
    }


def whole_lines(text: str, edit: Edit) -> tuple[list[str], list[str]] | None:
    """The edit in whole lines, for formats that know nothing else: the lines that it touches if it is in the
    text just once, else the request's own. None if it cannot be said in whole lines."""
    exactly = text.count(edit.old) if edit.old else 0
    text, old, new = (one.replace("\r\n", "\n") for one in (text, edit.old, edit.new))
    count = text.count(old) if old else 0
    if exactly == 1 != count:
        return None
    if count == 1:
        start = text.find(old)
        first, end = text.rfind("\n", 0, start) + 1, start + len(old)
        block = text[first:start] + new
        if not text[:end].endswith("\n") or (block and not block.endswith("\n")):
            rest = text.find("\n", end) + 1 or len(text)
            block, end = block + text[end:rest], rest
        return _lines(text[first:end]), _lines(block)
    starts = old and not old.startswith("\n")
    ends = old.endswith("\n") == new.endswith("\n") or not new
    is_block = not count or old.endswith("\n") or f"\n{old}\n" in f"\n{text}\n"
    return (_lines(old), _lines(new)) if starts and ends and is_block else None


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _with_children(pid: int) -> list[int]:
    """A process and all below it."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                parents.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for one in found:
        found += parents.get(one, [])
    return found


async def ended(process: asyncio.subprocess.Process) -> None:
    """Wait for a process that was killed."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    await process.wait()
