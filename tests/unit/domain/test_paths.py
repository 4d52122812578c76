"""A path is parsed as intended, or refused with the reason."""

import pytest

from agentfs_lsp.domain import errors
from agentfs_lsp.domain.paths import Spelling, check_new_name, parse, path_of_uri

ONE = ("app",)
TWO = ("app", "lib")
FOLDERS = {"/home/u/app": 0, "/data/app": 0, "/home/u/app/vendor/lib": 1}


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("a.py", "a.py"),
        ("src/a.py", "src/a.py"),
        ("./src/./a.py", "src/a.py"),
        ("src//a.py", "src/a.py"),
        ("src/../a.py", "src/../a.py"),
        ("../a.py", "../a.py"),
        ("src/..", "src/.."),
        ("app/a.py", "app/a.py"),
        ("~/a.py", "~/a.py"),
        ("C:/a.py", "C:/a.py"),
        ("file:a.py", "file:a.py"),
        ("$HOME/%41.py", "$HOME/%41.py"),
        (" a .py ", " a .py "),
        ("...", "..."),
        ("目录/文件.py", "目录/文件.py"),
        ("a\u202eb.py", "a\u202eb.py"),
        ("a\u2028b.py", "a\u2028b.py"),
    ],
)
def test_a_path_in_the_only_root(path: str, relative: str) -> None:
    assert parse(path, ONE) == Spelling(0, relative)
    assert parse(path, ONE, "any", FOLDERS) == Spelling(0, relative)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "empty"),
        ("src\\a.py", "backslash"),
        ("a\0.py", "control"),
        ("a\n.py", "control"),
        ("a\x7f.py", "control"),
        ("a\x85.py", "control"),
        ("a\udc80.py", "unstorable"),
        ("file:///home/u/app/a.py", "uri"),
        ("FILE:/home/u/app/a.py", "uri"),
        ("https://host/a.py", "uri"),
        ("untitled://x", "uri"),
    ],
)
@pytest.mark.parametrize("names", [(), ONE, TWO])
def test_a_malformed_path_is_refused_for_any_roots(path: str, reason: str, names: tuple[str, ...]) -> None:
    with pytest.raises(errors.MalformedPath) as caught:
        parse(path, names)
    assert (caught.value.path, caught.value.reason) == (path, reason)


@pytest.mark.parametrize("path", ["/home/u/app/a.py", "/", "//host/a.py", "/etc/passwd"])
def test_an_absolute_path_is_refused_where_paths_are_relative(path: str) -> None:
    with pytest.raises(errors.AbsolutePath):
        parse(path, ONE)


@pytest.mark.parametrize("path", ["src/", "src/.", "src/./", ".", "./", "src/../"])
def test_a_path_that_only_a_directory_can_have(path: str) -> None:
    with pytest.raises(errors.IsDirectory):
        parse(path, ONE)


def test_no_folder_is_open() -> None:
    with pytest.raises(errors.NoRoot):
        parse("a.py", ())
    with pytest.raises(errors.NoRoot):
        parse("/a.py", (), "any", {})
    with pytest.raises(errors.NoRoot):
        parse("/a.py", ())


@pytest.mark.parametrize(
    ("path", "spelling"),
    [
        ("app/a.py", Spelling(0, "a.py")),
        ("lib/src/a.py", Spelling(1, "src/a.py")),
        ("./lib//src/a.py", Spelling(1, "src/a.py")),
        ("lib/../app/a.py", Spelling(1, "../app/a.py")),
    ],
)
def test_with_several_roots_a_path_begins_with_a_name(path: str, spelling: Spelling) -> None:
    assert parse(path, TWO) == spelling


def test_the_longest_name_counts() -> None:
    names = ("app", "app/web")
    assert parse("app/web/a.py", names) == Spelling(1, "a.py")
    assert parse("app/webs/a.py", names) == Spelling(0, "webs/a.py")


