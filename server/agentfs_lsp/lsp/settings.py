"""The layers that settings come in, put over each other (docs/protocol.md#13-settings-and-policy).

Defaults, then `initializationOptions`, then the answer to `workspace/configuration`, then
`workspace/didChangeConfiguration`. What the settings are, and which value is right, is `domain/settings.py`.
Deliberately not here: asking the client, and telling the user of problems (`settings_texts.py`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.settings import GROUPS, POLICY_TO_COME, SETTINGS, Settings, settings_from
from agentfs_lsp.domain.shapes import ShapeError, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

LayerName = Literal["initialization", "configuration", "changed"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the user set that is not in force; `path` is its key. Of a wrong value `wanted` is what it
    should be; `given` is what was set, as JSON, cut."""

    path: str
    kind: Literal["wrong", "no_object", "unenforced", "unknown"]
    given: str = ""
    wanted: Wanted | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """What a layer's new answer did. `problems`: those that were not there before."""

    before: Settings
    after: Settings
    problems: tuple[Problem, ...]


class SettingsStore:
    """The one place of the settings in force. Used on the event loop alone."""

    def __init__(self) -> None:
        self._layers: dict[LayerName, _Layer] = {name: _Layer({}, ()) for name in _ORDER}
        self._current = Settings()
        self._listeners: list[Callable[[Changed], None]] = []

    @property
    def current(self) -> Settings:
        """The settings in force."""
        return self._current

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All that is wrong in the layers as they are now, each once."""
        return tuple(dict.fromkeys(one for layer in self._layers.values() for one in layer.problems))

    def replace_layer(self, name: LayerName, raw: object) -> Changed:
        """Take a layer's answer, of whatever shape, in place of its last one, and tell the listeners if that
        changed a setting or brought a problem.

        `raw` is `initializationOptions` itself, the one item of the answer to `workspace/configuration`, or
        the `settings` of a `workspace/didChangeConfiguration`, where null only says that something changed.
        """
        known = self.problems
        before = self._current
        if name == "changed" and raw is None:
            return Changed(before, before, ())
        if name == "changed":
            raw = _section(raw)
        self._layers[name] = _read(raw)
        self._current = _effective(layer.values for layer in self._layers.values())
        new = tuple(problem for problem in self.problems if problem not in known)
        changed = Changed(before, self._current, new)
        if new or changed.after != before:
            for heard in tuple(self._listeners):
                heard(changed)
        return changed

    def listen(self, heard: Callable[[Changed], None]) -> Callable[[], None]:
        """Call `heard` after every change. Returns what ends that."""
        self._listeners.append(heard)
        return lambda: self._listeners.remove(heard)


_ORDER: tuple[LayerName, ...] = ("initialization", "configuration", "changed")

_OURS = frozenset(key.partition(".")[0] for key in (*SETTINGS, *POLICY_TO_COME))

# What clients of the common client library keep in any server's section for themselves.
_CLIENTS_OWN = frozenset({"trace"})


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer, by key: checked values of settings, and raw ones of policy that is not enforced yet."""

    values: Mapping[str, object]
    problems: tuple[Problem, ...]


def _section(pushed: object) -> object:
    """The section in what was pushed: by its name, or alone. Some editors push all they have to every server:
    what holds nothing of ours has no section."""
    if not isinstance(pushed, dict):
        return pushed
    if "agentfs" in pushed:
        return pushed["agentfs"]
    return pushed if any(key.partition(".")[0] in _OURS for key in pushed) else {}


def _read(raw: object) -> _Layer:
    values: dict[str, object] = {}
    problems: list[Problem] = []
    for key, value in _leaves(raw):
        head = key.partition(".")[0]
        if key in SETTINGS:
            try:
                values[key] = SETTINGS[key].shape.check(value)
            except ShapeError as error:
                problems.append(Problem(key, "wrong", _shown(value), error.wanted))
                if SETTINGS[key].strictest is not None:
                    values[key] = SETTINGS[key].strictest
        elif key in GROUPS or not key:
            problems.append(Problem(key or "agentfs", "no_object", _shown(value)))
            values.update(_strictest_below(key))
        elif head in POLICY_TO_COME:
            values[key] = value
            if _is_set(key, value):
                problems.append(Problem(head, "unenforced"))
        elif head not in _CLIENTS_OWN:
            problems.append(Problem(key, "unknown"))
    return _Layer(values, tuple(problems))


def _leaves(raw: object) -> Iterator[tuple[str, object]]:
    """Keys and what was set for them; of the groups only those that are no objects. An empty list is what
    Lua makes of an empty table."""
    waiting: list[tuple[str, object]] = [("", raw)]
    for key, value in waiting:
        if value is None or (value == [] and (key in GROUPS or key in {"", "switches"})):
            continue
        if isinstance(value, dict) and (key in GROUPS or key in {"", "switches"}):
            waiting.extend((f"{key}.{name}" if key else name or "?", below) for name, below in value.items())
        else:
            yield key, value


def _effective(layers: Iterator[Mapping[str, object]]) -> Settings:
    merged: dict[str, object] = {}
    for values in layers:
        merged.update(values)
    heads = {key.partition(".")[0] for key, value in merged.items() if _is_set(key, value)}
    return settings_from(merged, tuple(name for name in POLICY_TO_COME if name in heads))


def _is_set(key: str, value: object) -> bool:
    """Whether this is policy that says something. An empty closed list says that no file may be touched."""
    return key.partition(".")[0] in POLICY_TO_COME and (key == "files" or value not in ([], {}))


def _strictest_below(group: str) -> dict[str, object]:
    return {
        key: setting.strictest
        for key, setting in SETTINGS.items()
        if setting.strictest is not None and (not group or key.startswith(f"{group}."))
    }


def _shown(value: object) -> str:
    if isinstance(value, list | dict):  # of any depth: not to be written out
        return "[…]" if isinstance(value, list) else "{…}"
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
