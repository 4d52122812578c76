"""Aligns two sequences within a bounded effort.

The sequences are strings in which every code point stands for one element (a line, for `diff`), so that
comparing and slicing run at memory speed. The algorithm trims common ends, anchors on elements that occur
once in both (then on windows of several elements, so that texts with few distinct lines also have
anchors), searches for the shortest script between the anchors within the effort limit, and treats the rest
as one replaced block.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from math import isqrt

Stretch = tuple[int, int, int, int]
"""[start, end) in the old sequence, then [start, end) in the new one."""

_WINDOW = 8
_DEPTH = 6
_CHUNK = 1 << 18
NATIVE = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


@dataclass(slots=True)
class Effort:
    """The remaining budget for shortest scripts, in steps of some tenths of a microsecond."""

    steps: int = 500_000


def differing(old: str, new: str, effort: Effort) -> list[Stretch]:
    """The stretches that differ, in order, trimmed, with something in common between any two."""
    found: list[Stretch] = []
    hard: list[Stretch] = []
    todo = [(0, len(old), 0, len(new))]
    for depth in range(_DEPTH + 1):
        deeper: list[Stretch] = []
        for gap in todo:
            a0, a1, b0, b1 = stretch = _trimmed(old, new, gap)
            if a0 == a1 or b0 == b1 or a1 - a0 == b1 - b0 == 1:
                if a0 != a1 or b0 != b1:
                    found.append(stretch)
            elif set(_numbers(old[a0:a1])).isdisjoint(_numbers(new[b0:b1])):
                found.append(stretch)
            elif depth < _DEPTH and (gaps := _between_anchors(old, new, stretch)):
                deeper += gaps
            else:
                hard.append(stretch)
        todo = deeper
    # Small ones first: they gain most from the remaining effort.
    for stretch in sorted(hard, key=lambda it: it[1] - it[0] + it[3] - it[2]):
        found += _shortest(old, new, stretch, effort) or [stretch]
    return sorted(found)


def common_head(a: str, b: str, stretch: Stretch) -> int:
    """How many code points the two sides share at their start."""
    a0, a1, b0, b1 = stretch
    room = min(a1 - a0, b1 - b0)
    if not room or a[a0] != b[b0]:
        return 0
    return _run(room, lambda at, end: a[a0 + at : a0 + end] == b[b0 + at : b0 + end])


def common_tail(a: str, b: str, stretch: Stretch) -> int:
    """How many code points the two sides share at their end."""
    a0, a1, b0, b1 = stretch
    room = min(a1 - a0, b1 - b0)
    if not room or a[a1 - 1] != b[b1 - 1]:
        return 0
    return _run(room, lambda at, end: a[a1 - end : a1 - at] == b[b1 - end : b1 - at])


def _run(room: int, alike: Callable[[int, int], bool]) -> int:
    """The longest run from 0, up to `room`, whose parts are all `alike`: by doubling, then bisecting."""
    done, width = 0, 1
    while done < room:
        width = min(width, room - done)
        if not alike(done, done + width):
            break
        done += width
        width = min(width * 2, _CHUNK)
    else:
        return room
    while width > 1:
        half = width // 2
        if alike(done, done + half):
            done += half
            width -= half
        else:
            width = half
    return done


def _trimmed(old: str, new: str, stretch: Stretch) -> Stretch:
    a0, a1, b0, b1 = stretch
    if a0 == a1 or b0 == b1 or (old[a0] != new[b0] and old[a1 - 1] != new[b1 - 1]):
        return stretch  # true of most among tens of thousands
    head = common_head(old, new, stretch)
    tail = common_tail(old, new, (a0 + head, a1, b0 + head, b1))
    return a0 + head, a1 - tail, b0 + head, b1 - tail


def _numbers(text: str) -> array[int]:
    """The code points as numbers, which hash and compare faster than one-character strings."""
    return array("I", text.encode(NATIVE, "surrogatepass"))


def _between_anchors(old: str, new: str, stretch: Stretch) -> list[Stretch]:
    """The parts between a stretch's anchors; empty if it has none."""
    a0, a1, b0, b1 = stretch
    anchors = _rising(*_elements(old, new, stretch)) or _rising(*_windows(old, new, stretch))
    gaps: list[Stretch] = []
    for a, b in anchors:
        if a < a0 or b < b0:
            continue  # inside the common stretch that the previous anchor began
        if a > a0 or b > b0:
            gaps.append((a0, a, b0, b))
        a0, b0 = a + 1, b + 1
        if a0 < a1 and b0 < b1 and old[a0] == new[b0]:
            length = common_head(old, new, (a0, a1, b0, b1))
            a0, b0 = a0 + length, b0 + length
    return [*gaps, (a0, a1, b0, b1)] if anchors else []


def _elements(old: str, new: str, stretch: Stretch) -> tuple[list[int], list[int]]:
    """The offsets of elements that occur once on each side: in `old`, in order, and in `new`."""
    a0, a1, b0, b1 = stretch
    in_old, in_new = _once(_numbers(old[a0:a1]), a0), _once(_numbers(new[b0:b1]), b0)
    both = list(filter(in_new.__contains__, in_old))
    return list(map(in_old.__getitem__, both)), list(map(in_new.__getitem__, both))


