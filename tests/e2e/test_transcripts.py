"""Plays the scenarios of tests/support/scenarios/ with the real process, and compares each of the server's
messages with the transcript in tests/cases/transcripts/.

`AGENTFS_RECORD=1 pytest tests/e2e/test_transcripts.py` records the transcripts again. Their diff shows the
change of the wire or its texts, and belongs in the same commit.
"""

import asyncio
import difflib
import os
from pathlib import Path

import pytest
import pytest_asyncio

from support.docs import REPOSITORY
from support.scenarios import connections, requests, reviews  # noqa: F401 - they fill the table
from support.scenarios.steps import SCENARIOS
from support.transcripts import Transcript

FOLDER = REPOSITORY / "tests" / "cases" / "transcripts"

pytestmark = pytest.mark.xdist_group("transcripts")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str | BaseException]:
    """The messages of each selected scenario. Scenarios run concurrently, since starting a server takes
    longer than most of them, and some wait."""
    tests = (item for item in request.session.items if isinstance(item, pytest.Function))
    names = [test.callspec.params["name"] for test in tests if test.originalname == WORD_FOR_WORD]
    at_once = asyncio.Semaphore(3)

    async def play(name: str) -> str:
        async with at_once:
            root = tmp_path_factory.mktemp(name) / "tides"
            root.mkdir()
            transcript = Transcript(root)
            await SCENARIOS[name](transcript)
            return transcript.text()

    return dict(zip(names, await asyncio.gather(*map(play, names), return_exceptions=True), strict=True))


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_server_says_what_it_said(name: str, played: dict[str, str | BaseException]) -> None:
    said, file = played[name], FOLDER / f"{name}.txt"
    if isinstance(said, BaseException):
        raise said
    if os.environ.get("AGENTFS_RECORD"):
        file.write_text(said, "utf-8")
    recorded = file.read_text("utf-8") if file.exists() else ""
    if said != recorded:
        pytest.fail(difference(recorded, said, file), pytrace=False)


WORD_FOR_WORD = test_the_server_says_what_it_said.__name__


def difference(recorded: str, said: str, file: Path) -> str:
    path = file.relative_to(REPOSITORY).as_posix()
    lines = difflib.unified_diff(
        recorded.splitlines(), said.splitlines(), path, "what was said now", n=8, lineterm=""
    )
    told = "\n".join(lines)
    return f"The server says something else than it did ({path}):\n\n{told}\n\n{RERECORD}"


RERECORD = """\
Was code only moved or rebuilt? Then this is a defect: what goes over the wire has to stay as it is.
Was this change of the wire, or of its texts, the purpose? Then record it with
    AGENTFS_RECORD=1 .venv/bin/pytest tests/e2e/test_transcripts.py
and commit the transcripts with docs/protocol.md and CHANGELOG.md, having read their diff."""


def test_one_worker_plays_them_all(request: pytest.FixtureRequest) -> None:
    """Else each plays all of them, which takes as many times as long."""
    if hasattr(request.config, "workerinput"):
        assert request.node.nodeid.endswith("@transcripts")


def test_no_transcript_is_without_a_scenario() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(SCENARIOS)
