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


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a\nx\nx\nb\n", True),
        ("a\nx\nx\nb\ntyped\n", True),
        ("a\nx\nx\nx\nb\n", False),
        ("a\nx\nx\nx\nb\ntyped\n", False),
    ],
)
def test_all_of_a_change_with_typing_elsewhere(text: str, holds: bool) -> None:
    assert holds_all(change("a\nx\nx\nx\nb\n", "a\nx\nx\nb\n"), text) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("1\n2\n3\n", True),
        ("one\nmine\n2\nmine\nthree\n", True),
        ("one\n2, mine\nthree\n", False),
        ("one\nmine, 2\nthree\n", False),
        ("one\nthree\n", False),
        ("one\nthree\nmine\n", False),
        ("one\n2\nthree", True),
    ],
)
def test_typing_beside_a_line_that_was_put_in_leaves_it_whole(text: str, holds: bool) -> None:
    assert holds_all(change("one\ntwo\nthree\n", "one\n2\nthree\n"), text) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("typed\na\nB\nC\nd\ne\n", True),
        ("a\nB\nC\nd\ne\nb\n", True),
        ("typed\nB\nC\nc\nd\ne\n", False),
        ("a\nb\nB\nC\nd\ne\n", False),
    ],
)
def test_what_was_put_in_beside_what_was_to_go_is_not_all_of_a_change(text: str, holds: bool) -> None:
    assert holds_all(change("a\nb\nc\nd\ne\n", "a\nB\nC\nd\ne\n"), text) is holds


def test_a_line_end_that_a_save_puts_back_leaves_nothing_of_a_change_that_took_it_out() -> None:
    assert not holds_all(change("one\n", "one"), "one\n")


LARGE = "line\n" * 20_000


@pytest.fixture
def insertion() -> Any:
    """A change that inserts a line into a large text."""
    base = SimpleNamespace(text=SimpleNamespace(text=LARGE, shown=LARGE), buffer=None)
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
        monkeypatch.setattr(type(observation), "_shows_some", lambda *_: looks.append(1))
        documents.opened({"textDocument": {"uri": "file:///a", "version": 1, "text": LARGE}})
    assert bool(looks) is every_version
    assert observation.has_more
