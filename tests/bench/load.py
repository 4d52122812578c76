"""This server under load: many open documents and records, or typing in a large document.

A loaded server is compared with an idle one, in turns.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .client import ServerFailedError
from .peers import LanguageServer, Party
from .results import AGENTFS, Measure, Results
from .rounds import Turn, alternating, take_turns
from .texts import SIZES, STATES, source_of

EMPTY = Measure("load", "edit, nothing held")
LOADED = Measure("load", "edit, 1,000 documents and 10,000 records")
STILL = Measure("load", "status, 10 MB open")
TYPING = Measure("load", "status behind a keystroke in 10 MB")
DOCUMENTS, RECORDS, A_FOLDER = 1_000, 10_000, 100


def measure_load(results: Results, party: Party, workspace: Path, scratch: Path, rounds: int) -> None:
    """A small edit with and without 1,000 open documents and 10,000 records."""
    names = list(small_files(workspace, RECORDS))
    text = source_of(SIZES["1 KB"])
    servers: list[LanguageServer] = []
    turns = []
    try:
        for measure, held in ((EMPTY, 0), (LOADED, RECORDS)):
            server = party.start(workspace, scratch)
            assert isinstance(server, LanguageServer)
            servers.append(server)
            for name in names[: min(held, DOCUMENTS)]:
                server.server.notify(*opened(workspace, name, "alpha\nbravo\n"))
            for name in names[:held]:
                server.read(name)
            file = f"load-{held}.txt"
            (workspace / file).write_text(text, encoding="utf-8")
            server.read(file)
            call = alternating(
                lambda old, new, server=server, file=file: server.edit(file, old, new), *STATES
            )
            turns.append(
                Turn(measure, AGENTFS, call, (1, 10), changes=True, pid=server.pid, shares_core=True)
            )
        take_turns(results, turns, rounds)
    except ServerFailedError as error:
        results.fail(LOADED, AGENTFS, str(error))
    finally:
        for server in servers:
            server.close()


def measure_typing(results: Results, party: Party, workspace: Path, scratch: Path, rounds: int) -> None:
    """A status round trip alone, and after one character typed into an open document of 10 MB."""
    text = source_of(SIZES["10 MB"])
    name = "typing.txt"
    (workspace / name).write_text(text, encoding="utf-8")
    uri = (workspace / name).as_uri()
    keystrokes = _keystrokes(uri, text.count("\n") // 2)
    try:
        server = party.start(workspace, scratch)
    except ServerFailedError as error:
        results.fail(TYPING, AGENTFS, str(error))
        return
    assert isinstance(server, LanguageServer)
    try:
        server.server.notify(*opened(workspace, name, text))
        turns = [
            Turn(STILL, AGENTFS, server.status, (1, 20), changes=False, pid=server.pid, shares_core=True),
            Turn(
                TYPING,
                AGENTFS,
                lambda: server.status(next(keystrokes)),
                (1, 20),
                changes=False,
                pid=server.pid,
                shares_core=True,
            ),
        ]
        take_turns(results, turns, rounds)
    finally:
        server.close()


def small_files(workspace: Path, count: int) -> Iterator[str]:
    """Make so many files; yields their names."""
    for at in range(count):
        name = f"held/{at // A_FOLDER}/{at}.txt"
        if at % A_FOLDER == 0:
            (workspace / name).parent.mkdir(parents=True)
        (workspace / name).write_text("alpha\nbravo\n", encoding="utf-8")
        yield name


def opened(workspace: Path, name: str, text: str) -> tuple[str, Any]:
    """The notification that a document was opened."""
    uri = (workspace / name).as_uri()
    document = {"uri": uri, "languageId": "plaintext", "version": 0, "text": text}
    return "textDocument/didOpen", {"textDocument": document}


def _keystrokes(uri: str, line: int) -> Iterator[tuple[str, Any]]:
    version = 0
    while True:
        version += 1
        place = {"line": line, "character": version % 10}
        change = {"range": {"start": place, "end": place}, "text": "x"}
        document = {"uri": uri, "version": version}
        yield "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
