"""The three-way merge compared with its definition, on small texts."""

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.diff.merging import merge
from agentfs_lsp.domain.splices import apply_splices

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "a"]), max_size=8).map("".join)

# What a side does to each of its distinct lines: keep, replace, remove, or insert one before it.
DEEDS = st.sampled_from(["keep", "keep", "keep", "replace", "remove", "insert"])
SIDES = st.lists(st.tuples(DEEDS, DEEDS), max_size=12)


def made(deeds: list[str], name: str) -> str:
    """A side's result for a text whose lines are their numbers."""
    lines = {
        "keep": "{n}\n",
        "replace": "{n} by {name}\n",
        "remove": "",
        "insert": "before {n} by {name}\n{n}\n",
    }
    return "".join(lines[deed].format(n=number, name=name) for number, deed in enumerate(deeds))


def merged(base: str, ours: str, theirs: str) -> str | None:
    merge_found = merge(base, ours, theirs)
    return None if merge_found.clashes else apply_splices(theirs, merge_found.splices)


def touched(deeds: list[str]) -> set[int]:
    """The places a side has changed: line n is between the places 2n and 2n + 2."""
    places: set[int] = set()
    for number, deed in enumerate(deeds):
        if deed != "keep":
            places.add(2 * number)
        if deed in {"replace", "remove"}:
            places |= {2 * number + 1, 2 * number + 2}
    return places


def changed_beside(place: int, sides: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What both sides did to the lines next to a place, if one of them did something."""
    lines = {place // 2, (place - 1) // 2} & set(range(len(sides)))
    return [sides[line] for line in lines if {place} & (touched_by(line, sides[line]))]


def touched_by(line: int, pair: tuple[str, str]) -> set[int]:
    return touched(["keep"] * line + [pair[0]]) | touched(["keep"] * line + [pair[1]])


@given(SIDES)
def test_changes_apart_are_both_made_and_changes_that_touch_clash(sides: list[tuple[str, str]]) -> None:
    ours, theirs = [one for one, _ in sides], [other for _, other in sides]
    base = made(["keep"] * len(sides), "")
    found = merged(base, made(ours, "us"), made(theirs, "them"))
    common = touched(ours) & touched(theirs)
    if common:
        both_removed = all(
            pair == ("remove", "remove") for place in common for pair in changed_beside(place, sides)
        )
        assert (found is None) or both_removed
        return
    expected = ""
    for number, (one, other) in enumerate(sides):
        deed, name = (one, "us") if one != "keep" else (other, "them")
        expected += made(["keep"] * number + [deed], name).removeprefix(made(["keep"] * number, ""))
    assert found == expected


@given(SIDES)
def test_undoing_one_of_two_changes_apart_leaves_the_other(sides: list[tuple[str, str]]) -> None:
    """An undo merges the step from what the change left back to what was before it."""
    ours, theirs = [one for one, _ in sides], [other for _, other in sides]
    if touched(ours) & touched(theirs):
        return
    before, after = made(["keep"] * len(sides), ""), made(ours, "us")
    snapshot = merged(before, after, made(theirs, "them"))
    assert snapshot is not None
    assert merged(after, before, snapshot) == made(theirs, "them")


@given(TEXTS, TEXTS)
def test_a_side_that_did_nothing_changes_nothing(base: str, made_of_it: str) -> None:
    assert merged(base, made_of_it, base) == made_of_it
    assert merged(base, base, made_of_it) == made_of_it
    assert merged(base, made_of_it, made_of_it) == made_of_it


@given(TEXTS, TEXTS, TEXTS)
def test_it_is_the_same_from_either_side(base: str, ours: str, theirs: str) -> None:
    assert merged(base, ours, theirs) == merged(base, theirs, ours)
