"""What came of a case, judged by the bytes that are there afterwards and by what the agent was told."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class Kind(StrEnum):
    """From the best to the worst."""

    CORRECT = "correct"
    REFUSED = "refused"
    WRONG = "wrong"
    LOST = "lost"


ORDER = list(Kind)
SHOWN = 90
"""The most characters of a text or of bytes in a detail."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a party answered to a change: whether it said that the change was made, and its text."""

    success: bool
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """`detail` says what happened; it is empty if the case is correct."""

    kind: Kind
    detail: str = ""

    @classmethod
    def counted(cls, counts: dict[Self, int], tries: int) -> "Verdict":
        """Of several tries: the worst of them, and how often each bad one came."""
        worst = max(counts, key=lambda one: ORDER.index(one.kind))
        if worst.kind in (Kind.CORRECT, Kind.REFUSED):
            # A race that always ends in a refusal did no work; one success among them is what was asked for.
            return min(counts, key=lambda one: ORDER.index(one.kind))
        bad = [
            f"{count} of {tries}: {one.detail}"
            for one, count in counts.items()
            if one.kind in (Kind.WRONG, Kind.LOST)
        ]
        return cls(worst.kind, "; ".join(sorted(bad)))


CORRECT = Verdict(Kind.CORRECT)


def judge(
    outcome: Outcome, before: bytes | None, after: bytes | None, expected: bytes | None, kept: bytes = b""
) -> Verdict:
    """The verdict on a change of one file. None is a file that is not there; `expected` None: the change must
    be refused. `kept`: what must be in the file whatever happens, because nobody else has it."""
    if kept and kept not in (after or b""):
        return Verdict(Kind.LOST, f"{shown(kept)} is gone; left: {shown(after)}")
    if after == before:
        if not outcome.success:
            return CORRECT if expected is None else Verdict(Kind.REFUSED, told(outcome))
        return CORRECT if expected == before else Verdict(Kind.WRONG, "said success, but nothing changed")
    if not outcome.success:
        return Verdict(Kind.WRONG, f"said that it failed, but left {shown(after)}")
    if expected is None:
        return Verdict(Kind.WRONG, f"had to refuse, but left {shown(after)}")
    if after != expected:
        return Verdict(Kind.WRONG, f"expected {shown(expected)}, left {shown(after)}")
    return CORRECT


def told(outcome: Outcome) -> str:
    """The first line of the answer."""
    lines = [line.strip() for line in outcome.text.split("\n") if line.strip()]
    return lines[0][:200] if lines else "no text"


def shown(data: bytes | None) -> str:
    """Bytes in a detail; a long text is cut in its middle."""
    if data is None:
        return "no file"
    text = repr(data)[1:]
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]} … {text[-SHOWN // 2 :]}"