def _once(elements: array[int], start: int) -> dict[int, int]:
    """The offsets, from `start`, of elements that occur exactly once, in order."""
    places = {element: at for at, element in enumerate(elements, start)}
    if len(places) < len(elements):
        for again in {element for at, element in enumerate(elements, start) if places[element] != at}:
            del places[again]
    return places


def _windows(old: str, new: str, stretch: Stretch) -> tuple[list[int], list[int]]:
    """As `_elements`, for windows, taking every `_WINDOW`th of `old`."""
    a0, a1, b0, b1 = stretch
    every = {old[at : at + _WINDOW] for at in range(a0, a1 - _WINDOW + 1, _WINDOW)}
    in_old = _places_once(old, a0, a1, every)
    in_new = _places_once(new, b0, b1, in_old) if in_old else {}
    both = sorted([(in_old[window], at) for window, at in in_new.items()])
    return [a for a, _ in both], [b for _, b in both]


def _places_once(text: str, start: int, end: int, wanted: Container[str]) -> dict[str, int]:
    """The offsets of wanted windows that occur exactly once."""
    at: dict[str, int] = {}
    for place in range(start, end - _WINDOW + 1):
        window = text[place : place + _WINDOW]
        if window in wanted:
            at[window] = -1 if window in at else place
    return {window: place for window, place in at.items() if place >= 0}


def _rising(firsts: list[int], seconds: list[int]) -> list[tuple[int, int]]:
    """The longest selection of pairs in which the seconds rise with the firsts."""
    if sorted(seconds) == seconds:
        return list(zip(firsts, seconds, strict=True))
    lowest = [-1]  # by length: the lowest second that ends a rising run
    ends = [-1]  # by length: that pair
    before: list[int] = []  # by pair: the previous pair in its run
    for index, second in enumerate(seconds):
        if second > lowest[-1]:
            before.append(ends[-1])
            lowest.append(second)
            ends.append(index)
        else:
            length = bisect_left(lowest, second)
            before.append(ends[length - 1])
            lowest[length] = second
            ends[length] = index
    run = []
    index = ends[-1]
    while index >= 0:
        run.append((firsts[index], seconds[index]))
        index = before[index]
    return run[::-1]


def _shortest(old: str, new: str, stretch: Stretch, effort: Effort) -> list[Stretch]:
    """The shortest script for a stretch (Myers' greedy search); empty if the effort does not suffice."""
    a0, a1, b0, b1 = stretch
    a, b = _numbers(old[a0:a1]), _numbers(new[b0:b1])
    most = min(len(a) + len(b) - 1, isqrt(2 * max(effort.steps, 0)))
    if _least(a, b) > most:
        return []
    # Paths may leave the stretch: the padding equals nothing, and no way back is shorter.
    left, right = [*a, *[-1] * (most + 1)], [*b, *[-2] * (most + 1)]
    goal = len(a) - len(b)
    # By diagonal (old less new), from -cost to cost by twos: how far into `old` the furthest path gets.
    reached: list[int] = []
    trace: list[array[int]] = []
    for cost in range(most + 1):
        k = -cost
        further: list[int] = []
        for below, above in zip([-1, *reached], [*reached, -1], strict=True):
            x = above if below < above else below + 1
            if left[x] == right[x - k]:
                x += common_head(old, new, (a0 + x, a1, b0 + x - k, b1))
                effort.steps -= 3
            further.append(x)
            k += 2
        reached = further
        if abs(goal) <= cost and (goal + cost) % 2 == 0 and reached[(goal + cost) // 2] == len(a):
            return list(_script(trace, stretch))
        trace.append(array("I", reached))
        effort.steps -= cost + 1
        if effort.steps <= 0:
            break
    return []


def _least(a: array[int], b: array[int]) -> int:
    """A lower bound for the script: elements that occur more often on one side."""
    in_a, in_b = Counter(a), Counter(b)
    return len(a) + len(b) - 2 * sum([min(times, in_b.get(it, 0)) for it, times in in_a.items()])


def _script(trace: list[array[int]], stretch: Stretch) -> Iterator[Stretch]:
    """The replacements on the search's last path, backwards; adjacent steps are joined."""
    a0, a1, b0, b1 = stretch
    x, y = a1 - a0, b1 - b0
    end_x = end_y = -1
    start = (-1, -1)
    for cost, reached in zip(range(len(trace), 0, -1), reversed(trace), strict=True):
        at = (x - y + cost) // 2  # among the diagonals of `cost`; its neighbors are those of cost - 1
        below, above = reached[at - 1] if at else -1, reached[at] if at < cost else -1
        down = below < above
        x, y = (above, above - (x - y) - 1) if down else (below, below - (x - y) + 1)
        after = (x, y + 1) if down else (x + 1, y)
        if after != start:
            if end_x >= 0:
                yield a0 + start[0], a0 + end_x, b0 + start[1], b0 + end_y
            end_x, end_y = after
        start = (x, y)
    yield a0 + start[0], a0 + end_x, b0 + start[1], b0 + end_y
