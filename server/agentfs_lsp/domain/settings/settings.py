"""Every setting with its key, default, shape, and meaning, and the values that the server uses.

The dataclasses are the definition, and `SETTINGS` is a table of them by key. `lsp/configuration/layers.py`
merges the layers of settings. docs/configuration.md documents the settings, and a test compares it with
this file. The rules are those of docs/protocol.md#13-settings-and-policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from operator import attrgetter
from typing import Any, Literal, cast

from agentfs_lsp.domain.paths import PathMode
from agentfs_lsp.domain.settings.groups import (
    AgentSettings,
    Approval,
    CorrectionSettings,
    DiagnosticsSettings,
    Diff,
    EncodingSettings,
    HistorySettings,
    Limits,
    LogSettings,
    Preview,
    ReviewerSettings,
    SecretSettings,
    TelemetrySettings,
)
from agentfs_lsp.domain.settings.rules import Globs, Paths, Rule, Rules, Switches
from agentfs_lsp.domain.settings.setting import Setting, setting
from agentfs_lsp.domain.settings.shapes import NamedRoot, NamedRoots, Seconds
from agentfs_lsp.domain.shapes import Choice, Flag

SaveMode = Literal["auto", "always", "never"]
Language = Literal["en", "zh-cn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The effective settings, computed once per change of any layer, never per request.

    `faulty` is not a setting: it names the invalid parts of the policy, because of which everything is asked.
    """

    approval: Approval = field(default=Approval())
    rules: tuple[Rule, ...] = setting(
        (),
        Rules(),
        "What agents may do with which files. Of the rules that match a file and name an "
        "operation, the last one decides.",
        wrong_asks=True,
        in_workspace="besides",
    )
    switches: Mapping[str, bool] = setting(
        {},
        Switches(),
        "On/off switches that rules can require. If a rule requires a switch that is "
        "off, agents cannot access its files.",
        strictest={},
    )
    files: tuple[str, ...] | None = setting(
        None,
        Paths(),
        "A closed list: agents may access only these files. Not set: all files.",
        strictest=(),
        in_workspace="besides",
    )
    protected: tuple[str, ...] = setting(
        (),
        Globs(),
        "Additional files whose changes require approval in every mode. `!` removes "
        "files from the built-in list.",
        wrong_asks=True,
        in_workspace="besides",
    )
    landing_timeout_s: float = setting(
        30, Seconds(0.05, 3600), "How long the editor may take to apply an accepted change."
    )
    save_timeout_s: float = setting(
        10, Seconds(0.05, 3600), "How long the editor may take to save an accepted change."
    )
    require_read: bool = setting(
        True,
        Flag(),
        "A session must read an existing file before it may change it.",
        strictest=True,
        in_workspace="strictest",
    )
    paths: PathMode = setting(
        "relative",
        Choice(("relative", "any")),
        'Which paths agents may use. "any" also accepts absolute paths and file: URIs '
        "inside a workspace folder.",
        strictest="relative",
        in_workspace="strictest",
    )
    create_dirs: bool = setting(
        True, Flag(), "Create missing folders for a new file.", strictest=False, in_workspace="strictest"
    )
    save: SaveMode = setting(
        "auto",
        Choice(("auto", "always", "never")),
        'Which documents the editor saves after you accept a change. "auto": those '
        'without unsaved changes. "always": all of them. "never": none.',
        strictest="never",
        in_workspace="strictest",
    )
    encoding: EncodingSettings = field(default=EncodingSettings())
    preview: Preview = field(default=Preview())
    locale: Language | None = setting(
        None,
        Choice(("en", "zh-cn"), any_case=True),
        "The language of messages. Not set: the editor's language.",
    )
    roots: tuple[NamedRoot, ...] | None = setting(
        None,
        NamedRoots(),
        "Names for workspace folders, for example to distinguish two folders with the same name.",
    )
    limits: Limits = field(default=Limits())
    diff: Diff = field(default=Diff())
    secrets: SecretSettings = field(default=SecretSettings())
    diagnostics: DiagnosticsSettings = field(default=DiagnosticsSettings())
    history: HistorySettings = field(default=HistorySettings())
    log: LogSettings = field(default=LogSettings())
    telemetry: TelemetrySettings = field(default=TelemetrySettings())
    agents: AgentSettings = field(default=AgentSettings())
    reviewers: ReviewerSettings = field(default=ReviewerSettings())
    correction: CorrectionSettings = field(default=CorrectionSettings())
    faulty: tuple[str, ...] = ()


def settings_from(values: Mapping[str, object], faulty: tuple[str, ...] = ()) -> Settings:
    """The settings with these validated values, by key, and defaults for all others."""
    return cast("Settings", _build(Settings, "", {**values, "faulty": faulty}))


def value_of(settings: Settings, key: str) -> object:
    return attrgetter(key)(settings)


def _build(group: type[Any], prefix: str, values: Mapping[str, object]) -> object:
    given: dict[str, object] = {}
    for item in fields(group):
        key = prefix + item.name
        if is_dataclass(item.default):
            given[item.name] = _build(type(item.default), f"{key}.", values)
        elif key in values:
            given[item.name] = values[key]
    return group(**given)


def _table(group: type[Any], prefix: str = "") -> Iterator[Setting]:
    for item in fields(group):
        key = prefix + item.name
        if is_dataclass(item.default):
            yield from _table(type(item.default), f"{key}.")
        elif "setting" in item.metadata:
            yield replace(item.metadata["setting"], key=key)


SETTINGS: Mapping[str, Setting] = {setting.key: setting for setting in _table(Settings)}
"""Every setting by its key, in the order of docs/configuration.md."""

GROUPS = frozenset(key.rpartition(".")[0] for key in SETTINGS) - {""}
"""The keys that hold other keys, such as `approval`."""
