"""Which settings of git name files that it runs or reads as configuration."""

import time

import pytest

from agentfs_lsp.domain.policy.git_settings import settings_with_files


def named_in(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [tuple(setting) for setting in settings_with_files(text)]


@pytest.mark.parametrize(
    ("text", "name", "kind", "paths"),
    [
        ("[core]\n\thooksPath = tools/hooks\n", "core.hooksPath", "hooks", ("tools/hooks",)),
        ("[core] hookspath=tools/hooks # ours\n", "core.hookspath", "hooks", ("tools/hooks",)),
        ('[CORE]\r\n HooksPath = "my hooks"; "#"\r\n', "CORE.HooksPath", "hooks", ("my hooks",)),
        ("[core]\n hooksPath = tools/\\\nhooks", "core.hooksPath", "hooks", ("tools/hooks",)),
        ("[core.x]\n hooksPath = a\\\\b", "core.x.hooksPath", "hooks", (r"a\b",)),
        ("[core]\n attributesFile = etc/my attrs", "core.attributesFile", "file", ("etc/my attrs",)),
        ("[include]\n path = ../git cfg", "include.path", "include", ("../git cfg",)),
        ('[includeIf "gitdir:~/a b/"]\n path = ~/x', "includeIf.path", "include", ("~/x",)),
        ("[core]\n fsmonitor = tools/mon.sh --all", "core.fsmonitor", "file", ("tools/mon.sh", "--all")),
        ('[filter "a\\"]b"]\n clean = sh -c \'x/y\'', "filter.clean", "file", ("sh", "-c", "x/y")),
        ("[alias]\n ship = !cd x && ./ship.sh", "alias.ship", "file", ("cd", "x", "./ship.sh")),
        ('[merge "m"]\n driver = "bin/m" %A "%B"', "merge.driver", "file", ("bin/m", "%A", "%B")),
        ("[pager]\n log = tools/p", "pager.log", "file", ("tools/p",)),
        ('[mergetool "m"]\n path = tools/m', "mergetool.path", "file", ("tools/m",)),
        ('[remote "r"]\n url = ext::tools/r %S', "remote.url", "file", ("tools/r", "%S")),
        ("[diff]\n external = a --with=b/c", "diff.external", "file", ("a", "--with", "b/c")),
    ],
)
def test_what_git_runs_or_includes_is_named(text: str, name: str, kind: str, paths: tuple[str, ...]) -> None:
    named = named_in(f"[user]\n name = me\n{text}")
    assert (named[-1], {one for one, *_ in named}) == ((name, kind, paths), {name})


@pytest.mark.parametrize("before", ["# a note \\", "x = C:\\\\"])
def test_no_backslash_hides_the_next_line(before: str) -> None:
    named = named_in(f"[core]\n{before}\nhooksPath = a")
    assert ("core.hooksPath", "hooks", ("a",)) in named


def test_a_byte_order_mark_hides_no_section() -> None:
    assert named_in("\ufeff[include]\n path = a") == [("include.path", "include", ("a",))]


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n bare = false\n hooksPath =\n# fsmonitor = a\n ; editor = b\n",
        '[branch "main"]\n remote = origin\n merge = refs/heads/main\n',
        '[remote "origin"]\n url = ../other\n fetch = +refs/heads/*:refs/remotes/origin/*\n',
        '[submodule "lib"]\n active = true\n path = lib\n',
        "[alias]\n st = status\n[init]\n defaultBranch = main\n",
        "\\", '"', "[", "=", "[core\nhooksPath", "",
    ],
)  # fmt: skip
def test_nothing_else_is(text: str) -> None:
    assert named_in(text) == []


PARTS = ['"', "\\", '[a "', "[a]", '[a "\\', "=", "a=!b ", 'a = "\\"', "# ", "\\\n"]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("begin", ["", "[core]\nhooksPath = "])
def test_no_configuration_takes_long(begin: str, part: str) -> None:
    began = time.process_time()
    for _ in settings_with_files(begin + part * (256 * 1024 // len(part))):
        pass
    assert time.process_time() - began < 2
