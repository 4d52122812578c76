"""Where paths lead, and where they must not (docs/protocol.md#4-paths-and-roots)."""

import os

import pytest

from agentfs_lsp.adapters.fs.confined import open_by_walking
from agentfs_lsp.domain.errors import IsDirectory, MalformedPath, OutsideRoots, SystemRefused
from agentfs_lsp.service.files.store import Location, Root
from support.letter_case import ignore_case
from unit.adapters.conftest import Disk


@pytest.mark.parametrize(
    ("given", "relative"),
    [
        ("a.py", "a.py"),
        ("sub/b.py", "sub/b.py"),
        ("sub/../a.py", "a.py"),
        ("to_sub/b.py", "sub/b.py"),
        ("to_sub_absolute/b.py", "sub/b.py"),
        ("to_a", "a.py"),
        ("chain", "a.py"),
        ("to_deep/../b.py", "sub/b.py"),  # the parent of the link's target, not of the link
        ("out_and_in/a.py", "a.py"),
        ("dangling", "sub/new.py"),
        ("new/folder/c.py", "new/folder/c.py"),
        ("new/../a.py", "a.py"),
        ("new/../to_sub/b.py", "sub/b.py"),
        ("to_sub/new/c.py", "sub/new/c.py"),
    ],
)
def test_links_and_dots_are_followed_to_the_file_they_mean(disk: Disk, given: str, relative: str) -> None:
    disk.put("a.py", b"a")
    disk.put("sub/b.py", b"b")
    disk.put("sub/deep/c.py", b"c")
    for link, target in {
        "to_sub": "sub",
        "to_sub_absolute": str(disk.path / "sub"),
        "to_a": "a.py",
        "chain": "to_a",
        "to_deep": "sub/deep",
        "out_and_in": "../root",
        "dangling": "sub/new.py",
    }.items():
        os.symlink(target, disk.path / link)

    assert disk.at(given) == Location(disk.root, relative)


@pytest.mark.parametrize(
    ("given", "relative"),
    [
        ("README.md", "README.md"),
        ("readme.MD", "README.md"),
        ("src/deep/a.py", "Src/Deep/a.py"),
        ("SRC/deep/É.PY", "Src/Deep/É.py"),
        ("src/1", "Src/1"),
        ("src/new/b.py", "Src/new/b.py"),
        ("new.py", "new.py"),
        ("TO_SRC/deep/A.py", "Src/Deep/a.py"),
    ],
)
def test_a_file_has_one_name_where_letter_case_is_ignored(
    disk: Disk, monkeypatch: pytest.MonkeyPatch, given: str, relative: str
) -> None:
    for name in ("README.md", "Src/Deep/a.py", "Src/Deep/É.py", "Src/1"):
        disk.put(name, b"")
    os.symlink("src", disk.path / "TO_SRC")
    ignore_case(disk.path, monkeypatch)
    assert disk.at(given) == Location(disk.root, relative)
    denied = disk.store.resolve(disk.root, "readme.MD", lambda *_: True)
    assert denied == Location(disk.root, "readme.MD")  # nothing was looked up


def test_names_that_differ_in_letter_case_stay_two_elsewhere(disk: Disk) -> None:
    disk.put("a.py", b"a")
    os.link(disk.path / "a.py", disk.path / "A.PY")
    assert [disk.at(name).relative for name in ("a.py", "A.PY", "A.py")] == ["a.py", "A.PY", "A.py"]


@pytest.mark.parametrize(
    "given",
    [
        "../root/a.py",
        "link/../root/a.py",
        "../outside/secret",
        "link/secret",
        "absolute/secret",
        "file_link",
        "sub/../../outside/secret",
        "../../../../../../../../etc/passwd",
        "link/missing",
        "../outside/missing/below",
        "../outside/secret/below_a_file",
        "../rooter",
    ],
)
def test_what_ends_outside_is_refused_whether_it_exists_or_not(disk: Disk, given: str) -> None:
    (disk.path / "sub").mkdir()
    (disk.base / "rooter").write_bytes(b"a name that begins like the root's")
    os.symlink("../outside", disk.path / "link")
    os.symlink(disk.outside, disk.path / "absolute")
    os.symlink("../outside/secret", disk.path / "file_link")

    with pytest.raises(OutsideRoots) as refused:
        disk.at(given)
    assert refused.value.path == given


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("loop/x", "link_loop"),
        ("loop", "link_loop"),
        ("a.py/below", "below_file"),
        ("sub/../a.py/../b", "below_file"),
        ("x" * 256, "too_long"),
        ("new/" + "x" * 256, "too_long"),
        ("x/" * 2100, "too_long"),
        ("sub/" + "ä" * 200, "too_long"),
        ("name\ud800", "unstorable"),
        ("na\0me", "control"),
    ],
)
def test_names_no_file_can_have_are_told_apart(disk: Disk, given: str, reason: str) -> None:
    disk.put("a.py", b"a")
    (disk.path / "sub").mkdir()
    os.symlink("loop", disk.path / "loop")

    with pytest.raises(MalformedPath) as refused:
        disk.at(given)
    assert refused.value.reason == reason


