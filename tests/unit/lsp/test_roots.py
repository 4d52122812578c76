"""The names of folders as roots (docs/protocol.md#4-paths-and-roots)."""

from pathlib import Path

import pytest

from agentfs_lsp.domain.paths import parse
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.lsp.roots import roots_of


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("Tides", "Tides"),
        ("", "folder"),
        ("/home/ada/tides", "tides"),  # as in Neovim
        ("/", "folder"),
        ("client/src", "client_src"),
        (".", "folder"),
        ("..", "folder"),
        ("back\\slash", "back_slash"),
        ("tab\there\x9b", "tab_here_"),
        ("half\ud800", "half_"),
    ],
)
def test_a_root_has_a_name_that_a_path_can_begin_with(tmp_path: Path, told: str, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (root,) = roots_of([(folder.as_uri(), told)], Settings())
    assert root.name == name
    assert parse(f"{name}/a.txt", ["other", name]) == (1, "a.txt")


def test_the_folder_of_all_folders_has_a_name_too() -> None:
    (root,) = roots_of([("file:///", "")], Settings())
    assert root.name == "_"
