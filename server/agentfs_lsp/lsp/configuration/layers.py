"""The layers of settings, and their result together with the settings of workspaces
(docs/protocol.md#13-settings-and-policy).

The layers are: defaults, `initializationOptions`, the response to `workspace/configuration`,
`workspace/didChangeConfiguration`, and the switches that the user set. Everything here is a value:
`configuration.py` asks the client, stores the layers, and applies the result of `effective`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

from agentfs_lsp.domain.cached import cached
from agentfs_lsp.domain.policy.tightening import Tightening, tightened
from agentfs_lsp.domain.policy.verdict import Policy
from agentfs_lsp.domain.settings.settings import SETTINGS, Settings, settings_from
from agentfs_lsp.lsp.configuration.reading import SWITCH, Layer, Problem, read_layer
from agentfs_lsp.service.state.workspace import InForce

LayerName = Literal["initialization", "configuration", "changed"]

COMMANDS = frozenset({"correction.formatters"})
"""Settings that run programs."""

_EMPTY = Layer({}, ())


@dataclass(frozen=True)
class Layers:
    """The latest values of each layer, the strongest last. `switched`: the switches that the user set."""

    initialization: Layer = _EMPTY
    configuration: Layer = _EMPTY
    changed: Layer = _EMPTY
    switched: Layer = _EMPTY

    def answered(self, name: LayerName, raw: object, *, is_users: bool = True) -> Layers:
        """The layers with one replaced by a new answer of any shape.

        `raw` is `initializationOptions`, the one item of the answer to `workspace/configuration`, or the
        `settings` of `workspace/didChangeConfiguration`, where null only says that something changed.
        `is_users`: none of it comes from the workspace's own files, as far as the editor keeps them apart."""
        if name == "changed":
            if raw is None:
                return self
            raw = section_of(raw)
        layer = read_layer(raw)
        layers = replace(self, **{name: layer if is_users else _without_commands(layer)})
        before, now = _written_switches(self), _written_switches(layers)
        kept = {
            key: on
            for key, on in self.switched.values.items()
            if before.get(key.removeprefix(SWITCH)) is now.get(key.removeprefix(SWITCH))
        }
        return replace(layers, switched=Layer(kept, ()))

    def with_switch(self, name: str, *, on: bool) -> Layers | None:
        """The same with a switch set, if the settings contain it; otherwise None. The value applies until the
        settings change it."""
        if name not in self.settings.switches:
            return None
        return replace(self, switched=Layer({**self.switched.values, f"{SWITCH}{name}": on}, ()))

    @cached
    def settings(self) -> Settings:
        """The user's settings: each layer overrides the previous ones, key by key."""
        merged: dict[str, object] = {}
        switches: dict[str, bool] = {}
        faulty: set[str] = set()
        for layer in self._in_order():
            if "switches" in layer.values:  # not an object: every switch is off
                switches.clear()
            for key, value in layer.values.items():
                if key.startswith(SWITCH):
                    switches[key.removeprefix(SWITCH)] = value is True
                else:
                    merged[key] = value
            faulty = (faulty - layer.values.keys()) | layer.faulty
        return settings_from(
            {**merged, "switches": switches}, tuple(key for key in SETTINGS if key in faulty)
        )

    @cached
    def problems(self) -> tuple[Problem, ...]:
        """All problems in the layers, without duplicates."""
        told = [one for layer in self._in_order() for one in layer.problems]
        return tuple(dict.fromkeys((*told, *_missing_switches(self.settings))))

    def _in_order(self) -> list[Layer]:
        return [getattr(self, layer.name) for layer in fields(self)]


def _without_commands(layer: Layer) -> Layer:
    """Without what runs programs: an editor may take settings from files of the workspace."""
    commands = layer.values.keys() & COMMANDS
    if not commands:
        return layer
    kept = {key: value for key, value in layer.values.items() if key not in COMMANDS}
    problems = (*layer.problems, *(Problem(key, "not_users") for key in sorted(commands)))
    return replace(layer, values=kept, problems=problems)


def effective(layers: Layers, said: Mapping[str, Tightening], own_folders: Sequence[str]) -> InForce:
    """The effective settings and policy: the user's, tightened in each root with settings of its own. `said`:
    those, by root path; `own_folders`: the server's folders, which no agent may touch."""
    settings = layers.settings
    return InForce(
        settings,
        Policy(settings, own_folders),
        {
            root: InForce(tightened(settings, by), Policy(settings, own_folders, by))
            for root, by in said.items()
        },
    )


_OURS = frozenset(key.partition(".")[0] for key in SETTINGS)


def section_of(pushed: object) -> object:
    """The section in pushed settings, with or without its name. Some editors push all settings to every
    server: settings without any of our keys contain no section."""
    if not isinstance(pushed, dict):
        return pushed
    if "agentfs" in pushed:
        return pushed["agentfs"]
    return pushed if any(key.partition(".")[0] in _OURS for key in pushed) else {}


def _written_switches(layers: Layers) -> Mapping[str, bool]:
    """The switches as in the settings, without later changes by the user."""
    return replace(layers, switched=_EMPTY).settings.switches


def _missing_switches(settings: Settings) -> tuple[Problem, ...]:
    """Switches that rules require but that are not set."""
    required = dict.fromkeys(rule.requires for rule in settings.rules if rule.requires)
    return tuple(
        Problem(f"{SWITCH}{name}", "switch_missing") for name in required if name not in settings.switches
    )
