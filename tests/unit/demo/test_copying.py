"""The demo works on a copy of limited size."""

import os

import pytest

from agentfs_lsp.demo.copying import MAX_FILES, TooBigError, copy_project


def test_a_copy_holds_the_projects_files_as_they_are(tmp_path) -> None:
    source, target = tmp_path / "project", tmp_path / "copy"
    for name in (
        "src/a.py",
        ".editorconfig",
        ".git/config",
        "node_modules/x/index.js",
        "src/__pycache__/a.pyc",
    ):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(b"one\r\n\xff")
    (source / "src/a.py").chmod(0o755)
    copy_project(source, target)
    files = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert files == {"src/a.py", ".editorconfig"}
    assert (target / "src/a.py").read_bytes() == b"one\r\n\xff"
    assert (target / "src/a.py").stat().st_mode & 0o777 == 0o755


def test_links_and_devices_are_left_out(tmp_path) -> None:
    source, target = tmp_path / "project", tmp_path / "copy"
    source.mkdir()
    (tmp_path / "outside").write_bytes(b"not part of the project")
    (source / "link").symlink_to(tmp_path / "outside")
    (source / "loop").symlink_to(source)
    os.mkfifo(source / "pipe")
    (source / "a.txt").write_bytes(b"a")
    copy_project(source, target)
    assert [path.name for path in target.iterdir()] == ["a.txt"]


def test_a_folder_that_the_copy_lies_in_is_copied_without_it(tmp_path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    (tmp_path / "scratch").mkdir()
    copy_project(tmp_path, tmp_path / "scratch/copy")
    assert [path.name for path in (tmp_path / "scratch/copy").iterdir()] == ["a.txt"]


def test_many_files_are_refused(tmp_path) -> None:
    source = tmp_path / "project"
    source.mkdir()
    (source / "0").write_bytes(b"")
    for number in range(1, MAX_FILES + 1):
        os.link(source / "0", source / str(number))
    with pytest.raises(TooBigError):
        copy_project(source, tmp_path / "copy")
