"""Names that some file system treats as equal are folded alike, and no others."""

import re

import pytest

from agentfs_lsp.domain.folding import fold_path, short_names


@pytest.mark.parametrize(
    ("path", "folded"),
    [
        ("src/A.py", "src/a.py"),
        ("STRASSE/Straße", "strasse/strasse"),
        ("e\u0301\uff0ea", "é.a"),
        ("a./b /c. .", "a/b/c"),
        ("a:x/b::$DATA", "a/b"),
        ("a\u200d./b", "a/b"),
        ("a//b/ /c", "a/b/c"),
        ("...", ""),
        ("a.b c/d", "a.b c/d"),
    ],
)
def test_folded_paths(path: str, folded: str) -> None:
    assert fold_path(path) == folded


@pytest.mark.parametrize(
    ("glob", "names", "others"),
    [
        (".git", ["git~1", "git~12"], ["git~", "git~1a", "gi7d29~1", "agit~1"]),
        (".gitmodules", ["gitmod~1", "gitmo~10", "gi7eba~1"], ["gitmod~10", "gitmo~1", "gixxxx~1"]),
        (".env.*", ["env~1.loc", "env~2.a"], ["env~1", "enva~1.loc"]),
        ("id_ed25519*", ["id_ed2~1", "id_ed2~1.pub"], ["id_ed~1"]),
        ("*.code-workspace", ["a~1.cod", "work~1.cod"], ["a~1.code", "a~1"]),
        (".dir-locals*.el", ["dir-lo~1.el"], ["dir-lo~1", "dir-lo~1.els"]),
        ("long-file-name.yaml", ["long-f~1.yam"], ["long-f~1.yaml"]),
        ("a.b.c.md", ["abc~1.md"], ["a.b.c~1.md"]),
    ],
)
def test_short_names(glob: str, names: list[str], others: list[str]) -> None:
    short = re.compile("|".join(one.replace(".", r"\.").replace("*", ".*") for one in short_names(glob)))
    assert [name for name in names if not short.fullmatch(name)] == []
    assert [name for name in others if short.fullmatch(name)] == []


@pytest.mark.parametrize("name", ["AGENTS.md", "netrc", "a.b"])
def test_a_name_that_is_short_already_has_no_other(name: str) -> None:
    assert short_names(name) == []
