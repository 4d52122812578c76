"""Where the terminal reviewer keeps what the user made of proposals that ended without it."""

import tempfile
from pathlib import Path

import pytest

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.reviewer.drafts import Drafts
from agentfs_lsp.reviewer.proposals import File, Review


def review(path: str, amended: str | None, session: str = "chat-1") -> Review:
    file = File(f"file:///{path}", path, "update", "one\n", "1\n", [], amended)
    return Review("p1", "Edit", "Ada", session, "", True, False, [file])


def test_each_text_has_a_file_of_its_own_and_is_found_by_session_and_file(tmp_path: Path) -> None:
    drafts = Drafts(StateFolder(str(tmp_path)))
    first = review("a.py", "\udc80")
    kept = [drafts.keep(first), drafts.keep(review("a.py", "2\n")), drafts.keep(review("a.py", None))]
    assert drafts.keep(first) is None
    assert kept[2] is None
    assert list(drafts) == kept[:2]
    assert drafts.of(review("a.py", None)) == kept[1]
    assert drafts.of(review("b.py", None)) is None
    assert drafts.of(review("a.py", None, "chat-2")) is None


@pytest.mark.parametrize("path", ["x/..", "\udcff\x1b\n", "é" * 255, "-rf"])
def test_any_name_of_a_file_makes_a_name(tmp_path: Path, path: str) -> None:
    kept = Drafts(StateFolder(str(tmp_path))).keep(review(path, "2\n"))
    assert kept is not None
    assert Path(kept).parent == tmp_path / "drafts"
    assert Path(kept).read_text() == "2\n"
    assert kept.isprintable()


def test_without_a_state_folder_it_is_with_the_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "state").write_text("")
    kept = Drafts(StateFolder(str(tmp_path / "state"))).keep(review("a.py", "2\n"))
    assert kept is not None
    assert Path(kept).parent == tmp_path
    assert Path(kept).stat().st_mode & 0o777 == 0o600
