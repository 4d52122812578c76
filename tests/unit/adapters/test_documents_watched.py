"""Watched documents, and several documents of one file."""

from pathlib import Path

import pytest

from agentfs_lsp.adapters.documents import OpenDocument, OpenDocuments
from support.documents import UNCERTAIN, at, changing, named, opened, opening


class TestSeveralDocumentsOfOneFile:
    @pytest.fixture
    def both(self, documents: OpenDocuments, file: Path) -> tuple[OpenDocument, OpenDocument]:
        link = file.parent / "link.txt"
        link.symlink_to(file)
        documents.opened(opening(file.as_uri(), "one\n"))
        documents.opened(opening(link.as_uri(), "one\n"))
        first, second = documents.get(file.as_uri()), documents.get(link.as_uri())
        assert first is not None
        assert second is not None
        return first, second

    def test_the_one_edited_last_counts(
        self, documents: OpenDocuments, file: Path, both: tuple[OpenDocument, OpenDocument]
    ) -> None:
        for one in (*both, *reversed(both)):
            documents.changed(changing(one.uri, 2, at((0, 0), (0, 0), "x")))
            assert documents.at(str(file)) is one

    def test_one_that_was_saved_gives_way(
        self, documents: OpenDocuments, file: Path, both: tuple[OpenDocument, OpenDocument]
    ) -> None:
        for one in both:
            documents.changed(changing(one.uri, 2, at((0, 0), (0, 0), "x")))
        documents.saved({"textDocument": named(both[1].uri)})
        assert documents.at(str(file)) is both[0]

    def test_one_called_dirty_comes_first_and_one_out_of_sync_before_it(
        self, documents: OpenDocuments, file: Path, both: tuple[OpenDocument, OpenDocument]
    ) -> None:
        documents.changed(changing(both[1].uri, 2, at((0, 0), (0, 0), "x")))
        documents.state_reported({"uri": both[0].uri, "dirty": True})
        assert documents.at(str(file)) is both[0]
        documents.changed(changing(both[1].uri, 3, UNCERTAIN[0]))
        assert documents.at(str(file)) is both[1]

    def test_closing_one_leaves_the_other(
        self, documents: OpenDocuments, file: Path, both: tuple[OpenDocument, OpenDocument]
    ) -> None:
        for closed, left in (both, (both[1], None)):
            documents.closed({"textDocument": named(closed.uri)})
            assert documents.at(str(file)) is left


def test_a_watch_is_told_of_everything_until_it_ends(documents: OpenDocuments, file: Path) -> None:
    texts: list[str | None] = []

    def see() -> None:
        document = documents.at(str(file))
        texts.append(document and document.text)

    end = documents.watch(str(file), see)
    documents.opened(opening(file.as_uri(), "a"))
    documents.opened(opening(file.with_name("other").as_uri(), "other"))
    documents.changed(changing(file.as_uri(), 2, at((0, 1), (0, 1), "b")))
    documents.state_reported({"uri": file.as_uri(), "dirty": True})
    documents.saved({"textDocument": named(file.as_uri())})
    documents.closed({"textDocument": named(file.as_uri())})
    assert texts == ["a", "ab", "ab", "ab", None]
    end()
    end()
    documents.opened(opening(file.as_uri(), "c"))
    assert len(texts) == 5


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
