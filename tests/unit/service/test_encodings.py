"""A change preserves its file's encoding and last line end, whatever the bytes look like
(docs/protocol.md#5-agentfsread)."""

import pytest

from agentfs_lsp.domain.errors import Unencodable
from support.fakes.review import ScriptedApplier, saves, saves_after
from support.fakes.workspace import FakeWorkspace, edit_of

BEFORE = "Ã© one\nã\n3\n4\n5\ncafé\n".encode("latin-1")
"""Without its last accent and the one in line 2, it is valid UTF-8 with another meaning."""

LEFT = "Ã© one\na\n3\n4\n5\ncafe\n".encode("latin-1")


@pytest.fixture
async def latin(work: FakeWorkspace) -> FakeWorkspace:
    """a.txt is in Latin-1, and every change is allowed and saved."""
    work.set(approval__mode="auto_edit", encoding__default="latin-1")
    work.editor.encoding = "latin-1"
    work.reviewer.applier = ScriptedApplier(work.editor, save=saves)
    work.store.put("a.txt", BEFORE)
    return work


async def without_accents(work: FakeWorkspace) -> str:
    """Remove what can't be UTF-8 in one change; returns its id."""
    await work.read("a.txt")
    await work.batch(edit_of("a.txt", "ã", "a"), edit_of("a.txt", "café", "cafe"))
    return work.history.records[-1].id


@pytest.mark.parametrize("lines", [0, 20_000], ids=["small", "large"])
async def test_every_session_reads_what_was_written_and_undo_all(latin: FakeWorkspace, lines: int) -> None:
    more = b"line\n" * lines
    latin.store.put("a.txt", BEFORE + more)
    await without_accents(latin)
    assert latin.store.bytes_of("a.txt") == LEFT + more
    for session in ("s", "another"):
        passage = await latin.read("a.txt", session=session, limit=1)
        assert (passage.content, passage.encoding) == ("Ã© one\n", "iso8859-1")
    await latin.edit("a.txt", "3", "ü", session="another")
    assert latin.store.bytes_of("a.txt") == LEFT.replace(b"3", b"\xfc") + more
    await latin.undo(session="another")
    await latin.undo()
    assert latin.store.bytes_of("a.txt") == BEFORE + more


async def test_an_undo_below_changes_from_outside_keeps_to_the_encoding(latin: FakeWorkspace) -> None:
    change = await without_accents(latin)
    latin.store.put("a.txt", LEFT.replace(b"4", b"four"))
    await latin.undo(change)
    assert latin.store.bytes_of("a.txt") == BEFORE.replace(b"4", b"four")


async def test_a_file_that_others_made_utf_8_is_read_as_that(latin: FakeWorkspace) -> None:
    await without_accents(latin)
    latin.store.put("a.txt", "Ã© one\nnew\n")
    passage = await latin.read("a.txt")
    assert (passage.content, passage.encoding) == ("Ã© one\nnew\n", "utf-8")


async def test_another_setting_is_heeded_for_what_had_been_written(latin: FakeWorkspace) -> None:
    await without_accents(latin)
    latin.set(encoding__default="utf-8")
    assert (await latin.read("a.txt")).content.startswith("é one\n")


async def test_a_character_that_comes_first_does_not_become_the_files_mark(work: FakeWorkspace) -> None:
    before = "x\ufeffone\ntwo\n".encode()
    work.set(approval__mode="auto_edit")
    await work.put_and_read("a.txt", before)
    await work.edit("a.txt", "x\ufeff", "\ufeff")
    passage = await work.read("a.txt")
    assert (passage.content, passage.bom) == ("\ufeffone\ntwo\n", False)
    await work.undo()
    assert work.store.bytes_of("a.txt") == before


# --- open documents ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("told", [True, False], ids=["told", "untold"])
async def test_an_open_document_tells_how_its_file_reads(latin: FakeWorkspace, told: bool) -> None:
    latin.editor.open("a.txt")
    if told:
        latin.documents.hint(latin.uri("a.txt"), dirty=False, encoding="iso88591")
    await without_accents(latin)
    assert latin.store.bytes_of("a.txt") == LEFT
    passage = await latin.read("a.txt")
    assert (passage.dirty, passage.encoding) == (False, "iso8859-1")
    latin.editor.close("a.txt")
    assert (await latin.read("a.txt")).content == LEFT.decode("latin-1")
    await latin.undo()
    assert latin.store.bytes_of("a.txt") == BEFORE


async def test_the_users_own_save_leaves_a_document_clean(latin: FakeWorkspace) -> None:
    latin.editor.open("a.txt", LEFT.decode("latin-1"))
    assert (await latin.read("a.txt")).dirty
    latin.editor.save("a.txt")
    passage = await latin.read("a.txt")
    assert (passage.dirty, passage.content) == (False, LEFT.decode("latin-1"))


@pytest.mark.parametrize(
    ("encoding", "name", "text"), [("latin-1", "iso8859-1", "déjà\n"), ("gbk", "gbk", "这是中文。\n")]
)
async def test_an_unknown_encoding_is_the_one_that_gives_the_documents_text(
    work: FakeWorkspace, encoding: str, name: str, text: str
) -> None:
    work.store.put("a.txt", text.encode(encoding))
    work.documents.open(work.uri("a.txt"), work.path("a.txt"), f"{text}typed\n")
    assert (await work.read("a.txt")).dirty
    work.documents.change(work.uri("a.txt"), text)
    passage = await work.read("a.txt")
    assert (passage.dirty, passage.encoding) == (False, name)


