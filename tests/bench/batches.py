"""Landing many files together: this server's batch compared with the bare system calls."""

from pathlib import Path

from .client import ServerFailedError
from .floor import Floor
from .peers import LanguageServer, Party
from .results import AGENTFS, FLOOR, Measure, Results
from .rounds import Turn, alternating, take_turns
from .texts import source_of

FILES, SIZE = 100, 10_000
BATCH = Measure("requests", "batch, 100 files of 10 KB")


def measure_batch(
    results: Results, floor: Floor, party: Party, workspace: Path, scratch: Path, rounds: int
) -> None:
    """Replace all the files, in turns with the floor."""
    results.expect(BATCH)
    texts = tuple(f"# {state}\n{source_of(SIZE)}" for state in ("one", "two"))
    for who in (AGENTFS, FLOOR):
        folder = workspace / f"batch-{who}"
        folder.mkdir()
        for number in range(FILES):
            (folder / f"{number}.py").write_text(texts[0], encoding="utf-8")
    server = party.start(workspace, scratch)
    assert isinstance(server, LanguageServer)
    names = {who: [f"batch-{who}/{number}.py" for number in range(FILES)] for who in (AGENTFS, FLOOR)}

    def bare(_: str, text: str) -> float:
        return floor.write_all(names[FLOOR], text)

    def batch(_: str, text: str) -> float:
        return server.batch(names[AGENTFS], text)

    try:
        for name in names[AGENTFS]:
            server.read(name)
        take_turns(
            results,
            [
                Turn(BATCH, FLOOR, alternating(bare, *texts), (1, 1), changes=True),
                Turn(BATCH, AGENTFS, alternating(batch, *texts), (1, 1), changes=True, pid=server.pid),
            ],
            rounds,
        )
    except ServerFailedError as error:
        results.fail(BATCH, AGENTFS, str(error))
    finally:
        server.close()
