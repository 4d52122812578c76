"""The simulation: `make simulate` (CONTRIBUTING.md).

With a seed or a case's file, plays it once and prints what happened; otherwise plays seeds for some seconds.
With --keep, a failing seed is shrunk and saved as a file, which `make test` plays from then on. With
--process the server is a process of its own (`make check-model`, docs/architecture.md). Exits with 1 on
failure.
"""

import argparse
import asyncio
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.model import play_for_real
from support.simulation.case import Case
from support.simulation.run import Played, play, smallest

SEEDS = Path(__file__).parent / "seeds"


def play_with_process(case: Case) -> Played:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        root.mkdir()
        return asyncio.run(play_for_real(case, root))


def replay(what: str, play: Callable[[Case], Played]) -> bool:
    """Play one case and print what happened; returns whether it passed."""
    case = Case.of(int(what)) if what.isdecimal() else Case.load(Path(what))
    played = play(case)
    print("\n".join(played.log))
    trace = f", trace {played.trace}" if played.trace else ""  # a process has none that repeats
    print(f"{what}: {played.steps} steps{trace}; {played.violation or 'no violation'}")
    return not played.violation


def run_for(seconds: float, first: int, play: Callable[[Case], Played], *, keep: bool) -> bool:
    """Play seeds one after the other; returns whether all passed."""
    began, steps, answers = time.monotonic(), 0, Counter[str]()
    failed: list[Played] = []
    seeds = 0
    for seed in count(first):
        if time.monotonic() - began >= seconds:
            break
        played = play(Case.of(seed))
        seeds, steps, answers = seeds + 1, steps + played.steps, answers + played.answers
        if played.violation:
            failed.append(played)
            print(f"seed {seed} fails after {played.steps} steps: {played.violation}", flush=True)
            if keep:
                keep_small(played.case)
    took = time.monotonic() - began
    told = ", ".join(f"{number} {outcome}" for outcome, number in sorted(answers.items()))
    print(
        f"{seeds} seeds, {took:.0f} s, {steps} steps ({steps / took * 60:.0f} a minute),"
        f" {answers.total()} answers ({told}); failed: {[one.case.seed for one in failed] or 'none'}"
    )
    return not failed


def keep_small(case: Case) -> None:
    """Save the smallest case that still fails."""
    found = smallest(case)
    path = SEEDS / f"{case.seed}.json"
    found.case.save(path)
    print(f"kept with {len(found.case.actions)} actions as {path}: {found.violation}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("what", nargs="?", help="a seed or a case's file")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--keep", action="store_true", help="make what fails small, and keep it")
    parser.add_argument("--process", action="store_true", help="against a process, on the machine's clock")
    given = parser.parse_args()
    way = play_with_process if given.process else play
    warnings.filterwarnings("ignore", "coroutine .* was never awaited")  # of killed servers
    well = (
        replay(given.what, way)
        if given.what
        else run_for(given.seconds, given.first, way, keep=given.keep and not given.process)
    )
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
