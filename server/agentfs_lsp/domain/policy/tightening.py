"""Makes the user's settings stricter according to a workspace, and never looser
(docs/protocol.md#13-settings-and-policy).

`settings.py` declares in which direction each setting may change. `lsp/configuration/workspace_file.py`
reads the workspace's settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from agentfs_lsp.domain.settings.rules import Globs, Rule, Rules
from agentfs_lsp.domain.settings.settings import SETTINGS, Settings, settings_from, value_of
from agentfs_lsp.domain.shapes import Shape

_SHAPES: Mapping[str, Shape] = {"rules": Rules(("ask", "deny")), "protected": Globs(negations=False)}


def shape_in_workspace(key: str) -> Shape:
    """The shape of a setting in a workspace: without rules that permit, or globs that exclude."""
    return _SHAPES.get(key) or SETTINGS[key].shape


@dataclass(frozen=True, slots=True)
class Tightening:
    """What one workspace folder declares: validated values by key. `fault`: what was invalid; because of it,
    everything in that folder is asked for."""

    values: Mapping[str, object] = field(default_factory=dict)
    fault: str | None = None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Rules that ask or deny, or require one of the user's switches."""
        return cast("tuple[Rule, ...]", self.values.get("rules", ()))

    @property
    def files(self) -> tuple[str, ...] | None:
        """A closed list in addition to the user's."""
        return cast("tuple[str, ...] | None", self.values.get("files"))

    @property
    def protected(self) -> tuple[str, ...]:
        """Files whose changes require approval."""
        return cast("tuple[str, ...]", self.values.get("protected", ()))

    @property
    def corrected_files(self) -> Iterator[tuple[str, ...]]:
        """The globs of the files in which corrections are made."""
        for key, value in self.values.items():
            if key.startswith("correction.") and isinstance(value, tuple):
                yield value

    @property
    def is_manual(self) -> bool:
        """Whether changes that no rule decides are reviewed, whatever the user's mode."""
        return self.values.get("approval.mode") == "manual"


def tightened(settings: Settings, by: Tightening) -> Settings:
    """The effective settings in that workspace. Rules, lists and the mode are not merged here: each takes
    part in the verdict (`verdict.py`)."""
    changed: dict[str, object] = {}
    for key, theirs in by.values.items():
        match SETTINGS[key].in_workspace:
            case "free":
                changed[key] = theirs
            case "lower":
                changed[key] = min(cast("int", value_of(settings, key)), cast("int", theirs))
            case "strictest" if key != "approval.mode":
                changed[key] = SETTINGS[key].strictest
            case _:
                continue
    if not changed:
        return settings
    mine = {key: value_of(settings, key) for key in SETTINGS}
    return settings_from({**mine, **changed}, settings.faulty)
