"""Hunks as reviewers read them."""

import pytest

from agentfs_lsp.domain.diff.hunks import counts, diff, widen
from agentfs_lsp.domain.splices import Splice, apply_splices


def numbered(count: int) -> list[str]:
    return [f"line {number}\n" for number in range(count)]


def test_scattered_changes_are_hunks_of_their_own() -> None:
    old = numbered(100)
    new = [*old[:10], "new\n", *old[11:50], *old[52:], "end\n"]
    hunks = diff("".join(old), "".join(new))
    assert [hunk.text for hunk in hunks] == ["new\n", "", "end\n"]
    assert counts("".join(old), hunks) == (2, 3)


def test_edits_among_few_different_lines_are_found() -> None:
    old = ["{\n", "}\n", "\n", "x\n"] * 500
    new = list(old)
    new[701:701] = ["y\n"]
    del new[1500]
    hunks = diff("".join(old), "".join(new))
    assert counts("".join(old), hunks) == (1, 1)


@pytest.mark.parametrize(
    ("old", "splices", "expected"),
    [
        ("ab\ncd\nef\n", [Splice(4, 5, "X")], [Splice(3, 6, "cX\n")]),
        ("ab\ncd\n", [Splice(0, 1, "1"), Splice(1, 2, "2")], [Splice(0, 3, "12\n")]),
        ("ab\ncd\n", [Splice(0, 0, "new\n")], [Splice(0, 0, "new\n")]),
        ("ab\ncd", [Splice(5, 5, "\nef")], [Splice(3, 5, "cd\nef")]),
        ("a\nb\nc\n", [Splice(0, 2, "x"), Splice(2, 4, "")], [Splice(0, 6, "xc\n")]),
        ("a\nb\nc\nd\n", [Splice(0, 8, "a\nX\nc\nY\n")], [Splice(2, 4, "X\n"), Splice(6, 8, "Y\n")]),
        ("a\rb", [Splice(2, 2, "\n")], [Splice(0, 2, "a\r\n")]),
        ("a\r\nb", [Splice(2, 3, "")], [Splice(0, 3, "a\r")]),
    ],
)
def test_edits_grow_to_whole_lines(old: str, splices: list[Splice], expected: list[Splice]) -> None:
    assert list(widen(old, splices)) == expected
    assert apply_splices(old, expected) == apply_splices(old, splices)
