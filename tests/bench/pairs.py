"""Pairs of large texts that are hard for diff algorithms, each for its own reason.

`PAIRS` maps a name to a function that returns (old, new): some 100,000 lines, or 10 MB in one. Deterministic.
"""

from collections.abc import Callable
from random import Random

LINES = 100_000
Pair = tuple[str, str]


def _join(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _distinct(word: str = "value") -> list[str]:
    return [
        f"    {word}_{number} = compute({number * 7919 % LINES}, 'some argument of a call')"
        for number in range(LINES)
    ]


def _vocabulary(seed: int) -> list[str]:
    words = [f"        statement number {number} of the vocabulary" for number in range(300)]
    return Random(seed).choices(words, k=LINES)


def _edited(lines: list[str], edits: int, seed: int) -> list[str]:
    """`edits` lines replaced, removed or added anywhere; inserted text comes from the text itself."""
    random, lines = Random(seed), list(lines)
    for _ in range(edits):
        place = random.randrange(len(lines))
        width, put = random.choice([(1, 1), (1, 0), (0, 1)])
        lines[place : place + width] = random.choices(lines, k=put)
    return lines


def identical_but_few() -> Pair:
    lines = ["same"] * LINES
    changed = list(lines)
    for place in range(500, LINES, 9_000):
        changed[place] = f"changed {place}"
    return _join(lines), _join(changed)


def identical_but_many() -> Pair:
    """No line is unique in both texts, and every fifth differs."""
    return _join(["same"] * LINES), _join(["other" if n % 5 == 0 else "same" for n in range(LINES)])


def small_vocabulary_shuffled() -> Pair:
    return _join(_vocabulary(1)), _join(_vocabulary(2))


def small_vocabulary_edited() -> Pair:
    lines = _vocabulary(1)
    return _join(lines), _join(_edited(lines, 2_000, 3))


def tiny_vocabulary_edited() -> Pair:
    lines = Random(4).choices(["{", "}", "", "    return"], k=LINES)
    return _join(lines), _join(_edited(lines, 400, 5))


def completely_different() -> Pair:
    return _join(_distinct("before")), _join(_distinct("after"))


def different_but_blanks() -> Pair:
    pairs = [_distinct("before"), _distinct("after")]
    return _join([line for one in pairs[0] for line in (one, "")][:LINES]), _join(
        [line for one in pairs[1] for line in ("", one)][:LINES]
    )


def reversed_lines() -> Pair:
    lines = _distinct()
    return _join(lines), _join(lines[::-1])


def shuffled_lines() -> Pair:
    lines = _distinct()
    shuffled = list(lines)
    Random(6).shuffle(shuffled)
    return _join(lines), _join(shuffled)


def blocks_moved() -> Pair:
    lines = _distinct()
    blocks = [lines[at : at + 500] for at in range(0, LINES, 500)]
    Random(7).shuffle(blocks)
    return _join(lines), _join([line for block in blocks for line in block])


def every_second_line() -> Pair:
    lines = _distinct()
    return _join(lines), _join([line if n % 2 else line + "  # changed" for n, line in enumerate(lines)])


def blank_heavy() -> Pair:
    lines = [line if n % 3 == 0 else "" for n, line in enumerate(_distinct())]
    return _join(lines), _join(_edited(lines, 3_000, 8))


def periodic() -> Pair:
    """Every shift by seven lines fits almost everywhere."""
    lines = [f"step {n % 7}" for n in range(LINES)]
    return _join(lines), _join([*lines[3 : LINES // 2], "extra", *lines[LINES // 2 :], *lines[:4]])


def nested_anchors() -> Pair:
    """Each unique line leaves a stretch with hardly another one."""
    old = [f"line {n // 2}" for n in range(LINES)]
    return _join(old), _join([f"line {(n + n % 3) // 2}" for n in range(LINES)])


def one_long_line() -> Pair:
    line = "0123456789abcdef" * 640_000
    return line, line[:5_000_000] + "X" + line[5_000_001:]


PAIRS: dict[str, Callable[[], Pair]] = {
    make.__name__: make
    for make in (
        identical_but_few,
        identical_but_many,
        small_vocabulary_shuffled,
        small_vocabulary_edited,
        tiny_vocabulary_edited,
        completely_different,
        different_but_blanks,
        reversed_lines,
        shuffled_lines,
        blocks_moved,
        every_second_line,
        blank_heavy,
        periodic,
        nested_anchors,
        one_long_line,
    )
}
