"""The layers that settings come in, put over each other (docs/protocol.md#13-settings-and-policy).

Defaults, then `initializationOptions`, then the answer to `workspace/configuration`, then
`workspace/didChangeConfiguration`. What the settings are, and which value is right, is
`domain/settings/settings.py`. Deliberately not here: asking the client, and telling the user of problems
(`messages.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.settings.settings import SETTINGS, Settings, settings_from
from agentfs_lsp.lsp.configuration.reading import SWITCH, Layer, Problem, read_layer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

LayerName = Literal["initialization", "configuration", "changed", "switched"]


@dataclass(frozen=True, slots=True)
class Changed:
    """What a layer's new answer did. `problems`: those that were not there before."""

    before: Settings
    after: Settings
    problems: tuple[Problem, ...]


class SettingsStore:
    """The one place of the settings in force. Used on the event loop alone."""

    def __init__(self) -> None:
        self._layers: dict[LayerName, Layer] = {name: Layer({}, ()) for name in _ORDER}
        self._current = Settings()
        self._listeners: list[Callable[[Changed], None]] = []

    @property
    def current(self) -> Settings:
        """The settings in force."""
        return self._current

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All that is wrong in the layers as they are now, each once."""
        told = [one for layer in self._layers.values() for one in layer.problems]
        return tuple(dict.fromkeys((*told, *_missing_switches(self._current))))

    def replace_layer(self, name: LayerName, raw: object) -> Changed:
        """Take a layer's answer, of whatever shape, in place of its last one, and tell the listeners if that
        changed a setting or brought a problem.

        `raw` is `initializationOptions` itself, the one item of the answer to `workspace/configuration`, or
        the `settings` of a `workspace/didChangeConfiguration`, where null only says that something changed.
        """
        if name == "changed" and raw is None:
            return Changed(self._current, self._current, ())
        return self._replace(name, read_layer(_section(raw) if name == "changed" else raw))

    def switch(self, name: str, *, on: bool) -> Changed | None:
        """Turn a switch that the settings name; None for any other. It stays so until what they say of it is
        another thing."""
        if name not in self._current.switches:
            return None
        turned = {**self._layers["switched"].values, f"{SWITCH}{name}": on}
        return self._replace("switched", Layer(turned, ()))

    def _replace(self, name: LayerName, layer: Layer) -> Changed:
        known = frozenset(self.problems)
        before = self._current
        told = self._told_switches()
        self._layers[name] = layer
        now = self._told_switches()
        kept = {
            key: on
            for key, on in self._layers["switched"].values.items()
            if told.get(key.removeprefix(SWITCH)) is now.get(key.removeprefix(SWITCH))
        }
        self._layers["switched"] = Layer(kept, ())
        self._current = _effective(self._layers.values())
        new = tuple(problem for problem in self.problems if problem not in known)
        changed = Changed(before, self._current, new)
        if new or changed.after != before:
            for heard in tuple(self._listeners):
                heard(changed)
        return changed

    def _told_switches(self) -> Mapping[str, bool]:
        """The switches as the settings have them, whatever was turned since."""
        return _effective(self._layers[name] for name in _ORDER if name != "switched").switches

    def listen(self, heard: Callable[[Changed], None]) -> Callable[[], None]:
        """Call `heard` after every change. Returns what ends that."""
        self._listeners.append(heard)
        return lambda: self._listeners.remove(heard)


_ORDER: tuple[LayerName, ...] = ("initialization", "configuration", "changed", "switched")

_OURS = frozenset(key.partition(".")[0] for key in SETTINGS)


def _section(pushed: object) -> object:
    """The section in what was pushed: by its name, or alone. Some editors push all they have to every server:
    what holds nothing of ours has no section."""
    if not isinstance(pushed, dict):
        return pushed
    if "agentfs" in pushed:
        return pushed["agentfs"]
    return pushed if any(key.partition(".")[0] in _OURS for key in pushed) else {}


def _effective(layers: Iterable[Layer]) -> Settings:
    merged: dict[str, object] = {}
    switches: dict[str, bool] = {}
    faulty: set[str] = set()
    for layer in layers:
        if "switches" in layer.values:  # what is no object leaves none on
            switches.clear()
        for key, value in layer.values.items():
            if key.startswith(SWITCH):
                switches[key.removeprefix(SWITCH)] = value is True
            else:
                merged[key] = value
        faulty = (faulty - layer.values.keys()) | layer.faulty
    return settings_from({**merged, "switches": switches}, tuple(key for key in SETTINGS if key in faulty))


def _missing_switches(settings: Settings) -> tuple[Problem, ...]:
    """Switches that rules require and nobody set."""
    required = dict.fromkeys(rule.requires for rule in settings.rules if rule.requires)
    return tuple(
        Problem(f"{SWITCH}{name}", "switch_missing") for name in required if name not in settings.switches
    )
