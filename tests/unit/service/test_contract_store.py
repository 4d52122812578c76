"""The contract of `FileStore`: the same cases on disk and in memory."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.domain.errors import (
    BadRange,
    Conflict,
    DomainError,
    FileMissing,
    FolderMissing,
    IsDirectory,
    MalformedPath,
    NotRegular,
    OutsideRoots,
    RootMissing,
    SystemFailed,
    SystemRefused,
    TooLarge,
)
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.service.files.store import Blob, Draft, FileStore, Location, Root
from support.fakes.disk import HOME
from support.fakes.store import MemoryStore
from support.fakes.time import ManualClock


class Facts(Protocol):
    """A workspace folder and its contents; paths are below it, or `../` next to it."""

    store: FileStore
    root: Root

    def put(self, path: str, data: bytes) -> None: ...
    def mkdir(self, path: str) -> None: ...
    def link(self, path: str, target: str) -> None: ...
    def name_again(self, path: str, other: str) -> None: ...
    def fifo(self, path: str) -> None: ...
    def chmod(self, path: str, mode: int) -> None: ...
    def touch(self, path: str) -> None: ...
    def remove(self, path: str) -> None: ...
    def tree(self) -> dict[str, bytes]: ...


class OnDisk:
    def __init__(self, base: Path) -> None:
        self.path = base / "work"
        self.path.mkdir()
        self.root = Root("work", str(self.path), self.path.as_uri())
        self.store = DiskStore(StateFolder(str(base / "state")))

    def put(self, path: str, data: bytes) -> None:
        (self.path / path).parent.mkdir(parents=True, exist_ok=True)
        (self.path / path).write_bytes(data)

    def mkdir(self, path: str) -> None:
        (self.path / path).mkdir(parents=True)

    def link(self, path: str, target: str) -> None:
        (self.path / path).symlink_to(target.replace(HOME, str(self.path)))

    def name_again(self, path: str, other: str) -> None:
        (self.path / other).hardlink_to(self.path / path)

    def fifo(self, path: str) -> None:
        os.mkfifo(self.path / path)

    def chmod(self, path: str, mode: int) -> None:
        (self.path / path).chmod(mode)

    def touch(self, path: str) -> None:
        os.utime(self.path / path, ns=(1, 1))

    def remove(self, path: str) -> None:
        target = self.path / path
        if target.is_dir():
            for name in sorted(target.rglob("*"), reverse=True):
                name.rmdir() if name.is_dir() else name.unlink()
            target.rmdir()
        else:
            target.unlink()

    def tree(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.path)): path.read_bytes() if path.is_file() else b"/"
            for path in sorted(self.path.rglob("*"))
        }


@dataclass
class InMemory:
    store: MemoryStore
    root: Root

    def put(self, path: str, data: bytes) -> None:
        self.store.put(_beside(path), data)

    def mkdir(self, path: str) -> None:
        self.store.mkdir(_beside(path))

    def link(self, path: str, target: str) -> None:
        self.store.link(path, target)

    def name_again(self, path: str, other: str) -> None:
        self.store.name_again(path, other)

    def fifo(self, path: str) -> None:
        self.store.special(path, "fifo")

    def chmod(self, path: str, mode: int) -> None:
        self.store.chmod(path, mode)

    def touch(self, path: str) -> None:
        self.store.touch(path)

    def remove(self, path: str) -> None:
        self.store.remove(path)

    def tree(self) -> dict[str, bytes]:
        return self.store.tree()


def _beside(path: str) -> str:
    return path.replace("..", HOME.rpartition("/")[0], 1) if path.startswith("..") else path


@pytest.fixture(params=["memory", "disk"])
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> Facts:
    if request.param == "disk":
        on_disk = OnDisk(tmp_path.resolve())
        on_disk.store.set_roots([on_disk.root])
        return on_disk
    in_memory = InMemory(MemoryStore(ManualClock()), Root("work", HOME, f"file://{HOME}"))
    in_memory.store.set_roots([in_memory.root])
    return in_memory


def at(facts: Facts, path: str) -> Location:
    return facts.store.resolve(facts.root, path)


def read(facts: Facts, path: str) -> Blob:
    return facts.store.read(at(facts, path), 1 << 20)


def draft(
    facts: Facts, path: str, data: bytes | None, base: Blob | None = None, *, create_dirs: bool = True
) -> Draft:
    return Draft(at(facts, path), None if data is None else (data,), base, create_dirs)


def land(facts: Facts, *drafts: Draft) -> DomainError | None:
    """Why the drafts did not land, or None."""
    try:
        staged = facts.store.stage(drafts)
        try:
            staged.commit()
        finally:
            staged.discard()
    except DomainError as error:
        return error
    return None


# --- resolving --------------------------------------------------------------------------------------------


def test_a_path_leads_through_its_links_to_the_file_and_no_further(facts: Facts) -> None:
    facts.put("src/a.py", b"x")
    facts.link("by_name", "src")
    facts.link("by_path", f"{HOME}/src/a.py")
    assert at(facts, "src/a.py").relative == "src/a.py"
    assert at(facts, "by_name/../src/./a.py").relative == "src/a.py"
    assert at(facts, "by_name/new/b.py").relative == "src/new/b.py"
    assert at(facts, "by_path").relative == "src/a.py"
    assert at(facts, "src").relative == "src"


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("../beside", OutsideRoots),
        ("out/a", OutsideRoots),
        ("loop", MalformedPath),
        ("a.py/below", MalformedPath),
        ("x" * 300, MalformedPath),
        ("a\0b", MalformedPath),
        ("\ud800", MalformedPath),
        ("é" * 3000, MalformedPath),
        ("src/..", IsDirectory),
        ("past/..", OutsideRoots),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(facts: Facts, path: str, error: type[DomainError]) -> None:
    facts.put("a.py", b"x")
    facts.put("../outside/file", b"x")
    facts.mkdir("src")
    facts.link("out", "../outside")
    facts.link("past", "../outside/file/below")
    facts.link("loop", "loop")
    with pytest.raises(error):
        at(facts, path)


def test_of_nested_roots_the_innermost_has_the_file(facts: Facts) -> None:
    facts.mkdir("inner")
    inner = Root("inner", f"{facts.root.path}/inner", f"{facts.root.uri}/inner")
    facts.store.set_roots([facts.root, inner])
    assert at(facts, "inner/a.py") == Location(inner, "a.py")
    assert at(facts, "a.py").root == facts.root


def test_a_root_that_is_gone_or_another_folder_is_told(facts: Facts) -> None:
    facts.put("a.py", b"x")
    location = at(facts, "a.py")
    assert facts.store.root_intact(facts.root)
    facts.remove("../work" if isinstance(facts, OnDisk) else HOME)
    assert not facts.store.root_intact(facts.root)
    with pytest.raises(RootMissing):
        facts.store.read(location, 10)
    facts.store.set_roots([facts.root])
    with pytest.raises(RootMissing):
        at(facts, "a.py")


def test_a_root_set_again_is_taken_up_anew(facts: Facts) -> None:
    facts.put("a.py", b"old")
    location = at(facts, "a.py")
    beside = "../work" if isinstance(facts, OnDisk) else HOME
    facts.remove(beside)
    facts.put("another", b"so that the folder is another")
    with pytest.raises(OutsideRoots):
        facts.store.read(location, 10)
    facts.store.set_roots([facts.root])
    assert facts.store.root_intact(facts.root)
    assert read(facts, "another").data


# --- reading ----------------------------------------------------------------------------------------------


def test_a_file_is_read_with_what_is_known_of_it(facts: Facts) -> None:
    facts.put("a.py", b"text")
    facts.chmod("a.py", 0o640)
    facts.name_again("a.py", "b.py")
    blob = read(facts, "a.py")
    assert blob.data == b"text"
    assert (blob.stat.size, blob.stat.links, blob.stat.mode & 0o777) == (4, 2, 0o640)
    assert facts.store.stat(at(facts, "b.py")) == blob.stat


def test_a_file_over_the_limit_is_not_read(facts: Facts) -> None:
    facts.put("a.py", b"12345")
    assert facts.store.read(at(facts, "a.py"), 5).data == b"12345"
    with pytest.raises(TooLarge) as refused:
        facts.store.read(at(facts, "a.py"), 4)
    assert (refused.value.size, refused.value.limit) == (5, 4)


@pytest.mark.parametrize("path", ["missing", "no/folder"])
def test_what_is_missing_is_missing(facts: Facts, path: str) -> None:
    location = at(facts, path)
    assert facts.store.stat(location) is None
    with pytest.raises(FileMissing):
        facts.store.read(location, 10)
    with pytest.raises(FileMissing):
        facts.store.read_lines(location, 1, 0, 10)


@pytest.mark.parametrize(
    ("path", "error"), [("folder", IsDirectory), ("pipe", NotRegular), ("became/a.py", MalformedPath)]
)
def test_what_is_no_file_is_refused(facts: Facts, path: str, error: type[DomainError]) -> None:
    facts.mkdir("folder")
    facts.fifo("pipe")
    facts.mkdir("became")
    location = at(facts, path)
    facts.remove("became")
    facts.put("became", b"a file by now")
    for look in (
        lambda: facts.store.stat(location),
        lambda: facts.store.read(location, 10),
        lambda: facts.store.read_lines(location, 1, 0, 10),
        lambda: facts.store.stage([Draft(location, (b"x",), None, True)]),
    ):
        with pytest.raises(error):
            look()


def test_a_link_that_comes_in_the_way_is_not_followed(facts: Facts) -> None:
    facts.put("src/a.py", b"x")
    facts.put("other/a.py", b"y")
    location = at(facts, "src/a.py")
    facts.remove("src")
    facts.link("src", "other")
    with pytest.raises(OutsideRoots):
        facts.store.stat(location)
    with pytest.raises(OutsideRoots):
        facts.store.read(location, 10)
    with pytest.raises(OutsideRoots):
        facts.store.stage([Draft(location, (b"z",), None, True)])


def test_a_file_nobody_may_read_is_refused(facts: Facts) -> None:
    if isinstance(facts, OnDisk) and os.geteuid() == 0:
        pytest.skip("root may read everything")
    facts.put("private", b"x")
    facts.chmod("private", 0)
    with pytest.raises(SystemRefused):
        read(facts, "private")


@pytest.mark.parametrize(
    ("start", "lines", "most", "found"),
    [
        (1, 0, 100, (b"one\r\ntwo\rthree\n4", 4, False)),
        (2, 1, 100, (b"two\r", 1, True)),
        (2, 2, 100, (b"two\rthree\n", 2, True)),
        (4, 5, 100, (b"4", 1, False)),
        (1, 0, 10, (b"one\r\ntwo\r", 2, True)),
        (3, 0, 3, (b"thr", 1, True)),
    ],
)
def test_lines_are_read_out_of_a_file(
    facts: Facts, start: int, lines: int, most: int, found: tuple[bytes, int, bool]
) -> None:
    facts.put("log", b"\xef\xbb\xbfone\r\ntwo\rthree\n4")
    taken = facts.store.read_lines(at(facts, "log"), start, lines, most)
    assert (taken.data, taken.lines, taken.more) == found
    assert (taken.head[:6], taken.tail) == (b"\xef\xbb\xbfone", b"ee\n4")


def test_no_line_is_read_past_the_end_nor_once_it_is_stopped(facts: Facts) -> None:
    facts.put("log", b"one\n")
    with pytest.raises(BadRange) as refused:
        facts.store.read_lines(at(facts, "log"), 2, 0, 10)
    assert (refused.value.start_line, refused.value.total_lines) == (2, 1)
    facts.put("empty", b"")
    assert facts.store.read_lines(at(facts, "empty"), 1, 0, 10).data == b""
    with pytest.raises(SystemFailed):
        facts.store.read_lines(at(facts, "log"), 1, 0, 10, lambda: True)


# --- changing ---------------------------------------------------------------------------------------------


def test_nothing_is_visible_before_the_commit_and_everything_after(facts: Facts) -> None:
    facts.put("a.py", b"old")
    facts.put("gone.py", b"going")
    drafts = [
        draft(facts, "a.py", b"new", read(facts, "a.py")),
        draft(facts, "made/deep/b.py", b"made"),
        draft(facts, "gone.py", None, read(facts, "gone.py")),
    ]
    staged = facts.store.stage(drafts)
    assert {path: data for path, data in facts.tree().items() if "." in path and path[0] != "."}.items() >= {
        ("a.py", b"old"),
        ("gone.py", b"going"),
    }
    landed = staged.commit()
    assert facts.tree() == {"a.py": b"new", "made": b"/", "made/deep": b"/", "made/deep/b.py": b"made"}
    assert [one.stat.size if one.stat else None for one in landed] == [3, 4, None]
    assert landed[1].created_dirs == ("made", "made/deep")
    assert landed[0].stat == facts.store.stat(at(facts, "a.py"))


def test_a_replaced_file_keeps_its_mode_and_its_other_names_the_old_text(facts: Facts) -> None:
    facts.put("a.sh", b"old")
    facts.chmod("a.sh", 0o755)
    facts.name_again("a.sh", "b.sh")
    (landed,) = facts.store.stage([draft(facts, "a.sh", b"new", read(facts, "a.sh"))]).commit()
    assert landed.hard_links == 1
    assert landed.stat is not None
    assert (landed.stat.mode & 0o777, landed.stat.links) == (0o755, 1)
    assert facts.tree() == {"a.sh": b"new", "b.sh": b"old"}


def test_what_is_dropped_leaves_nothing(facts: Facts) -> None:
    facts.mkdir("there")
    staged = facts.store.stage([draft(facts, "there/made/a.py", b"x"), draft(facts, "there/made/b.py", b"x")])
    staged.discard()
    assert facts.tree() == {"there": b"/"}
    staged.discard()


def test_folders_that_somebody_uses_by_now_stay(facts: Facts) -> None:
    staged = facts.store.stage([draft(facts, "made/deep/a.py", b"x")])
    facts.put("made/theirs", b"y")
    staged.discard()
    assert facts.tree() == {"made": b"/", "made/theirs": b"y"}


def test_a_folder_is_made_only_where_that_is_wanted(facts: Facts) -> None:
    assert not facts.store.has_folder(at(facts, "no/a.py"))
    assert facts.store.has_folder(at(facts, "a.py"))
    refused = land(facts, draft(facts, "no/a.py", b"x", create_dirs=False))
    assert isinstance(refused, FolderMissing)
    assert refused.path == "no/"
    assert facts.tree() == {}


def test_a_touch_is_no_change_of_the_base(facts: Facts) -> None:
    facts.put("a.py", b"old")
    drafted = draft(facts, "a.py", b"new", read(facts, "a.py"))
    facts.touch("a.py")
    assert land(facts, drafted) is None
    assert facts.tree() == {"a.py": b"new"}


@pytest.mark.parametrize("when", ["before staging", "before the commit"])
@pytest.mark.parametrize(
    ("change", "reason"), [("changed", "reviewing"), ("gone", "gone"), ("come", "exists"), ("folder", "gone")]
)
def test_what_is_no_longer_the_base_stays_as_it_is(facts: Facts, when: str, change: str, reason: str) -> None:
    facts.put("sub/a.py", b"old")
    path, base = ("sub/new.py", None) if change == "come" else ("sub/a.py", read(facts, "sub/a.py"))
    drafts = [draft(facts, path, b"mine", base), draft(facts, "beside.py", b"mine")]

    def they_come() -> None:
        match change:
            case "changed" | "come":
                facts.put(path, b"theirs")
            case "gone":
                facts.remove(path)
            case "folder":
                facts.remove("sub")

    if when == "before staging":
        they_come()
        with pytest.raises(Conflict) as refused:
            facts.store.stage(drafts)
    else:
        staged = facts.store.stage(drafts)
        they_come()
        with pytest.raises(Conflict) as refused:
            staged.commit()
        staged.discard()
    assert (refused.value.reason, refused.value.file) == (reason, drafts[0].location.absolute)
    assert refused.value.expected is None or refused.value.expected.hash == hash_bytes(b"old")
    assert "beside.py" not in facts.tree()
    assert facts.tree().get(path) == (b"theirs" if change in ("changed", "come") else None)


def test_the_first_of_several_changes_is_rolled_back_if_a_later_one_fails(facts: Facts) -> None:
    facts.put("a.py", b"old")
    facts.put("b.py", b"old")
    drafts = [draft(facts, name, b"mine", read(facts, name)) for name in ("a.py", "b.py")]
    staged = facts.store.stage(drafts)
    facts.put("b.py", b"theirs")
    with pytest.raises(Conflict):
        staged.commit()
    staged.discard()
    assert facts.tree() == {"a.py": b"old", "b.py": b"theirs"}


def test_a_write_protected_file_is_not_replaced(facts: Facts) -> None:
    if isinstance(facts, OnDisk) and os.geteuid() == 0:
        pytest.skip("root may write everything")
    facts.put("a.py", b"old")
    base = read(facts, "a.py")
    facts.chmod("a.py", 0o444)
    refused = land(facts, draft(facts, "a.py", b"new", base))
    assert isinstance(refused, SystemRefused)
    assert refused.reason == "write_protected"


def test_empty_folders_go_where_they_are_empty(facts: Facts) -> None:
    facts.mkdir("one/two")
    facts.put("full/a.py", b"x")
    facts.store.remove_empty(facts.root, ["one/two", "one", "full", "missing"])
    assert facts.tree() == {"full": b"/", "full/a.py": b"x"}


def test_nothing_is_left_half_done_where_nobody_crashed(facts: Facts) -> None:
    facts.put("a.py", b"old")
    land(facts, draft(facts, "a.py", b"new", read(facts, "a.py")), draft(facts, "b.py", b"new"))
    assert facts.store.interrupted() == frozenset()
    assert not facts.store.needs_recovery()
    assert list(facts.store.sweep()) == []
    facts.store.close()
