"""Where the time of one request goes, for those who observe operations (`operations.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Literal, NamedTuple

Phase = Literal["resolve", "read", "match", "review", "land"]


class Span(NamedTuple):
    """When a phase began and ended, in milliseconds since the request arrived, and how long it took: less
    than the time between if it happened several times."""

    begun_ms: float
    ended_ms: float
    took_ms: float


class Timing:
    """The phases of a request, and its proposal, which times the others. `now` returns monotonic
    milliseconds, as the proposal's clock does; without it, nothing is measured."""

    __slots__ = ("_begun_ms", "_now", "_spans", "proposal")

    def __init__(self, now: Callable[[], float] | None = None) -> None:
        self._now = now
        self._begun_ms = now() if now else 0.0
        self._spans: dict[Phase, Span] = {}
        self.proposal: object = None

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the request arrived; 0 if nothing is measured."""
        return self._now() - self._begun_ms if self._now else 0.0

    @contextmanager
    def phase(self, name: Phase) -> Iterator[None]:
        """Count the time of the block as this phase's."""
        if self._now is None:
            yield
            return
        begun = self._now()
        try:
            yield
        finally:
            self.add(name, begun, self._now())

    def add(self, name: Phase, begun_ms: float, ended_ms: float) -> None:
        """Count the time between these as this phase's."""
        begun, ended, took = begun_ms - self._begun_ms, ended_ms - self._begun_ms, ended_ms - begun_ms
        if name in self._spans:
            before = self._spans[name]
            begun, took = before.begun_ms, before.took_ms + took
        self._spans[name] = Span(begun, ended, took)

    def follow(self, proposal: object) -> None:
        """The request made this proposal."""
        if self._now is not None:
            self.proposal = proposal

    @property
    def spans(self) -> Mapping[Phase, Span]:
        """The phases so far, in the order of their beginnings."""
        return self._spans


UNTIMED: Final = Timing()
"""For requests that nobody observes."""
