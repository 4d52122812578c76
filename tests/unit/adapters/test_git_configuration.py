"""The files that git's configuration on disk names (docs/configuration.md#what-is-always-protected)."""

import os
from pathlib import Path

import pytest

from agentfs_lsp.adapters.fs import git_configuration
from agentfs_lsp.adapters.fs.git_configuration import GitConfigurations

HOOKS = "[core]\n\thooksPath = tools/hooks\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """The top of a work tree with a hooks folder that its configuration names."""
    top = tmp_path.resolve() / "top"
    put(top / ".git" / "config", HOOKS)
    return top


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def setting_of(path: Path, known: GitConfigurations | None = None) -> str | None:
    return (known or GitConfigurations()).setting_of(str(path))


def test_all_in_a_folder_of_hooks_is_named_and_nothing_beside_it(top: Path) -> None:
    for name in ("tools/hooks/pre-commit", "tools/hooks/a/b", "TOOLS/hooks./x", "tools/hooks"):
        assert setting_of(top / name) == "core.hooksPath"
    for name in ("tools/hooks.md", "tools/other", "a/tools/hooks/x", "README.md"):
        assert setting_of(top / name) is None
    assert setting_of(top.parent / "tools" / "hooks" / "x") is None


@pytest.mark.parametrize("folder", [".git/hooks", "tools/hooks"])
def test_a_hook_that_is_a_link_names_its_file(top: Path, folder: str) -> None:
    known, script = GitConfigurations(), top / "scripts" / "check.sh"
    put(script, "")
    (top / folder).mkdir(parents=True)
    assert setting_of(script, known) is None
    (top / folder / "pre-commit").symlink_to(script)
    assert setting_of(script, known) == "core.hooksPath"


def test_a_chain_of_links_that_nothing_follows_fails_no_change(top: Path) -> None:
    (top / "tools" / "hooks").mkdir(parents=True)
    for number in range(1500):
        (top / "tools" / "hooks" / f"l{number}").symlink_to(f"l{number + 1}")
    assert setting_of(top / "README.md") is None
    assert setting_of(top / "tools" / "hooks" / "l0") == "core.hooksPath"


def test_a_link_of_a_command_that_leads_elsewhere_by_now_names_its_new_file(top: Path) -> None:
    known = GitConfigurations()
    put(top / ".git" / "config", "[core]\nfsmonitor = run\n")
    (top / "run").symlink_to("a")
    assert setting_of(top / "b", known) is None
    (top / "run").unlink()
    (top / "run").symlink_to("b")
    assert setting_of(top / "b", known) == "core.fsmonitor"


def test_what_a_worktree_includes_leaves_room_for_its_repository(top: Path) -> None:
    includes = "".join(f"[include]\npath = c{number}\n" for number in range(40))
    put(top / ".git" / "config.worktree", includes)
    put(top / ".git" / "config", "[core]\nfsmonitor = tools/mon.sh\n")
    for number in range(40):
        put(top / ".git" / f"c{number}", "")
    assert setting_of(top / "tools" / "mon.sh") == "core.fsmonitor"


def test_a_linked_folder_of_hooks_is_named(top: Path) -> None:
    (top / ".git" / "hooks").symlink_to(top / "scripts")
    assert setting_of(top / "scripts" / "pre-commit") == "core.hooksPath"


def test_of_a_command_only_the_files_are_named(top: Path) -> None:
    put(
        top / ".git" / "config",
        '[core]\nfsmonitor = tools/mon.sh\n[filter "x"]\nclean = python tools/f.py -x\n',
    )
    assert setting_of(top / "tools" / "mon.sh") == "core.fsmonitor"
    assert setting_of(top / "tools" / "f.py") == "filter.clean"
    assert setting_of(top / "python" / "x") is setting_of(top / "tools" / "g.py") is None


def test_included_files_are_named_and_read(top: Path) -> None:
    put(top / ".git" / "config", "[include]\npath = ../cfg/one\npath = ../missing\n")
    put(top / "cfg" / "one", '[includeIf "onbranch:x"]\npath = two\n[include]\npath = one\n')
    put(top / "cfg" / "two", "[core]\nsshCommand = bin/ssh\n")
    assert setting_of(top / "cfg" / "one") == "include.path"
    assert setting_of(top / "missing") == "include.path"
    assert setting_of(top / "cfg" / "two") == "includeIf.path"
    assert setting_of(top / "bin" / "ssh") == "core.sshCommand"


def test_it_is_read_again_when_it_changes(top: Path) -> None:
    known, hook = GitConfigurations(), top / "tools" / "hooks" / "x"
    assert setting_of(hook, known) == "core.hooksPath"
    put(top / ".git" / "config", "[include]\npath = ../cfg\n")
    assert setting_of(hook, known) is None
    put(top / "cfg", HOOKS)
    assert setting_of(hook, known) == "core.hooksPath"
    (top / ".git" / "config").unlink()
    assert setting_of(hook, known) is None


def test_it_is_not_read_again_while_it_stays(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known, hook = GitConfigurations(), top / "tools" / "hooks" / "x"
    assert setting_of(hook, known) == "core.hooksPath"
    monkeypatch.delattr(git_configuration, "settings_with_files")
    (top / ".git" / "index.lock").touch()  # as with every command of git
    assert setting_of(hook, known) == "core.hooksPath"


def let_a_tick_pass(beside: Path) -> None:
    """Until then, a change may leave a folder with the time that it has."""
    (beside / "clock").touch()
    before = (beside / "clock").stat().st_ctime_ns
    while (beside / "clock").stat().st_ctime_ns == before:
        (beside / "clock").touch()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """All files seem to have been there for long."""
    monkeypatch.setattr(git_configuration, "_TICK_NS", -(1 << 62))


@pytest.mark.parametrize("is_settled", [True, False])
def test_hundreds_of_linked_hooks_are_followed_only_while_they_are_new(
    top: Path, monkeypatch: pytest.MonkeyPatch, is_settled: bool
) -> None:
    monkeypatch.setattr(git_configuration, "_TICK_NS", -(1 << 62) if is_settled else 1 << 62)
    known, hooks = GitConfigurations(), top / ".git" / "hooks"
    hooks.mkdir()
    for number in range(200):
        put(top / "scripts" / str(number), "")
        (hooks / str(number)).symlink_to(f"../../scripts/{number}")
    assert setting_of(top / "scripts" / "7", known) == "core.hooksPath"
    followed: list[str] = []
    monkeypatch.setattr(
        git_configuration, "real_path", lambda path: followed.append(path) or os.path.realpath(path)
    )
    assert setting_of(top / "scripts" / "7", known) == "core.hooksPath"
    assert (len(followed) < 10) == is_settled


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("replaced", ["top/.git/hooks/x", "top/alias", "far/last", "top/scripts/run", "far"])
def test_a_link_anywhere_on_the_way_of_a_hook_may_be_replaced(top: Path, replaced: str) -> None:
    known, far = GitConfigurations(), top.parent / "far"
    for folder in (top / ".git" / "hooks", top / "scripts", far):
        folder.mkdir(parents=True)
    (top / ".git" / "hooks" / "x").symlink_to("../../alias/run")
    (top / "alias").symlink_to("scripts")
    (top / "scripts" / "run").symlink_to(far / "last")
    (far / "last").symlink_to(top / "first")
    assert setting_of(top / "first", known) == "core.hooksPath"
    assert setting_of(top / "second", known) is None
    let_a_tick_pass(top.parent)
    (top.parent / replaced).rename(top.parent / "away")
    (top.parent / replaced).symlink_to(top / "second")
    assert setting_of(top / "first", known) is None
    if replaced == "top/alias":
        assert setting_of(top / "second" / "run", known) == "core.hooksPath"
    elif replaced == "far":
        assert setting_of(top / "second" / "last", known) == "core.hooksPath"
    else:
        assert setting_of(top / "second", known) == "core.hooksPath"


@pytest.mark.usefixtures("settled")
def test_what_a_hook_leads_to_may_be_moved_with_a_folder_above(top: Path) -> None:
    known, hook = GitConfigurations(), top / ".git" / "hooks" / "x"
    put(top / "lib" / "deep" / "run", "")
    hook.parent.mkdir()
    hook.symlink_to("../../lib/deep/run")
    assert setting_of(top / "lib" / "deep" / "run", known) == "core.hooksPath"
    (top / "lib").rename(top / "moved")
    (top / "lib").symlink_to("moved")
    assert setting_of(top / "moved" / "deep" / "run", known) == "core.hooksPath"


def test_a_worktree_has_the_configuration_of_its_repository_and_its_own(top: Path) -> None:
    put(top / ".git" / "worktrees" / "wt" / "commondir", "../..\n")
    put(top / ".git" / "worktrees" / "wt" / "config.worktree", "[core]\neditor = bin/ed\n")
    worktree = top.parent / "wt"
    put(worktree / ".git", f"gitdir: {top}/.git/worktrees/wt\n")
    assert setting_of(worktree / "tools" / "hooks" / "x") == "core.hooksPath"
    assert setting_of(worktree / "bin" / "ed") == "core.editor"
    assert setting_of(top / "bin" / "ed") is None


def test_a_submodule_has_its_own_beside_that_of_the_repository_around_it(top: Path) -> None:
    put(top / ".git" / "modules" / "sub" / "config", "[core]\nhooksPath = ../shared\n")
    put(top / "sub" / ".git", "gitdir: ../.git/modules/sub\n")
    put(top / ".git" / "config", "[core]\nhooksPath = sub/hooks\n")
    assert setting_of(top / "sub" / "hooks" / "x") == "core.hooksPath"


def test_links_and_the_home_folder_are_followed(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(top / "home"))
    put(top / ".git" / "config", "[core]\nhooksPath = link\n[include]\npath = ~/cfg\n")
    (top / "real").mkdir()
    (top / "link").symlink_to("real")
    assert setting_of(top / "real" / "pre-commit") == "core.hooksPath"
    assert setting_of(top / "home" / "cfg") == "include.path"


@pytest.mark.parametrize("text", ["gitdir: a\0b\n", "gitdir: " + "../" * 2000, "gitdir: .git", "", "x\n"])
def test_an_odd_git_file_names_nothing(tmp_path: Path, text: str) -> None:
    put(tmp_path / ".git", text)
    assert setting_of(tmp_path / "a") is None


def test_a_pipe_and_what_is_endless_are_not_waited_for(top: Path) -> None:
    (top / ".git" / "config").unlink()
    os.mkfifo(top / ".git" / "config")
    assert setting_of(top / "a") is None
    (top / ".git" / "config").unlink()
    (top / ".git" / "config").symlink_to("/dev/zero")
    assert setting_of(top / "a") is None


def test_files_are_limited(top: Path) -> None:
    """Two of the 16 are the repository's own."""
    put(top / ".git" / "config", "[include]\n" + "".join(f"path = ../c{n}\n" for n in range(30)))
    for n in range(30):
        put(top / f"c{n}", f"[alias]\nx = !a{n}\n")
    assert setting_of(top / "a13") == "alias.x"
    assert setting_of(top / "a14") is None