async def test_what_the_editor_will_not_be_able_to_save_is_refused(work: FakeWorkspace) -> None:
    work.store.put("a.txt", "one\n")
    work.editor.open("a.txt")
    work.documents.hint(work.uri("a.txt"), dirty=False, encoding="iso88591")
    await work.read("a.txt")
    with pytest.raises(Unencodable) as refused:
        await work.edit("a.txt", "one", "中")
    assert refused.value.encoding == "iso8859-1"


async def test_a_closed_file_reads_on_as_its_document_did(work: FakeWorkspace) -> None:
    work.set(approval__mode="auto_edit")
    work.editor.encoding = "gbk"
    work.store.put("a.txt", "中文 text\n".encode("gbk"))
    work.editor.open("a.txt")
    work.documents.hint(work.uri("a.txt"), dirty=False, encoding="gbk")
    assert (await work.read("a.txt")).content == "中文 text\n"
    work.editor.close("a.txt")
    assert (await work.read("a.txt")).content == "中文 text\n"
    await work.edit("a.txt", "text", "字")
    assert work.store.bytes_of("a.txt") == "中文 字\n".encode("gbk")


async def test_the_text_is_hashed_in_what_can_hold_it(latin: FakeWorkspace) -> None:
    latin.editor.open("a.txt", "中文\n")
    passage = await latin.read("a.txt")
    assert (passage.dirty, passage.content) == (True, "中文\n")
    assert passage.hash is not None


async def test_what_a_save_will_change_besides_is_warned_of(work: FakeWorkspace) -> None:
    work.store.put("a.txt", "one\r\ntwo é\n")
    work.documents.open(work.uri("a.txt"), work.path("a.txt"), "one\ntwo é\n")
    work.documents.hint(work.uri("a.txt"), encoding="iso88591")
    await work.read("a.txt")
    done = await work.edit("a.txt", "one", "1", dry_run=True)
    told = [(one.kind, one.detail) for one in done.change.warnings]
    assert told == [("on_save", "mixed -> lf"), ("on_save", "utf-8 -> iso8859-1")]


# --- the line end of the last line, which the editor adds in saving ---------------------------------------


@pytest.fixture
async def ending(work: FakeWorkspace) -> FakeWorkspace:
    """a.txt is open without the line end that its editor adds on save."""
    work.set(approval__mode="auto_edit")
    work.editor.adds = "\n"
    work.reviewer.applier = ScriptedApplier(work.editor, save=saves)
    work.store.put("a.txt", "one\ntwo")
    work.editor.open("a.txt")
    return work


@pytest.mark.parametrize(
    ("text", "end"), [("one\ntwo", "\n"), ("one\r\ntwo", "\r\n"), ("caf\xe9\rtwo", "\r")]
)
async def test_a_saved_document_has_no_unsaved_changes(latin: FakeWorkspace, text: str, end: str) -> None:
    latin.editor.adds = end
    latin.editor.open("a.txt", text)
    assert (await latin.read("a.txt")).dirty
    latin.editor.save("a.txt")
    assert not (await latin.read("a.txt")).dirty
    latin.editor.type("a.txt", "two", "two and more")
    assert (await latin.read("a.txt")).dirty


async def test_an_extra_line_end_on_disk_that_no_save_made_is_a_change(ending: FakeWorkspace) -> None:
    ending.store.put("a.txt", "one\ntwo\n")
    assert (await ending.read("a.txt")).dirty
    ending.editor.adds = "\n\n"
    ending.editor.save("a.txt")
    assert (await ending.read("a.txt")).dirty


async def test_a_landing_is_saved_as_soon_as_it_is(ending: FakeWorkspace) -> None:
    await ending.read("a.txt")
    ending.reviewer.applier = ScriptedApplier(ending.editor, save=saves_after(1))
    first = await ending.edit("a.txt", "two", "2")
    second = await ending.edit("a.txt", "2", "two")
    assert first.landing is not None
    assert second.landing is not None
    assert (first.landing.where, second.landing.where) == ("disk", "disk")
    assert first.landing.on_save, "the file had no line end there"
    assert not second.landing.on_save
    assert ending.clock.seconds == 2


async def test_the_last_line_ends_once(ending: FakeWorkspace) -> None:
    ending.editor.save("a.txt")
    await ending.read("a.txt")
    assert (await ending.write("a.txt", "one\ntwo\n")).unchanged
    await ending.write("a.txt", "one\ntwo\nthree\n")
    await ending.edit("a.txt", "three", "three\nfour\n")
    assert ending.store.bytes_of("a.txt") == b"one\ntwo\nthree\nfour\n"
    await ending.undo()
    assert ending.store.bytes_of("a.txt") == b"one\ntwo\nthree\n"


async def test_closed_while_it_is_reviewed_the_file_keeps_its_last_line_end(ending: FakeWorkspace) -> None:
    ending.set(approval__mode="manual")
    ending.editor.save("a.txt")
    await ending.read("a.txt")
    ending.reviewer.accepts(first=lambda: ending.editor.close("a.txt"))
    await ending.edit("a.txt", "two", "2")
    assert ending.store.bytes_of("a.txt") == b"one\n2\n"
