"""The contract of `FileStore`: the same cases on disk and in memory."""

import os
from pathlib import Path

import pytest

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
from agentfs_lsp.service.files.store import Blob, Draft, Location, Root
from support.fakes.disk import HOME
from support.fakes.store import MemoryStore
from support.fakes.time import ManualClock
from support.store_places import InMemory, OnDisk, Place


@pytest.fixture(params=["memory", "disk"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "disk":
        on_disk = OnDisk(tmp_path.resolve())
        on_disk.store.set_roots([on_disk.root])
        return on_disk
    in_memory = InMemory(MemoryStore(ManualClock()), Root("work", HOME, f"file://{HOME}"))
    in_memory.store.set_roots([in_memory.root])
    return in_memory


def at(place: Place, path: str) -> Location:
    return place.store.resolve(place.root, path)


def read(place: Place, path: str) -> Blob:
    return place.store.read(at(place, path), 1 << 20)


def draft(
    place: Place, path: str, data: bytes | None, base: Blob | None = None, *, create_dirs: bool = True
) -> Draft:
    return Draft(at(place, path), None if data is None else (data,), base, create_dirs)


def land(place: Place, *drafts: Draft) -> DomainError | None:
    """Why the drafts did not land, or None."""
    try:
        staged = place.store.stage(drafts)
        try:
            staged.commit()
        finally:
            staged.discard()
    except DomainError as error:
        return error
    return None


# --- resolving --------------------------------------------------------------------------------------------


def test_a_path_leads_through_its_links_to_the_file_and_no_further(place: Place) -> None:
    place.put("src/a.py", b"x")
    place.link("by_name", "src")
    place.link("by_path", f"{HOME}/src/a.py")
    assert at(place, "src/a.py").relative == "src/a.py"
    assert at(place, "by_name/../src/./a.py").relative == "src/a.py"
    assert at(place, "by_name/new/b.py").relative == "src/new/b.py"
    assert at(place, "by_path").relative == "src/a.py"
    assert at(place, "src").relative == "src"


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
def test_a_path_that_leads_nowhere_is_refused(place: Place, path: str, error: type[DomainError]) -> None:
    place.put("a.py", b"x")
    place.put("../outside/file", b"x")
    place.mkdir("src")
    place.link("out", "../outside")
    place.link("past", "../outside/file/below")
    place.link("loop", "loop")
    with pytest.raises(error):
        at(place, path)


def test_of_nested_roots_the_innermost_has_the_file(place: Place) -> None:
    place.mkdir("inner")
    inner = Root("inner", f"{place.root.path}/inner", f"{place.root.uri}/inner")
    place.store.set_roots([place.root, inner])
    assert at(place, "inner/a.py") == Location(inner, "a.py")
    assert at(place, "a.py").root == place.root


def test_a_root_that_is_gone_or_another_folder_is_told(place: Place) -> None:
    place.put("a.py", b"x")
    location = at(place, "a.py")
    assert place.store.root_intact(place.root)
    place.remove("../work" if isinstance(place, OnDisk) else HOME)
    assert not place.store.root_intact(place.root)
    with pytest.raises(RootMissing):
        place.store.read(location, 10)
    place.store.set_roots([place.root])
    with pytest.raises(RootMissing):
        at(place, "a.py")


def test_a_root_set_again_is_taken_up_anew(place: Place) -> None:
    place.put("a.py", b"old")
    location = at(place, "a.py")
    beside = "../work" if isinstance(place, OnDisk) else HOME
    place.remove(beside)
    place.put("another", b"so that the folder is another")
    with pytest.raises(OutsideRoots):
        place.store.read(location, 10)
    place.store.set_roots([place.root])
    assert place.store.root_intact(place.root)
    assert read(place, "another").data


# --- reading ----------------------------------------------------------------------------------------------


def test_a_file_is_read_with_what_is_known_of_it(place: Place) -> None:
    place.put("a.py", b"text")
    place.chmod("a.py", 0o640)
    place.name_again("a.py", "b.py")
    blob = read(place, "a.py")
    assert blob.data == b"text"
    assert (blob.stat.size, blob.stat.links, blob.stat.mode & 0o777) == (4, 2, 0o640)
    assert place.store.stat(at(place, "b.py")) == blob.stat


def test_a_file_over_the_limit_is_not_read(place: Place) -> None:
    place.put("a.py", b"12345")
    assert place.store.read(at(place, "a.py"), 5).data == b"12345"
    with pytest.raises(TooLarge) as refused:
        place.store.read(at(place, "a.py"), 4)
    assert (refused.value.size, refused.value.limit) == (5, 4)


@pytest.mark.parametrize("path", ["missing", "no/folder"])
def test_what_is_missing_is_missing(place: Place, path: str) -> None:
    location = at(place, path)
    assert place.store.stat(location) is None
    with pytest.raises(FileMissing):
        place.store.read(location, 10)
    with pytest.raises(FileMissing):
        place.store.read_lines(location, 1, 0, 10)


@pytest.mark.parametrize(
    ("path", "error"), [("folder", IsDirectory), ("pipe", NotRegular), ("became/a.py", MalformedPath)]
)
def test_what_is_no_file_is_refused(place: Place, path: str, error: type[DomainError]) -> None:
    place.mkdir("folder")
    place.fifo("pipe")
    place.mkdir("became")
    location = at(place, path)
    place.remove("became")
    place.put("became", b"a file by now")
    for look in (
        lambda: place.store.stat(location),
        lambda: place.store.read(location, 10),
        lambda: place.store.read_lines(location, 1, 0, 10),
        lambda: place.store.stage([Draft(location, (b"x",), None, True)]),
    ):
        with pytest.raises(error):
            look()


def test_a_link_that_comes_in_the_way_is_not_followed(place: Place) -> None:
    place.put("src/a.py", b"x")
    place.put("other/a.py", b"y")
    location = at(place, "src/a.py")
    place.remove("src")
    place.link("src", "other")
    with pytest.raises(OutsideRoots):
        place.store.stat(location)
    with pytest.raises(OutsideRoots):
        place.store.read(location, 10)
    with pytest.raises(OutsideRoots):
        place.store.stage([Draft(location, (b"z",), None, True)])


def test_a_file_nobody_may_read_is_refused(place: Place) -> None:
    if isinstance(place, OnDisk) and os.geteuid() == 0:
        pytest.skip("root may read everything")
    place.put("private", b"x")
    place.chmod("private", 0)
    with pytest.raises(SystemRefused):
        read(place, "private")


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
    place: Place, start: int, lines: int, most: int, found: tuple[bytes, int, bool]
) -> None:
    place.put("log", b"\xef\xbb\xbfone\r\ntwo\rthree\n4")
    taken = place.store.read_lines(at(place, "log"), start, lines, most)
    assert (taken.data, taken.lines, taken.more) == found
    assert (taken.head[:6], taken.tail) == (b"\xef\xbb\xbfone", b"ee\n4")


def test_no_line_is_read_past_the_end_nor_once_it_is_stopped(place: Place) -> None:
    place.put("log", b"one\n")
    with pytest.raises(BadRange) as refused:
        place.store.read_lines(at(place, "log"), 2, 0, 10)
    assert (refused.value.start_line, refused.value.total_lines) == (2, 1)
    place.put("empty", b"")
    assert place.store.read_lines(at(place, "empty"), 1, 0, 10).data == b""
    with pytest.raises(SystemFailed):
        place.store.read_lines(at(place, "log"), 1, 0, 10, lambda: True)


# --- changing ---------------------------------------------------------------------------------------------


def test_nothing_is_visible_before_the_commit_and_everything_after(place: Place) -> None:
    place.put("a.py", b"old")
    place.put("gone.py", b"going")
    drafts = [
        draft(place, "a.py", b"new", read(place, "a.py")),
        draft(place, "made/deep/b.py", b"made"),
        draft(place, "gone.py", None, read(place, "gone.py")),
    ]
    staged = place.store.stage(drafts)
    assert {path: data for path, data in place.tree().items() if "." in path and path[0] != "."}.items() >= {
        ("a.py", b"old"),
        ("gone.py", b"going"),
    }
    landed = staged.commit()
    assert place.tree() == {"a.py": b"new", "made": b"/", "made/deep": b"/", "made/deep/b.py": b"made"}
    assert [one.stat.size if one.stat else None for one in landed] == [3, 4, None]
    assert landed[1].created_dirs == ("made", "made/deep")
    assert landed[0].stat == place.store.stat(at(place, "a.py"))


def test_a_replaced_file_keeps_its_mode_and_its_other_names_the_old_text(place: Place) -> None:
    place.put("a.sh", b"old")
    place.chmod("a.sh", 0o755)
    place.name_again("a.sh", "b.sh")
    (landed,) = place.store.stage([draft(place, "a.sh", b"new", read(place, "a.sh"))]).commit()
    assert landed.hard_links == 1
    assert landed.stat is not None
    assert (landed.stat.mode & 0o777, landed.stat.links) == (0o755, 1)
    assert place.tree() == {"a.sh": b"new", "b.sh": b"old"}


def test_what_is_dropped_leaves_nothing(place: Place) -> None:
    place.mkdir("there")
    staged = place.store.stage([draft(place, "there/made/a.py", b"x"), draft(place, "there/made/b.py", b"x")])
    staged.discard()
    assert place.tree() == {"there": b"/"}
    staged.discard()


def test_folders_that_somebody_uses_by_now_stay(place: Place) -> None:
    staged = place.store.stage([draft(place, "made/deep/a.py", b"x")])
    place.put("made/theirs", b"y")
    staged.discard()
    assert place.tree() == {"made": b"/", "made/theirs": b"y"}


def test_a_folder_is_made_only_where_that_is_wanted(place: Place) -> None:
    assert not place.store.has_folder(at(place, "no/a.py"))
    assert place.store.has_folder(at(place, "a.py"))
    refused = land(place, draft(place, "no/a.py", b"x", create_dirs=False))
    assert isinstance(refused, FolderMissing)
    assert refused.path == "no/"
    assert place.tree() == {}


def test_whatever_is_at_a_path_exists(place: Place) -> None:
    place.put("a.py", b"x")
    place.mkdir("folder")
    for path in ("a.py", "folder"):
        assert place.store.exists(at(place, path))
    for path in ("b.py", "folder/a.py", "no/a.py"):
        assert not place.store.exists(at(place, path))


def test_a_touch_is_no_change_of_the_base(place: Place) -> None:
    place.put("a.py", b"old")
    drafted = draft(place, "a.py", b"new", read(place, "a.py"))
    place.touch("a.py")
    assert land(place, drafted) is None
    assert place.tree() == {"a.py": b"new"}


@pytest.mark.parametrize("when", ["before staging", "before the commit"])
@pytest.mark.parametrize(
    ("change", "reason"), [("changed", "reviewing"), ("gone", "gone"), ("come", "exists"), ("folder", "gone")]
)
def test_what_is_no_longer_the_base_stays_as_it_is(place: Place, when: str, change: str, reason: str) -> None:
    place.put("sub/a.py", b"old")
    path, base = ("sub/new.py", None) if change == "come" else ("sub/a.py", read(place, "sub/a.py"))
    drafts = [draft(place, path, b"mine", base), draft(place, "beside.py", b"mine")]

    def they_come() -> None:
        match change:
            case "changed" | "come":
                place.put(path, b"theirs")
            case "gone":
                place.remove(path)
            case "folder":
                place.remove("sub")

    if when == "before staging":
        they_come()
        with pytest.raises(Conflict) as refused:
            place.store.stage(drafts)
    else:
        staged = place.store.stage(drafts)
        they_come()
        with pytest.raises(Conflict) as refused:
            staged.commit()
        staged.discard()
    assert (refused.value.reason, refused.value.file) == (reason, drafts[0].location.absolute)
    assert refused.value.expected is None or refused.value.expected.hash == hash_bytes(b"old")
    assert "beside.py" not in place.tree()
    assert place.tree().get(path) == (b"theirs" if change in ("changed", "come") else None)


def test_the_first_of_several_changes_is_rolled_back_if_a_later_one_fails(place: Place) -> None:
    place.put("a.py", b"old")
    place.put("b.py", b"old")
    drafts = [draft(place, name, b"mine", read(place, name)) for name in ("a.py", "b.py")]
    staged = place.store.stage(drafts)
    place.put("b.py", b"theirs")
    with pytest.raises(Conflict):
        staged.commit()
    staged.discard()
    assert place.tree() == {"a.py": b"old", "b.py": b"theirs"}


def test_a_write_protected_file_is_not_replaced(place: Place) -> None:
    if isinstance(place, OnDisk) and os.geteuid() == 0:
        pytest.skip("root may write everything")
    place.put("a.py", b"old")
    base = read(place, "a.py")
    place.chmod("a.py", 0o444)
    refused = land(place, draft(place, "a.py", b"new", base))
    assert isinstance(refused, SystemRefused)
    assert refused.reason == "write_protected"


def test_empty_folders_go_where_they_are_empty(place: Place) -> None:
    place.mkdir("one/two")
    place.put("full/a.py", b"x")
    place.store.remove_empty(place.root, ["one/two", "one", "full", "missing"])
    assert place.tree() == {"full": b"/", "full/a.py": b"x"}


def test_nothing_is_left_half_done_where_nobody_crashed(place: Place) -> None:
    place.put("a.py", b"old")
    land(place, draft(place, "a.py", b"new", read(place, "a.py")), draft(place, "b.py", b"new"))
    assert place.store.interrupted() == frozenset()
    assert not place.store.needs_recovery()
    assert list(place.store.sweep()) == []
    place.store.close()
