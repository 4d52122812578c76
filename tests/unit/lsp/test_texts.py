"""Every failure has a text in each language: errors, invalid parameters and settings, warnings."""

import dataclasses
import re
import typing
from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

import pytest

from agentfs_lsp.adapters.catalog import translator_for
from agentfs_lsp.api.dialects.table import DIALECTS
from agentfs_lsp.api.messages.errors import ERRORS, error_text
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.policy import credentials
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.domain.shapes import Constraint
from agentfs_lsp.domain.translation import Translate, naming, sentences
from agentfs_lsp.lsp.configuration.messages import problem_text, problems_text
from agentfs_lsp.lsp.configuration.reading import Problem
from agentfs_lsp.lsp.review_params import BadReviewParams, ReviewProblem, review_params_text
from agentfs_lsp.service.proposal.wording import warning_text

ENGLISH, CHINESE = translator_for("en"), translator_for("zh-cn")
WORDS = re.compile(r"[A-Za-z']{2,} [a-z']{2,}")

SAMPLES: dict[object, object] = {str: "x", int: 2, float: 1.5, bool: True}


def choices_of(hint: Any) -> tuple[object, ...]:
    """Every value of a closed set, one of an open one."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        return arguments
    if typing.get_origin(hint) is tuple:
        if arguments[0] is errors.Held:
            return (), (errors.Held("x", "disk"), errors.Held("x", "editor"))
        if arguments[0] is errors.Blocked:
            blocked = (
                errors.Blocked((), errors.ChangeUnknown("x")),
                errors.Blocked(("x",), errors.NotUndoable("x", "texts")),
            )
            return blocked[:1], blocked, blocked * 6
        return (choices_of(arguments[0]),) if arguments[0] is not errors.NearMiss else ((),)
    if type(None) in arguments:
        return (None, *(value for each in arguments if each is not type(None) for value in choices_of(each)))
    return (SAMPLES.get(hint),)


def instances_of(kind: type[Any], **more: object) -> Iterator[Any]:
    hints = typing.get_type_hints(kind, {**vars(errors), "Expected": Expected})
    names = [each.name for each in dataclasses.fields(kind)]
    for values in product(*(choices_of(hints[name]) for name in names)):
        yield kind(**dict(zip(names, values, strict=True)), **more)


def tree(kind: type[DomainError]) -> Iterator[type[DomainError]]:
    for below in kind.__subclasses__():
        yield below
        yield from tree(below)


def test_every_error_is_in_the_table() -> None:
    assert set(ERRORS) == set(tree(errors.DomainError))


@pytest.mark.parametrize(
    ("feedback", "said"),
    [("", ""), ("not now", " The user wrote: “not now”."), ("Why?", " The user wrote: “Why?”")],
)
def test_a_no_to_some_of_the_files_names_them(feedback: str, said: str) -> None:
    error = errors.Rejected("rejected", feedback, ("a.py", "b.py"))
    message, _ = ERRORS[errors.Rejected][1](error, ENGLISH)
    assert message == f"The user rejected the change of 'a.py', 'b.py'.{said}"


@pytest.mark.parametrize(("translate", "said"), [(ENGLISH, "“Not now.”"), (CHINESE, "“现在不行。”")])
def test_what_the_user_wrote_keeps_its_own_full_stop(translate: Translate, said: str) -> None:
    message, next_step = error_text(errors.Rejected("rejected", said.strip("“”")), translate)
    assert message.endswith(said)
    assert f"{said} " in sentences(ENGLISH, (message, next_step))


@pytest.mark.parametrize("origin", ["", ".agentfs.toml"])
def test_a_single_further_problem_is_counted_in_words(origin: str) -> None:
    problems = [Problem(f"key{number}", "unknown", "5", origin=origin) for number in range(4)]
    told = problems_text(problems, ENGLISH)
    assert told.endswith("lists the other one too." if origin else "There is one more.")


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_is_told_in_each_language(kind: type[DomainError]) -> None:
    for error in instances_of(kind):
        tell = ERRORS[kind][1]
        (message, next_step), chinese = tell(error, ENGLISH), tell(error, CHINESE)
        assert message.endswith((".", "?")), message
        assert not any(WORDS.search(text) for text in chinese), chinese
        assert all("{" not in text for text in (message, next_step, *chinese))


@pytest.mark.parametrize("constraint", list(instances_of(Constraint)), ids=lambda constraint: constraint.kind)
def test_every_wrong_setting_is_told_in_each_language(constraint: Constraint) -> None:
    for key in ("diff.context", "approval.mode", "rules", "files", "switches.memory"):
        problem = Problem(f"{key}[0]", "wrong", '"x"', constraint, key)
        assert problem_text(problem, ENGLISH).startswith(f"agentfs.{key}[0] must be ")
        assert not WORDS.search(problem_text(problem, CHINESE))


@pytest.mark.parametrize("kind", ["no_object", "switch_missing", "unknown", "users_alone"])
def test_settings_that_are_not_in_force_are_told_in_each_language(kind: Any) -> None:
    assert "agentfs.rules" in problem_text(Problem("rules", kind, "5"), ENGLISH)
    assert not WORDS.search(problem_text(Problem("rules", kind, "5"), CHINESE))


@pytest.mark.parametrize("kind", ["users_alone", "loosens", "too_large", "unreadable", "no_toml", "too_slow"])
def test_what_is_wrong_with_a_workspaces_file_is_told_in_each_language(kind: Any) -> None:
    path = "save" if kind in {"users_alone", "loosens"} else ""
    problem = Problem(path, kind, key=path, origin="/r/.agentfs.toml")
    assert problem_text(problem, ENGLISH).startswith("/r/.agentfs.toml")
    assert not WORDS.search(problem_text(problem, CHINESE))


@pytest.mark.parametrize("problem", typing.get_args(ReviewProblem))
def test_every_wrong_decision_is_told_in_each_language(problem: Any) -> None:
    error = BadReviewParams(problem)
    assert review_params_text(error, ENGLISH).endswith(".")
    assert not WORDS.search(review_params_text(error, CHINESE))


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_error_of_a_dialect_is_told_in_each_language(dialect: Any) -> None:
    names = dialect.phrasing.names
    for kind, tell in dialect.phrasing.errors.items():
        for error in instances_of(kind):
            english, chinese = (
                tell(error, naming(translate, names), "a.md") for translate in (ENGLISH, CHINESE)
            )
            assert english[0]
            assert not any(WORDS.search(text) for text in chinese), chinese
            assert all("{" not in text for text in (*english, *chinese))


@pytest.mark.parametrize("what", dict.fromkeys(what for what, _, _ in credentials._FORMATS))
def test_every_kind_of_secret_has_its_words(what: str) -> None:
    assert warning_text("secret", what, ENGLISH) == f"a likely secret ({what})"
    assert re.fullmatch(r"疑似密钥或凭据（.*[私密令地].*）", warning_text("secret", what, CHINESE))
