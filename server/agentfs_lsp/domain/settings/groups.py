"""The settings that belong together under one name, such as `approval` and `limits`.

The whole of the settings, and the table of them, is `settings.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentfs_lsp.domain.settings.setting import setting
from agentfs_lsp.domain.settings.shapes import Choice, Encoding, Flag, Seconds, Whole

if TYPE_CHECKING:
    from agentfs_lsp.domain.settings.setting import Mode

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """When the user is asked, and how long an answer is waited for."""

    mode: Mode = setting(
        "manual",
        Choice(("manual", "auto_edit")),
        'Changes that no protection decides: "manual" has each reviewed, "auto_edit" lets them through.',
        strictest="manual",
        in_workspace="strictest",
    )
    timeout_s: float | None = setting(
        None,
        Seconds(0, 604_800),
        "How long a review waits for its answer once it is shown; 0 is for ever. Not set: for ever in "
        "editors with a review of their own, 600 in others.",
    )

    def seconds(self, *, review_client: bool) -> float | None:
        """How long to wait (docs/protocol.md#9-review-and-landing); None for ever."""
        wait = (0 if review_client else 600) if self.timeout_s is None else self.timeout_s
        return wait or None


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodingSettings:
    """How bytes that tell nothing of their encoding are read."""

    default: str = setting(
        "utf-8",
        Encoding(),
        "Tried for files that are not UTF-8, have no byte-order mark and no charset in .editorconfig.",
        in_workspace="free",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The Refactor Preview of VS Code and its kin."""

    enabled: bool = setting(
        True, Flag(), "Review in VS Code's Refactor Preview where the agentfs extension is missing."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is read, remembered and waited for."""

    max_file_bytes: int = setting(
        64 * MIB,
        Whole("bytes", 1, 4096 * MIB),
        "Larger files are read only by ranges, and never changed.",
        in_workspace="lower",
    )
    read_lines: int = setting(
        2000,
        Whole("lines", 1, 10_000_000),
        "What a read without a limit answers at most.",
        in_workspace="lower",
    )
    read_chars: int = setting(
        200_000,
        Whole("characters", 1, 1_000_000_000),
        "What a read without a limit answers at most.",
        in_workspace="lower",
    )
    base_text_mib: int = setting(
        64,
        Whole("MiB", 0, 65_536),
        "Texts kept from reads, to tell what changed since; least recently used go first.",
    )
    records: int = setting(
        10_000, Whole("records", 1, 1_000_000), "Reads remembered for the lock; least recently used go first."
    )
    sessions: int = setting(
        1000,
        Whole("sessions", 1, 100_000),
        "Sessions remembered for a connection; least recently used go first.",
    )
    pending_per_session: int = setting(
        64, Whole("proposals", 1, 10_000), "Proposals of a session that wait at once; more are refused."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """How much of a diff an answer shows."""

    max_lines: int = setting(100, Whole("lines", 1, 1_000_000), "A longer diff is cut.", in_workspace="free")
    max_bytes: int = setting(
        10_240, Whole("bytes", 1, 64 * MIB), "A larger diff is cut.", in_workspace="free"
    )
    max_line_chars: int = setting(
        2000,
        Whole("characters", 16, 1_000_000),
        "A longer line is shown as a window round its change.",
        in_workspace="free",
    )
    context: int = setting(
        3, Whole("lines", 0, 1000), "Unchanged lines shown before and after each change.", in_workspace="free"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySettings:
    """What is kept of the changes that landed (docs/protocol.md#11-history-and-undo)."""

    enabled: bool = setting(True, Flag(), "Changes that landed are kept, to be looked at and undone.")
    max_mib: int = setting(
        256, Whole("MiB", 1, 65_536), "What a workspace folder's history takes at most; the oldest go first."
    )
    max_days: int = setting(90, Whole("days", 1, 36_500), "Older changes are dropped.")
