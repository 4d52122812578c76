"""The contract of `Documents`: the same cases for the editor's and the in-memory ones."""

from typing import Any, Protocol

import pytest

from agentfs_lsp.adapters.documents import OpenDocuments
from agentfs_lsp.service.files.documents import Documents
from support.documents import changing, named, opening
from support.fakes.documents import MemoryDocuments

PATH = "/nowhere/a.py"
FILE, LINKED = "file:///nowhere/a.py", "file:///nowhere/./a.py"


class Editing(Protocol):
    documents: Documents

    def open(self, uri: str, text: str, **traits: bool) -> None: ...
    def change(self, uri: str, text: str) -> None: ...
    def save(self, uri: str) -> None: ...
    def close(self, uri: str) -> None: ...
    def hint(self, uri: str, **hints: Any) -> None: ...
    def hint_elsewhere(self, path: str, *, unsaved: bool) -> None: ...
    def lose_track(self, uri: str) -> None: ...


class ByNotifications:
    def __init__(self) -> None:
        self.documents = OpenDocuments()
        self._version = 1

    def open(self, uri: str, text: str, **traits: bool) -> None:
        for name, value in traits.items():
            setattr(self.documents, name, value)
        self.documents.opened(opening(uri, text))

    def change(self, uri: str, text: str) -> None:
        self._version += 1
        self.documents.changed(changing(uri, self._version, {"text": text}))

    def save(self, uri: str) -> None:
        self.documents.saved({"textDocument": named(uri)})

    def close(self, uri: str) -> None:
        self.documents.closed({"textDocument": named(uri)})

    def hint(self, uri: str, **hints: Any) -> None:
        self.documents.state_reported({"uri": uri, **hints})

    def hint_elsewhere(self, path: str, *, unsaved: bool) -> None:
        self.hint(f"file://{path}", unsaved_elsewhere=unsaved)

    def lose_track(self, uri: str) -> None:
        self.documents.changed(changing(uri, self._version, {}))


class InMemory:
    def __init__(self) -> None:
        self.documents = MemoryDocuments()
        self.change = self.documents.change
        self.save = self.documents.save
        self.close = self.documents.close
        self.hint = self.documents.hint
        self.hint_elsewhere = self.documents.hint_elsewhere
        self.lose_track = self.documents.lose_track

    def open(self, uri: str, text: str, **traits: bool) -> None:
        self.documents.open(uri, PATH, text, **traits)


@pytest.fixture(params=[InMemory, ByNotifications], ids=["memory", "notifications"])
def editing(request: pytest.FixtureRequest) -> Editing:
    made: Editing = request.param()
    return made


def test_a_document_is_as_the_editor_last_told(editing: Editing) -> None:
    assert editing.documents.at(PATH) is None
    editing.open(FILE, "one\n")
    document = editing.documents.at(PATH)
    assert document is not None
    assert (document.uri, document.version, document.text) == (FILE, 1, "one\n")
    assert (document.dirty_hint, document.encoding_hint) == (None, None)
    assert (document.as_saved, document.ends_last_line, document.in_sync) == (False, False, True)
    editing.change(FILE, "two\r\n")
    assert (document.version, document.text) == (2, "two\r\n")
    editing.close(FILE)
    assert editing.documents.at(PATH) is None


def test_hints_count_until_the_save(editing: Editing) -> None:
    editing.open(FILE, "one\n", ends_last_line=True)
    editing.hint(FILE, dirty=True)
    editing.hint(FILE, encoding="latin1")
    document = editing.documents.at(PATH)
    assert document is not None
    assert (document.dirty_hint, document.encoding_hint, document.ends_last_line) == (True, "latin1", True)
    editing.save(FILE)
    assert (document.dirty_hint, document.encoding_hint, document.as_saved) == (None, "latin1", True)
    editing.change(FILE, "two\n")
    assert not document.as_saved


def test_a_file_that_is_not_open_as_text_may_be_unsaved_elsewhere(editing: Editing) -> None:
    def is_unsaved() -> bool:
        return editing.documents.is_unsaved_elsewhere(PATH)

    assert not is_unsaved()
    editing.hint_elsewhere(PATH, unsaved=True)
    assert is_unsaved()
    assert not editing.documents.is_unsaved_elsewhere("/nowhere/b.py")
    editing.open(FILE, "one\n")  # its text, which has nothing of what is unsaved
    editing.hint(FILE, dirty=False)
    editing.close(FILE)
    assert is_unsaved()
    editing.hint_elsewhere(PATH, unsaved=False)
    assert not is_unsaved()


def test_of_several_documents_of_a_file_the_one_to_be_careful_with_counts(editing: Editing) -> None:
    editing.open(FILE, "first\n")
    editing.open(LINKED, "second\n")

    def there() -> str:
        document = editing.documents.at(PATH)
        assert document is not None
        return document.uri

    editing.change(LINKED, "typed\n")
    assert there() == LINKED
    editing.change(FILE, "typed later\n")
    assert there() == FILE
    editing.save(FILE)
    assert there() == LINKED
    editing.hint(FILE, dirty=True)
    assert there() == FILE
    editing.lose_track(LINKED)
    assert there() == LINKED
    asked_for = editing.documents.at(PATH, FILE)
    assert asked_for is not None
    assert asked_for.uri == FILE
    editing.close(LINKED)
    assert there() == FILE
    assert editing.documents.at(PATH, LINKED) is None


def test_a_change_that_cannot_be_followed_puts_it_out_of_sync(editing: Editing) -> None:
    editing.open(FILE, "one\n")
    editing.lose_track(FILE)
    document = editing.documents.at(PATH)
    assert document is not None
    assert not document.in_sync


def test_where_an_editor_may_count_lines_otherwise_no_place_is_certain(editing: Editing) -> None:
    editing.open(FILE, "one\rtwo\r\n", ends_lines_at_cr=False)
    document = editing.documents.at(PATH)
    assert document is not None
    assert not document.positions_reliable
    editing.change(FILE, "one\r\ntwo\r\n")
    assert document.positions_reliable
    editing.open(LINKED, "one\rtwo\n", ends_lines_at_cr=True)
    editing.change(LINKED, "one\r2\n")
    linked = editing.documents.at(PATH)
    assert linked is not None
    assert (linked.uri, linked.positions_reliable) == (LINKED, True)


def test_whoever_watches_a_file_is_told_of_all_that_happens_to_it(editing: Editing) -> None:
    told: list[str | None] = []

    def seen() -> None:
        document = editing.documents.at(PATH)
        told.append(document.text if document else None)

    end = editing.documents.watch(PATH, seen)
    elsewhere: list[None] = []
    editing.documents.watch("/nowhere/b.py", lambda: elsewhere.append(None))
    editing.open(FILE, "one\n")
    editing.change(FILE, "two\n")
    editing.save(FILE)
    editing.hint(FILE, dirty=False)
    editing.close(FILE)
    assert told == ["one\n", "two\n", "two\n", "two\n", None]
    end()
    end()
    editing.open(FILE, "again\n")
    assert len(told) == 5
    assert elsewhere == []


def test_whoever_watches_all_texts_is_told_where_each_file_is(editing: Editing) -> None:
    told: list[tuple[str, str]] = []
    end = editing.documents.watch_texts(lambda path, document: told.append((path, document.text)))
    editing.open(LINKED, "one\n")
    editing.change(LINKED, "two\n")
    editing.save(LINKED)
    editing.close(LINKED)
    assert told == [(PATH, "one\n"), (PATH, "two\n")]
    end()
    editing.open(FILE, "again\n")
    assert len(told) == 2
