"""docs/architecture.md lists exactly the server's modules."""

import re

import pytest

from support.docs import REPOSITORY, codes, examples, section, text_of

DOCS = text_of("architecture.md")
PACKAGE = REPOSITORY / "server" / "agentfs_lsp"
EXTENSION = REPOSITORY / "extension" / "src"
SAMPLE = PACKAGE / "demo" / "workspace"
PATHS = sorted({one for one in codes(DOCS) if re.fullmatch(r"(?!agentfs/)[\w/]+/[\w/]*(\.py)?", one)})


def listed(title: str) -> list[tuple[str, str]]:
    """(path, description) from each line of the tree in that section."""
    (tree,) = examples(section(DOCS, title), "text")
    lines: list[tuple[str, str]] = []
    folders: list[str] = []
    for line in tree.split("\n"):
        found = re.fullmatch(r"( *)(\S+)(?: +(.*))?", line)
        if found is None:
            continue
        depth, name = len(found[1]) // 2, found[2]
        del folders[depth:]
        if name.endswith("/"):
            folders.append(name)
        else:
            lines.append(("".join(folders) + name, found[3] or ""))
    return lines


def test_the_tree_is_the_package() -> None:
    modules = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if SAMPLE not in path.parents and path.read_text("utf-8").strip()
    }
    paths = [path for path, _ in listed("Modules")]
    assert set(paths) == modules, "add a line to the section Modules of docs/architecture.md, or remove it"
    assert len(paths) == len(modules)


def test_the_extensions_tree_is_its_source() -> None:
    modules = {str(path.relative_to(EXTENSION)) for path in EXTENSION.rglob("*.ts")}
    told = listed("The VS Code extension")
    assert {path for path, said in told if said} == modules
    assert len(told) == len(modules)


def test_each_module_has_its_line_but_requests_whose_name_says_it() -> None:
    assert [path for path, said in listed("Modules") if not said and "/requests/" not in path] == []


@pytest.mark.parametrize("path", PATHS)
def test_every_path_named_in_the_text_exists(path: str) -> None:
    assert (PACKAGE / path).exists() or (REPOSITORY / path).exists()
