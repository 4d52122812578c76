"""How the next start recovers an interrupted landing that another program interfered with
(docs/protocol.md#10-agentfsbatch)."""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, product
from pathlib import Path
from unittest import mock

import pytest

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs import syscalls
from agentfs_lsp.adapters.landing import transaction as together
from agentfs_lsp.adapters.landing.partial_commit import PartialCommit
from agentfs_lsp.adapters.landing.temporary_registry import aside_name
from support import transaction
from support.recording import Operation, watching
from support.transaction import (
    AFTER,
    BEFORE,
    OneAfterTheOther,
    files_after_the_next_start,
    files_in_root,
    land,
    lay_out,
    store_at,
)


class Killed(BaseException):
    """The process dies; nothing after this runs."""


def interrupted(base: Path, swapped: int, *, special: bool = True) -> None:
    """A landing killed after swapping this many of its three files, less than all. The removal comes last."""
    lay_out(base)
    moved = 0

    def stop(operation: Operation) -> None:
        nonlocal moved
        in_root = operation.path.startswith(str(base / "root"))
        moved += in_root and operation.kind in {"exchange", "rename", "link"}
        if moved > swapped:
            raise Killed

    with (
        mock.patch.object(together, "ThreadPoolExecutor", OneAfterTheOther),
        watching(stop, str(base)),
        pytest.raises(Killed),
    ):
        land(base, special=special)


def start(base: Path, *, special: bool = True) -> list[str]:
    store, _ = store_at(base, special=special)
    return [one.outcome for one in store.sweep()]


@pytest.mark.parametrize("swapped", [0, 1, 2])
def test_an_undisturbed_landing_is_finished(tmp_path: Path, swapped: int) -> None:
    interrupted(tmp_path, swapped)
    assert start(tmp_path) == ["finished"]
    assert files_in_root(tmp_path) == AFTER
    assert start(tmp_path) == []


def test_a_removal_is_finished_or_not_begun(tmp_path: Path) -> None:
    def stop(operation: Operation) -> None:
        if operation.kind == "unlink" and operation.path.endswith("/gone.py"):
            raise Killed

    interrupted(tmp_path, 1)
    store, _ = store_at(tmp_path, special=False)
    with watching(stop, str(tmp_path)), suppress(Killed):
        store.sweep()
    transaction.abandon(store)
    start(tmp_path)
    assert files_in_root(tmp_path) == AFTER


def test_a_removal_killed_while_it_was_reverted_is_not_done(tmp_path: Path) -> None:
    """Where the file system can't rename exclusively, the file has both names for a moment."""

    dead = False

    def stop(operation: Operation) -> None:
        nonlocal dead
        if operation.kind == "sync_folder" and operation.path.endswith("/sub"):
            raise OSError(errno.EIO, "")  # so it is reverted
        dead = dead or (operation.kind == "unlink" and "/sub/" in operation.path)
        if dead:
            raise Killed

    lay_out(tmp_path)
    with (
        mock.patch.object(syscalls, "rename_exclusive", side_effect=OSError(errno.EINVAL, "")),
        mock.patch.object(together, "ThreadPoolExecutor", OneAfterTheOther),
        watching(stop, str(tmp_path)),
        pytest.raises(Killed),
    ):
        land(tmp_path)
    assert {path.stat().st_nlink for path in (tmp_path / "root/sub").iterdir()} == {2}
    assert files_after_the_next_start(tmp_path) == BEFORE


def test_what_a_living_server_is_at_is_left_alone_until_it_is_dead(tmp_path: Path) -> None:
    living: list[DiskStore] = []
    with mock.patch.object(transaction, "abandon", living.append):
        interrupted(tmp_path, 1)
    before = files_in_root(tmp_path)
    assert start(tmp_path) == []
    assert files_in_root(tmp_path) == before
    transaction.abandon(living[0])
    assert start(tmp_path) == ["finished"]
    assert files_in_root(tmp_path) == AFTER


@pytest.mark.parametrize(
    ("swapped", "name", "outcome", "others"),
    [
        (0, "a.py", [], BEFORE),  # what nobody began is dropped without a word
        (1, "sub/gone.py", ["rolled_back"], BEFORE),
        (2, "sub/gone.py", ["rolled_back"], BEFORE),
        (2, "a.py", ["finished"], AFTER),  # this file had landed
    ],
)
def test_a_file_changed_since_stays_and_the_others_go_together(
    tmp_path: Path, swapped: int, name: str, outcome: list[str], others: dict[str, bytes]
) -> None:
    interrupted(tmp_path, swapped)
    (tmp_path / "root" / name).write_bytes(b"theirs\n")
    assert start(tmp_path) == outcome
    assert files_in_root(tmp_path) == {**others, name: b"theirs\n"}


