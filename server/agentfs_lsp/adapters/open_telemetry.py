"""Metrics and traces of operations for an OpenTelemetry collector, if the user has switched telemetry on and
the environment names a collector (docs/operations.md#opentelemetry).

Without both, the packages of the extra `agentfs-lsp[otel]` are not even imported.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agentfs_lsp.adapters.record_thread import RecordThread
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.service.operations import OperationRecord

if TYPE_CHECKING:
    from agentfs_lsp.adapters.otel_exporting import Exporting

_log = logging.getLogger(__name__)

PROTOCOL = "http/protobuf"


class OpenTelemetry:
    """`service.operations.Observer`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._traces = exports("TRACES", environment)
        self._metrics = exports("METRICS", environment)
        self._is_wanted = self._is_missing = False
        self._packages: str | None = None
        self._exporting: Exporting | None = None
        self._thread = RecordThread("agentfs-telemetry", self._export, self._finish)

    @property
    def is_on(self) -> bool:
        return self._is_wanted and (self._traces or self._metrics) and not self._is_missing

    def configure(self, settings: Settings) -> None:
        self._is_wanted = settings.telemetry.enabled
        if settings.telemetry.packages != self._packages:
            self._packages, self._is_missing = settings.telemetry.packages, False

    def ended(self, record: OperationRecord) -> None:
        self._thread.put(record)

    def close(self) -> None:
        self._thread.close()

    def _export(self, records: Sequence[OperationRecord]) -> None:
        try:
            if self._exporting is None:
                if self._packages:  # last, so that it replaces no module of ours
                    sys.path.append(os.path.expanduser(self._packages))
                from agentfs_lsp.adapters.otel_exporting import Exporting  # noqa: PLC0415 - an extra

                self._exporting = Exporting(lambda: self.is_on, traces=self._traces, metrics=self._metrics)
            for record in records:
                self._exporting.add(record)
        except ImportError:
            _log.warning("no metrics and traces: the packages of agentfs-lsp[otel] are not installed")
            self._is_missing = True
        except Exception as error:  # noqa: BLE001 - an invalid variable, for example
            _log.warning("no metrics and traces: %s", type(error).__name__)
            self._is_missing = True

    def _finish(self) -> None:
        if self._exporting is not None:
            self._exporting.close()


def exports(signal: str, environment: Mapping[str, str]) -> bool:
    """Whether the environment asks for the export of "TRACES" or "METRICS" by OTLP: it names the exporter, or
    an endpoint. Empty variables count as unset."""

    def of(name: str) -> str:
        return environment.get(name, "").strip()

    if of("OTEL_SDK_DISABLED").lower() == "true":
        return False
    exporter = of(f"OTEL_{signal}_EXPORTER")
    endpoint = of(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT") or of("OTEL_EXPORTER_OTLP_ENDPOINT")
    if "otlp" not in (exporter or ("otlp" if endpoint else "")).split(","):
        return False
    protocol = of(f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL") or of("OTEL_EXPORTER_OTLP_PROTOCOL") or PROTOCOL
    if protocol != PROTOCOL:
        _log.info("OTLP is sent by %s only", PROTOCOL)
    return protocol == PROTOCOL
