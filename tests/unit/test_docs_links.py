"""Everything that documents and docstrings refer to exists: files, sections, tests."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from support.docs import REPOSITORY, anchors, links

FOLDERS = ("*.md", "extension/*.md", "editors/*/*.md", "docs/**/*.md")
PAGES = sorted(page for folder in FOLDERS for page in REPOSITORY.glob(folder))
SOURCES = sorted([*(REPOSITORY / "server").rglob("*.py"), *(REPOSITORY / "tests").rglob("*.py")])
REFERENCE = re.compile(r"\bdocs/[\w./-]+?\.md(?:#[\w-]+)?")
TEST = re.compile(r"\btests/(?!\S*NAME)[\w/]+\.py(?:::\w+)?")  # NAME stands for a file yet to be written

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))


def resolves(target: str, base: Path) -> bool:
    """Whether this file exists below `base`, with this section."""
    name, _, anchor = target.partition("#")
    path = base / name
    if not path.exists():
        return False
    return not anchor or anchor in _anchors_of(path)


@cache
def _anchors_of(page: Path) -> set[str]:
    return anchors(page.read_text("utf-8"))


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    local = [link for link in links(page.read_text("utf-8")) if not re.match(r"[a-z]+:", link)]
    named = [f"{page.name}{link}" if link.startswith("#") else link for link in local]
    broken = [link for link in named if not resolves(link, page.parent)]
    assert broken == []


@every_page
def test_tests_named_in_documents_exist(page: Path) -> None:
    missing = [name for name in TEST.findall(page.read_text("utf-8")) if not is_test(name)]
    assert missing == []


def is_test(name: str) -> bool:
    path, _, function = name.partition("::")
    source = REPOSITORY / path
    return source.exists() and (not function or f"def {function}(" in source.read_text("utf-8"))


def said_in(source: Path) -> Iterator[str]:
    """The comments and docstrings of a module."""
    text = source.read_text("utf-8")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.value


def test_what_the_code_refers_to_is_there() -> None:
    broken = [
        f"{source.relative_to(REPOSITORY)}: {reference}"
        for source in SOURCES
        if REFERENCE.search(source.read_text("utf-8"))
        for said in said_in(source)
        for reference in REFERENCE.findall(said)
        if not resolves(reference, REPOSITORY)
    ]
    assert broken == []


def test_what_the_build_refers_to_is_there() -> None:
    for name in ("pyproject.toml", "Makefile"):
        for reference in REFERENCE.findall((REPOSITORY / name).read_text("utf-8")):
            assert resolves(reference, REPOSITORY), f"{name}: {reference}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [REPOSITORY / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        for link in links(page.read_text("utf-8")):
            if not re.match(r"[a-z]+:|#", link):
                target = (page.parent / link.partition("#")[0]).resolve()
                waiting += target.glob("*.md") if target.is_dir() else [target]
    assert {page for page in PAGES if page.name != "CHANGELOG.md"} <= reached
