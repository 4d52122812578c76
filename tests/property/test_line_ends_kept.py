"""A change creates and removes line ends only where it replaces text: no `\\r` and `\\n` are joined or
separated (docs/protocol.md#7-agentfsedit)."""

from contextlib import suppress

from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from agentfs_lsp.domain.diff.merging import merge
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.matching.matching import find
from agentfs_lsp.domain.matching.occurrences import occurrences
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.splices import apply_splices
from agentfs_lsp.domain.text.lines import ends_between, normalize
from agentfs_lsp.domain.text.textfile import TextFile
from agentfs_lsp.service.files.snapshot import Snapshot
from agentfs_lsp.service.files.store import Location, Root
from agentfs_lsp.service.landing.merging import splices_into
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.record import RecordedFile
from agentfs_lsp.service.reversal import reversal

ENDS = st.sampled_from(["\n", "\r\n", "\r"])
WORDS = st.sampled_from(["a", "b", "c", "", "", "x y"])
TEXTS = st.builds(
    lambda lines, rest: "".join(word + end for word, end in lines) + rest,
    st.lists(st.tuples(WORDS, ENDS), max_size=8),
    WORDS,
)
CRAMPED = st.text(st.sampled_from("ab\r\n"), max_size=10)
BASES = st.one_of(TEXTS, CRAMPED)


def line_ends(text: str) -> int:
    return ends_between(text, 0, len(text))


def seen(text: str) -> Snapshot:
    """A closed file with this text."""
    file = TextFile(text, "utf-8", b"", lossy=False)
    return Snapshot(Location(Root("w", "/w", "file:///w"), "f"), None, file, None, file, dirty=False, hash="")


def change_of(text: str, old: str, new: str, *, replace_all: bool = False) -> tuple[FileChange, int]:
    """The edit, and the number of its places. Raises DomainError."""
    match = find(text, old, new, replace_all=replace_all)
    return FileChange("f", seen(text), "update", match.splices, Settings()), match.replacements


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str, str]:
    """A text, a part of it (perhaps with other line ends), and its replacement."""
    text = draw(BASES)
    start = draw(st.integers(0, len(text)))
    old = text[start : draw(st.integers(start, len(text)))]
    return text, draw(st.sampled_from([old, normalize(old)])), draw(BASES)


@given(edits(), st.booleans())
@example(("a\rb\n\n", "a\rb\n", "x\n\n"), False)
@example(("a\rx\nb", "x", ""), False)
@example(("a\rxx\nb", "x", ""), True)
@example(("a\rb\nc", "a\rb\nc", "\n\n"), False)
def test_an_edit(edit: tuple[str, str, str], replace_all: bool) -> None:
    text, old, new = edit
    with suppress(DomainError):
        change, places = change_of(text, old, new, replace_all=replace_all)
        event(f"places: {min(places, 3)}")
        grown = line_ends(change.proposed) - line_ends(text)
        assert grown == places * (line_ends(new) - line_ends(old))
        found = tuple(occurrences(text, old))
        if len(found) == 1:
            at = found[0]
            whole = normalize(text[:at]) + normalize(new) + normalize(text[at + len(old) :])
            assert normalize(change.proposed) == whole


@given(edits(), edits())
def test_two_edits_of_a_batch(first: tuple[str, str, str], second: tuple[str, str, str]) -> None:
    """Combined into one change, with its hunks as editors get them, they have the same result."""
    text, old, new = first
    with suppress(DomainError):
        one, _ = change_of(text, old, new)
        assume(second[1] in one.proposed)
        two, places = change_of(one.proposed, second[1], second[2])
        both = one.followed_by(two)
        assert both.proposed == two.proposed == apply_splices(text, both.hunks)
        assert line_ends(both.proposed) - line_ends(one.proposed) == places * (
            line_ends(second[2]) - line_ends(second[1])
        )


@given(BASES, BASES)
def test_an_amendment(text: str, amended: str) -> None:
    change = FileChange("f", seen(text), "update", (), Settings()).amended(amended)
    assert normalize(change.proposed) == normalize(amended)


@given(BASES, BASES, BASES)
def test_a_merge(before: str, after: str, snapshot: str) -> None:
    found = merge(normalize(before), normalize(after), normalize(snapshot))
    with suppress(DomainError):
        splices = splices_into("f", before, after, seen(snapshot))
        merged = apply_splices(normalize(snapshot), found.splices)
        assert normalize(apply_splices(snapshot, splices)) == merged


@given(edits(), edits())
def test_an_undo(edit: tuple[str, str, str], later: tuple[str, str, str]) -> None:
    """It restores the last change's text exactly; under a later change, every line end."""
    text, old, new = edit
    with suppress(DomainError):
        change, _ = change_of(text, old, new)
        kept = RecordedFile(
            "/w", "f", "update", None, None, 0, 0, "utf-8", b"", before=text, after=change.proposed
        )
        assert reversal("f", (kept,), seen(change.proposed), Settings()).proposed == text
        assume(later[1] in change.proposed)
        moved, _ = change_of(change.proposed, later[1], later[2])
        undone = reversal("f", (kept,), seen(moved.proposed), Settings()).proposed
        lost = line_ends(change.proposed) - line_ends(text)
        assert line_ends(moved.proposed) - line_ends(undone) == lost
