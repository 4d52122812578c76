"""Every text in every language: the catalogs match the code, and no text bypasses them."""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from agentfs_lsp.adapters.catalog import translator_for
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.translation import Translate, english, sentences
from texts import CATALOGUES, PACKAGE, compiled, read, says, templates_in, untranslated, updated

SAID = templates_in(PACKAGE)

_PERCENT = re.compile(r"%(?:\(\w+\))?[rs]")
"""The fields that argparse fills in."""

every_catalog = pytest.mark.parametrize(
    "path", CATALOGUES, ids=[path.parent.parent.name for path in CATALOGUES]
)


def fields(template: str) -> list[tuple[str, str | None]]:
    """The fields of a template, with their conversions."""
    by_name = [(name, spec) for _, name, spec, _ in Formatter().parse(template) if name is not None]
    return sorted(by_name) + [(found, None) for found in sorted(_PERCENT.findall(template))]


@every_catalog
def test_every_template_is_translated(path: Path) -> None:
    assert [message.id for message in untranslated(updated(read(path), SAID))] == [], "run `make texts`"


@every_catalog
def test_nothing_is_translated_that_nobody_says(path: Path) -> None:
    assert [message.id for message in read(path) if message.id and message.id not in SAID] == []


@every_catalog
def test_a_translation_puts_in_the_same_facts(path: Path) -> None:
    for message in read(path):
        template = message.id if isinstance(message.id, str) else message.id[-1]
        forms = [message.string] if isinstance(message.string, str) else message.string
        assert [fields(form) for form in forms] == [fields(template)] * len(forms), template


@every_catalog
def test_what_is_shipped_is_what_is_written(path: Path) -> None:
    assert path.with_suffix(".mo").read_bytes() == compiled(read(path)), "run `make texts`"


def test_each_number_gets_its_form() -> None:
    facts = {"plural": "Mode {mode}. {count} changes are pending.", "mode": "manual"}
    one, several = (english("Mode {mode}. One change is pending.", count=count, **facts) for count in (1, 2))
    assert (one, several) == ("Mode manual. One change is pending.", "Mode manual. 2 changes are pending.")
    chinese = translator_for("zh-cn")
    both = [chinese("Mode {mode}. One change is pending.", count=count, **facts) for count in (1, 2)]
    assert both == ["模式 manual；1 项更改在等待。", "模式 manual；2 项更改在等待。"]


def test_sentences_are_set_apart_as_the_language_does() -> None:
    assert sentences(english, ("One.", "", "Two.")) == "One. Two."
    assert sentences(translator_for("zh-cn"), ("一。", "", "二。")) == "一。二。"
    assert sentences(english, ("", "")) == ""


SENTENCE = re.compile(r"\(.*\)|（.*）|.*[.!?…:。！？：][)”\"）]*", re.DOTALL)


def filled(translate: Translate, template: str, plural: str = "") -> str:
    """The template with a file's name, or a number if required, for every fact."""
    named = (*fields(template), *fields(plural))
    facts: dict[str, Any] = {name: 7 if spec or name == "count" else "a)" for name, spec in named}
    return translate(template, plural=plural, **facts)


@pytest.mark.parametrize("locale", ["en", "zh-cn"])
def test_no_two_sentences_run_together(locale: str) -> None:
    """Each message, with a file's name as its last word, before and after another: each must end as a
    sentence."""
    translate, stop, apart = translator_for(locale), *((".", " ") if locale == "en" else ("。", ""))
    said = [
        filled(translate, *((one,) if isinstance(one, str) else one))
        for one in SAID
        if not _PERCENT.search(str(one))
    ]
    assert len(said) > 300
    for before, after in chain(pairwise(said), pairwise(reversed(said))):
        ended = before if SENTENCE.fullmatch(before) else before + stop
        assert sentences(translate, (before, after)) == f"{ended}{apart}{after}"
    assert [sentences(translate, (one,)) for one in said] == said


@pytest.mark.parametrize("locale", ["zh", "zh-cn", "zh-CN", "zh_CN.UTF-8", "zh-Hans", "zh-Hans-HK", "zh-SG"])
def test_names_of_simplified_chinese(locale: str) -> None:
    assert translator_for(locale)("Approve") == "批准"


@pytest.mark.parametrize(
    "locale", ["", "C", "en", "en-GB", "de", "zh-TW", "zh-Hant-CN", "zh_HK.UTF-8", "zhx", "é"]
)
def test_all_others_get_english(locale: str) -> None:
    assert translator_for(locale)("Approve") == "Approve"


# --- what goes round the catalog ------------------------------------------------------------------------

# For developers: JSON-RPC errors and the log.
FOR_DEVELOPERS = {
    "capabilities", "codec", "connection", "framing", "loop", "outgoing", "pending_requests", "protocol",
    "serving", "writer",
}  # fmt: skip
# What editors send and get literally, and what a program is called.
TO_EDITORS = {"Keyboard interrupt", "agentfs-lsp review", "\ufeff# vim: set nomodeline:\n"}
QUIET = {"debug", "info", "warning", "error", "exception"}
SPEAKING = [
    path
    for folder in ("service", "adapters/review", "api", "lsp")
    for path in sorted((PACKAGE / folder).rglob("*.py"))
    if path.stem not in FOR_DEVELOPERS
]
ERRORS = {name for name, value in vars(errors).items() if isinstance(value, type)}
WORDS = re.compile(r"[A-Za-z']{2,} [a-z']{2,}")


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def words_in(node: ast.AST) -> Iterator[str]:
    """Literals of several words below `node`, except docstrings, keys of tables, and what is translated or
    quiet."""
    said = node.value if isinstance(node, ast.Constant) else None
    if isinstance(said, str) and WORDS.search(said) and said not in TO_EDITORS:
        yield f"line {node.lineno}: {said}"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Call) and name_of(node) in QUIET:
        return
    for each in _below(node):
        yield from words_in(each)


def _below(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, ast.Call) and says(node):
        return [given.value for given in node.keywords if given.arg != "plural"]
    return ast.iter_child_nodes(node)


@pytest.mark.parametrize("path", SPEAKING, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_sentence_goes_round_the_catalog(path: Path) -> None:
    assert list(words_in(ast.parse(path.read_text("utf-8")))) == []


def test_errors_carry_facts_and_no_sentences() -> None:
    found = [
        f"{path.name}: {words}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and name_of(call) in ERRORS
        for given in (*call.args, *(keyword.value for keyword in call.keywords))
        for words in words_in(given)
    ]
    assert found == []
