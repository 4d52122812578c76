"""Files come to be and are replaced whole, or not at all (docs/protocol.md#6-agentfswrite)."""

from __future__ import annotations

import os
import resource
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentfs_lsp.adapters import replace, temporary
from agentfs_lsp.adapters import staged as staged_file
from agentfs_lsp.domain.errors import (
    Conflict,
    FolderMissing,
    LandingUnknown,
    MalformedPath,
    OutsideRoots,
    SystemFailed,
    SystemRefused,
)
from agentfs_lsp.domain.revision import hash_bytes
from support.mounts import small_disk

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.adapters.staged import StagedFile
    from unit.adapters.conftest import Disk


def stage(disk: Disk, relative: str, data: bytes, *, create_dirs: bool = True) -> StagedFile:
    location = disk.at(relative)
    base = None if disk.store.stat(location) is None else disk.store.read(location, 1 << 26)
    return disk.stage(location, data, base, create_dirs=create_dirs)


# --- what lands -------------------------------------------------------------------------------------------


def test_a_new_file_is_there_only_once_it_is_committed(disk: Disk) -> None:
    staged = stage(disk, "new.py", b"content")
    assert not (disk.path / "new.py").exists()

    landed = staged.commit()
    assert (disk.path / "new.py").read_bytes() == b"content"
    assert landed.stat == disk.store.stat(disk.at("new.py"))
    assert (landed.hard_links, landed.created_dirs) == (0, ())
    assert disk.names() == {"new.py"}


@pytest.mark.parametrize("size", [0, 10, 3_000_000])
def test_an_existing_file_is_replaced_whole(disk: Disk, size: int) -> None:
    disk.put("sub/a.py", b"old")
    staged = stage(disk, "sub/a.py", b"n" * size)
    assert (disk.path / "sub/a.py").read_bytes() == b"old"

    landed = staged.commit()
    assert (disk.path / "sub/a.py").read_bytes() == b"n" * size
    assert landed.stat == disk.store.stat(disk.at("sub/a.py"))
    assert disk.names("sub") == {"a.py"}


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_and_its_folders_follow_the_umask(disk: Disk, umask: int) -> None:
    before = os.umask(umask)
    try:
        stage(disk, "made/new.py", b"x").commit()
    finally:
        os.umask(before)
    assert stat.S_IMODE((disk.path / "made/new.py").stat().st_mode) == 0o666 & ~umask
    assert stat.S_IMODE((disk.path / "made").stat().st_mode) == 0o777 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o640, 0o666, 0o4755, 0o2755])
def test_the_mode_is_kept(disk: Disk, mode: int) -> None:
    disk.put("a.py", b"old").chmod(mode)
    stage(disk, "a.py", b"new").commit()
    assert stat.S_IMODE((disk.path / "a.py").stat().st_mode) == mode


def test_a_mode_changed_while_the_change_was_on_its_way_is_kept_too(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    path.chmod(0o644)
    staged = stage(disk, "a.py", b"new")
    path.chmod(0o751)
    staged.commit()
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert path.read_bytes() == b"new"


def test_the_owner_is_kept(disk: Disk) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    path = disk.put("a.py", b"old")
    os.chown(path, 12345, 23456)
    path.chmod(0o6754)
    stage(disk, "a.py", b"new").commit()
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o6754)


