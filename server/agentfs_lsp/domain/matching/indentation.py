"""One shift from a request's indentation to the file's, for a whole block (docs/protocol.md#7-agentfsedit).

Either the same whitespace is added before every line, or one unit converts all tabs of one side into the
spaces of the other. Anything else is not a uniform shift. Blank lines are ignored. Adjacent lines and the
language are not used to resolve ambiguities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

BLANKS = " \t"
_WIDEST = 8


@dataclass(frozen=True, slots=True)
class Prefix:
    """The file's lines start with `added`, which the request lacks, or lack `removed`; one is empty."""

    added: str
    removed: str

    def carry(self, indent: str) -> str | None:
        if not indent.startswith(self.removed):
            return None
        if indent and self.added and indent[0] not in self.added:
            return None  # tabs versus spaces: the file's unit is unknown
        return self.added + indent[len(self.removed) :]


@dataclass(frozen=True, slots=True)
class Unit:
    """One tab equals `width` spaces; the side with tabs is `levels` deeper. `steps`: the spaces' step, which
    the width must equal if it was derived from a single depth; 0 if the width is certain."""

    width: int
    levels: int
    to_tabs: bool
    steps: int = 0

    def carry(self, indent: str) -> str | None:
        if self.to_tabs:
            count, rest = divmod(len(indent), self.width)
            unknown = rest or indent.strip(" ") or (self.steps and gcd(self.steps, len(indent)) != self.width)
            return None if unknown or count + self.levels < 0 else "\t" * (count + self.levels)
        depth = len(indent) - self.levels
        return None if indent.strip("\t") or depth < 0 else " " * (depth * self.width)


@dataclass(frozen=True, slots=True)
class Shift:
    """A block's shift: the file's indent for each of the request's, and the rule behind it."""

    seen: dict[str, str]
    rule: Prefix | Unit

    def __bool__(self) -> bool:
        """Whether the shift changes anything."""
        return self.rule != Prefix("", "")

    def revise(self, _old: Sequence[str], new: Sequence[str], _present: Sequence[str]) -> list[str] | None:
        """The new lines in the file's indentation; None if one can't be converted."""
        carried = []
        for line in new:
            indent = indent_of(line)
            if len(indent) == len(line):
                carried.append(line)
                continue
            there = self.seen[indent] if indent in self.seen else self.rule.carry(indent)
            if there is None:
                return None
            carried.append(there + line[len(indent) :])
        return carried


def indent_of(line: str) -> str:
    """The spaces and tabs at the start of `line`."""
    return line[: len(line) - len(line.lstrip(BLANKS))]


def find_shift(file_lines: Sequence[str], old_lines: Sequence[str]) -> Shift | None:
    """The one shift between two blocks whose lines are pairwise equal apart from surrounding whitespace."""
    pairs = {
        (indent_of(there), indent_of(here))
        for there, here in zip(file_lines, old_lines, strict=True)
        if here.strip(BLANKS)
    }
    seen = {here: there for there, here in pairs}
    rule = _find_prefix(pairs) or _find_unit(pairs)
    return Shift(seen, rule) if rule else None


def _find_prefix(pairs: set[tuple[str, str]]) -> Prefix | None:
    there, here = next(iter(pairs))
    prefix = (
        Prefix(there.removesuffix(here), "") if there.endswith(here) else Prefix("", here.removesuffix(there))
    )
    fits = all(prefix.added + here == prefix.removed + there for there, here in pairs)
    return prefix if fits else None


def _find_unit(pairs: set[tuple[str, str]]) -> Unit | None:
    for to_tabs in (True, False):
        sides = [(there, here) if to_tabs else (here, there) for there, here in pairs]
        if not any(tabs.strip("\t") or blanks.strip(" ") for tabs, blanks in sides):
            return _unit_of(sorted((len(tabs), len(blanks)) for tabs, blanks in sides), to_tabs)
    return None


def _unit_of(depths: list[tuple[int, int]], to_tabs: bool) -> Unit | None:
    """The unit that fits every (tabs, spaces) pair; the pairs are sorted and unique."""
    tabs, blanks = depths[0]
    if len(depths) == 1:
        width, rest = divmod(blanks, tabs) if tabs else (0, 1)
        steps = blanks if to_tabs else 0
    elif depths[-1][0] > tabs:
        width, rest = divmod(depths[-1][1] - blanks, depths[-1][0] - tabs)
        steps = 0
    else:
        return None
    if rest or not 0 < width <= _WIDEST or blanks % width:
        return None
    levels = tabs - blanks // width
    fits = all(width * (deep - levels) == wide for deep, wide in depths)
    return Unit(width, levels, to_tabs, steps) if fits else None
