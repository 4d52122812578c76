"""`make compare`: what agentfs and its peers make of the same cases (python -m tests.compare --help).

Each party is the real program in its usual configuration, in a scratch workspace of its own. The verdicts
are decided by the bytes on disk afterwards, and by what the agent was told.
"""

import argparse
import asyncio
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.client import ServerFailedError
from bench.installation import NotAvailableError
from compare import document, installation
from compare.cases import GROUPS, Case, simple_cases
from compare.document import Comparison, Result
from compare.parties import PARTIES
from compare.party import Party, PartyFailedError
from compare.races import race_cases
from compare.verdicts import Kind, Verdict

CASE_S = 1800
FAILURES = (PartyFailedError, ServerFailedError, TimeoutError, OSError)
ENDED = "it ended or was silent"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for, print it, and write what is to be written."""
    options = _options(arguments)
    installation.CACHE.mkdir(parents=True, exist_ok=True)
    cases = [
        one
        for one in sorted((*simple_cases(), *race_cases()), key=lambda case: list(GROUPS).index(case.group))
        if not options.case or any(fnmatch(one.name, pattern) for pattern in options.case)
    ]
    parties = [one for one in PARTIES if not options.peer or one.name in options.peer]
    comparison = Comparison(facts=_facts(), absent={}, parties={}, results=[], speed=None)
    for party in parties:
        with tempfile.TemporaryDirectory(prefix="compare-", ignore_cleanup_errors=True) as scratch:
            asyncio.run(_compare(comparison, party, cases, Path(scratch).resolve()))
    if options.speed:
        comparison.speed = _speed(options.speed)
    if options.json:
        options.json.write_text(document.to_json(comparison), "utf-8")
    if options.page:
        options.page.write_text(document.page(comparison), "utf-8")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.compare",
        description="Let agentfs and its peers make the same changes, and judge what came of them. The first "
        "run also installs the peers (Node and the package registries are needed for that; a peer that can't "
        "be had is left out, with the reason).",
    )
    parser.add_argument(
        "--peer", action="append", choices=[one.name for one in PARTIES], help="only this one"
    )
    parser.add_argument("--case", action="append", metavar="PATTERN", help="only these, such as 'edits/*'")
    parser.add_argument("--json", type=Path, metavar="FILE", help="store the results")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page (docs/comparison.md)")
    parser.add_argument(
        "--speed",
        metavar="FILE",
        help="add the speed table of a run of `python -m tests.bench --json FILE`; 'run' runs it now",
    )
    return parser.parse_args(arguments)


async def _compare(comparison: Comparison, kind: type[Party], cases: Sequence[Case], scratch: Path) -> None:
    """One party's part; one that cannot be had, or fails again and again, is left out."""
    root = scratch / "workspace"
    root.mkdir()
    party = kind(root)
    results = []
    try:
        comparison.parties[kind.name] = f"{party.version}: {kind.about}"
        await party.start()
        try:
            for at, case in enumerate(cases):
                if at and case.group != cases[at - 1].group:  # a long turn of a model gets slower and slower
                    await party.close()
                    await party.start()
                if case.fits(party):
                    verdict = await _verdict(party, case)
                    results.append(Result(kind.name, case.name, case.group, verdict))
                    print(f"{kind.name}: {case.name}: {verdict.kind} {verdict.detail}", flush=True)
                    if [one.verdict.detail.startswith(ENDED) for one in results[-3:]] == [True] * 3:
                        raise PartyFailedError(verdict.detail)
        finally:
            await party.close()
    except (NotAvailableError, *FAILURES) as reason:
        comparison.absent[kind.name] = str(reason)
        print(f"{kind.name}: not available: {reason}", flush=True)
        return
    comparison.results += results


async def _verdict(party: Party, case: Case) -> Verdict:
    """A party that ends by itself is started again, for the next case."""
    folder = case.name.replace("/", "-")
    (party.root / folder).mkdir()
    try:
        async with asyncio.timeout(CASE_S):
            verdict = await case.run(party, folder)
    except FAILURES as error:
        await party.close()
        await party.start()
        verdict = Verdict(Kind.WRONG, f"{ENDED}: {str(error)[-200:]}")
    return replace(verdict, detail=verdict.detail.replace(f"{party.root}/", ""))


def _speed(source: str) -> str | None:
    if source != "run":
        return Path(source).read_text("utf-8")
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([sys.executable, "-m", "tests.bench", "--json", file.name], check=False)
        return Path(file.name).read_text("utf-8") or None


def _facts() -> str:
    machine = f"{platform.system()} {platform.release()} {platform.machine()}"
    return f"{datetime.now(UTC):%Y-%m-%d}, {machine}, Python {platform.python_version()}"


if __name__ == "__main__":
    sys.exit(main())