@pytest.mark.parametrize("special", list(product((True, False), repeat=3)))
def test_system_calls_that_are_missing_at_one_start_make_no_difference(
    tmp_path: Path, special: tuple[bool, bool, bool]
) -> None:
    for lives_for, twice in product(range(20), (False, True)):
        interrupted(tmp_path, 2, special=special[0])
        (tmp_path / "root/sub/gone.py").write_bytes(b"theirs\n")
        if twice:  # as after a start that could exchange names, which a landing could not
            (spare,) = (tmp_path / "root").glob(".agentfs-*")
            temporary = spare.with_name(spare.name.replace("-old.tmp", ".tmp"))
            for path in (temporary, temporary.with_name(aside_name(temporary.name))):
                path.write_bytes(BEFORE["a.py"])
        operations = count()

        def stop(_: Operation, operations: Iterator[int] = operations, lives_for: int = lives_for) -> None:
            if next(operations) >= lives_for:
                raise Killed

        with watching(stop, str(tmp_path / "root")), suppress(Killed):
            start(tmp_path, special=special[1])
        assert "set_aside" not in start(tmp_path, special=special[2]), lives_for
        assert files_in_root(tmp_path) == {**BEFORE, "sub/gone.py": b"theirs\n"}


@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("name", ["a.py", "sub/gone.py"])
def test_what_somebody_wrote_in_the_very_moment_of_the_swap_is_put_back(
    tmp_path: Path, name: str, special: bool
) -> None:
    lay_out(tmp_path)
    file, written = tmp_path / "root" / name, False

    def stop(operation: Operation) -> None:
        nonlocal written
        if written:
            raise Killed
        if operation.kind in {"exchange", "rename"} and str(file) in (operation.path, operation.other):
            written = bool(file.write_bytes(b"theirs\n"))

    with (
        mock.patch.object(together, "ThreadPoolExecutor", OneAfterTheOther),
        watching(stop, str(tmp_path)),
        pytest.raises(Killed),
    ):
        land(tmp_path)
    assert start(tmp_path, special=special) == ["rolled_back"]
    assert files_in_root(tmp_path) == {**BEFORE, name: b"theirs\n"}


def test_where_neither_is_possible_nothing_is_touched_and_all_is_kept(tmp_path: Path) -> None:
    interrupted(tmp_path, 2)
    (tmp_path / "root/sub/gone.py").write_bytes(b"theirs\n")
    (tmp_path / "root/a.py").write_bytes(b"theirs too\n")
    store, _ = store_at(tmp_path)
    (one,) = store.sweep()
    assert one.outcome == "set_aside"
    left = {"a.py": b"theirs too\n", "sub/gone.py": b"theirs\n", "made/deep/new.py": b"made\n"}
    assert {name: content for name, content in files_in_root(tmp_path).items() if content != b"/"} == left
    kept = {
        path.name: path.read_bytes() for path in (tmp_path / "state/set-aside").rglob("*") if path.is_file()
    }
    assert kept.pop("journal.json")
    assert kept == {"1-old-a.py": b"old\n"}


def test_a_folder_swapped_for_a_link_is_not_followed(tmp_path: Path) -> None:
    interrupted(tmp_path, 1)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/gone.py").write_bytes(BEFORE["sub/gone.py"])
    (tmp_path / "root/sub").rename(tmp_path / "root/moved")
    (tmp_path / "root/sub").symlink_to(tmp_path / "outside")
    assert start(tmp_path) == ["set_aside"]
    assert (tmp_path / "outside/gone.py").exists()


def test_a_folder_that_has_gone_is_told_and_what_landed_stays(tmp_path: Path) -> None:
    interrupted(tmp_path, 2)
    (tmp_path / "root/sub").rename(tmp_path / "root/moved")
    store, _ = store_at(tmp_path)
    (one,) = store.sweep()
    assert one.outcome == "set_aside"
    assert {f"{tmp_path}/root/{name}" for name in ("a.py", "sub/gone.py", "made/deep/new.py")} == set(
        one.paths
    )
    assert files_in_root(tmp_path)["moved/gone.py"] == BEFORE["sub/gone.py"]
    assert start(tmp_path) == []


def test_a_journal_that_no_server_wrote_is_set_aside(tmp_path: Path) -> None:
    lay_out(tmp_path)
    landings = tmp_path / "state/landings"
    landings.mkdir(parents=True)
    (landings / f"{'0' * 16}-1.json").write_text('[{"folder": "/", "name": "../x"}]')
    assert start(tmp_path) == ["set_aside"]
    assert files_in_root(tmp_path) == BEFORE


def test_what_the_system_does_not_let_it_finish_is_held_up_until_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(tmp_path, 1)

    def refused(_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as read_only:
        read_only.setattr(PartialCommit, "finish", refused)
        store, _ = store_at(tmp_path)
        (one,) = store.sweep()
    assert (one.outcome, one.reason) == ("held_up", "Read-only file system")
    assert str(tmp_path / "root/a.py") in one.paths
    lock = tmp_path / "state/landing.lock"
    lock.unlink()
    lock.mkdir()
    assert [one.outcome for one in store.sweep()] == ["held_up"]
    lock.rmdir()
    assert [one.outcome for one in store.sweep()] == ["finished"]
