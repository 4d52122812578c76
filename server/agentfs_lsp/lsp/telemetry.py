"""`telemetry/event`: tells the editor about each operation, if the user has switched that on
(docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.lsp.outgoing import Outgoing
from agentfs_lsp.lsp.results import TelemetryEvent
from agentfs_lsp.service.operations import OperationRecord


class TelemetryEvents:
    """`service.operations.Observer`."""

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._is_on = False

    @property
    def is_on(self) -> bool:
        return self._is_on

    def configure(self, settings: Settings) -> None:
        self._is_on = settings.telemetry.enabled

    def ended(self, record: OperationRecord) -> None:
        self._outgoing.notify("telemetry/event", event_of(record))

    def close(self) -> None:
        """Nothing waits."""


def event_of(record: OperationRecord) -> TelemetryEvent:
    """What is told about an operation."""
    event: TelemetryEvent = {
        "event": "agentfs.operation",
        "operation": record.operation,
        "outcome": record.outcome,
        "duration_ms": record.duration_ms,
    }
    if record.lines_added is not None and record.lines_removed is not None:
        event["lines_added"], event["lines_removed"] = record.lines_added, record.lines_removed
    if record.size_bytes is not None:
        event["size_bytes"] = record.size_bytes
    if record.extension is not None:
        event["extension"] = record.extension
    if record.mime is not None:
        event["mime"] = record.mime
    if record.match is not None:
        event["match"] = record.match
    if record.asked is not None:
        event["asked"] = record.asked
    if record.decision is not None:
        event["decision"] = record.decision
    return event