def test_names_are_limited(top: Path) -> None:
    put(top / ".git" / "config", "[alias]\nx = !" + " ".join(f"a{n}" for n in range(5000)) + "\n")
    assert setting_of(top / "a0") == "alias.x"
    assert setting_of(top / "a4999") is None


def test_includes_leave_room_for_the_configuration_of_a_worktree(top: Path) -> None:
    put(top / ".git" / "config", "[include]\n" + "".join(f"path = ../c{n}\n" for n in range(30)))
    put(top / ".git" / "config.worktree", HOOKS)
    assert setting_of(top / "tools" / "hooks" / "x") == "core.hooksPath"


def test_a_folder_of_hooks_is_found_where_a_link_leads_by_now(top: Path) -> None:
    known = GitConfigurations()
    for name in ("one", "two"):
        (top / "tools").unlink(missing_ok=True)
        (top / "tools").symlink_to(top / name)
        assert setting_of(top / name / "hooks" / "x", known) == "core.hooksPath"


def test_an_included_file_is_read_where_a_link_leads_by_now(top: Path) -> None:
    known, link = GitConfigurations(), top / "included"
    put(top / ".git" / "config", "[include]\npath = ../included\n")
    for name in ("one", "two"):
        put(top / name, f"[alias]\nx = !run-{name}\n")
        link.unlink(missing_ok=True)
        link.symlink_to(top / name)
        assert setting_of(top / f"run-{name}", known) == "alias.x"
