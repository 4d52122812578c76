"""How errors show foreign names and texts, and what they keep."""

import dataclasses
import gc
import re
import typing
import weakref
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from agentfs_lsp.adapters.catalog import translator_for
from agentfs_lsp.api.messages.errors import ERRORS
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.errors import DomainError, FileMissing, NotLanded
from agentfs_lsp.domain.revision import Expected

HOSTILE = "x\0\x1b[2J\x07\r\x7f\x9b\u202e\u2066\u200b\ufeff\udc80\ud800y"
"""Controls a terminal, reorders and hides text, and is not UTF-8."""

RAW = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def values_of(hint: Any) -> tuple[object, ...]:
    """Every value of a closed set, and the worst of an open one."""
    arguments = typing.get_args(hint)
    match typing.get_origin(hint):
        case typing.Literal:
            return arguments
        case origin if origin is tuple:
            return ((), *(tuple([value] * 3) for value in values_of(arguments[0])))
    if arguments:
        return tuple(value for each in arguments for value in values_of(each))
    worst: dict[object, tuple[object, ...]] = {
        str: (HOSTILE,),
        int: (0, 1, 10**12),
        float: (0.05, 600.0),
        bool: (False, True),
        type(None): (None,),
        errors.NearMiss: (errors.NearMiss(7, (HOSTILE, "")),),
        errors.Held: (errors.Held(HOSTILE, "disk"),),
        Expected: (Expected(1, 2, HOSTILE),),
        errors.Blocked: (errors.Blocked((HOSTILE,), errors.NotUndoable(HOSTILE, "texts")),),
        errors.DomainError: (errors.Rejected("rejected", HOSTILE),),
    }
    return worst[hint]


def instances_of(kind: type[DomainError]) -> Iterator[DomainError]:
    hints = typing.get_type_hints(kind, {**vars(errors), "Expected": Expected})
    names = [each.name for each in dataclasses.fields(kind)]
    known = {"character": tuple(HOSTILE)}
    for values in product(*(known.get(name) or values_of(hints[name]) for name in names)):
        yield kind(**dict(zip(names, values, strict=True)))


@pytest.mark.parametrize("locale", ["en", "zh-cn"])
@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_nothing_that_comes_from_outside_is_shown_raw(kind: type[DomainError], locale: str) -> None:
    _, tell = ERRORS[kind]
    for error in instances_of(kind):
        for text in tell(error, translator_for(locale)):
            found = RAW.search(text)
            assert found is None, f"{found!r} in {text!r}"


@dataclasses.dataclass
class Text:
    """Unlike a string, it can be referred to weakly."""


def test_an_error_that_was_told_keeps_nothing_of_where_it_and_the_one_before_it_came_up() -> None:
    texts: list[weakref.ref[Text]] = []

    def read() -> None:
        text, outcomes = Text(), [FileMissing("a")]  # the frame holds the error, and the error the frame
        texts.append(weakref.ref(text))
        raise outcomes[0]

    def land() -> None:
        try:
            read()
        except FileMissing as missing:
            raise NotLanded("a", "unchanged") from missing

    gc.disable()
    try:
        with pytest.raises(NotLanded) as told:
            land()
        told.value.forget_where()
        assert [text() for text in texts] == [None]
    finally:
        gc.enable()
