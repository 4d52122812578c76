"""What can't be shown is reported before any server starts, and leaves nothing behind."""

import tempfile

import pytest

from agentfs_lsp.demo.command import _told, run
from agentfs_lsp.demo.connection import LostServerError
from agentfs_lsp.demo.editor import RefusedError
from agentfs_lsp.domain.translation import english


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_project_without_text_is_said(tmp_path, scratch, capsys) -> None:
    (tmp_path / "project").mkdir()
    assert run([str(tmp_path / "project")], english) == 2
    assert "no text file that the demo can edit" in capsys.readouterr().err
    assert list(scratch.iterdir()) == []


def test_a_project_too_large_to_copy_is_said_with_the_limits(tmp_path, scratch, capsys) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(65 << 20)
    assert run([str(tmp_path)], english) == 2
    assert "more than 5000 files or 64 MiB" in capsys.readouterr().err
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (LostServerError(), "The server has exited."),
        (LostServerError(90.0), "The server did not respond for 90 seconds."),
        (RefusedError("no such method"), "no such method"),
    ],
)
def test_what_ended_the_turn_is_said(error, words) -> None:
    assert _told(error, english) == words


def test_the_help_names_every_key(capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["--help"], english)
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert all(
        words in said for words in ("a  accept", "r  reject", "e  edit", "w  accept", "Ctrl-D", "Ctrl-C")
    )
