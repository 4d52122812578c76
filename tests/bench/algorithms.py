"""The two algorithms that can explode: diffing two texts, and finding a block that does not match exactly.

Calls the domain's functions without a server. Each diff runs in its own process (`python -m
tests.bench.algorithms OLD NEW`), to measure its memory.
"""

import gc
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns

from .installation import PROJECT
from .results import AGENTFS, Measure, Results
from .targets import memory_of
from .texts import SIZES, lines_of, source_of, vocabulary_of

PARSING = Measure("parts", "parse the request of write 10 MB")
LINES, BLOCK = 100_000, 12


def measure_diffs(results: Results, scratch: Path, rounds: int) -> None:
    """Time and memory for every bad pair (pairs.py)."""
    from .pairs import PAIRS

    old, new = scratch / "old.txt", scratch / "new.txt"
    for at, (name, make) in enumerate(PAIRS.items(), 1):
        results.progress(f"{name} ({at} of {len(PAIRS)})")
        time, memory = (
            Measure("diff", f"diff {name}"),
            Measure("diff", memory_of(f"diff {name}"), "MB", shown=False),
        )
        for path, text in zip((old, new), make(), strict=True):
            path.write_text(text, encoding="utf-8", newline="")
        for _ in range(rounds):
            command = [sys.executable, "-m", "tests.bench.algorithms", str(old), str(new)]
            try:
                done = subprocess.run(
                    command, cwd=PROJECT, capture_output=True, text=True, check=True, timeout=60
                )
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                last = str(error.stderr or error).strip().split("\n")[-1]
                results.fail(time, AGENTFS, last)
                results.fail(memory, AGENTFS, last)
                break
            told = json.loads(done.stdout)
            results.add(time, AGENTFS, told["ms"])
            results.add(memory, AGENTFS, told["mb"])


def measure_parsing(results: Results, rounds: int) -> None:
    """What a write of 10 MB takes before anything looks at it."""
    from agentfs_lsp.jsonrpc.codec import decode, encode

    text = source_of(SIZES["10 MB"])
    message = encode({"id": 1, "method": "agentfs/write", "params": {"path": "a.py", "content": text}})
    for _ in range(rounds):
        started = perf_counter_ns()
        decode(message)
        results.add(PARSING, AGENTFS, (perf_counter_ns() - started) / 1e6)


def measure_matching(results: Results, rounds: int) -> None:
    """Find a 12-line block in 100k lines that match it inexactly, at the expected level."""
    from agentfs_lsp.domain.matching.matching import find

    cases = _loose_cases()
    for number in range(rounds + 1):
        results.progress(f"round {number} of {rounds}")
        for name, (level, text, block) in cases.items():
            measure = Measure("match", f"match, {name}")
            if results.is_out(measure, AGENTFS):
                continue
            start = perf_counter_ns()
            try:
                found = find(text, block, block.replace(" = ", " == "))
            except Exception as error:  # whatever it is, the figure is missing
                results.fail(measure, AGENTFS, repr(error)[:200])
                continue
            elapsed = (perf_counter_ns() - start) / 1e6
            if found.level != level:
                results.fail(measure, AGENTFS, f"found as {found.level}")
            elif number:
                results.add(measure, AGENTFS, elapsed)


def _loose_cases() -> dict[str, tuple[str, str, str]]:
    """By name: the expected level, the text, the requested block."""
    plain, accented = lines_of(LINES), lines_of(LINES, non_ascii=True)
    common = vocabulary_of(LINES, 300)
    at = LINES * 2 // 3 // 63 * 63 + 1  # the block has a blank line, a lone brace and unique lines

    def case(level: str, lines: list[str], change: Callable[[str], str]) -> tuple[str, str, str]:
        return level, "\n".join(lines) + "\n", "\n".join(map(change, lines[at : at + BLOCK])) + "\n"

    return {
        "trailing blanks": case("trailing_whitespace", plain, lambda line: line + "  "),
        "indentation": case("indentation", plain, lambda line: "    " + line if line else line),
        "common lines": case("trailing_whitespace", common, lambda line: line + "  "),
        "unicode in ASCII": case("unicode", plain, lambda line: line.replace(", ", ",\u00a0")),
        "unicode in non-ASCII": case(
            "unicode", accented, lambda line: line.replace("—", "-").replace("„", '"')
        ),
    }


def _measure_one(old: Path, new: Path) -> dict[str, float]:
    from agentfs_lsp.domain.diff.hunks import diff

    texts = [path.read_bytes().decode() for path in (old, new)]
    gc.collect()
    before = _peak_mb(reset=True)
    start = perf_counter_ns()
    hunks = diff(*texts)
    elapsed = (perf_counter_ns() - start) / 1e6
    assert hunks
    return {"ms": elapsed, "mb": max(0.0, _peak_mb() - before)}


def _peak_mb(*, reset: bool = False) -> float:
    """The process's peak memory in MB; `reset` restarts the measurement if the kernel allows."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    print(json.dumps(_measure_one(Path(sys.argv[1]), Path(sys.argv[2]))))