def test_extended_attributes_are_kept(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    try:
        os.setxattr(path, "user.colour", b"blue")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    stage(disk, "a.py", b"new").commit()
    assert os.getxattr(path, "user.colour") == b"blue"


def _access_list(*entries: tuple[int, int, int]) -> bytes:
    """A POSIX access list as the kernel keeps it: (tag, permissions, id) each, version 2."""
    packed = b"".join(
        tag.to_bytes(2, "little") + permissions.to_bytes(2, "little") + who.to_bytes(4, "little")
        for tag, permissions, who in entries
    )
    return (2).to_bytes(4, "little") + packed


_NOBODY = 0xFFFFFFFF
_LIST = _access_list((1, 6, _NOBODY), (2, 7, 12345), (4, 4, _NOBODY), (0x10, 7, _NOBODY), (0x20, 0, _NOBODY))


def _set_list(path: Path, name: str) -> None:
    try:
        os.setxattr(path, name, _LIST)
    except (OSError, AttributeError):
        pytest.skip("no access lists here")


def test_access_lists_are_kept(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    _set_list(path, "system.posix_acl_access")
    mode = path.stat().st_mode
    stage(disk, "a.py", b"new").commit()
    assert os.getxattr(path, "system.posix_acl_access") == _LIST
    assert path.stat().st_mode == mode


def test_the_folders_access_list_lets_nobody_into_a_replaced_file(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    path.chmod(0o660)
    _set_list(disk.path, "system.posix_acl_default")
    stage(disk, "a.py", b"new").commit()
    assert "system.posix_acl_access" not in os.listxattr(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_while_it_is_staged_nobody_else_can_read_what_only_the_owner_may(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    keep = temporary.keep_attributes

    def watch(source: int, target: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(target).st_mode))
        keep(source, target)

    monkeypatch.setattr(temporary, "keep_attributes", watch)
    disk.put("a.py", b"old").chmod(0o644)
    stage(disk, "a.py", b"new").discard()
    assert seen == [0o600]


def test_the_other_names_of_a_file_keep_the_old_content(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    os.link(path, disk.path / "b.py")
    os.link(path, disk.path / "c.py")
    assert stage(disk, "a.py", b"new").commit().hard_links == 2
    assert (disk.path / "b.py").read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_a_link_stays_a_link(disk: Disk) -> None:
    disk.put("sub/a.py", b"old")
    os.symlink("sub/a.py", disk.path / "link")
    stage(disk, "link", b"new").commit()
    assert os.readlink(disk.path / "link") == "sub/a.py"
    assert (disk.path / "sub/a.py").read_bytes() == b"new"


# --- folders ----------------------------------------------------------------------------------------------


def test_missing_folders_are_made_and_told(disk: Disk) -> None:
    disk.put("src/a.py", b"")
    landed = stage(disk, "src/one/two/new.py", b"x").commit()
    assert landed.created_dirs == ("src/one", "src/one/two")
    assert (disk.path / "src/one/two/new.py").read_bytes() == b"x"


def test_missing_folders_are_gone_again_when_nothing_lands(disk: Disk) -> None:
    disk.put("src/a.py", b"")
    staged = stage(disk, "src/one/two/new.py", b"x")
    assert (disk.path / "src/one/two").is_dir()
    staged.discard()
    staged.discard()
    assert disk.names("src") == {"a.py"}


def test_a_folder_somebody_else_uses_by_now_stays(disk: Disk) -> None:
    staged = stage(disk, "one/two/new.py", b"x")
    disk.put("one/theirs", b"")
    staged.discard()
    assert disk.names("one") == {"theirs"}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_folder_that_two_files_need_goes_with_the_last(disk: Disk, order: tuple[int, int]) -> None:
    staged = [stage(disk, "new/a.py", b"a"), stage(disk, "new/b.py", b"b")]
    for number in order:
        staged[number].discard()
    assert disk.names() == set()


@pytest.mark.parametrize("lands", [0, 1])
def test_a_folder_that_two_files_need_stays_with_the_one_that_lands(disk: Disk, lands: int) -> None:
    staged = [stage(disk, "new/deep/a.py", b"a"), stage(disk, "new/deep/b.py", b"b")]
    assert staged[lands].commit().created_dirs == ("new", "new/deep")
    staged[1 - lands].discard()
    assert disk.names("new/deep") == {"ab"[lands] + ".py"}


def test_without_leave_no_folder_is_made(disk: Disk) -> None:
    with pytest.raises(FolderMissing):
        stage(disk, "one/new.py", b"x", create_dirs=False)
    assert disk.names() == set()


@pytest.mark.parametrize("relative", ["file/new.py", "file/one/new.py"])
def test_no_folder_is_made_below_a_file(disk: Disk, relative: str) -> None:
    location = disk.at(relative)
    disk.put("file", b"came to be")
    with pytest.raises(MalformedPath, match="below_file"):
        disk.stage(location, b"x", None)
    assert disk.names() == {"file"}


def test_a_folder_swapped_for_a_link_gets_no_new_folders(disk: Disk) -> None:
    (disk.path / "sub").mkdir()
    location = disk.at("sub/made/new.py")
    (disk.path / "sub").rmdir()
    os.symlink(disk.outside, disk.path / "sub")
    with pytest.raises(OutsideRoots):
        disk.stage(location, b"x", None)
    assert {path.name for path in disk.outside.iterdir()} == {"secret"}


# --- what is in the way -----------------------------------------------------------------------------------


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
def test_what_somebody_writes_in_the_very_moment_is_put_back(
    disk: Disk, intrude: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not disk.kernel.exchange:
        pytest.skip("without an exchange the last look is all there is")
    path = disk.put("a.py", b"old")
    staged = stage(disk, "a.py", b"new")
    exchange, theirs = replace.exchange, []

    def intrude_first(folder: int, one: str, other: str) -> None:
        if not theirs:
            intrude(path)
            theirs.append(_content(path))
        exchange(folder, one, other)

    monkeypatch.setattr(replace, "exchange", intrude_first)
    with pytest.raises(Conflict, match="reviewing"):
        staged.commit()
    staged.discard()
    assert [_content(path)] == theirs
    assert not [name for name in disk.names() if name.startswith(".agentfs")]


@pytest.mark.parametrize("second", [_replace, lambda path: path.write_bytes(b"newest of all"), Path.unlink])
def test_a_second_writer_during_the_put_back_loses_nothing(
    disk: Disk, second: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not disk.kernel.exchange:
        pytest.skip("nothing is put back without an exchange")
    path = disk.put("a.py", b"old")
    staged = stage(disk, "a.py", b"new")
    exchange, seen = replace.exchange, []

    def intrude_each_time(folder: int, one: str, other: str) -> None:
        seen.append(_content(path))
        if len(seen) == 1:
            path.write_bytes(b"first intruder")
        if len(seen) == 2:
            second(path)
        exchange(folder, one, other)

    monkeypatch.setattr(replace, "exchange", intrude_each_time)
    with pytest.raises(Conflict, match="reviewing"):
        staged.commit()
    staged.discard()
    expected = {_replace: b"hers", Path.unlink: b"first intruder"}.get(second, b"newest of all")
    assert path.read_bytes() == expected
    assert disk.names() == {"a.py"}


def test_who_had_the_file_open_and_writes_during_the_landing_is_heard(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not disk.kernel.exchange:
        pytest.skip("a plain rename lets the old file go at once")
    path = disk.put("a.py", b"old")
    staged = stage(disk, "a.py", b"new")
    with path.open("ab", buffering=0) as theirs:

        def write_meanwhile(folder: int) -> None:
            theirs.write(b" and more")

        monkeypatch.setattr(staged_file, "sync", write_meanwhile)
        with pytest.raises(Conflict, match="reviewing"):
            staged.commit()
    staged.discard()
    assert path.read_bytes() == b"old and more"


def test_touching_a_file_or_saving_the_same_again_is_no_conflict(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    base = disk.read("a.py")
    os.utime(path, (1, 1))
    staged = disk.stage(disk.at("a.py"), b"new", base)
    (disk.path / "copy").write_bytes(b"old")
    (disk.path / "copy").rename(path)
    staged.commit()
    assert path.read_bytes() == b"new"


def test_a_base_that_is_gone_by_then_is_told_when_staging(disk: Disk) -> None:
    path = disk.put("sub/a.py", b"old")
    location, base = disk.at("sub/a.py"), disk.read("sub/a.py")
    path.write_bytes(b"other")
    with pytest.raises(Conflict, match="reviewing"):
        disk.stage(location, b"new", base)
    path.unlink()
    with pytest.raises(Conflict, match="gone"):
        disk.stage(location, b"new", base)
    path.parent.rmdir()
    with pytest.raises(Conflict, match="gone"):
        disk.stage(location, b"new", base)
    assert disk.names() == set()


def test_a_new_file_never_replaces_one(disk: Disk) -> None:
    location = disk.at("new.py")
    staged = disk.stage(location, b"mine", None)
    path = disk.put("new.py", b"theirs")
    with pytest.raises(Conflict, match="exists"):
        staged.commit()
    staged.discard()
    with pytest.raises(Conflict, match="exists"):
        disk.stage(location, b"mine", None)
    assert path.read_bytes() == b"theirs"
    assert disk.names() == {"new.py"}


def test_a_file_removed_meanwhile_does_not_come_back(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    staged = stage(disk, "a.py", b"new")
    path.unlink()
    with pytest.raises(Conflict, match="gone"):
        staged.commit()
    staged.discard()
    assert disk.names() == set()


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


# --- when the system fails --------------------------------------------------------------------------------


def _fill(disk: Disk, staged: Callable[[], StagedFile]) -> None:
    """Have staging fail for want of room: the limit on a file's size serves on every file system."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(SystemFailed, match="too large"):
            staged()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_where_there_is_no_room_nothing_changes(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    _fill(disk, lambda: stage(disk, "a.py", b"n" * 200_000))
    _fill(disk, lambda: stage(disk, "made/new.py", b"n" * 200_000))
    assert path.read_bytes() == b"old"
    assert disk.names() == {"a.py"}


def test_a_full_disk_changes_nothing(disk: Disk) -> None:
    with small_disk(disk.path / "small", "256k"):
        path = disk.put("small/a.py", b"old")
        for relative in ("small/a.py", "small/made/new.py"):
            with pytest.raises(SystemFailed, match="No space left"):
                stage(disk, relative, b"n" * 400_000)
        assert disk.names("small") == {"a.py"}
        stage(disk, "small/a.py", b"new").commit()
        assert path.read_bytes() == b"new"


def test_what_is_write_protected_is_left_alone(disk: Disk) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    path = disk.put("sub/a.py", b"old")
    path.chmod(0o444)
    with pytest.raises(SystemRefused):
        stage(disk, "sub/a.py", b"new")
    path.chmod(0o644)
    path.parent.chmod(0o555)
    try:
        for relative in ("sub/a.py", "sub/new.py", "sub/made/new.py"):
            with pytest.raises(SystemRefused):
                stage(disk, relative, b"new")
    finally:
        path.parent.chmod(0o755)
    assert disk.names("sub") == {"a.py"}
    assert path.read_bytes() == b"old"


def _failing(handle: int) -> None:
    raise OSError(5, os.strerror(5))


def test_a_folder_that_cannot_be_synced_takes_it_all_back(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = disk.put("a.py", b"old")
    update, create = stage(disk, "a.py", b"new"), stage(disk, "new.py", b"x")
    monkeypatch.setattr(staged_file, "sync", _failing)
    with pytest.raises(SystemFailed, match="Input/output"):
        create.commit()
    create.discard()
    # Without an exchange the old file is gone by then, and that is what is said.
    with pytest.raises(SystemFailed if disk.kernel.exchange else LandingUnknown):
        update.commit()
    update.discard()
    assert path.read_bytes() == (b"old" if disk.kernel.exchange else b"new")
    assert disk.names() == {"a.py"}


def test_where_nothing_can_be_exchanged_back_no_byte_is_removed(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not disk.kernel.exchange:
        pytest.skip("nothing is put back without an exchange")
    path = disk.put("a.py", b"old")
    staged = stage(disk, "a.py", b"new")
    exchange, calls = replace.exchange, []

    def once(folder: int, one: str, other: str) -> None:
        calls.append(one)
        if len(calls) > 1:
            _failing(folder)
        path.write_bytes(b"theirs")
        exchange(folder, one, other)

    monkeypatch.setattr(replace, "exchange", once)
    with pytest.raises(LandingUnknown):
        staged.commit()
    staged.discard()
    assert (disk.path / calls[0]).read_bytes() == b"theirs"


@pytest.mark.parametrize("missing", [22, 38, 95])
def test_a_file_system_without_the_special_renames_is_served_all_the_same(
    disk: Disk, missing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: int, one: str, other: str) -> None:
        raise OSError(missing, os.strerror(missing))

    monkeypatch.setattr(replace, "exchange", refuse)
    monkeypatch.setattr(staged_file, "rename_exclusive", refuse)
    path = disk.put("a.py", b"old")
    stage(disk, "a.py", b"new").commit()
    stage(disk, "b.py", b"b").commit()
    assert path.read_bytes() == b"new"
    assert disk.names() == {"a.py", "b.py"}


def test_many_threads_land_one_after_the_other(disk: Disk) -> None:
    disk.put("a.py", b"0")
    won: list[int] = []

    def count() -> None:
        while len(won) < 40:
            base = disk.read("a.py")
            try:
                staged = disk.stage(disk.at("a.py"), b"%d" % (int(base.data) + 1), base)
            except Conflict:
                continue
            try:
                staged.commit()
                won.append(int(base.data))
            except Conflict:
                staged.discard()

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == list(range(len(won)))
    assert disk.read("a.py").data == b"%d" % len(won)
    assert disk.names() == {"a.py"}


def test_no_handle_is_left_open(disk: Disk) -> None:
    disk.put("sub/a.py", b"0")
    stage(disk, "sub/a.py", b"1").commit()  # the note and the lock stay
    handles = set(os.listdir("/dev/fd"))
    for number in range(3):
        stage(disk, "sub/a.py", b"%d" % number).commit()
        stage(disk, f"made/{number}", b"x").discard()
        staged = stage(disk, f"made/{number}", b"x")
        (disk.path / f"made/{number}").write_bytes(b"theirs")
        with pytest.raises(Conflict):
            staged.commit()
        staged.discard()
        del staged
    assert set(os.listdir("/dev/fd")) <= handles
