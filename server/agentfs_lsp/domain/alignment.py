"""Which stretches of two sequences differ, found within a bounded effort.

The sequences are strings in which every code point stands for one element (a line, for `diff`): comparing
and slicing them then runs at the speed of memory. The way: trim common ends, anchor on what occurs once in
both (single elements, then windows of some, so that texts made of few different lines find anchors too), look
for the shortest script between the anchors while the effort lasts, take the rest as one replaced block.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

Stretch = tuple[int, int, int, int]
"""[start, end) in the old sequence, [start, end) in the new one."""

_WINDOWS = (1, 8)
_DEPTH = 6
_CHUNK = 1 << 18


@dataclass(slots=True)
class Effort:
    """What the search for shortest scripts may still cost, in steps of some tenths of a microsecond."""

    steps: int = 500_000


def differing(old: str, new: str, effort: Effort) -> list[Stretch]:
    """The stretches that differ: in order, with something common between any two, their ends not common."""
    found: list[Stretch] = []
    hard: list[Stretch] = []
    todo = [((0, len(old), 0, len(new)), 0)]
    while todo:
        stretch, depth = todo.pop()
        a0, a1, b0, b1 = stretch = _trimmed(old, new, stretch)
        if a0 == a1 or b0 == b1 or a1 - a0 == b1 - b0 == 1:
            if a0 != a1 or b0 != b1:
                found.append(stretch)
        elif depth < _DEPTH and (gaps := _between_anchors(old, new, stretch)):
            todo += [(gap, depth + 1) for gap in gaps]
        else:
            hard.append(stretch)
    # The small ones first: they gain most from what effort there is.
    for stretch in sorted(hard, key=lambda it: it[1] - it[0] + it[3] - it[2]):
        found += _shortest(old, new, stretch, effort) or [stretch]
    return sorted(found)


def common_head(a: str, b: str, stretch: Stretch) -> int:
    """How many code points the two sides of a stretch have in common at their begin."""
    a0, a1, b0, b1 = stretch
    room = min(a1 - a0, b1 - b0)
    if not room or a[a0] != b[b0]:
        return 0
    done, width = 0, 1
    while done < room:
        width = min(width, room - done)
        if a[a0 + done : a0 + done + width] != b[b0 + done : b0 + done + width]:
            break
        done += width
        width = min(width * 2, _CHUNK)
    else:
        return room
    while width > 1:
        half = width // 2
        if a[a0 + done : a0 + done + half] == b[b0 + done : b0 + done + half]:
            done += half
            width -= half
        else:
            width = half
    return done


def common_tail(a: str, b: str, stretch: Stretch) -> int:
    """How many code points the two sides of a stretch have in common at their end."""
    a0, a1, b0, b1 = stretch
    room = min(a1 - a0, b1 - b0)
    if not room or a[a1 - 1] != b[b1 - 1]:
        return 0
    done, width = 0, 1
    while done < room:
        width = min(width, room - done)
        if a[a1 - done - width : a1 - done] != b[b1 - done - width : b1 - done]:
            break
        done += width
        width = min(width * 2, _CHUNK)
    else:
        return room
    while width > 1:
        half = width // 2
        if a[a1 - done - half : a1 - done] == b[b1 - done - half : b1 - done]:
            done += half
            width -= half
        else:
            width = half
    return done


def _trimmed(old: str, new: str, stretch: Stretch) -> Stretch:
    a0, a1, b0, b1 = stretch
    head = common_head(old, new, stretch)
    tail = common_tail(old, new, (a0 + head, a1, b0 + head, b1))
    return a0 + head, a1 - tail, b0 + head, b1 - tail


def _between_anchors(old: str, new: str, stretch: Stretch) -> list[Stretch]:
    """What lies between the anchors of a stretch; empty when it has none."""
    a0, a1, b0, b1 = stretch
    for size in _WINDOWS:
        if anchors := _rising(_in_both(old, new, stretch, size)):
            break
    else:
        return []
    gaps = []
    for a, b in anchors:
        if a < a0 or b < b0:
            continue  # inside the common stretch that the anchor before it began
        gaps.append((a0, a, b0, b))
        length = common_head(old, new, (a, a1, b, b1))
        a0, b0 = a + length, b + length
    return [*gaps, (a0, a1, b0, b1)]


def _in_both(old: str, new: str, stretch: Stretch, size: int) -> list[tuple[int, int]]:
    """Where windows of `size` are that occur once in each side, of every `size`th of `old`."""
    a0, a1, b0, b1 = stretch
    in_old = _once(old, a0, a1, size, {old[at : at + size] for at in range(a0, a1 - size + 1, size)})
    in_new = _once(new, b0, b1, size, in_old)
    return sorted((in_old[window], at) for window, at in in_new.items())


def _once(text: str, start: int, end: int, size: int, wanted: Container[str]) -> dict[str, int]:
    """Where each wanted window of `size` is, of those that occur exactly once."""
    at: dict[str, int] = {}
    for place in range(start, end - size + 1):
        window = text[place : place + size]
        if window in wanted:
            at[window] = -1 if window in at else place
    return {window: place for window, place in at.items() if place >= 0}


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of `pairs` (sorted by their first) whose seconds rise too."""
    seconds = [second for _, second in pairs]
    if sorted(seconds) == seconds:
        return pairs
    lowest: list[int] = []  # by length less one: the lowest second that ends a rising run
    ends: list[int] = []  # the same: which pair that is
    before: list[int] = []  # by pair: the pair before it in its run
    for index, second in enumerate(seconds):
        length = bisect_left(lowest, second)
        before.append(ends[length - 1] if length else -1)
        lowest[length : length + 1] = [second]
        ends[length : length + 1] = [index]
    run = []
    index = ends[-1]
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def _shortest(old: str, new: str, stretch: Stretch, effort: Effort) -> list[Stretch]:
    """The shortest script for a stretch (Myers' greedy search); empty when the effort does not suffice."""
    a0, a1, b0, b1 = stretch
    counts = Counter(old[a0:a1])
    counts.subtract(new[b0:b1])
    least = sum(map(abs, counts.values()))
    most = min(a1 - a0 + b1 - b0 - 1, isqrt(2 * max(effort.steps, 0)))
    if least > most:
        return []
    # reached[k]: how far into `old` the furthest path on diagonal k (old less new) comes; k < 0 from the end.
    reached = array("q", bytes(8 * (2 * most + 3)))
    trace: list[array[int]] = []
    for cost in range(most + 1):
        trace.append(reached[: cost + 1] + reached[-cost - 1 :])
        low, high = max(-cost, b0 - b1), min(cost, a1 - a0)
        # Diagonals that leave the stretch are not worth a step; the parity of `cost` stays.
        for k in range(low + (cost + low) % 2, high + 1, 2):
            down = k == -cost or (k != cost and reached[k - 1] < reached[k + 1])
            x = reached[k + 1] if down else reached[k - 1] + 1
            a, b = a0 + x, b0 + x - k
            if a < a1 and b < b1 and old[a] == new[b]:
                x += common_head(old, new, (a, a1, b, b1))
                effort.steps -= 3
            reached[k] = x
            if x >= a1 - a0 and x - k >= b1 - b0:
                return list(_script(trace, stretch))
        effort.steps -= cost + 1
        if effort.steps <= 0:
            break
    return []


def _script(trace: list[array[int]], stretch: Stretch) -> Iterator[Stretch]:
    """What the search's last path replaces, backwards; single steps that touch are one stretch."""
    a0, a1, b0, b1 = stretch
    x, y = a1 - a0, b1 - b0
    end_x = end_y = -1
    start = (-1, -1)
    for cost in range(len(trace) - 1, 0, -1):
        reached, k = trace[cost], x - y
        down = k == -cost or (k != cost and reached[k - 1] < reached[k + 1])
        x = reached[k + 1] if down else reached[k - 1]
        y = x - k - 1 if down else x - k + 1
        after = (x, y + 1) if down else (x + 1, y)
        if after != start:
            if end_x >= 0:
                yield a0 + start[0], a0 + end_x, b0 + start[1], b0 + end_y
            end_x, end_y = after
        start = (x, y)
    yield a0 + start[0], a0 + end_x, b0 + start[1], b0 + end_y
