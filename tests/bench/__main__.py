"""`make bench`: one table, measured in one run (python -m tests.bench --help).

Compares in turns an in-process floor, a bare msgspec loop, this server, unmodified pygls, the npm package
@modelcontextprotocol/server-filesystem and a Python `mcp` tool server; then measures this server under load,
and its diff and matching on hard texts. Absolute times depend on the machine; ratios are comparable.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from . import algorithms, batches, extras, history, installation, load, peers, process, report, rounds
from .client import ServerFailedError
from .floor import Floor, file_system
from .results import AGENTFS, BARE, MCP, NPM, PYGLS, Results
from .targets import verdicts

PARTIES: dict[str, Callable[[], peers.Party]] = {
    BARE: peers.bare_loop,
    AGENTFS: peers.agentfs,
    PYGLS: peers.stock_pygls,
    NPM: peers.npm_filesystem,
    MCP: peers.python_mcp,
}
MEMORY = Path("/dev/shm")
DURABILITY = "agentfs and the floor fsync the file and its folder with every change, the peers never do."


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code: 1 under --check if a target is missed or not measured."""
    options = _options(arguments)
    began = monotonic()
    results = Results()
    options.dir.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="run-", dir=options.dir))
    try:
        _measure(results, scratch, quick=options.quick)
        facts = _facts(scratch, quick=options.quick) | {"took": f"{monotonic() - began:.0f} s"}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    judged = verdicts(results)
    report.show(report.standard_console(), results, judged, facts)
    if options.json:
        report.store(options.json, results, judged, facts)
    return int(options.check and not all(verdict.reached for verdict in judged))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Measure agentfs against the file system's floor and against its peers, all in one run "
        "and in turns, and say of every target whether it was reached. A minute or two; the first run "
        "also installs the peers into .venv/bench (Node and the package registries are needed for that; a "
        "peer that can't be had is left out, with the reason).",
        epilog="Times are medians in milliseconds, from the first byte of the request written to the last "
        f"byte of the answer read. {DURABILITY}",
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds, about one minute: to see, not to quote"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="store medians, 95th percentiles and verdicts too"
    )
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if a target is missed or not measured"
    )
    parser.add_argument(
        "--dir",
        type=Path,
        default=installation.CACHE,
        metavar="FOLDER",
        help="where the files measured on are made, and removed again; it decides the file system "
        "(default: .venv/bench)",
    )
    return parser.parse_args(arguments)


def _measure(results: Results, scratch: Path, *, quick: bool) -> None:
    rewrites = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def tell(what: str) -> None:
        start, end = ("\r\x1b[K", "") if rewrites else ("", "\n")
        print(start + what, end=end, file=sys.stderr, flush=True)

    def begin(stage: str) -> None:
        tell(f"measuring {stage}")
        results.progress = lambda step: tell(f"measuring {stage}, {step}")

    workspace = (scratch / "workspace").resolve()
    workspace.mkdir()
    begin("1 of 13: which servers can be had (the first run installs the peers)")
    parties = _parties(results)
    begin("2 of 13: start-up")
    process.measure_start(results, parties, workspace, scratch, rounds=2 if quick else 7)
    begin("3 of 13: round trips")
    with _started(results, parties, workspace, scratch) as up:
        rounds.measure_requests(results, up, workspace, rounds=5 if quick else 28)
    if file_system(MEMORY).startswith("tmpfs"):
        begin("4 of 13: changes on tmpfs")
        with TemporaryDirectory(dir=MEMORY, prefix="agentfs-bench-") as folder:
            inside = Path(folder) / "workspace"
            inside.mkdir()
            changing = {name: party for name, party in parties.items() if name not in (BARE, PYGLS)}
            with _started(results, changing, inside, Path(folder)) as in_memory:
                rounds.measure_in_memory(results, in_memory, inside, rounds=5 if quick else 28)
    begin("5 of 13: memory")
    process.measure_memory(results, {name: parties[name] for name in up}, workspace, scratch)
    if AGENTFS in up:
        begin("6 of 13: batches")
        floor = Floor(workspace)
        batches.measure_batch(results, floor, parties[AGENTFS], workspace, scratch, rounds=5 if quick else 15)
        begin("7 of 13: many documents and records")
        load.measure_load(results, parties[AGENTFS], workspace, scratch, rounds=5 if quick else 40)
        begin("8 of 13: typing in a large document")
        load.measure_typing(results, parties[AGENTFS], workspace, scratch, rounds=5 if quick else 30)
        begin("9 of 13: a long history")
        history.measure_history(results, parties[AGENTFS], workspace, scratch, rounds=5 if quick else 30)
        begin("10 of 13: extras")
        extras.measure_extras(results, parties[AGENTFS], workspace, scratch, rounds=5 if quick else 40)
    begin("11 of 13: parsing")
    algorithms.measure_parsing(results, rounds=3 if quick else 9)
    begin("12 of 13: loose matches")
    algorithms.measure_matching(results, rounds=3 if quick else 9)
    begin("13 of 13: diffs")
    algorithms.measure_diffs(results, scratch, rounds=1 if quick else 3)
    if rewrites:
        tell("")


def _parties(results: Results) -> dict[str, peers.Party]:
    found = {}
    for name, find in PARTIES.items():
        try:
            found[name] = find()
        except installation.NotAvailableError as reason:
            results.absent[name] = str(reason)
    return found


@contextmanager
def _started(
    results: Results, parties: Mapping[str, peers.Party], workspace: Path, scratch: Path
) -> Iterator[dict[str, peers.Connection]]:
    """Those of the servers that start."""
    up: dict[str, peers.Connection] = {}
    try:
        for name, party in parties.items():
            try:
                up[name] = party.start(workspace, scratch)
            except ServerFailedError as error:
                results.fail(rounds.STATUS, name, str(error))
        yield up
    finally:
        for server in up.values():
            server.close()


def _facts(scratch: Path, *, quick: bool) -> dict[str, str]:
    return {
        "machine": report.machine(),
        "file system": file_system(scratch.resolve()),
        "peers": installation.installed_versions(),
        "durability": DURABILITY,
    } | ({"rounds": "few (--quick): to see, not to quote"} if quick else {})


if __name__ == "__main__":
    sys.exit(main())