@pytest.mark.parametrize("path", ["a.py", "src/a.py", "application/a.py", "APP/a.py", "../app/a.py", "."])
def test_a_path_that_begins_with_no_name_is_told_the_names(path: str) -> None:
    with pytest.raises(errors.UnknownRoot) as caught:
        parse(path, TWO)
    assert caught.value.names == TWO


def test_a_name_that_two_roots_have_names_neither() -> None:
    names = ("app", "lib", "app")
    with pytest.raises(errors.AmbiguousRoot) as caught:
        parse("app/a.py", names)
    assert caught.value.name == "app"
    assert parse("lib/a.py", names) == Spelling(1, "a.py")


@pytest.mark.parametrize(
    ("path", "spelling"),
    [
        ("/home/u/app/a.py", Spelling(0, "a.py")),
        ("/home/u//app/./a.py", Spelling(0, "a.py")),
        ("/data/app/a.py", Spelling(0, "a.py")),
        ("/home/u/app/vendor/lib/a.py", Spelling(1, "a.py")),
        ("/home/u/app/vendor/library/a.py", Spelling(0, "vendor/library/a.py")),
        ("/home/u/app/../x", Spelling(0, "../x")),
        ("file:///home/u/app/a.py", Spelling(0, "a.py")),
        ("file://localhost/home/u/app/a.py", Spelling(0, "a.py")),
        ("file:/home/u/app/a.py", Spelling(0, "a.py")),
        ("FILE:///home/u/app/a%20b%E7%9B%AE%25.py", Spelling(0, "a b目%.py")),
        ("file:///home/u/app/%2e%2e/x", Spelling(0, "../x")),
        ("file:///home/u/app/目.py", Spelling(0, "目.py")),
        ("lib/a.py", Spelling(1, "a.py")),
    ],
)
def test_absolute_paths_and_uris_where_any_path_is_taken(path: str, spelling: Spelling) -> None:
    assert parse(path, TWO, "any", FOLDERS) == spelling


@pytest.mark.parametrize("path", ["/home/u/apple/a.py", "/home/u", "/", "/etc/passwd", "file:///etc/passwd"])
def test_an_absolute_path_outside_the_roots(path: str) -> None:
    with pytest.raises(errors.OutsideRoots):
        parse(path, TWO, "any", FOLDERS)


def test_a_root_that_is_the_whole_disk() -> None:
    assert parse("/etc/hosts", ONE, "any", {"/": 0}) == Spelling(0, "etc/hosts")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("file:///home/u/app/%00.py", "control"),
        ("file:///home/u/app/%5C.py", "backslash"),
        ("file:///home/u/app/%FF.py", "uri"),
        ("file:///home/u/app/a.py#L10", "uri"),
        ("file:///home/u/app/a.py?x", "uri"),
        ("file://server/home/u/app/a.py", "uri"),
        ("file:////home/u/app/a.py", "uri"),
        ("vscode-remote://ssh/home/u/app/a.py", "uri"),
        ("/home/u/app\\a.py", "backslash"),
    ],
)
def test_a_malformed_uri_is_refused(path: str, reason: str) -> None:
    with pytest.raises(errors.MalformedPath) as caught:
        parse(path, ONE, "any", FOLDERS)
    assert (caught.value.path, caught.value.reason) == (path, reason)


def test_a_uri_with_what_no_file_system_holds() -> None:
    with pytest.raises(errors.MalformedPath):
        path_of_uri("file:///\udc80")


TURNING = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]


@pytest.mark.parametrize("name", ["a.py", "目录/a b.py", "a\u200db.py", "é/e\u0301"])
def test_names_a_file_can_be_created_with(name: str) -> None:
    check_new_name(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("a\tb", "control"), ("a\x9b", "control"), *((f"a{chr(code)}b", "bidi") for code in TURNING)],
)
def test_names_no_file_is_created_with(name: str, reason: str) -> None:
    with pytest.raises(errors.MalformedPath) as caught:
        check_new_name(f"src/{name}/x")
    assert caught.value.reason == reason
