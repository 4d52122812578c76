"""Another program writes a file being replaced, and loses nothing (docs/protocol.md#6-agentfswrite)."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentfs_lsp.adapters.landing import staged as staged_file
from agentfs_lsp.adapters.landing.staged import StagedFile
from agentfs_lsp.domain.errors import Conflict, SystemFailed
from agentfs_lsp.domain.revision import hash_bytes
from support.staging import before_each_exchange, stage
from unit.adapters.conftest import Disk


def _rewrite(path: Path) -> None:
    path.write_bytes(b"hers")


def _rewrite_alike(path: Path) -> None:
    found = path.stat()
    path.write_bytes(b"XYZ")
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def _replace(path: Path) -> None:
    (path.parent / "temporary").write_bytes(b"hers")
    (path.parent / "temporary").rename(path)


def _link(path: Path) -> None:
    (path.parent / "aside").write_bytes(b"old")
    path.unlink()
    path.symlink_to("aside")


def _make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _content(path: Path) -> object:
    if path.is_symlink():
        return os.readlink(path)
    return "folder" if path.is_dir() else path.read_bytes()


def commit_in_vain(staged: StagedFile) -> None:
    with pytest.raises(Conflict, match="reviewing"):
        staged.commit()
    staged.discard()


INTRUSIONS = [_rewrite, _rewrite_alike, _replace, _link, _make_folder]


@pytest.mark.parametrize("intrude", INTRUSIONS)
def test_what_somebody_wrote_before_the_commit_stays(disk: Disk, intrude: Callable[[Path], None]) -> None:
    path = disk.put("a.py", b"old")
    staged = stage(disk, "a.py", b"new")
    intrude(path)
    theirs = _content(path)

    with pytest.raises(Conflict) as refused:
        staged.commit()
    staged.discard()
    assert (refused.value.path, refused.value.source, refused.value.reason) == ("a.py", "disk", "reviewing")
    assert refused.value.expected is not None
    assert refused.value.expected.hash == hash_bytes(b"old")
    assert _content(path) == theirs
    assert not [name for name in disk.names() if name.startswith(".agentfs")]


@pytest.mark.parametrize("intrude", INTRUSIONS)
def test_what_somebody_writes_at_that_very_moment_is_put_back(
    exchanging: Disk, intrude: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, theirs = exchanging.put("a.py", b"old"), []

    def intrude_first(number: int) -> None:
        if number == 1:
            intrude(path)
            theirs.append(_content(path))

    before_each_exchange(monkeypatch, intrude_first)
    commit_in_vain(stage(exchanging, "a.py", b"new"))
    assert [_content(path)] == theirs
    assert not [name for name in exchanging.names() if name.startswith(".agentfs")]


@pytest.mark.parametrize("second", [_replace, lambda path: path.write_bytes(b"newest of all"), Path.unlink])
def test_a_second_writer_during_the_put_back_loses_nothing(
    exchanging: Disk, second: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = exchanging.put("a.py", b"old")

    def intrude(number: int) -> None:
        if number == 1:
            path.write_bytes(b"first intruder")
        if number == 2:
            second(path)

    before_each_exchange(monkeypatch, intrude)
    commit_in_vain(stage(exchanging, "a.py", b"new"))
    expected = {_replace: b"hers", Path.unlink: b"first intruder"}.get(second, b"newest of all")
    assert path.read_bytes() == expected
    assert exchanging.names() == {"a.py"}


def test_a_write_through_an_open_handle_is_heard(exchanging: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = exchanging.put("a.py", b"old")
    staged = stage(exchanging, "a.py", b"new")
    synced: list[bytes] = []
    with path.open("ab", buffering=0) as theirs:

        def write_meanwhile(folder: int) -> None:
            if not synced:
                theirs.write(b" and more")
            synced.append(path.read_bytes())

        monkeypatch.setattr(staged_file, "sync", write_meanwhile)
        commit_in_vain(staged)
    assert path.read_bytes() == b"old and more"
    assert synced == [b"new", b"old and more"]  # durably, too


def test_touching_a_file_or_saving_the_same_again_is_no_conflict(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    base = disk.read("a.py")
    os.utime(path, (1, 1))
    staged = disk.stage(disk.at("a.py"), b"new", base)
    (disk.path / "copy").write_bytes(b"old")
    (disk.path / "copy").rename(path)
    staged.commit()
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("exists", [True, False])
def test_nothing_lands_in_a_folder_that_was_moved_away(disk: Disk, exists: bool) -> None:
    disk.put("sub/other", b"")
    if exists:
        disk.put("sub/a.py", b"old")
    staged = stage(disk, "sub/a.py", b"new")
    (disk.path / "sub").rename(disk.outside / "sub")
    disk.put("sub/other", b"")
    with pytest.raises(Conflict, match="gone"):
        staged.commit()
    staged.discard()
    expected = {"other", "a.py"} if exists else {"other"}
    assert {path.name for path in (disk.outside / "sub").iterdir()} == expected
    assert disk.names("sub") == {"other"}


def test_a_temporary_file_that_was_tampered_with_does_not_land(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    staged = stage(disk, "a.py", b"new")
    [temporary] = disk.names() - {"a.py"}
    (disk.path / temporary).write_bytes(b"not what was reviewed")
    with pytest.raises(SystemFailed):
        staged.commit()
    (disk.path / temporary).unlink()
    with pytest.raises(SystemFailed):
        staged.commit()
    assert path.read_bytes() == b"old"
