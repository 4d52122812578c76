"""Groups of settings, such as `approval` and `limits`.

`settings.py` contains all settings and their table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentfs_lsp.domain.globs import permitted
from agentfs_lsp.domain.settings.formatters import Command, Formatters
from agentfs_lsp.domain.settings.rules import Globs
from agentfs_lsp.domain.settings.setting import Mode, setting
from agentfs_lsp.domain.settings.shapes import Encoding, Folder, Seconds
from agentfs_lsp.domain.shapes import Choice, Flag, Whole

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """When to ask the user, and how long to wait for the answer."""

    mode: Mode = setting(
        "manual",
        Choice(("manual", "auto_edit")),
        'How changes are approved if no rule or protection decides. "manual": you review '
        'each change. "auto_edit": changes are accepted without review.',
        strictest="manual",
        in_workspace="strictest",
    )
    timeout_s: float | None = setting(
        None,
        Seconds(0, 604_800),
        "How long a review waits for your answer after it is shown; 0 means no limit. "
        "Not set: no limit in editors with their own review UI, 600 in others.",
    )

    def seconds(self, *, review_client: bool) -> float | None:
        """The review timeout in seconds (docs/protocol.md#9-review-and-landing); None for no limit."""
        wait = (0 if review_client else 600) if self.timeout_s is None else self.timeout_s
        return wait or None


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodingSettings:
    """The encoding of bytes that do not identify their encoding."""

    default: str = setting(
        "utf-8",
        Encoding(),
        "The encoding to try for files that are not UTF-8 and have neither a byte-order "
        "mark nor a charset in .editorconfig.",
        in_workspace="free",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The Refactor Preview of VS Code and its derivatives."""

    enabled: bool = setting(
        True,
        Flag(),
        "Review changes in VS Code's Refactor Preview if the agentfs extension is not installed.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of reads, records, and pending proposals."""

    max_file_bytes: int = setting(
        64 * MIB,
        Whole("bytes", 1, 4096 * MIB),
        "Agents can read larger files only in ranges, and cannot change them.",
        in_workspace="lower",
    )
    read_lines: int = setting(
        2000,
        Whole("lines", 1, 10_000_000),
        "The maximum number of lines that a read without a limit returns.",
        in_workspace="lower",
    )
    read_chars: int = setting(
        200_000,
        Whole("characters", 1, 1_000_000_000),
        "The maximum number of characters that a read without a limit returns.",
        in_workspace="lower",
    )
    base_text_mib: int = setting(
        64,
        Whole("MiB", 0, 65_536),
        "Memory for the texts that agents have read, which are needed to show what "
        "changed since. The least recently used are dropped first.",
    )
    records: int = setting(
        10_000,
        Whole("records", 1, 1_000_000),
        "The maximum number of reads to remember. The least recently used are dropped first.",
    )
    sessions: int = setting(
        1000,
        Whole("sessions", 1, 100_000),
        "The maximum number of sessions to remember per connection. The least recently "
        "used are dropped first.",
    )
    pending_per_session: int = setting(
        64,
        Whole("proposals", 1, 10_000),
        "The maximum number of pending proposals per session, and of open questions before a "
        "read. Further ones are refused.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Diffs in responses."""

    preview: bool = setting(
        True,
        Flag(),
        "Show agents the diff of what they changed. Off: diff_preview is empty.",
        in_workspace="free",
    )
    max_lines: int = setting(
        100, Whole("lines", 1, 1_000_000), "Longer diffs are truncated.", in_workspace="free"
    )
    max_bytes: int = setting(
        10_240, Whole("bytes", 1, 64 * MIB), "Larger diffs are truncated.", in_workspace="free"
    )
    max_line_chars: int = setting(
        2000,
        Whole("characters", 16, 1_000_000),
        "Longer lines are reduced to the part around the change.",
        in_workspace="free",
    )
    context: int = setting(
        3,
        Whole("lines", 0, 1000),
        "The number of unchanged lines to show before and after each change.",
        in_workspace="free",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretSettings:
    """Secrets in changes (docs/protocol.md#13-settings-and-policy)."""

    scan: bool = setting(
        False,
        Flag(),
        "Also search what agents add for passwords and other secrets with detect-secrets, and ask about what "
        "it finds. Requires agentfs-lsp[secrets].",
        strictest=True,
        in_workspace="strictest",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySettings:
    """The history of landed changes (docs/protocol.md#11-history-and-undo)."""

    enabled: bool = setting(True, Flag(), "Record accepted changes so that they can be viewed and undone.")
    max_mib: int = setting(
        256,
        Whole("MiB", 1, 65_536),
        "The maximum size of the history per workspace folder. The oldest changes are deleted first.",
    )
    max_days: int = setting(90, Whole("days", 1, 36_500), "Older changes are deleted.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """The operation log (docs/operations.md)."""

    operations: bool = setting(
        True,
        Flag(),
        "Log each read and change of an agent as one JSON line, without contents, in a file that only your "
        "user can read.",
    )
    max_mib: int = setting(
        10,
        Whole("MiB", 1, 65_536),
        "The size of the operation log at which a new file is begun. The four previous files are kept.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetrySettings:
    """Telemetry (docs/operations.md#telemetry)."""

    enabled: bool = setting(
        False,
        Flag(),
        "Tell the editor about each operation of an agent, without names and contents of files, and send "
        "metrics and traces to the OpenTelemetry collector that OTEL_* variables name, if any.",
        strictest=False,
    )
    packages: str | None = setting(
        None,
        Folder(),
        "For a server without agentfs-lsp[otel], such as the VS Code extension's: the folder with "
        "OpenTelemetry's packages.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """Agents in programs of their own (docs/protocol.md#16-the-agents-socket)."""

    socket: bool = setting(
        True,
        Flag(),
        "Let agents outside the editor connect to this server, through a socket that only your user can "
        "open. Off: only the editor's own plugins can call it.",
        strictest=False,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerSettings:
    """Reviewers in programs of their own (docs/protocol.md#18-the-reviewers-socket)."""

    socket: bool = setting(
        True,
        Flag(),
        "Let `agentfs-lsp review` in a terminal connect to this server, through a socket that only your user "
        "can open. It decides on changes once you allow it in the editor, by its code. Off: only the editor "
        "decides.",
        strictest=False,
    )


EVERYWHERE = ("*",)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionSettings:
    """Corrections of the text that agents send (docs/protocol.md#61-corrections): the files in which each is
    made."""

    line_ends: tuple[str, ...] = setting(
        EVERYWHERE,
        Globs(),
        "The new files that get the end_of_line of .editorconfig.",
        in_workspace="free",
    )
    charset: tuple[str, ...] = setting(
        EVERYWHERE,
        Globs(),
        "The new files that get the charset of .editorconfig, unless the editor reports an encoding.",
        in_workspace="free",
    )
    final_newline: tuple[str, ...] = setting(
        EVERYWHERE,
        Globs(),
        "The files whose last line, if it changes, gets a line ending where .editorconfig has "
        "insert_final_newline.",
        in_workspace="free",
    )
    trailing_blanks: tuple[str, ...] = setting(
        EVERYWHERE,
        Globs(),
        "The files in which changed lines lose spaces and tabs at their ends where .editorconfig has "
        "trim_trailing_whitespace.",
        in_workspace="free",
    )
    escapes: tuple[str, ...] = setting(
        (),
        Globs(),
        "The files in which text that seems escaped once too often is unescaped: \\n in place of line "
        "endings, HTML entities in code.",
    )
    escape_hints: tuple[str, ...] = setting(
        EVERYWHERE,
        Globs(),
        "The files in which such text has a warning if it is left as it is.",
    )
    elided: tuple[str, ...] = setting(
        EVERYWHERE,
        Globs(),
        "The files in which a line that stands for omitted text is refused. Elsewhere it is written, with a "
        "warning.",
        strictest=EVERYWHERE,
        in_workspace="strictest",
    )
    formatters: Mapping[str, tuple[Command, ...]] = setting(
        {},
        Formatters(),
        "Commands that format what agents propose, by glob: a list of words, or a list of such lists. A "
        "command gets the text as standard input; {path} is the file's path. Files that were not formatted "
        "before are left alone.",
    )
    formatter_timeout_ms: int = setting(
        5000,
        Whole("milliseconds", 1, 600_000),
        "How long such a command may take.",
    )


def is_among(globs: tuple[str, ...], relative: str) -> bool:
    """Whether a correction with these globs is made in the file with this path relative to its root."""
    return globs == EVERYWHERE or (bool(globs) and permitted(globs, relative))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticsSettings:
    """What agents are told about errors in what they change (docs/protocol.md#95-diagnostics)."""

    syntax: bool = setting(
        True,
        Flag(),
        "Look for syntax errors that a change introduces, and report them to you and the agent. It needs the "
        "extra `syntax` of the package.",
    )
    wait_ms: int = setting(
        500,
        Whole("milliseconds", 0, 10_000),
        "How long an agent's answer waits, after a change has landed, for what other programs in the editor "
        "find in its files. 0: it does not wait, and does not report it.",
    )
