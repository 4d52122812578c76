"""The cost of a long history: 10,000 changes, querying the newest."""

from pathlib import Path

from agentfs_lsp.service.proposal.record import HistoryRecord

from .client import ServerFailedError
from .peers import LanguageServer, Party
from .results import AGENTFS, Measure, Results
from .rounds import Turn, take_turns
from .texts import source_of

CHANGES, FILES, TEXT_BYTES = 10_000, 500, 4_000
NEWEST = Measure("history", "history, newest 50 of 10,000")
OF_ONE_FILE = Measure("history", "history of one file among 10,000")
SIZE = Measure("history", "history, 10,000 changes on disk", "MB")


def measure_history(results: Results, party: Party, workspace: Path, scratch: Path, rounds: int) -> None:
    """Fill the server's history, then query the newest changes, and those of one file."""
    folder = workspace / "with-history"
    folder.mkdir()
    size = fill(folder, scratch / "home" / "agentfs", CHANGES, source_of(TEXT_BYTES))
    try:
        server = party.start(folder, scratch)
    except ServerFailedError as error:
        results.fail(NEWEST, AGENTFS, str(error))
        return
    assert isinstance(server, LanguageServer)
    try:
        turns = [
            Turn(measure, AGENTFS, call, (1, 10), changes=False, pid=server.pid, shares_core=True)
            for measure, call in (
                (NEWEST, server.history),
                (OF_ONE_FILE, lambda: server.history(path="7.txt")),
            )
        ]
        take_turns(results, turns, rounds)
        results.add(SIZE, AGENTFS, size / 1e6)
    finally:
        server.close()


def fill(folder: Path, state: Path, changes: int, text: str) -> int:
    """Store so many changes of files with this text, like the server, with its default limits. Returns their
    size on disk in bytes."""
    from agentfs_lsp.adapters.fs.state_folder import StateFolder
    from agentfs_lsp.adapters.history.history import SqliteHistory
    from agentfs_lsp.domain.settings.groups import HistorySettings
    from agentfs_lsp.service.proposal.record import HistoryQuery

    store = SqliteHistory(StateFolder(str(state)), HistorySettings())
    for number in range(changes):
        store.keep(0, lambda number=number: _change(folder, number, text, changes))
    assert len(store.find([str(folder)], HistoryQuery(changes))) == changes
    store.close()
    return sum(path.stat().st_size for path in (state / "history").iterdir())


def _change(folder: Path, number: int, text: str, changes: int) -> HistoryRecord:
    from time import time_ns

    from agentfs_lsp.service.proposal.record import HistoryRecord, RecordedFile

    before, after = f"{text}# {number}\n", f"{text}# {number + 1}\n"
    hashes = ("sha256:" + f"{number:064x}", "sha256:" + f"{number + 1:064x}")
    name = f"{number % FILES}.txt"
    file = RecordedFile(str(folder), name, "update", *hashes, 1, 1, "utf-8", b"", before, after, after)
    return HistoryRecord(
        f"{number:016x}",
        time_ns() // 1_000_000 - changes + number,
        "bench",
        "default",
        "Ada",
        "edit",
        "Counts on.",
        "accepted",
        "user",
        "disk",
        modified_by_user=False,
        files_in_all=1,
        files=(file,),
    )
