"""What a workspace's file may set, and what happens to the rest."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.domain.policy.tightening import tightened
from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.domain.settings.settings import SETTINGS
from agentfs_lsp.domain.translation import english
from agentfs_lsp.lsp.configuration.messages import problem_text
from agentfs_lsp.lsp.configuration.workspace_file import NO_FILE, WorkspaceFile, look_again, read_file
from agentfs_lsp.service.files.store import Root
from support.policies import check_no_looser, settings_of

ROOT = Root("app", "/home/u/app", "file:///home/u/app")
ADDED = (
    "a glob in .gitignore syntax with at most three * in one name, two **, no empty name, . or .., "
    "and no ! before it"
)
ALL_ASKED = " Until this is fixed, you will be asked before anything is read or changed."
ASKED = " Until this is fixed, you will be asked before anything in its folder is read or changed."


def said(text: str) -> WorkspaceFile:
    return read_file(ROOT, text.encode())


def told(file: WorkspaceFile) -> list[str]:
    return [problem_text(problem, english) for problem in file.problems]


def test_tightening_and_harmless_settings_are_accepted() -> None:
    file = said("""
        files = ["src/a.py", "./b"]
        protected = ["*.lock"]
        create_dirs = false
        limits = { read_lines = 10 }
        [approval]
        mode = "manual"
        [encoding]
        default = "gbk"
        [[rules]]
        files = ["*.sql", "!seed.sql"]
        read = "ask"
        write = "deny"
    """)
    assert file.problems == ()
    assert file.tightening.fault is None
    assert file.tightening.values == {
        "files": ("src/a.py", "b"),
        "protected": ("*.lock",),
        "create_dirs": False,
        "limits.read_lines": 10,
        "approval.mode": "manual",
        "encoding.default": "gbk",
        "rules": (Rule(("*.sql", "!seed.sql"), "ask", "deny"),),
    }


@pytest.mark.parametrize(
    ("text", "problem", "faulty"),
    [
        ("locale = 'en'", "locale can be set only in your own settings; ignored.", False),
        ("switches.x = true", "switches.x can be set only in your own settings; ignored.", False),
        ("switches = 5", "switches can be set only in your own settings; ignored.", False),
        ("save = 'always'", 'save can only be "never" in a workspace; ignored.', False),
        ("save = 5", 'save must be one of "auto", "always", "never", not 5; "never" is used.', False),
        ("tabs = 8", "Unknown setting tabs; ignored.", False),
        ("agentfs.save = 'always'", 'save can only be "never" in a workspace; ignored.', False),
        ("agentfs.save = 'never'\ncreate_dirs = false", "Unknown setting agentfs; ignored.", False),
        (
            "limits.read_lines = '5'",
            'limits.read_lines must be a whole number from 1 to 10000000, not "5"; ignored.',
            False,
        ),
        (
            "rules = [{files = ['a'], read = 'allow'}]",
            'rules[0].read must be one of "ask", "deny", not "allow".' + ALL_ASKED,
            True,
        ),
        ("protected = ['!AGENTS.md']", f'protected[0] must be {ADDED}, not "!AGENTS.md".' + ALL_ASKED, True),
        ("protected = [2026-11-22]", f'protected[0] must be {ADDED}, not "2026-11-22".' + ALL_ASKED, True),
    ],
)
def test_what_does_not_fit_is_told_with_its_file(text: str, problem: str, faulty: bool) -> None:
    file = said(text)
    assert told(file) == [f"/home/u/app/.agentfs.toml: {problem}"]
    assert (file.tightening.fault is not None) is faulty


@pytest.mark.parametrize(
    "data",
    [b"rules = [", b"\xff", b"a = 1\na = 2", b"a = " + b"[" * 30_000, "save = 'never'".encode("utf-16")],
)
def test_what_is_no_toml_has_everything_asked(data: bytes) -> None:
    file = read_file(ROOT, data)
    assert told(file) == [f"/home/u/app/.agentfs.toml is not valid TOML in UTF-8.{ASKED}"]
    assert file.tightening.fault == ".agentfs.toml"


@pytest.mark.parametrize(
    "text",
    [
        "a." * 12_000 + "a = 1",
        "[" + "'a' . " * 200 + "a]",
        "protected = [" + ",".join(f"'*a*a*ab{number}'" for number in range(990)) + "]",
        "rules = [{files = ['x/**/x/**/x*" + "', 'x/**/x/**/x*" * 20 + "'], read = 'ask'}]",
    ],
)
def test_what_takes_long_to_read_or_to_match_has_everything_asked(text: str) -> None:
    file = said(text)
    assert told(file) == [
        f"/home/u/app/.agentfs.toml has keys or globs that take too long to process.{ASKED}"
    ]
    assert file.tightening.fault == ".agentfs.toml"
    assert file.tightening.values == {}


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        ("[a" + ".a" * 100 + "]", "[a" + ".a" * 101 + "]"),
        ("protected = [" + "'**/a/**/b'," * 7 + "]", "protected = [" + "'**/a/**/b'," * 8 + "]"),
        ("protected = [" + "'*a*b'," * 57 + "]", "protected = [" + "'*a*b'," * 58 + "]"),
        ("protected = ['*a*b*']", "protected = ['*a*b*c']"),
    ],
)
def test_the_bounds_of_the_documents_are_where_reading_and_matching_end(within: str, beyond: str) -> None:
    """docs/configuration.md#invalid-settings"""
    assert said(within).tightening.fault is None
    assert told(said(beyond)) == [
        f"/home/u/app/.agentfs.toml has keys or globs that take too long to process.{ASKED}"
    ]


