"""Every setting, once: its key, default, shape and meaning, and the values that the rest of the server reads.

The dataclasses are the definition; `SETTINGS` is the same seen as a table, by key. Where values come from
and how layers are put over each other is `lsp/settings.py`; docs/configuration.md tells them to the user, and
a test holds it against this file. The rules are those of docs/protocol.md#13-settings-and-policy.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from agentfs_lsp.domain.rules import Globs, Paths, Rules, Switches
from agentfs_lsp.domain.shapes import Choice, Encoding, Flag, NamedRoot, NamedRoots, Seconds, Shape, Whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentfs_lsp.domain.paths import PathMode
    from agentfs_lsp.domain.rules import Rule

Mode = Literal["manual", "auto_edit"]
SaveMode = Literal["auto", "always", "never"]
Language = Literal["en", "zh-cn"]

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as the user knows it.

    `strictest`: for those that guard something, the value that a wrong one is taken for; None for the others,
    where a wrong value leaves what was set before. `wrong_asks`: of a wrong value the right parts are used,
    and everything is asked for.
    """

    key: str
    default: object
    shape: Shape
    meaning: str
    strictest: object = None
    wrong_asks: bool = False


def _about(
    shape: Shape, meaning: str, *, strictest: object = None, wrong_asks: bool = False
) -> dict[str, object]:
    return {"shape": shape, "meaning": meaning, "strictest": strictest, "wrong_asks": wrong_asks}


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """When the user is asked, and how long an answer is waited for."""

    mode: Mode = field(
        default="manual",
        metadata=_about(
            Choice(("manual", "auto_edit")),
            'Changes that no protection decides: "manual" has each reviewed, "auto_edit" lets them through.',
            strictest="manual",
        ),
    )
    timeout_s: float | None = field(
        default=None,
        metadata=_about(
            Seconds(0, 604_800),
            "How long a review waits for its answer once it is shown; 0 is for ever. Not set: for ever in "
            "editors with a review of their own, 600 in others.",
        ),
    )

    def seconds(self, *, review_client: bool) -> float | None:
        """How long to wait (docs/protocol.md#9-review-and-landing); None for ever."""
        wait = (0 if review_client else 600) if self.timeout_s is None else self.timeout_s
        return wait or None


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodingSettings:
    """How bytes that tell nothing of their encoding are read."""

    default: str = field(
        default="utf-8",
        metadata=_about(
            Encoding(),
            "Tried for files that are not UTF-8, have no byte-order mark and no charset in .editorconfig.",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The Refactor Preview of VS Code and its kin."""

    enabled: bool = field(
        default=True,
        metadata=_about(
            Flag(), "Review in VS Code's Refactor Preview where the agentfs extension is missing."
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is read, remembered and waited for."""

    max_file_bytes: int = field(
        default=64 * MIB,
        metadata=_about(
            Whole("bytes", 1, 4096 * MIB), "Larger files are read only by ranges, and never changed."
        ),
    )
    read_lines: int = field(
        default=2000,
        metadata=_about(Whole("lines", 1, 10_000_000), "What a read without a limit answers at most."),
    )
    read_chars: int = field(
        default=200_000,
        metadata=_about(
            Whole("characters", 1, 1_000_000_000), "What a read without a limit answers at most."
        ),
    )
    base_text_mib: int = field(
        default=64,
        metadata=_about(
            Whole("MiB", 0, 65_536),
            "Texts kept from reads, to tell what changed since; least recently used go first.",
        ),
    )
    records: int = field(
        default=10_000,
        metadata=_about(
            Whole("records", 1, 1_000_000), "Reads remembered for the lock; least recently used go first."
        ),
    )
    sessions: int = field(
        default=1000,
        metadata=_about(
            Whole("sessions", 1, 100_000),
            "Sessions remembered for a connection; least recently used go first.",
        ),
    )
    pending_per_session: int = field(
        default=64,
        metadata=_about(
            Whole("proposals", 1, 10_000), "Proposals of a session that wait at once; more are refused."
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """How much of a diff an answer shows."""

    max_lines: int = field(
        default=100, metadata=_about(Whole("lines", 1, 1_000_000), "A longer diff is cut.")
    )
    max_bytes: int = field(
        default=10_240, metadata=_about(Whole("bytes", 1, 64 * MIB), "A larger diff is cut.")
    )
    max_line_chars: int = field(
        default=2000,
        metadata=_about(
            Whole("characters", 16, 1_000_000), "A longer line is shown as a window round its change."
        ),
    )
    context: int = field(
        default=3,
        metadata=_about(Whole("lines", 0, 1000), "Unchanged lines shown before and after each change."),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySettings:
    """What is kept of the changes that landed (docs/protocol.md#11-history-and-undo)."""

    enabled: bool = field(
        default=True,
        metadata=_about(Flag(), "Changes that landed are kept, to be looked at and undone."),
    )
    max_mib: int = field(
        default=256,
        metadata=_about(
            Whole("MiB", 1, 65_536), "What a workspace folder's history takes at most; the oldest go first."
        ),
    )
    max_days: int = field(default=90, metadata=_about(Whole("days", 1, 36_500), "Older changes are dropped."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in force. Computed once a change of any layer, never a request.

    `faulty` is no setting: it names what of the policy is wrong, and for which everything is asked.
    """

    approval: Approval = Approval()
    rules: tuple[Rule, ...] = field(
        default=(),
        metadata=_about(
            Rules(),
            "Who may touch what: of the rules that match a file, the last that names an operation decides.",
            wrong_asks=True,
        ),
    )
    switches: Mapping[str, bool] = field(
        default_factory=dict,
        metadata=_about(
            Switches(),
            "What rules may require: the files of a rule whose switch is off are out of reach.",
            strictest={},
        ),
    )
    files: tuple[str, ...] | None = field(
        default=None,
        metadata=_about(
            Paths(), "A closed list: the only files that agents may touch. Not set: all.", strictest=()
        ),
    )
    protected: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            Globs(),
            "More files whose changes are asked for in every mode; `!` takes files out of the built-in list.",
            wrong_asks=True,
        ),
    )
    landing_timeout_s: float = field(
        default=30,
        metadata=_about(Seconds(0.05, 3600), "How long the editor has to apply what the user accepted."),
    )
    save_timeout_s: float = field(
        default=10, metadata=_about(Seconds(0.05, 3600), "How long an editor that saves has to save it.")
    )
    require_read: bool = field(
        default=True,
        metadata=_about(
            Flag(), "An existing file is changed only by a session that has read it.", strictest=True
        ),
    )
    paths: PathMode = field(
        default="relative",
        metadata=_about(
            Choice(("relative", "any")),
            '"any": agents may give absolute paths and file: URIs too, always inside a workspace folder.',
            strictest="relative",
        ),
    )
    create_dirs: bool = field(
        default=True, metadata=_about(Flag(), "Missing folders of a new file are created.")
    )
    save: SaveMode = field(
        default="auto",
        metadata=_about(
            Choice(("auto", "always", "never")),
            'What an editor that can save saves of what was accepted: "auto" documents that had no unsaved '
            'changes, "always" those too that had, "never" none.',
            strictest="never",
        ),
    )
    encoding: EncodingSettings = EncodingSettings()
    preview: Preview = Preview()
    locale: Language | None = field(
        default=None,
        metadata=_about(
            Choice(("en", "zh-cn"), any_case=True), "Language of texts and messages. Not set: the editor's."
        ),
    )
    roots: tuple[NamedRoot, ...] | None = field(
        default=None,
        metadata=_about(NamedRoots(), "Names for workspace folders, for where two of them have the same."),
    )
    limits: Limits = Limits()
    diff: Diff = Diff()
    history: HistorySettings = HistorySettings()
    faulty: tuple[str, ...] = ()


def settings_from(values: Mapping[str, object], faulty: tuple[str, ...] = ()) -> Settings:
    """The settings with these values, by key, each already checked by its shape; defaults elsewhere."""
    return cast("Settings", _build(Settings, "", {**values, "faulty": faulty}))


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
        elif "shape" in item.metadata:
            default = item.default if item.default_factory is MISSING else item.default_factory()
            yield Setting(key=key, default=default, **item.metadata)


SETTINGS: Mapping[str, Setting] = {setting.key: setting for setting in _table(Settings)}
"""Every setting by its key, in the order of docs/configuration.md."""

GROUPS = frozenset(key.rpartition(".")[0] for key in SETTINGS) - {""}
"""The keys that hold other keys, such as `approval`."""