def test_forty_links_are_followed_and_not_one_more(disk: Disk) -> None:
    disk.put("0", b"")
    for number in range(1, 42):
        os.symlink(str(number - 1), disk.path / str(number))

    assert disk.at("40").relative == "0"
    with pytest.raises(MalformedPath, match="link_loop"):
        disk.at("41")


def test_long_ways_of_links_are_not_followed_to_the_end(disk: Disk) -> None:
    """At each `..` policy is asked about the rest: forty links of 4,000 bytes took seconds."""
    (disk.path / "d").mkdir()
    disk.put("a", b"")
    os.symlink("d/../" * 100 + "a", disk.path / "long")
    os.symlink("d/../" * 100 + "long", disk.path / "longer")
    assert disk.at("long").relative == "a"
    with pytest.raises(MalformedPath, match="link_loop"):
        disk.at("longer")


@pytest.mark.parametrize("given", [".", "sub/..", "self"])
def test_the_root_itself_is_a_directory(disk: Disk, given: str) -> None:
    (disk.path / "sub").mkdir()
    os.symlink(".", disk.path / "self")
    with pytest.raises(IsDirectory):
        disk.at(given)


def test_a_link_may_end_in_another_root(disk: Disk) -> None:
    other = Root("outside", str(disk.outside), "")
    disk.store.set_roots([disk.root, other])
    os.symlink("../outside/secret", disk.path / "link")

    assert disk.store.read(disk.at("link"), 10).data == b"secret"
    assert disk.at("link") == Location(other, "secret")


def test_a_link_through_proc_is_followed_as_text_only(disk: Disk) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc here")
    held = os.open(disk.outside, os.O_RDONLY)
    try:
        os.symlink(f"/proc/{os.getpid()}/fd/{held}/secret", disk.path / "magic")
        with pytest.raises(OutsideRoots):
            disk.at("magic")
    finally:
        os.close(held)


def test_a_folder_without_search_permission_is_the_systems_refusal(disk: Disk) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may search every folder")
    disk.put("closed/a.py", b"a")
    os.chmod(disk.path / "closed", 0)
    try:
        with pytest.raises(SystemRefused):
            disk.at("closed/a.py")
    finally:
        os.chmod(disk.path / "closed", 0o700)


def test_a_root_that_was_removed_serves_no_more(disk: Disk) -> None:
    disk.put("a.py", b"a")
    location = disk.at("a.py")
    disk.store.set_roots([])
    with pytest.raises(OutsideRoots):
        disk.store.read(location, 10)


def test_setting_roots_again_and_again_keeps_no_handle_too_many(disk: Disk) -> None:
    other = Root("outside", str(disk.outside), "")
    handles = set(os.listdir("/dev/fd"))
    for _ in range(5):
        disk.store.set_roots([disk.root, other])
        disk.store.set_roots([disk.root])
    assert set(os.listdir("/dev/fd")) <= handles


@pytest.mark.parametrize("forged", ["../outside/secret", "sub/../../outside/secret", "/etc/passwd"])
def test_a_location_that_was_never_resolved_leads_nowhere_either(disk: Disk, forged: str) -> None:
    (disk.path / "sub").mkdir()
    with pytest.raises(OutsideRoots):
        disk.store.read(Location(disk.root, forged), 10)


def test_the_walk_leaves_no_handle_open_when_it_fails(disk: Disk) -> None:
    (disk.path / "one" / "two").mkdir(parents=True)
    root = os.open(disk.path, os.O_RDONLY)
    handles = set(os.listdir("/dev/fd"))
    with pytest.raises(FileNotFoundError):
        open_by_walking(root, "one/two/three/four", os.O_RDONLY)
    assert set(os.listdir("/dev/fd")) <= handles
    os.close(root)
