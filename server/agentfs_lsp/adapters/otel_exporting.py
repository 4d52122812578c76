"""Records of operations as OpenTelemetry's metrics and spans, sent by its SDK. Needs the extra `otel`, so
only `open_telemetry.py` imports it, on a thread (docs/adr/0030-opentelemetry.md).

The SDK takes endpoint, headers, intervals, resource, and sampler from the standard OTEL_* variables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from agentfs_lsp import __version__
from agentfs_lsp.service.operations import OperationRecord

NAME: Final = "agentfs-lsp"
_CLOSING_MS: Final = 1500
_NS_PER_MS: Final = 1_000_000


class Exporting:
    """The SDK's providers. Not thread-safe. Nothing is sent any more once `is_on` is false, not even what
    waits."""

    def __init__(self, is_on: Callable[[], bool], *, traces: bool, metrics: bool) -> None:
        resource = Resource.create({SERVICE_VERSION: __version__})
        if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
            resource = resource.merge(Resource({SERVICE_NAME: NAME}))
        self._tracing = TracerProvider(resource=resource, shutdown_on_exit=False)
        if traces:
            self._tracing.add_span_processor(BatchSpanProcessor(_SpanExporter(is_on)))
        readers = [PeriodicExportingMetricReader(_MetricExporter(is_on))] if metrics else []
        self._metering = MeterProvider(readers, resource=resource, shutdown_on_exit=False)
        self._tracer = self._tracing.get_tracer(NAME, __version__)
        meter = self._metering.get_meter(NAME, __version__)
        self._operations = meter.create_counter(
            "agentfs.operations", unit="{operation}", description="Operations of agents"
        )
        self._lines = meter.create_counter(
            "agentfs.lines", unit="{line}", description="Lines added and removed by changes that landed"
        )
        self._duration = meter.create_histogram(
            "agentfs.operation.duration", unit="s", description="From the request to its response"
        )
        self._phases = meter.create_histogram(
            "agentfs.phase.duration", unit="s", description="The phases of operations"
        )

    def add(self, record: OperationRecord) -> None:
        """Count the operation, and make its spans."""
        kind = {"agentfs.operation": record.operation, "agentfs.outcome": record.outcome}
        kind |= _given({"agentfs.asked": record.asked, "error.type": record.code})
        self._operations.add(1, kind)
        self._duration.record(record.duration_ms / 1000, kind)
        for name, span in record.phases.items():
            phase = {"agentfs.phase": name, "agentfs.operation": record.operation}
            self._phases.record(span.took_ms / 1000, phase)
        if record.outcome in ("success", "partial") and not record.dry_run:
            self._lines.add(record.lines_added or 0, {"agentfs.change": "added"})
            self._lines.add(record.lines_removed or 0, {"agentfs.change": "removed"})
        self._trace(record, kind)

    def _trace(self, record: OperationRecord, kind: Mapping[str, str]) -> None:
        known = {
            "agentfs.decision": record.decision,
            "agentfs.match": record.match,
            "agentfs.lines_added": record.lines_added,
            "agentfs.lines_removed": record.lines_removed,
            "agentfs.size_bytes": record.size_bytes,
            "agentfs.extension": record.extension,
            "agentfs.mime": record.mime,
            "agentfs.files": record.files,
            "agentfs.dry_run": record.dry_run or None,
        }
        begun = record.time_ms * _NS_PER_MS
        request = self._tracer.start_span(
            f"agentfs {record.operation}",
            Context(),  # of no other trace
            kind=SpanKind.SERVER,
            attributes={**kind, **_given(known)},
            start_time=begun,
        )
        within = set_span_in_context(request, Context())
        for name, span in record.phases.items():
            phase = self._tracer.start_span(
                name, within, start_time=begun + round(span.begun_ms * _NS_PER_MS)
            )
            phase.end(begun + round(span.ended_ms * _NS_PER_MS))
        if record.outcome == "error":
            request.set_status(Status(StatusCode.ERROR))
        request.end(begun + round(record.duration_ms * _NS_PER_MS))

    def close(self) -> None:
        """Send what waits, within a bounded time."""
        with suppress(Exception):  # the server ends
            self._tracing.force_flush(_CLOSING_MS)
        with suppress(Exception):
            self._metering.shutdown(_CLOSING_MS)


class _SpanExporter(OTLPSpanExporter):
    def __init__(self, is_on: Callable[[], bool]) -> None:
        super().__init__()
        self._is_on = is_on

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return super().export(spans) if self._is_on() else SpanExportResult.SUCCESS


class _MetricExporter(OTLPMetricExporter):
    def __init__(self, is_on: Callable[[], bool]) -> None:
        super().__init__()
        self._is_on = is_on

    def export(
        self, metrics_data: MetricsData, timeout_millis: float | None = 10_000, **kwargs: Any
    ) -> MetricExportResult:
        if not self._is_on():
            return MetricExportResult.SUCCESS
        return super().export(metrics_data, timeout_millis, **kwargs)


def _given(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}
