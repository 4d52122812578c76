"""The cases in which something happens at the same time: unsaved text, swapped links, a kill."""

import asyncio
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter

from compare import installation
from compare.cases import BEFORE, CRASH, LINKS, UNSAVED, Case
from compare.party import Edit, Party, ended
from compare.verdicts import CORRECT, Kind, Outcome, Verdict, judge, told

LINK_TRIES = 100
CRASH_TRIES = 8
FILES = 5


def race_cases() -> Iterator[Case]:
    """Those of unsaved text, of links, and of kills."""
    yield from _unsaved()
    yield Case("links/read", LINKS, _read_while_swapping, lambda party: party.has_read)
    yield Case("links/edit", LINKS, _edit_while_swapping)
    yield Case("killed/five-files", CRASH, _killed)


# --- unsaved text -------------------------------------------------------------------------------------------


def _unsaved() -> Iterator[Case]:
    typed = "one\ntwo\nthree\nfour\n"
    both = "1\ntwo\nthree\nfour\n"
    yield _with_unsaved("another-line", typed, "", "one", "1", both)
    yield _with_unsaved("typed-after-the-read", "one\ntwo\nthree\n", typed, "one", "1", both)
    yield _with_unsaved("the-same-line", "ONE\ntwo\nthree\n", "", "one", "1", None)
    yield _with_unsaved("text-that-is-only-there", typed, "", "four", "4", "one\ntwo\nthree\n4\n")


def _with_unsaved(name: str, text: str, later: str, old: str, new: str, expected: str | None) -> Case:
    """The user's editor shows `text`, and `later` once the agent has read the file, if that is given."""

    async def run(party: Party, folder: str) -> Verdict:
        path = f"{folder}/file.txt"
        (party.root / path).write_bytes(BEFORE)
        document = await party.open(path, text)
        await party.show(path)
        if later:
            document.type(later)
        outcome = await party.edit(Edit(path, old, new))
        document.save()
        after = (party.root / path).read_bytes().decode()
        return _judge_saved(outcome, later or text, after, expected)

    return Case(f"unsaved/{name}", UNSAVED, run)


def _judge_saved(outcome: Outcome, users: str, after: str, expected: str | None) -> Verdict:
    """After the save: what the agent was told that it did must be in the file beside the user's text."""
    if outcome.success and after == users:
        return Verdict(Kind.LOST, "said success; the user's save wrote over it")
    return judge(outcome, users.encode(), after.encode(), None if expected is None else expected.encode())


# --- links --------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _swapping(party: Party, folder: str) -> AsyncIterator[tuple[Path, Path]]:
    """`data` in the folder is a folder at one moment, and a link to one outside at the next. Yields both
    folders, by paths that stay. The one outside is not in /tmp, where a sandbox may allow to write."""
    inside, link = party.root / folder / "data", party.root / folder / "link"
    outside = Path(tempfile.mkdtemp(prefix="outside-", dir=installation.CACHE))
    inside.mkdir()
    link.symlink_to(outside)
    held = os.open(inside, os.O_RDONLY | os.O_DIRECTORY)
    swapper = await asyncio.create_subprocess_exec(
        sys.executable,
        Path(__file__).parent / "scripts" / "swapper.py",
        inside,
        link,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert swapper.stdout is not None
        assert await swapper.stdout.readline(), "names cannot be exchanged here"
        yield Path(f"/proc/self/fd/{held}"), outside
        assert swapper.returncode is None, "the swapper ended"
    finally:
        await ended(swapper)
        os.close(held)
        shutil.rmtree(outside)


INSIDE, OUTSIDE, CHANGED_INSIDE = b"inside: tick\n", b"outside: tick\n", b"inside: tock\n"


def _put(inside: Path, outside: Path, number: int) -> str:
    """A file of the same name in both. Several take turns: programs stop a model that repeats a call."""
    name = f"file-{number % FILES}.txt"
    (inside / name).write_bytes(INSIDE)
    (outside / name).write_bytes(OUTSIDE)
    return name


async def _read_while_swapping(party: Party, folder: str) -> Verdict:
    counts: Counter[Verdict] = Counter()
    async with _swapping(party, folder) as (inside, outside):
        for number in range(LINK_TRIES):
            text = await party.read(f"{folder}/data/{_put(inside, outside, number)}")
            if "outside: tick" in text:
                verdict = Verdict(Kind.WRONG, "read a file outside the workspace")
            elif "inside: tick" in text:
                verdict = CORRECT
            else:
                verdict = Verdict(Kind.REFUSED, told(Outcome(False, text)))
            counts[verdict] += 1
    return Verdict.counted(counts, LINK_TRIES)


async def _edit_while_swapping(party: Party, folder: str) -> Verdict:
    counts: Counter[Verdict] = Counter()
    async with _swapping(party, folder) as (inside, outside):
        for number in range(LINK_TRIES):
            name = _put(inside, outside, number)
            path = f"{folder}/data/{name}"
            party.known[path] = INSIDE.decode()
            await party.read(path)
            outcome = await party.edit(Edit(path, "tick", "tock"))
            if (outside / name).read_bytes() == OUTSIDE:
                verdict = judge(outcome, INSIDE, (inside / name).read_bytes(), CHANGED_INSIDE)
            else:
                verdict = Verdict(Kind.LOST, "changed a file outside the workspace")
            counts[verdict] += 1
    return Verdict.counted(counts, LINK_TRIES)


# --- a kill -------------------------------------------------------------------------------------------------

LINES = [f"line {number} {'-' * 88}" for number in range(2000)]
OLD, NEW = LINES[1000], f"{LINES[1000]} changed"
WHOLE = "\n".join([*LINES, ""]).encode()
CHANGED = WHOLE.replace(OLD.encode(), NEW.encode())


async def _killed(party: Party, folder: str) -> Verdict:
    paths = [f"{folder}/file-{number}.txt" for number in range(FILES)]
    edits = [Edit(path, OLD, NEW) for path in paths]
    rng = random.Random("killed")
    await _prepare(party, paths)
    began = perf_counter()
    outcome = await party.change(edits)
    whole_s = perf_counter() - began
    if _found(party, paths) != [CHANGED] * FILES:
        return Verdict(Kind.WRONG, f"the change could not be made at all: {told(outcome)}")
    counts: Counter[Verdict] = Counter()
    for _ in range(CRASH_TRIES):
        await _prepare(party, paths)
        change = asyncio.ensure_future(party.change(edits))
        await asyncio.sleep(rng.random() * whole_s)
        await party.kill()
        await asyncio.wait([change])
        change.exception()
        await party.close()
        await party.start()
        await party.read(paths[0])
        counts[_judge_killed(_found(party, paths))] += 1
    return Verdict.counted(counts, CRASH_TRIES)


async def _prepare(party: Party, paths: list[str]) -> None:
    for path in paths:
        (party.root / path).write_bytes(WHOLE)
        await party.show(path)


def _found(party: Party, paths: list[str]) -> list[bytes]:
    return [(party.root / path).read_bytes() if (party.root / path).exists() else b"" for path in paths]


def _judge_killed(found: list[bytes]) -> Verdict:
    if any(one not in (WHOLE, CHANGED) for one in found):
        return Verdict(Kind.LOST, "a file was left cut off")
    if len(set(found)) > 1:
        return Verdict(Kind.WRONG, "some of the files were changed, and others not")
    return CORRECT
