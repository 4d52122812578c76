"""`make scale`: how each cost grows with what there is, written to docs/performance.md.

Each subject is measured at three sizes, with a server of its own: what should not matter must cost the same
at all three. Absolute times depend on the machine.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from agentfs_lsp.client import AsyncAgentFS
from agentfs_lsp.sockets import discovery

from . import history, report
from .client import Server, ServerFailedError
from .installation import PROJECT
from .load import opened, small_files
from .peers import LanguageServer, agentfs
from .process import memory_mb
from .rounds import alternating
from .texts import SIZES, STATES, source_of

PAGE = PROJECT / "docs" / "performance.md"
SMALL = source_of(SIZES["1 KB"])
CALLS, ROUNDS = 60, 20

Figures = dict[str, float]
"""By name, which ends with the unit."""


class Subject(NamedTuple):
    """What there is more and more of: `measure` gets an empty folder and how much there is."""

    name: str
    sizes: tuple[int, int, int]
    measure: Callable[[Path, int], Figures]


class Reviewing(Server):
    """A review client that shows nothing, and decides nothing by itself."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.proposed: list[str] = []
        super().__init__(*arguments, **options)

    def propose(self, name: str) -> float:
        """Start an edit; returns the milliseconds until its proposal is to be shown."""
        params = {"path": name, "old_string": STATES[0], "new_string": STATES[1]}
        there, start = len(self.proposed), time.perf_counter()
        self._endpoint.request("agentfs/edit", params)
        self._write()
        while len(self.proposed) == there:
            self.oblige_next()
        return (time.perf_counter() - start) * 1000

    def _oblige(self, message: Any) -> None:
        if message["method"] == "agentfs/proposed":
            self.proposed.append(message["params"]["id"])
        super()._oblige(message)


class Editor(LanguageServer):
    """An editor with a review client, and no limit of proposals that the measure would reach."""

    client = Reviewing
    capabilities = {"experimental": {"agentfs": {"review": True, "save": True}}}  # noqa: RUF012
    options = {"limits": {"pending_per_session": 10_000}}  # noqa: RUF012


def files(scratch: Path, count: int) -> Figures:
    """Files in the workspace."""
    with _serving(scratch, count) as server:
        return {"start, ms": server.start_ms, **_requests(server)}


def documents(scratch: Path, count: int) -> Figures:
    """Documents open in the editor."""
    with _serving(scratch, count) as server:
        for name in _names(count):
            server.server.notify(*opened(server.workspace, name, "alpha\nbravo\n"))
        read_open = median(server.read("held/0/0.txt") for _ in range(CALLS))
        return {**_requests(server), "read an open document, ms": read_open}


def proposals(scratch: Path, count: int) -> Figures:
    """Proposals that wait for the user."""
    with _serving(scratch, 0, Editor) as server:
        client: Reviewing = server.server
        names = [f"{number}.txt" for number in range(count + CALLS)]
        for name in names:
            (server.workspace / name).write_text(SMALL)
            server.read(name)
        for name in names[:count]:
            client.propose(name)
        shown = median(client.propose(name) for name in names[count:])
        ids = client.proposed[-CALLS:]
        decided = [client.call("agentfs/settle", {"id": one, "decision": "rejected"})[1] for one in ids]
        return {
            "request to proposal, ms": shown,
            "reject one, ms": median(decided),
            "status, ms": median(server.status() for _ in range(CALLS)),
            "memory, MB": memory_mb(server.pid)[0],
        }


def changes(scratch: Path, count: int) -> Figures:
    """Changes in the history."""
    workspace = _workspace(scratch)
    size = history.fill(workspace, scratch / "home" / "agentfs", count, "a line\n" * 20)
    with _serving(scratch, 0) as server:
        return {
            "newest 50, ms": median(server.history() for _ in range(CALLS)),
            "of one file, ms": median(server.history(path="7.txt") for _ in range(CALLS)),
            **_requests(server),
            "on disk, MB": size / 1e6,
        }


def agents(scratch: Path, count: int) -> Figures:
    """Agents that read and edit at once, through the socket."""
    with _serving(scratch, 0) as server:
        for number in range(count):
            (server.workspace / f"{number}.txt").write_text(SMALL)
        for _ in range(1000):  # it opens the socket once it has been initialized
            if discovery.find(server.workspace):
                break
            time.sleep(0.01)
        reads, edits, seconds = asyncio.run(_crowd(server.workspace, count))
        return {
            "read, median, ms": median(reads),
            "edit, median, ms": median(edits),
            "edit, 95th percentile, ms": quantiles(edits, n=20)[-1],
            "requests a second": 2 * ROUNDS * count / seconds,
            "memory, MB": memory_mb(server.pid)[0],
        }


def day(scratch: Path, count: int) -> Figures:
    """Requests of a day, at random: reads, edits, writes, undos, documents opened and closed."""
    with _serving(scratch, 500) as server:
        workspace, chance, names = server.workspace, random.Random(1), _names(500)
        began = time.perf_counter()
        for number in range(count):
            name = chance.choice(names)
            kind = chance.random()
            if kind < 0.5:
                server.read(name)
            elif kind < 0.7:
                server.read(name)
                server.write(name, f"{SMALL}{number}\n")
            elif kind < 0.8:
                server.server.call("agentfs/undo", {})
            elif kind < 0.9:
                text = (workspace / name).read_text(encoding="utf-8")
                server.server.notify(*opened(workspace, name, text))
                uri = {"uri": (workspace / name).as_uri()}
                server.server.notify("textDocument/didClose", {"textDocument": uri})
            else:
                server.status()
        process = Path(f"/proc/{server.pid}")
        return {
            "a request, ms": (time.perf_counter() - began) * 1000 / count,
            "memory, MB": memory_mb(server.pid)[0],
            "descriptors": len(list((process / "fd").iterdir())),
            "threads": len(list((process / "task").iterdir())),
        }


