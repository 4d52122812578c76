"""One line for each operation in the log on standard error, from the level `info` on."""

from __future__ import annotations

import logging

from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.service.operations import OperationRecord

_log = logging.getLogger("agentfs_lsp.operations")


class ToldOperations:
    """`service.operations.Observer`."""

    @property
    def is_on(self) -> bool:
        return _log.isEnabledFor(logging.INFO)

    def configure(self, settings: Settings) -> None:
        """No setting concerns it."""

    def ended(self, record: OperationRecord) -> None:
        _log.info("%s", in_words(record))

    def close(self) -> None:
        """Nothing waits."""


def in_words(record: OperationRecord) -> str:
    """For example: `edit 'src/a.py' by claude: success, accepted by review, +3/-1 lines, 5210.4 ms (review
    5190.2)`."""
    said = [record.tool if record.tool == record.operation else f"{record.tool} ({record.operation})"]
    if record.path is not None:
        said.append(f"'{record.path}'")
    elif record.files:
        said.append(f"{record.files} files")
    if record.agent:
        said.append(f"by {record.agent}")
    ended = f"{record.outcome} {record.code}" if record.code else record.outcome
    told = [f"dry run, {ended}" if record.dry_run else ended]
    if record.asked:
        told.append(f"{record.decision or 'undecided'} by {record.asked}")
    if record.match not in (None, "exact"):
        told.append(f"matched by {record.match}")
    if record.lines_added is not None:
        told.append(f"+{record.lines_added}/-{record.lines_removed} lines")
    phases = ", ".join(f"{name} {span.took_ms:.1f}" for name, span in record.phases.items())
    told.append(f"{record.duration_ms:.1f} ms" + (f" ({phases})" if phases else ""))
    return escape_to_one_line(f"{' '.join(said)}: {', '.join(told)}")
