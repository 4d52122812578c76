"""The server's copy of open documents: correct, or known to be out of sync."""

import logging
import os
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.adapters.documents import OpenDocuments, path_of
from support.documents import UNCERTAIN, at, changing, named, opened, opening
from support.letter_case import ignore_case


def test_changes_follow_in_order_each_on_the_one_before(documents: OpenDocuments, file: Path) -> None:
    document = opened(documents, file)
    insert, join = at((1, 0), (1, 3), "zwei"), at((0, 3), (1, 0), " ")
    documents.changed(changing(file.as_uri(), 5, insert, join, at((0, 8), (0, 8), "!")))
    assert (document.text, document.version, document.in_sync) == ("one zwei!\n", 5, True)


def test_whole_texts_and_places_behind_the_end_are_followed(documents: OpenDocuments, file: Path) -> None:
    document = opened(documents, file)
    documents.changed(changing(file.as_uri(), 2, {"text": "whole"}, at((0, 99), (99, 0), "!")))
    assert document.text == "whole!"
    documents.changed(changing(file.as_uri(), 3, at((0, 0), (2**31 - 1, 2**31 - 1), "again")))
    assert (document.text, document.in_sync) == ("again", True)
    documents.changed(changing(file.as_uri(), 4, {"range": None, "text": "null"}))
    assert document.text == "null"


def test_a_save_does_not_forget_an_emptied_document_that_is_out_of_sync(
    documents: OpenDocuments, file: Path
) -> None:
    opened(documents, file, "")
    documents.changed(changing(file.as_uri(), 2, {"text": None}))
    documents.saved({"textDocument": named(file.as_uri())})
    document = documents.get(file.as_uri())
    assert document is not None
    assert not document.in_sync


@pytest.mark.parametrize("change", UNCERTAIN)
def test_an_uncertain_change_ends_sync_for_a_time(documents: OpenDocuments, file: Path, change: Any) -> None:
    document = opened(documents, file, "text😀\n")
    documents.changed(changing(file.as_uri(), 2, change, at((0, 0), (0, 0), "never guessed: ")))
    assert (document.in_sync, document.text, document.version) == (False, "text😀\n", 2)
    documents.changed(changing(file.as_uri(), 3, at((0, 0), (0, 0), "neither later")))
    assert (document.in_sync, document.text) == (False, "text😀\n")
    documents.changed(changing(file.as_uri(), 4, {"text": "whole"}, at((0, 0), (0, 0), "the ")))
    assert (document.in_sync, document.text) == (True, "the whole")


def test_a_save_puts_nothing_right(documents: OpenDocuments, file: Path) -> None:
    document = opened(documents, file)
    documents.changed(changing(file.as_uri(), 2, UNCERTAIN[0]))
    documents.saved({"textDocument": named(file.as_uri()), "text": "a part"})
    assert not document.in_sync


def test_a_document_opened_again_is_in_sync_again(documents: OpenDocuments, file: Path) -> None:
    documents.changed(changing(opened(documents, file).uri, 2, UNCERTAIN[0]))
    again = opened(documents, file, "again")
    assert (again.in_sync, again.text) == (True, "again")
    documents.closed({"textDocument": named(file.as_uri())})
    assert documents.at(str(file)) is None


def test_a_document_opened_without_a_text_is_known_to_be_open(documents: OpenDocuments, file: Path) -> None:
    documents.opened({"textDocument": named(file.as_uri(), version=1)})
    document = documents.at(str(file))
    assert document is not None
    assert not document.in_sync


def test_where_only_lf_ends_lines_a_cr_has_a_column(documents: OpenDocuments, file: Path) -> None:
    documents.ends_lines_at_cr = False
    document = opened(documents, file, "one\r\ntwo\nthree\r\n")
    documents.changed(changing(file.as_uri(), 2, at((1, 0), (2, 6), "2\nthree\r")))
    assert (document.text, document.positions_reliable) == ("one\r\n2\nthree\r\n", True)
    documents.changed(changing(file.as_uri(), 3, at((0, 4), (0, 4), "!")))
    assert (document.text, document.positions_reliable) == ("one\r!\n2\nthree\r\n", False)
    documents.changed(changing(file.as_uri(), 4, at((0, 5), (0, 5), "?")))
    assert not document.in_sync


