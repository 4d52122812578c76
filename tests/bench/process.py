"""Start-up and memory: fresh processes, measured from outside."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from .client import ServerFailedError
from .installation import NotAvailableError
from .peers import Connection, Party, bundled
from .results import AGENTFS, BARE, PYGLS, Measure, Results
from .texts import SIZES, STATES, source_of

START = Measure("process", "start to initialize answered")
BUNDLED = Measure("process", "start of the extension's server")
IDLE, LOADED = "idle", "after 10 MB read and edited"
RSS, PSS = (
    {moment: Measure("process", f"{kind} {moment}", "MB") for moment in (IDLE, LOADED)}
    for kind in ("RSS", "PSS")
)


def measure_start(
    results: Results, parties: Mapping[str, Party], workspace: Path, scratch: Path, rounds: int
) -> None:
    """From start to the response to `initialize`, the parties in turns; the first start only fills caches."""
    starts = [(START, name, party) for name, party in parties.items()]
    try:
        starts.append((BUNDLED, AGENTFS, bundled(scratch)))
    except NotAvailableError as reason:
        results.fail(BUNDLED, AGENTFS, str(reason))
    for number in range(rounds + 1):
        results.progress(f"round {number} of {rounds}")
        for measure, name, party in starts:
            if results.is_out(measure, name):
                continue
            try:
                server = party.start(workspace, scratch)
            except ServerFailedError as error:
                results.fail(measure, name, str(error))
                continue
            server.close()
            if number:
                results.add(measure, name, server.start_ms)


def measure_memory(results: Results, parties: Mapping[str, Party], workspace: Path, scratch: Path) -> None:
    """A fresh server's memory when idle, and after reading and editing a file of 10 MB."""
    text = source_of(SIZES["10 MB"])
    for name, party in parties.items():
        if name in (BARE, PYGLS):
            continue
        results.progress(name)
        file = f"{name}-memory.txt"
        (workspace / file).write_text(text, encoding="utf-8")
        moment = IDLE
        try:
            server = party.start(workspace, scratch)
            try:
                _note(results, name, server, moment)
                moment = LOADED
                server.read(file)
                server.edit(file, *STATES)
                _note(results, name, server, moment)
            finally:
                server.close()
        except ServerFailedError as error:
            results.fail(RSS[moment], name, str(error))


def _note(results: Results, party: str, server: Connection, moment: str) -> None:
    rss, pss = memory_mb(server.pid)
    results.add(RSS[moment], party, rss)
    if pss is not None:
        results.add(PSS[moment], party, pss)


def memory_mb(pid: int) -> tuple[float, float | None]:
    """A process's resident memory in MB (10^6 bytes), and its proportional share if the kernel tells."""
    try:
        fields = _kilobytes(Path(f"/proc/{pid}/smaps_rollup"))
        return fields["Rss"], fields["Pss"]
    except OSError:
        told = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
        )
        return int(told.stdout) * 1024 / 1e6, None


def _kilobytes(path: Path) -> dict[str, float]:
    rows = (line.split() for line in path.read_text(encoding="ascii").split("\n")[1:] if line)
    return {row[0].rstrip(":"): int(row[1]) * 1024 / 1e6 for row in rows}
