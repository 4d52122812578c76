"""The long random model check: `make check-model` (docs/architecture.md).

Runs every seed for its share of the time, for one way of asking after the other, and continues after
violations. Prints figures for each way; exits with 1 if a response was untrue.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.model import WAYS, run


async def check(way: str, seeds: range, seconds: float) -> bool:
    """Whether every response of all these seeds was true."""
    answers: Counter[str] = Counter()
    began, requests, failed = time.monotonic(), 0, []
    for seed in seeds:
        until = time.monotonic() + seconds / len(seeds)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "root"
            root.mkdir()
            try:
                world = await run(root, way, seed, lambda until=until: time.monotonic() < until)
            except Exception:
                traceback.print_exc()
                failed.append(seed)
            else:
                requests += world.requests
                answers.update(world.answers)
    took = time.monotonic() - began
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(answers.items()))
    print(
        f"{way}: {len(seeds)} seeds, {took:.0f} s, {requests} requests ({told});"
        f" violations: {failed or 'none'}"
    )
    return not failed


async def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.model", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for each way of asking")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("ways", nargs="*", choices=[*WAYS, []])  # Python 3.11 looks for none among them, too
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    results = [await check(way, seeds, given.seconds) for way in given.ways or WAYS]
    return 0 if all(results) else 1


sys.exit(asyncio.run(main()))
