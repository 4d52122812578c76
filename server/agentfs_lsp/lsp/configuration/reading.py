"""Parses settings: the valid value of each key, and the problems.

The shapes in `domain/settings/settings.py` validate the values; `messages.py` contains the messages about
problems (docs/protocol.md#13-settings-and-policy).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from agentfs_lsp.domain.policy.tightening import shape_in_workspace
from agentfs_lsp.domain.settings.settings import GROUPS, SETTINGS
from agentfs_lsp.domain.shapes import Constraint, Flag, Shape, ShapeError

SWITCH = "switches."
"""The prefix of the key of a single switch."""

# Keys that the common client library keeps in any server's section for itself.
_CLIENTS_OWN = frozenset({"trace"})
_OBJECTS = GROUPS | {"", "switches"}

UnusableFile = Literal["too_large", "unreadable", "no_toml", "too_slow"]
"""The problems of a workspace's file as a whole."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A setting that is not in force. `path`: its key, with the invalid part (`rules[2].write`). For an
    invalid value, `constraint` says what is valid, `given` is the value as truncated JSON, and `key` the
    setting. `origin`: the workspace file it is in, if any."""

    path: str
    kind: (
        Literal["wrong", "no_object", "switch_missing", "unknown", "users_alone", "not_users", "loosens"]
        | UnusableFile
    )
    given: str = ""
    constraint: Constraint | None = None
    key: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Layer:
    """Valid values by key; `faulty`: the keys whose values are only partly valid."""

    values: Mapping[str, object]
    problems: tuple[Problem, ...]
    faulty: frozenset[str] = frozenset()


def read_layer(raw: object) -> Layer:
    """The valid values of the user's section, and the problems of the others. Accepts any JSON."""
    return _read(_leaves(raw), _shape_of)


def read_workspace_layer(raw: object, origin: str) -> Layer:
    """The same for a workspace's file `origin`: only settings that can't loosen anything."""
    fitting: list[tuple[str, object]] = []
    problems: list[Problem] = []
    for key, value in _leaves(raw):
        users_alone = key in SETTINGS and SETTINGS[key].in_workspace == "users"
        if key == "switches" or key.startswith(SWITCH) or users_alone:
            problems.append(Problem(key, "users_alone"))
        else:
            fitting.append((key, value))
    layer = _read(fitting, shape_in_workspace)
    loosening = {  # a number may be lower or higher than the user's: the lower one applies
        key
        for key, value in layer.values.items()
        if SETTINGS[key].in_workspace == "strictest" and value != SETTINGS[key].strictest
    }
    problems += [*layer.problems, *(Problem(key, "loosens", key=key) for key in sorted(loosening))]
    return Layer(
        {key: value for key, value in layer.values.items() if key not in loosening},
        tuple(replace(problem, origin=origin) for problem in problems),
        layer.faulty,
    )


def _read(leaves: Iterable[tuple[str, object]], shape_of: Callable[[str], Shape]) -> Layer:
    values: dict[str, object] = {}
    problems: list[Problem] = []
    faulty: set[str] = set()
    for key, value in leaves:
        if key in _OBJECTS:
            problems.append(Problem(key or "agentfs", "no_object", shown(value)))
            values.update(_strictest_below(key))
        elif key in SETTINGS or key.startswith(SWITCH):
            try:
                values[key] = shape_of(key).check(value)
            except ShapeError as error:
                given = shown(error.given if error.where else value)
                problems.append(Problem(key + error.where, "wrong", given, error.constraint, key))
                values.update(_instead_of_wrong(key, error, faulty))
        elif key.partition(".")[0] not in _CLIENTS_OWN:
            problems.append(Problem(key, "unknown"))
    return Layer(values, tuple(problems), frozenset(faulty))


def shown(value: object) -> str:
    """A value as JSON, truncated."""
    if isinstance(value, list | dict):  # may be nested arbitrarily: don't format it
        return "[…]" if isinstance(value, list) else "{…}"
    text = json.dumps(value, default=str)  # TOML has dates
    return text if len(text) <= 80 else f"{text[:80]}…"


def _leaves(raw: object) -> Iterator[tuple[str, object]]:
    """The keys and their values; of the groups, only those that are not objects. An empty list is Lua's empty
    table. The section may be wrapped in its name."""
    if isinstance(raw, dict) and raw.keys() == {"agentfs"}:
        raw = raw["agentfs"]
    waiting: list[tuple[str, object]] = [("", raw)]
    for key, value in waiting:
        if value is None or (value == [] and key in _OBJECTS):
            continue
        if isinstance(value, dict) and key in _OBJECTS:
            waiting.extend((f"{key}.{name}" if key else name or "?", below) for name, below in value.items())
        else:
            yield key, value


def _shape_of(key: str) -> Shape:
    return SETTINGS[key].shape if key in SETTINGS else Flag()


def _instead_of_wrong(key: str, error: ShapeError, faulty: set[str]) -> Mapping[str, object]:
    """The replacement of an invalid value: the valid parts of a list, else the strictest value, or
    nothing."""
    if key.startswith(SWITCH):
        return {key: False}
    if SETTINGS[key].wrong_asks:
        faulty.add(key)
    if error.kept is not None:
        return {key: error.kept}
    return {} if SETTINGS[key].strictest is None else {key: SETTINGS[key].strictest}


def _strictest_below(group: str) -> dict[str, object]:
    """Not the closed list if the whole section is invalid, because it is unknown whether there should be
    one."""
    return {
        key: setting.strictest
        for key, setting in SETTINGS.items()
        if setting.strictest is not None
        and (key == group or key.startswith(f"{group}.") or (not group and key != "files"))
    }
