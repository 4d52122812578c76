"""However the last line ends, and whatever 'fixeol' says, Neovim saves what was accepted, and what was there
before a rollback (docs/protocol.md#93-how-it-lands)."""

from hypothesis import event, example, given
from hypothesis import strategies as st

from agentfs_lsp.domain.diff.line_ends import splices_towards
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.text.textfile import TextFile
from agentfs_lsp.lsp.editor import workspace_edit
from agentfs_lsp.service.files.snapshot import Buffer, Snapshot
from agentfs_lsp.service.files.store import Location, Root
from agentfs_lsp.service.landing.last_line_end import edit_of, fitted, landed_as, reversal
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.review import DocumentEdit
from support.fakes.documents import MemoryDocument
from support.neovim import Neovim
from support.wire import Message

TEXTS = st.lists(st.sampled_from(["a", "b", "", "\n", "\n"])).map("".join)


def edits_in(edit: DocumentEdit) -> list[Message]:
    (document,) = workspace_edit([edit], "utf-32")["documentChanges"]
    return [dict(one) for one in document["edits"]]


@given(TEXTS, TEXTS, st.booleans(), st.booleans())
@example("", "a\n", False, False)
@example("a\n", "", True, False)
@example("a\nb\n", "", True, True)
@example("a", "a\n", False, False)
@example("a", "a\n", True, False)
@example("a\n\nb\n", "\n", True, False)
def test_what_was_accepted_is_saved_and_rolled_back(
    before: str, wanted: str, fixeol: bool, reports_emptied: bool
) -> None:
    editor = Neovim(before, fixeol=fixeol, reports_emptied=reports_emptied)
    file, place = TextFile(before, "utf-8", b"", lossy=False), Location(Root("w", "/w", "file:///w"), "f")
    document = MemoryDocument("f", "/w/f", editor.text, ends_last_line=True)
    base = Snapshot(place, None, file, Buffer.of(document), file, dirty=False, hash="")
    change = fitted(FileChange("f", base, "update", splices_towards(before, wanted), Settings()))
    assert change.shown == wanted or change.corrections
    if change.changes_nothing:
        return
    edit = edit_of(change)
    event(f"past the last line: {edit.past_last_line}")
    document.version += 1
    document.text, *_ = editor.apply(edits_in(edit))
    if edit.past_last_line:  # what it reports at once is not all
        assert landed_as(change, document, applied=True) is None
    document.text = editor.text
    assert editor.saved.removesuffix("\n" * (not change.shown.endswith("\n"))) == change.shown
    assert landed_as(change, document, applied=True)
    back = reversal(edit, document)
    assert back is not None
    editor.apply(edits_in(back))
    assert editor.saved.removesuffix("\n" * (not before.endswith("\n"))) == before