def test_a_change_of_a_document_that_was_never_opened_is_not_guessed(
    documents: OpenDocuments, file: Path
) -> None:
    for end in (documents.saved, documents.closed):
        documents.changed(changing(file.as_uri(), 7, at((0, 0), (0, 0), "typed")))
        document = documents.at(str(file))
        assert document is not None
        assert not document.in_sync
        end({"textDocument": named(file.as_uri())})
        assert documents.at(str(file)) is None
    documents.changed(changing(file.as_uri(), 8, {"text": "whole"}))
    document = documents.at(str(file))
    assert document is not None
    assert (document.text, document.version, document.in_sync) == ("whole", 8, True)


def test_what_vs_code_tells_of_a_document_after_its_close_opens_nothing(
    documents: OpenDocuments, file: Path
) -> None:
    documents.tells_after_close = True
    opened(documents, file)
    documents.closed({"textDocument": named(file.as_uri())})
    documents.changed(changing(file.as_uri(), 3, at((0, 0), (0, 5), "")))
    assert documents.at(str(file)) is None


def test_a_version_going_back_is_not_trusted_without_the_text(documents: OpenDocuments, file: Path) -> None:
    document = opened(documents, file)
    documents.changed(changing(file.as_uri(), 7, at((0, 0), (0, 0), "a")))
    documents.changed(changing(file.as_uri(), 6, at((0, 0), (0, 0), "b")))
    assert (document.in_sync, document.text, document.version) == (False, "aone\ntwo\n", 6)
    documents.changed(changing(file.as_uri(), 5, {"text": "whole"}))
    assert (document.in_sync, document.text, document.version) == (True, "whole", 5)


@pytest.mark.parametrize("version", [1, None, "3", True])
def test_an_editor_without_versions_is_followed(documents: OpenDocuments, file: Path, version: Any) -> None:
    document = opened(documents, file)
    documents.changed(changing(file.as_uri(), version, at((0, 0), (0, 0), "a")))
    assert (document.in_sync, document.text, document.version) == (True, "aone\ntwo\n", 1)


@pytest.mark.parametrize("told", ["opened", "changed", "saved", "closed", "state_reported"])
@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        "text",
        {"textDocument": None},
        {"textDocument": {"uri": None}},
        {"textDocument": {"uri": ["a"]}},
        {"textDocument": {"uri": "file:///nowhere/open", "version": 1}},
        {"uri": 5},
        {"uri": "file:///nowhere/open", "dirty": True},
    ],
)
def test_odd_and_late_messages_are_only_logged(
    documents: OpenDocuments, caplog: pytest.LogCaptureFixture, told: str, params: Any
) -> None:
    caplog.set_level(logging.INFO)
    getattr(documents, told)(params)
    assert caplog.records or told == "opened"
    assert all(record.levelno <= logging.WARNING for record in caplog.records)


