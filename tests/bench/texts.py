"""The measured texts: lines like source code, with one place to change.

Content determines cost: quotes must be escaped in JSON, and non-ASCII characters slow down decoding and
encoding. Source code has both, so these texts do; an ASCII one shows the difference. Encoded, the largest
stays below the 10 MiB at which the npm peer exits instead of answering.
"""

from random import Random

SIZES = {"1 KB": 1_000, "100 KB": 100_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
# An edit alternates between these, so that every call changes the file.
STATES = (
    "limit = 'first value of the one line that changes'",
    "limit = 'second value of the line that changes'",
)

_WORDS = (
    "read",
    "write",
    "path",
    "value",
    "result",
    "index",
    "session",
    "change",
    "review",
    "record",
    "state",
)


def source_of(size: int, *, ascii_only: bool = False) -> str:
    """About `size` bytes of source, `STATES[0]` on one line in the middle."""
    random = Random(size)
    halves: tuple[list[str], list[str]] = ([STATES[0]], [])
    for half in halves:
        total = 0
        while total < size // 2:
            line = _line(random, total)
            if not ascii_only and len(half) % 40 == 8:
                line += "  # café — naïve"
            half.append(line)
            total += len(line) + 1
    return "\n".join([*reversed(halves[0]), *halves[1]]) + "\n"


def lines_of(count: int, *, non_ascii: bool = False) -> list[str]:
    """`count` lines without line ends: mostly different, some blank or a lone brace, as in source code."""
    random = Random(count)
    accent = " é — „ü”" if non_ascii else ""
    lines = [f"{_line(random, at)}  # {at}{accent}" for at in range(count)]
    lines[::9] = [""] * len(lines[::9])
    lines[::7] = ["    }"] * len(lines[::7])
    return lines


def vocabulary_of(count: int, words: int) -> list[str]:
    """`count` lines from only `words` different ones: no line is rare."""
    random = Random(words)
    choice = [f"    {_line(random, at)} {at}" for at in range(words)]
    return random.choices(choice, k=count)


def _line(random: Random, at: int) -> str:
    first, second, third, fourth = random.choices(_WORDS, k=4)
    last = f'"{fourth}"' if at % 2 else fourth
    return f"{'    ' * (at % 4)}{first}_{at % 97} = {second}({third}_{third}, {at % 1009}, {last})"
