"""The wire's shapes: what each request takes, checked, and nothing let pass that is misspelt.

docs/protocol.md lists the same parameters; a test compares the two. What a request answers is made in its
file under `requests/`; the envelope around it in `envelope.py`.
"""

from __future__ import annotations

import types
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from agentfs_lsp.domain.errors import BadParameter

if TYPE_CHECKING:
    from collections.abc import Hashable

    from agentfs_lsp.domain.errors import ParameterKind, ParameterProblem

T = TypeVar("T")

DialectName = Literal["standard", "gemini", "workspace"]

NAME_CHARACTERS = 80
SESSION_CHARACTERS = 200
EXPLANATION_CHARACTERS = 10_000
MOST_OPERATIONS = 1000
HISTORY_CHANGES = 1000
HASH_CHARACTERS = 200
LONGEST_NAME = 100
"""Characters of a key that may be a misspelt name: to compare a key of megabytes takes seconds."""


def bounded(default: Any = MISSING, **bounds: Any) -> Any:
    """A field with bounds, of numbers or of the length of strings; `alias` is another name for it."""
    return field(metadata=bounds) if default is MISSING else field(default=default, metadata=bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """What every request takes (docs/protocol.md#2-requests)."""

    session: str = bounded("default", least=1, most=SESSION_CHARACTERS)
    agent: str = bounded("", most=NAME_CHARACTERS)
    workDoneToken: int | str | None = None  # noqa: N815 - LSP's own name


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusParams(Params):
    """agentfs/status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadParams(Params):
    """agentfs/read: lines are 1-based; `limit` in lines, 0 for all."""

    path: str
    start_line: int = bounded(1, least=1)
    limit: int | None = bounded(None, least=0)
    line_numbers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeParams(Params):
    """What write and edit have in common. `expected_mtime_ms` in ms, `expected_size_bytes` in bytes."""

    path: str
    dry_run: bool = False
    expected_mtime_ms: int | None = None
    expected_size_bytes: int | None = None
    expected_hash: str | None = bounded(None, most=HASH_CHARACTERS)
    on_conflict: Literal["error", "merge"] = "error"
    explanation: str = bounded("", most=EXPLANATION_CHARACTERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteParams(ChangeParams):
    """agentfs/write."""

    content: str
    allow_empty: bool = False
    create_dirs: bool | None = None
    overwrite: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EditParams(ChangeParams):
    """agentfs/edit."""

    old_string: str = bounded(alias="oldText")
    new_string: str = bounded(alias="newText")
    replace_all: bool = False
    expected_count: int | None = bounded(None, least=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchParams(Params):
    """agentfs/batch."""

    operations: list[object] = bounded(least=1, most=MOST_OPERATIONS)  # noqa: RUF009 - makes a field
    atomic: bool = True
    dry_run: bool = False
    explanation: str = bounded("", most=EXPLANATION_CHARACTERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationParams:
    """One operation of a batch. `params` are those of its tool."""

    tool: Literal["write", "edit"]
    params: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsParams(Params):
    """agentfs/tools."""

    dialect: DialectName = "standard"
    format: Literal["openai", "anthropic", "mcp"] = "openai"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallParams(Params):
    """agentfs/call. `arguments` are the tool's own, checked when the tool is known."""

    dialect: DialectName = "standard"
    name: str
    arguments: dict[str, object]
    expected_mtime_ms: int | None = None
    expected_size_bytes: int | None = None
    expected_hash: str | None = bounded(None, most=HASH_CHARACTERS)
    explanation: str = bounded("", most=EXPLANATION_CHARACTERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryParams(Params):
    """agentfs/history: `limit` in changes; `before` is a change's id."""

    path: str | None = None
    change_id: str | None = None
    texts: bool = False
    limit: int = bounded(50, least=1, most=HISTORY_CHANGES)
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoParams(Params):
    """agentfs/undo."""

    change_id: str | None = None
    explanation: str = bounded("", most=EXPLANATION_CHARACTERS)


def parse(shape: type[T], raw: object) -> T:
    """`raw` as `shape`. Raises BadParameter naming the key that is missing, unknown or of the wrong kind.
    null for an optional parameter is the same as leaving it out."""
    if raw is None or raw == []:  # what Lua makes of an empty table
        raw = {}
    if not isinstance(raw, dict):
        raise BadParameter("params", "no_object")
    known = _fields(shape)  # type: ignore[arg-type]  # every class is hashable
    values: dict[str, object] = {}
    for key, value in raw.items():
        spec = known.get(key)
        if spec is None:
            raise _unknown(key, known)
        if value is None and spec.optional:
            continue
        checked = _checked(key, value, spec)
        if values.setdefault(spec.name, checked) != checked:
            other = next(name for name in raw if known.get(name) is spec)
            raise BadParameter(key, "twice", (other,))
    for name in _required(shape):  # type: ignore[arg-type]
        if name not in values:
            raise BadParameter(name, "missing")
    return shape(**values)


@dataclass(frozen=True, slots=True)
class _Spec:
    name: str
    kinds: tuple[type, ...]
    choices: tuple[object, ...]
    optional: bool
    least: int | None
    most: int | None


@cache
def _fields(shape: Hashable) -> dict[str, _Spec]:
    assert isinstance(shape, type)
    hints = get_type_hints(shape)
    known: dict[str, _Spec] = {}
    for each in fields(shape):
        spec = _spec(each, hints[each.name])
        known[each.name] = spec
        if "alias" in each.metadata:
            known[each.metadata["alias"]] = spec
    return known


@cache
def _required(shape: Hashable) -> tuple[str, ...]:
    return tuple(dict.fromkeys(spec.name for spec in _fields(shape).values() if not spec.optional))


def _spec(each: Field[Any], hint: object) -> _Spec:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    choices = tuple(
        choice for option in options if get_origin(option) is Literal for choice in get_args(option)
    )
    kinds = tuple(
        kind
        for option in options
        if isinstance(kind := get_origin(option) or option, type) and kind is not types.NoneType
    )
    return _Spec(
        each.name,
        (*kinds, *{type(choice) for choice in choices}),
        choices,
        each.default is not MISSING,
        each.metadata.get("least"),
        each.metadata.get("most"),
    )


_KIND_NAMES: dict[type, ParameterKind] = {
    str: "string",
    int: "whole",
    bool: "flag",
    dict: "object",
    list: "list",
}


def _checked(key: str, value: object, spec: _Spec) -> object:
    if isinstance(value, float) and int in spec.kinds and value.is_integer():
        value = int(value)  # 3.0 is a whole number in JSON, and some callers know no others
    if type(value) not in spec.kinds:
        raise BadParameter(key, "kind", kinds=tuple(_KIND_NAMES[kind] for kind in spec.kinds))
    if spec.choices and value not in spec.choices:
        raise BadParameter(key, "choice", tuple(map(str, spec.choices)))
    measure = value if isinstance(value, int) else len(value) if isinstance(value, str | list) else 0
    below, above = _BOUNDS.get(type(value), ("small", "large"))
    if spec.least is not None and measure < spec.least:
        raise BadParameter(key, below, bound=spec.least)
    if spec.most is not None and measure > spec.most:
        raise BadParameter(key, above, bound=spec.most)
    return value


_BOUNDS: dict[type, tuple[ParameterProblem, ParameterProblem]] = {
    str: ("short", "long"),
    list: ("few", "many"),
}


def _unknown(key: str, known: dict[str, _Spec]) -> BadParameter:
    close = get_close_matches(key, known, n=1) if len(key) <= LONGEST_NAME else ()
    if close:
        return BadParameter(key, "misspelt", tuple(close))
    return BadParameter(key, "unknown", tuple(sorted(known)))