SUBJECTS = (
    Subject("Files in the workspace", (1_000, 10_000, 100_000), files),
    Subject("Open documents", (50, 500, 5_000), documents),
    Subject("Pending proposals", (10, 100, 1_000), proposals),
    Subject("Changes in the history", (1_000, 10_000, 100_000), changes),
    Subject("Agents at once, through the socket", (1, 8, 64), agents),
    Subject("Requests of a day", (2_000, 10_000, 50_000), day),
)


# --- helpers ----------------------------------------------------------------------------------------------


def _workspace(scratch: Path) -> Path:
    folder = (scratch / "workspace").resolve()
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def _serving(scratch: Path, count: int, kind: type[LanguageServer] = LanguageServer) -> Iterator[Any]:
    """A server for a workspace with so many files. Raises ServerFailedError."""
    workspace = _workspace(scratch)
    for _ in small_files(workspace, count):
        pass
    server = kind(agentfs(), workspace, scratch)
    try:
        yield server
    finally:
        server.close()


def _names(count: int) -> Sequence[str]:
    return [f"held/{number // 100}/{number}.txt" for number in range(count)]


def _requests(server: LanguageServer) -> Figures:
    (server.workspace / "one.txt").write_text(SMALL)
    server.read("one.txt")
    edit = alternating(lambda old, new: server.edit("one.txt", old, new), *STATES)
    return {
        "status, ms": median(server.status() for _ in range(CALLS)),
        "read 1 KB, ms": median(server.read("one.txt") for _ in range(CALLS)),
        "edit 1 KB, ms": median(edit() for _ in range(CALLS)),
        "memory, MB": memory_mb(server.pid)[0],
    }


async def _crowd(workspace: Path, count: int) -> tuple[list[float], list[float], float]:
    """All reads' and all edits' milliseconds, and how many seconds they took together."""
    reads: list[float] = []
    edits: list[float] = []

    async def timed(into: list[float], request: Any) -> None:
        start = time.perf_counter()
        answer = await request
        into.append((time.perf_counter() - start) * 1000)
        if answer.status != "success":
            raise ServerFailedError(answer.for_model())

    async def work(number: int) -> None:
        agent, name, (old, new) = crowd[number], f"{number}.txt", STATES
        for _ in range(ROUNDS):
            await timed(reads, agent.read(name))
            await timed(edits, agent.edit(name, old, new))
            old, new = new, old

    crowd = [AsyncAgentFS.attach(workspace, name=f"Agent {number}") for number in range(count)]
    try:
        await asyncio.gather(*(agent.start() for agent in crowd))
        began = time.perf_counter()
        await asyncio.gather(*(work(number) for number in range(count)))
        return reads, edits, time.perf_counter() - began
    finally:
        await asyncio.gather(*(agent.close() for agent in crowd))


# --- the page ---------------------------------------------------------------------------------------------


_HEAD = """\
# Performance at scale

How the cost of each request grows with what there is. `make scale` measures it and writes this page; `make
bench` compares the server with the file system and with other servers. Times are medians; the last column is
the last figure divided by the first.

Measured on {}.
"""


def page(subjects: Sequence[tuple[Subject, Sequence[Figures]]], machine: str) -> str:
    """docs/performance.md: a table for each subject, with the growth from its first to its last size."""
    parts = [_HEAD.format(machine)]
    for subject, measured in subjects:
        head = "".join(f" {size:,} |" for size in subject.sizes)
        rows = [f"\n## {subject.name}\n\n| |{head} growth |\n| --- |{' --- |' * 4}\n"]
        for name in measured[0]:
            figures = [of_size[name] for of_size in measured]
            cells = "".join(f" {_rounded(figure)} |" for figure in figures)
            rows.append(f"| {name} |{cells} {figures[-1] / figures[0]:.2f} |\n")
        parts.append("".join(rows))
    return "".join(parts)


def _rounded(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    parser.add_argument(
        "--only", metavar="WORD", default="", help="only subjects with this word in their name"
    )
    parser.add_argument(
        "--part", type=int, default=1, metavar="N", help="a small run: a Nth of each size, printed only"
    )
    options = parser.parse_args(arguments)
    measured: list[tuple[Subject, list[Figures]]] = []
    for subject in SUBJECTS:
        if options.only.lower() not in subject.name.lower():
            continue
        sizes = tuple(max(size // options.part, 1) for size in subject.sizes)
        figures = []
        for size in sizes:
            print(f"measuring {subject.name.lower()}: {size:,}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(prefix="agentfs-scale-") as scratch:
                figures.append(subject.measure(Path(scratch), size))
        measured.append((subject._replace(sizes=sizes), figures))
    text = page(measured, report.machine())
    if options.part == 1 and not options.only:
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {os.path.relpath(PAGE)}")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
