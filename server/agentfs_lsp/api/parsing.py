"""Params from outside as their declared shapes: dataclasses, or TypedDicts for the editor's own methods
(docs/protocol.md#2-requests).

Nothing that is misspelt or wrong passes silently: the first such key is refused. What a value may be is
`domain/shapes.py`.
"""

from __future__ import annotations

import types
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from agentfs_lsp.domain.errors import BadParameter
from agentfs_lsp.domain.shapes import Choice, Entries, Flag, Members, ShapeError, Text, Token, Wanted, Whole

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from agentfs_lsp.domain.errors import ParameterKind
    from agentfs_lsp.domain.shapes import Shape

T = TypeVar("T")

LONGEST_NAME = 100
"""Characters of a key that may be a misspelt name: to compare a key of megabytes takes seconds."""


def bounded(default: Any = MISSING, **bounds: Any) -> Any:
    """A field with the bounds `least` and `most`, of numbers or of the length of strings and lists; `alias`
    is another name for it."""
    return field(metadata=bounds) if default is MISSING else field(default=default, metadata=bounds)


def parse(shape: type[T], raw: object, *, refuse_unknown: bool = True) -> T:
    """`raw` as `shape`. Raises BadParameter naming the key that is missing, unknown or of the wrong kind.
    null for an optional parameter is the same as leaving it out. `refuse_unknown`: False leaves out keys that
    `shape` does not have."""
    if raw is None or raw == []:  # what Lua makes of an empty table
        raw = {}
    if not isinstance(raw, dict):
        raise BadParameter("params", "no_object")
    known, required = _declared(shape, refuse_unknown)  # type: ignore[arg-type]  # every class is hashable
    values: dict[str, object] = {}
    for key, value in raw.items():
        one = known.get(key)
        if one is None:
            if refuse_unknown:
                raise _unknown(key, known)
        elif value is not None or one.required:
            checked = _checked(key, value, one.shape)
            if values.setdefault(one.name, checked) != checked:
                other = next(name for name in raw if known.get(name) is one)
                raise BadParameter(key, "twice", (other,))
    for name in required:
        if name not in values:
            raise BadParameter(name, "missing")
    return shape(**values)


@dataclass(frozen=True, slots=True)
class _Key:
    name: str
    shape: Shape
    required: bool


@dataclass(frozen=True, slots=True)
class _Record:
    """A declared shape as an entry of a list."""

    declared: type
    refuse_unknown: bool

    def check(self, raw: object) -> object:
        try:
            return parse(self.declared, raw, refuse_unknown=self.refuse_unknown)
        except BadParameter as error:
            raise _InEntry(error) from None


class _InEntry(ShapeError):
    """What is wrong with a key of an entry."""

    def __init__(self, inner: BadParameter) -> None:
        super().__init__(Wanted("object"))
        self.inner = inner


@cache
def _declared(shape: Hashable, refuse_unknown: bool) -> tuple[Mapping[str, _Key], tuple[str, ...]]:
    """Its keys, aliases included, and the names of those that are required."""
    assert isinstance(shape, type)
    own = {each.name: each for each in fields(shape)} if is_dataclass(shape) else {}
    known: dict[str, _Key] = {}
    for name, declared in get_type_hints(shape, include_extras=True).items():
        hint, required = declared, True
        about: Mapping[str, Any] = {}
        if name in own:
            about, required = own[name].metadata, own[name].default is MISSING
        if get_origin(hint) is NotRequired:
            (hint,), required = get_args(hint), False
        if get_origin(hint) is Annotated:
            (_, checked_by) = get_args(hint)
        else:
            checked_by = _shape_of(hint, about, refuse_unknown)
        known[name] = key = _Key(name, checked_by, required)
        if "alias" in about:
            known[about["alias"]] = key
    return known, tuple(dict.fromkeys(key.name for key in known.values() if key.required))


def _shape_of(hint: Any, about: Mapping[str, Any], refuse_unknown: bool) -> Shape:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    (option, *others) = (one for one in options if one is not types.NoneType)
    if others:
        return Token()
    bounds = {new: about[old] for old, new in (("least", "minimum"), ("most", "maximum")) if old in about}
    kind = get_origin(option) or option
    if kind is list:
        return Entries(_Record(get_args(option)[0], refuse_unknown), **bounds)
    if kind in _BOUNDED:
        return _BOUNDED[kind](**bounds)
    return Choice(get_args(option)) if kind is Literal else _PLAIN[kind]


_BOUNDED: Mapping[object, Callable[..., Shape]] = {str: Text, int: Whole}
_PLAIN: Mapping[object, Shape] = {bool: Flag(), dict: Members()}


def _checked(key: str, value: object, shape: Shape) -> object:
    try:
        return shape.check(value)
    except _InEntry as error:
        place, inner = key + error.where, error.inner
        inner.name = place if inner.problem == "no_object" else f"{place}.{inner.name}"
        raise inner from None
    except ShapeError as error:
        raise _refused(key + error.where, error) from None


def _refused(key: str, error: ShapeError) -> BadParameter:
    wanted = error.wanted
    match error.problem:
        case "choice":
            return BadParameter(key, "choice", wanted.options)
        case "small" | "short" | "few":
            return BadParameter(key, error.problem, bound=int(wanted.minimum))
        case "large" | "long" | "many":
            return BadParameter(key, error.problem, bound=int(wanted.maximum))
        case _:
            return BadParameter(key, "kind", kinds=_KINDS[wanted.kind])


_KINDS: Mapping[str, tuple[ParameterKind, ...]] = {
    "choice": ("string",),
    "flag": ("flag",),
    "list": ("list",),
    "object": ("object",),
    "string": ("string",),
    "token": ("whole", "string"),
    "whole": ("whole",),
}


def _unknown(key: str, known: Mapping[str, _Key]) -> BadParameter:
    close = get_close_matches(key, known, n=1) if len(key) <= LONGEST_NAME else ()
    if close:
        return BadParameter(key, "misspelt", tuple(close))
    return BadParameter(key, "unknown", tuple(sorted(known)))
