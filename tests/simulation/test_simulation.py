"""The simulation: known failures stay fixed, runs are reproducible, and new seeds for some seconds."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from support.simulation.case import Action, Case
from support.simulation.run import play
from support.simulation.shrink import shrink

pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")  # of killed servers

SEEDS = sorted((Path(__file__).parent / "seeds").glob("*.json"))
REPOSITORY = Path(__file__).parents[2]
SIMULATION = [sys.executable, "-m", "tests.simulation"]
SECONDS = "20"


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_what_a_seed_found_stays_mended(path: Path) -> None:
    assert play(Case.load(path)).violation == ""


@pytest.mark.parametrize("seed", [2, 8])
def test_a_seed_is_played_again_exactly_in_another_process(seed: int) -> None:
    traces = {
        subprocess.run(
            [*SIMULATION, str(seed)],
            cwd=REPOSITORY,
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(traces) == 1
    assert b"steps, trace" in traces.pop()


def test_a_case_is_kept_and_read_again(tmp_path: Path) -> None:
    case = Case.of(7)
    case.save(tmp_path / "7.json")
    assert Case.load(tmp_path / "7.json") == case


def test_a_failing_case_is_shrunk() -> None:
    def fails(case: Case) -> bool:
        kinds = [action.kind for action in case.actions]
        return "save" in kinds and "undo" in kinds and "b.txt" in case.files

    actions = tuple(
        Action(number, number, kind) for number, kind in enumerate(["type", "save", "edit"] * 9 + ["undo"])
    )
    case = replace(Case.of(1), files=("a.txt", "b.txt", "c.txt"), agents=3, actions=actions)
    small = shrink(case, fails)
    assert [action.kind for action in small.actions] == ["save", "undo"]
    assert (small.files, small.agents) == (("b.txt",), 1)


def test_seeds_find_nothing() -> None:
    ended = subprocess.run(
        [*SIMULATION, "--seconds", SECONDS], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