def test_no_text_is_logged(documents: OpenDocuments, file: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    opened(documents, file, "secret")
    for change in UNCERTAIN:
        documents.changed(changing(file.as_uri(), 1, {"text": "secret"}, change, {"text": ["secret"]}))
    assert "out of sync" in caplog.text
    assert "secret" not in caplog.text


def test_hints_are_what_the_client_told_last(documents: OpenDocuments, file: Path) -> None:
    document = opened(documents, file)
    documents.state_reported({"uri": file.as_uri(), "dirty": True, "encoding": "windows1252"})
    documents.state_reported({"uri": file.as_uri(), "dirty": "yes", "encoding": 5})
    assert (document.dirty_hint, document.encoding_hint) == (True, "windows1252")
    documents.state_reported({"uri": file.as_uri(), "dirty": False})
    assert (document.dirty_hint, document.encoding_hint) == (False, "windows1252")


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///no/such/a%20b.txt", "/no/such/a b.txt"),
        ("FILE:///no/such/a", "/no/such/a"),
        ("file://localhost/no/such/a", "/no/such/a"),
        ("file:/no/such/a", "/no/such/a"),
        ("file:///no/such/%E6%BC%A2", "/no/such/漢"),
        ("file:///no/such/漢", "/no/such/漢"),
        ("file:///no/such/%FF", os.fsdecode(b"/no/such/\xff")),
        ("file:///no/such/a#b?c%23%3F", "/no/such/a#b?c#?"),
        ("file:///no/../no/such//a", "/no/such/a"),
        ("file://elsewhere/no/such/a", None),
        ("file:relative", None),
        ("file:///no/such/%00", None),
        ("file:///no/such/\ud800", None),
        ("untitled:/no/such/a", None),
        ("untitled:Untitled-1", None),
        ("git:/no/such/a?%7B%7D", None),
        ("vscode-notebook-cell:/no/such/a.ipynb#X1", None),
        ("/no/such/a", None),
        ("", None),
    ],
)
def test_only_files_of_this_machine_have_a_path(uri: str, path: str | None) -> None:
    assert path_of(uri) == path


def test_documents_without_a_file_are_kept_by_their_uri(documents: OpenDocuments) -> None:
    documents.opened(opening("untitled:Untitled-1", "a"))
    documents.changed(changing("untitled:Untitled-1", 2, at((0, 1), (0, 1), "b")))
    document = documents.get("untitled:Untitled-1")
    assert document is not None
    assert (document.text, document.paths) == ("ab", ())
    documents.closed({"textDocument": named("untitled:Untitled-1")})
    assert documents.get("untitled:Untitled-1") is None


def test_a_document_opened_in_other_letter_case_is_found_by_the_file(
    documents: OpenDocuments, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ignore_case(file.parent, monkeypatch)
    documents.opened(opening(file.with_name(file.name.upper()).as_uri(), "unsaved"))
    document = documents.at(str(file))
    assert document is not None
    assert document.text == "unsaved"


def test_a_document_opened_through_a_link_is_found_by_the_file(documents: OpenDocuments, file: Path) -> None:
    folder = file.parent / "folder"
    folder.symlink_to(file.parent)
    uri = (folder / file.name).as_uri()
    beside = opened(documents, file)
    documents.opened(opening(uri, "through a link"))
    documents.saved({"textDocument": named(uri)})
    documents.changed(changing(uri, 2, at((0, 0), (0, 0), "typed ")))
    document = documents.at(str(file))
    assert document is not None
    assert document.text == "typed through a link"
    documents.closed({"textDocument": named(uri)})
    assert documents.at(str(file)) is beside


def test_a_watch_that_fails_or_ends_while_told_is_no_harm_to_others(
    documents: OpenDocuments, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[str] = []

    def fail() -> None:
        seen.append("failing")
        raise ValueError("a defect")

    def once() -> None:
        seen.append("once")
        end()

    documents.watch(str(file), fail)
    end = documents.watch(str(file), once)
    documents.watch(str(file), lambda: seen.append("last"))
    opened(documents, file)
    opened(documents, file)
    assert seen == ["failing", "once", "last", "failing", "last"]
    assert "while telling of a document" in caplog.text


def test_of_too_many_unsaved_files_each_counts(
    documents: OpenDocuments, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comparing paths takes time, and asking about a change costs little."""
    monkeypatch.setattr("agentfs_lsp.adapters.documents._MAX_FOLLOWED", 3)
    for number in range(3):
        documents.state_reported({"uri": f"file:///nowhere/{number}.ipynb", "unsaved_elsewhere": True})
    assert not documents.is_unsaved_elsewhere("/nowhere/a.py")
    documents.state_reported({"uri": "file:///nowhere/3.ipynb", "unsaved_elsewhere": True})
    assert documents.is_unsaved_elsewhere("/nowhere/a.py")