def test_many_plain_globs_are_taken() -> None:
    globs = [f"**/*.generated-{number}.sql" for number in range(900)]
    file = said("protected = [\n{}\n]".format(",\n".join(f"'{glob}'" for glob in globs)))
    assert (file.problems, file.tightening.protected) == ((), tuple(globs))


EMPTY = {"switches": ("[]", "{}")}
VALUES = (
    *('"manual"', '"auto_edit"', '"relative"', '"any"', '"never"', '"always"', '"gbk"', '"en"'),
    *(
        "true",
        "false",
        "1",
        "2.5",
        "600",
        "1000000",
        "[]",
        '["x"]',
        '["!x"]',
        "{}",
        "[{}]",
        "{memory = true}",
    ),
    *('[{files = ["*"], read = "allow"}]', '[{files = ["*"], read = "deny"}]', "2026-11-22", "nan"),
)
LOOSE = {
    "approval": {"mode": "auto_edit"},
    "paths": "any",
    "save": "always",
    "require_read": False,
    "limits": {"read_lines": 999_999, "read_chars": 999_999},
    "switches": {"memory": True},
}
STRICT = {"save": "never", "limits": {"read_lines": 1, "read_chars": 1, "max_file_bytes": 1}, "files": []}


@pytest.mark.parametrize("key", SETTINGS)
def test_every_key_applies_or_is_reported(key: str) -> None:
    """Every value of every key either applies or is reported, and none loosens anything."""
    setting = SETTINGS[key]
    for value in VALUES:
        file = said(f"{key} = {value}")
        for users in ({}, LOOSE, STRICT):
            check_no_looser(settings_of(users), tightened(settings_of(users), file.tightening))
        assert file.problems or file.tightening.values.keys() == {key} or value in EMPTY.get(key, ())
        if setting.in_workspace == "users":
            assert file.tightening.values == {}


# --- on disk ----------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tuple[DiskStore, Root, Path]]:
    folder = tmp_path / "root"
    folder.mkdir()
    root = Root("root", str(folder.resolve()), folder.as_uri())
    files = DiskStore(StateFolder(str(tmp_path / "state")))
    files.set_roots([root])
    yield files, root, folder / ".agentfs.toml"
    files.close()


def test_the_file_is_taken_up_changed_and_given_up(store: tuple[DiskStore, Root, Path]) -> None:
    files, root, path = store
    assert look_again(files, root, NO_FILE) is NO_FILE
    path.write_text("save = 'never'")
    first = look_again(files, root, NO_FILE)
    assert first.tightening.values == {"save": "never"}
    assert look_again(files, root, first) is first
    path.write_text("save = 'xxxxx'")
    assert look_again(files, root, first).problems
    path.unlink()
    assert look_again(files, root, first) is NO_FILE


def test_what_is_no_plain_file_has_everything_asked(store: tuple[DiskStore, Root, Path]) -> None:
    files, root, path = store
    (path.parent / "other.toml").write_text("save = 'never'")
    path.symlink_to("other.toml")
    linked = look_again(files, root, NO_FILE)
    assert linked.tightening.fault == ".agentfs.toml"
    assert look_again(files, root, linked) is linked
    path.unlink()
    path.mkdir()
    assert look_again(files, root, NO_FILE).tightening.fault == ".agentfs.toml"
    path.rmdir()
    path.write_bytes(b"#" * (64 * 1024 + 1))
    large = look_again(files, root, NO_FILE)
    assert told(large)[0].startswith(f"{path} is larger than 64 KiB.")
