"""How much of a change a text holds (service/landing/observing.py)."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from agentfs_lsp.adapters.documents import OpenDocuments
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.service.landing import observing
from agentfs_lsp.service.landing.holding import holds_all, put_in_places, removed_places
from agentfs_lsp.service.landing.observing import Observation


@dataclass
class Base:
    shown: str

    @property
    def text(self) -> Base:
        return self


@dataclass
class Change:
    """The part of a change that is examined."""

    old: str
    shown: str
    hunks: tuple[Splice, ...]

    @property
    def base(self) -> Base:
        return Base(self.old)


def change(old: str, new: str) -> Any:
    return Change(old, new, diff(old, new))


def test_a_line_among_lines_like_it_may_be_gone_at_any_of_their_places() -> None:
    taken_out = change("a\nx\nx\nx\nb\n", "a\nx\nx\nb\n")
    assert removed_places(taken_out.old, taken_out.hunks) == [(2, 8)]
    assert put_in_places(taken_out.old, taken_out.shown, taken_out.hunks) == [(2, 6)]
    put_in = change("a\nx\nx\nb\n", "a\nx\nx\nx\nb\n")
    assert removed_places(put_in.old, put_in.hunks) == [(2, 6)]
    assert put_in_places(put_in.old, put_in.shown, put_in.hunks) == [(2, 8)]


def test_several_lines_that_repeat() -> None:
    taken_out = change("x\ny\nx\ny\nx\n", "x\ny\nx\n")
    assert removed_places(taken_out.old, taken_out.hunks) == [(0, 10)]


def test_a_replaced_line_has_one_place() -> None:
    replaced = change("x\nx\nx\n", "x\n2\nx\n")
    assert removed_places(replaced.old, replaced.hunks) == [(2, 4)]
    assert put_in_places(replaced.old, replaced.shown, replaced.hunks) == [(2, 4)]


WHOLE = {
    # typing elsewhere
    ("a\nx\nx\nx\nb\n", "a\nx\nx\nb\n"): ["a\nx\nx\nb\n", "a\nx\nx\nb\ntyped\n"],
    # typing beside a line that was put in
    ("one\ntwo\nthree\n", "one\n2\nthree\n"): ["1\n2\n3\n", "one\nmine\n2\nmine\nthree\n", "one\n2\nthree"],
    # what was put in, beside what was to go
    ("a\nb\nc\nd\ne\n", "a\nB\nC\nd\ne\n"): ["typed\na\nB\nC\nd\ne\n", "a\nB\nC\nd\ne\nb\n"],
}
PARTS = {
    ("a\nx\nx\nx\nb\n", "a\nx\nx\nb\n"): ["a\nx\nx\nx\nb\n", "a\nx\nx\nx\nb\ntyped\n"],
    ("one\ntwo\nthree\n", "one\n2\nthree\n"): [
        *("one\n2, mine\nthree\n", "one\nmine, 2\nthree\n", "one\nthree\n", "one\nthree\nmine\n"),
    ],
    ("a\nb\nc\nd\ne\n", "a\nB\nC\nd\ne\n"): ["typed\nB\nC\nc\nd\ne\n", "a\nb\nB\nC\nd\ne\n"],
    ("one\n", "one"): ["one\n"],  # a save puts the line end back
}
"""Texts that hold all of a change, and others."""


@pytest.mark.parametrize(("cases", "holds"), [(WHOLE, True), (PARTS, False)], ids=["whole", "parts"])
def test_a_text_holds_all_of_a_change_or_not(cases: dict[tuple[str, str], list[str]], holds: bool) -> None:
    for (old, new), texts in cases.items():
        assert [holds_all(change(old, new), text) for text in texts] == [holds] * len(texts), (old, new)


LARGE = "line\n" * 20_000


@pytest.fixture
def insertion() -> Any:
    """A change that inserts a line into a large text."""
    base = SimpleNamespace(text=SimpleNamespace(text=LARGE, shown=LARGE), buffer=None, blob=None)
    after = f"new\n{LARGE}"
    return SimpleNamespace(
        absolute="/a", uri=None, base=base, shown=after, hunks=diff(LARGE, after), changes_nothing=False
    )


async def test_typing_after_an_undo_in_a_large_text_computes_no_diff(
    insertion: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[int] = []
    for slow in ("brings_a_line", "is_part"):
        monkeypatch.setattr(observing, slow, lambda *_: computed.append(1))
    documents = OpenDocuments()
    with Observation(documents, insertion) as observation:
        for version, text in enumerate((LARGE, insertion.shown, LARGE, f"{LARGE}x")):
            documents.opened({"textDocument": {"uri": "file:///a", "version": version, "text": text}})
        assert (observation.arrived, computed) == (True, [])
        assert not observation.is_saved_in(f"{LARGE}x")
        assert computed


@pytest.mark.parametrize("every_version", [True, False])
async def test_typing_in_a_large_text_costs_no_look(
    insertion: Any, every_version: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    documents = OpenDocuments()
    with Observation(documents, insertion, every_version=every_version) as observation:
        monkeypatch.setattr(type(observation), "shows_some", lambda *_: looks.append(1))
        documents.opened({"textDocument": {"uri": "file:///a", "version": 1, "text": LARGE}})
    assert bool(looks) is every_version
    assert observation.has_more
