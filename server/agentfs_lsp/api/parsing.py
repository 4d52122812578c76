"""Parses params into their declared shapes: dataclasses, or TypedDicts for the editor's own methods
(docs/protocol.md#2-requests).

The first unknown key or invalid value is rejected. `domain/shapes.py` validates the values.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, TypeVar, Union, get_args, get_origin, get_type_hints

from agentfs_lsp.domain.errors import BadParameter, ParameterKind
from agentfs_lsp.domain.shapes import Choice, Entries, Flag, Members, Shape, ShapeError, Text, Token, Whole

T = TypeVar("T")

LONGEST_NAME = 100
"""Keys up to this many characters get a suggestion: comparing a key of megabytes takes seconds."""


def bounded(default: Any = MISSING, **bounds: Any) -> Any:
    """A field with bounds `least` and `most` for numbers or for the length of strings and lists; `alias` is
    another name for it."""
    return field(metadata=bounds) if default is MISSING else field(default=default, metadata=bounds)


def parse(shape: type[T], raw: object, *, refuse_unknown: bool = True) -> T:
    """Parse `raw` as `shape`. Raises BadParameter with the missing, unknown or invalid key. null for an
    optional parameter means absent. `refuse_unknown` False ignores unknown keys."""
    if raw is None or raw == []:  # Lua's empty table
        raw = {}
    if not isinstance(raw, dict):
        raise BadParameter("params", "no_object")
    known, required = _declared(shape)  # type: ignore[arg-type]  # every class is hashable
    values: dict[str, object] = {}
    for key, value in raw.items():
        one = known.get(key)
        if one is None:
            if refuse_unknown:
                raise _unknown(key, known)
        elif value is not None or one.required:
            checked = _checked(key, value, one, refuse_unknown)
            if values.setdefault(one.name, checked) != checked:
                other = next(name for name in raw if known.get(name) is one)
                raise BadParameter(key, "twice", (other,))
    for name in required:
        if name not in values:
            raise BadParameter(name, "missing")
    return shape(**values)


@dataclass(frozen=True, slots=True)
class _Key:
    """`of`: the shape of each entry of a list."""

    name: str
    shape: Shape
    required: bool
    of: type | None


@cache
def _declared(shape: Hashable) -> tuple[Mapping[str, _Key], tuple[str, ...]]:
    """The shape's keys, including aliases, and the required keys."""
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
        lists = (one for one in (hint, *get_args(hint)) if get_origin(one) is list)
        of = next((get_args(one)[0] for one in lists), None)
        known[name] = key = _Key(name, _shape_of(hint, about), required, of)
        if "alias" in about:
            known[about["alias"]] = key
    return known, tuple(dict.fromkeys(key.name for key in known.values() if key.required))


def _shape_of(hint: Any, about: Mapping[str, Any]) -> Shape:
    if get_origin(hint) is Annotated:
        shape: Shape = get_args(hint)[1]
        return shape
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    (option, *others) = (one for one in options if one is not types.NoneType)
    if others:
        return Token()
    kind = get_origin(option) or option
    if kind in _BOUNDED:
        return _BOUNDED[kind](**{_BOUNDS[key]: about[key] for key in _BOUNDS.keys() & about})
    return Choice(get_args(option)) if kind is Literal else _PLAIN[kind]


_BOUNDS = {"least": "minimum", "most": "maximum"}
_BOUNDED: Mapping[object, Callable[..., Shape]] = {str: Text, int: Whole, list: Entries}
_PLAIN: Mapping[object, Shape] = {bool: Flag(), dict: Members()}


def _checked(key: str, value: object, one: _Key, refuse_unknown: bool) -> object:
    try:
        checked: Any = one.shape.check(value)
    except ShapeError as error:
        raise _refused(key, error) from None
    if one.of is None:
        return checked
    if one.of is str:
        return [_checked_text(f"{key}[{at}]", each) for at, each in enumerate(checked)]
    return [_entry(f"{key}[{at}]", each, one.of, refuse_unknown) for at, each in enumerate(checked)]


def _checked_text(place: str, value: object) -> object:
    try:
        return Text().check(value)
    except ShapeError as error:
        raise _refused(place, error) from None


def _entry(place: str, raw: object, shape: type, refuse_unknown: bool) -> object:
    try:
        return parse(shape, raw, refuse_unknown=refuse_unknown)
    except BadParameter as error:
        error.name = place if error.problem == "no_object" else f"{place}.{error.name}"
        raise


def _refused(key: str, error: ShapeError) -> BadParameter:
    constraint = error.constraint
    match error.problem:
        case "choice":
            return BadParameter(key, "choice", constraint.options)
        case "small" | "short" | "few":
            return BadParameter(key, error.problem, bound=int(constraint.minimum))
        case "large" | "long" | "many":
            return BadParameter(key, error.problem, bound=int(constraint.maximum))
        case _:
            return BadParameter(key, "kind", kinds=_KINDS.get(constraint.kind, (constraint.kind,)))  # type: ignore[arg-type]


_KINDS: Mapping[str, tuple[ParameterKind, ...]] = {"choice": ("string",), "token": ("whole", "string")}
"""The JSON type of a value, if the shape does not name it."""


def _unknown(key: str, known: Mapping[str, _Key]) -> BadParameter:
    close = get_close_matches(key, known, n=1) if len(key) <= LONGEST_NAME else ()
    if close:
        return BadParameter(key, "misspelt", tuple(close))
    return BadParameter(key, "unknown", tuple(sorted(known)))
