"""Measures round trips in rounds: each round gives every party a turn at every measure, so that drift affects
all alike. The order rotates, so that nobody always follows the same party."""

import gc
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from .client import ServerFailedError
from .cores import sharing_a_core
from .cpu import cpu_ms
from .floor import Floor
from .peers import Connection, LanguageServer
from .results import AGENTFS, BARE, BARE_READ, FLOOR, PYGLS, Measure, Results
from .texts import SIZES, STATES, source_of

STATUS = Measure("requests", "status")
IN_MEMORY = ", tmpfs"
# (rounds between two turns, calls per turn): large ones vary less and take longer.
TURNS = {"status": (1, 30), "1 KB": (1, 20), "100 KB": (1, 4), "1 MB": (2, 1), "10 MB": (4, 1)}

Call = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Turn:
    """A party's calls for one measure."""

    measure: Measure
    party: str
    call: Call
    turns: tuple[int, int]
    changes: bool
    pid: int | None = None  # the server's
    shares_core: bool = False  # with this process, as the round trip is short


def measure_requests(
    results: Results, servers: Mapping[str, Connection], workspace: Path, rounds: int
) -> None:
    """Measure status, and read, write and edit of every size."""
    results.expect(STATUS)
    turns = [
        Turn(STATUS, name, server.status, TURNS["status"], changes=False, pid=server.pid, shares_core=True)
        for name, server in servers.items()
        if isinstance(server, LanguageServer)
    ]
    asked = [(operation, size, False) for size in SIZES for operation in ("read", "write", "edit")]
    turns += _file_turns(results, servers, workspace, [*asked, ("read", "10 MB", True)])
    take_turns(results, turns, rounds)


def measure_in_memory(
    results: Results, servers: Mapping[str, Connection], workspace: Path, rounds: int
) -> None:
    """Changes on tmpfs, where fsync costs nothing: what is above the floor is the program's own time."""
    asked = [(operation, size, False) for size in ("1 KB", "10 MB") for operation in ("write", "edit")]
    take_turns(results, _file_turns(results, servers, workspace, asked, IN_MEMORY), rounds)


def _file_turns(
    results: Results,
    servers: Mapping[str, Connection],
    workspace: Path,
    asked: Sequence[tuple[str, str, bool]],
    where: str = "",
) -> list[Turn]:
    files: dict[str, Floor | Connection] = {FLOOR: Floor(workspace)}
    files |= {name: server for name, server in servers.items() if name != PYGLS}
    turns: list[Turn] = []
    for operation, size, ascii_only in asked:
        text = source_of(SIZES[size], ascii_only=ascii_only)
        measure = Measure("requests", f"{operation} {size}" + (" of ASCII" if ascii_only else "") + where)
        results.expect(measure)
        for party, door in files.items():
            if party == BARE and measure.name != BARE_READ:
                continue
            name = f"{party}-{measure.name.replace(' ', '-')}.txt"
            (workspace / name).write_text(text, encoding="utf-8")
            call = _calls(door, operation, name, text)
            pid = door.pid if isinstance(door, Connection) else None
            if _prepare(results, measure, party, door, name):
                turns.append(
                    Turn(
                        measure,
                        party,
                        call,
                        TURNS[size],
                        changes=operation != "read",
                        pid=pid,
                        shares_core=size == "1 KB",
                    )
                )
    return turns


def take_turns(results: Results, turns: list[Turn], rounds: int) -> None:
    """Run `rounds` rounds, after one that does not count."""
    by_measure: dict[str, list[Turn]] = {}
    for turn in turns:
        by_measure.setdefault(turn.measure.name, []).append(turn)
    gc.disable()  # this process's pauses are not a server's
    try:
        for number in range(rounds + 1):
            results.progress(f"round {number} of {rounds}")
            for of_measure in by_measure.values():
                _round(results, of_measure, number)
    finally:
        gc.enable()


def _round(results: Results, turns: list[Turn], number: int) -> None:
    first = number % len(turns)
    for turn in turns[first:] + turns[:first]:
        every, calls = turn.turns
        if number == 0:
            _take(results, turn, 1, counts=False)
        elif (number - 1) % every == 0:
            _take(results, turn, calls, counts=True)


def _take(results: Results, turn: Turn, calls: int, *, counts: bool) -> None:
    if results.is_out(turn.measure, turn.party):
        return
    if turn.changes:
        os.sync()  # a party must not pay for others' unsynced data
    try:
        before = cpu_ms(turn.pid) if turn.pid else None
        with sharing_a_core(turn.pid) if turn.pid and turn.shares_core else nullcontext():
            taken = [turn.call() for _ in range(calls)]
    except (ServerFailedError, AssertionError) as error:
        results.fail(turn.measure, turn.party, str(error))
        return
    if not counts:
        return
    results.add(turn.measure, turn.party, *taken)
    if before and turn.pid:
        loop, others = (after - earlier for after, earlier in zip(cpu_ms(turn.pid), before, strict=True))
        results.cpu.setdefault((turn.measure.name, turn.party), []).append((loop / calls, others / calls))


def _prepare(results: Results, measure: Measure, party: str, door: Floor | Connection, name: str) -> bool:
    """agentfs changes only what the session has read."""
    if party != AGENTFS:
        return True
    try:
        door.read(name)
    except ServerFailedError as error:
        results.fail(measure, party, str(error))
        return False
    return True


def _calls(door: Floor | Connection, operation: str, name: str, text: str) -> Call:
    if operation == "read":
        return lambda: door.read(name)
    if operation == "edit":
        return alternating(lambda old, new: door.edit(name, old, new), *STATES)
    other = text.replace(*STATES)
    return alternating(lambda _, new: door.write(name, new), text, other)


def alternating(change: Callable[[str, str], float], first: str, second: str) -> Call:
    """A call that alternates between the two."""
    states = [first, second]

    def call() -> float:
        old, new = states
        elapsed = change(old, new)
        states.reverse()
        return elapsed

    return call
