"""When OpenTelemetry is used, and what happens where it can't be."""

import sys
import threading
from dataclasses import replace

import pytest

from agentfs_lsp.adapters import record_thread
from agentfs_lsp.adapters.open_telemetry import OpenTelemetry, exports
from agentfs_lsp.adapters.record_thread import RecordThread
from agentfs_lsp.domain.settings.groups import TelemetrySettings
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.service.operations import OperationRecord

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
ON = replace(Settings(), telemetry=TelemetrySettings(enabled=True))
RECORD = OperationRecord(0, "1-1", "s", "", "read", "read", "success", 1.0, {})


@pytest.mark.parametrize(
    ("environment", "traces", "metrics"),
    [
        ({}, False, False),
        (ENDPOINT, True, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": " "}, False, False),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1"}, True, False),
        ({"OTEL_METRICS_EXPORTER": "otlp"}, False, True),
        ({**ENDPOINT, "OTEL_TRACES_EXPORTER": "none"}, False, True),
        ({**ENDPOINT, "OTEL_TRACES_EXPORTER": "console,otlp"}, True, True),
        ({**ENDPOINT, "OTEL_METRICS_EXPORTER": "prometheus"}, True, False),
        ({**ENDPOINT, "OTEL_SDK_DISABLED": "True"}, False, False),
        ({**ENDPOINT, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, False, False),
        ({**ENDPOINT, "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "grpc"}, True, False),
    ],
)
def test_what_the_environment_asks_for(environment: dict[str, str], traces: bool, metrics: bool) -> None:
    assert (exports("TRACES", environment), exports("METRICS", environment)) == (traces, metrics)


def test_it_needs_both_the_setting_and_the_environment() -> None:
    without, with_it = OpenTelemetry({}), OpenTelemetry(ENDPOINT)
    assert not with_it.is_on
    for one in (without, with_it):
        one.configure(ON)
    assert (without.is_on, with_it.is_on) == (False, True)


def test_without_its_packages_it_is_off(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "agentfs_lsp.adapters.otel_exporting", None)
    monkeypatch.setattr(sys, "path", before := [*sys.path])
    one = OpenTelemetry(ENDPOINT)
    one.configure(replace(ON, telemetry=TelemetrySettings(enabled=True, packages="/somewhere")))
    one.ended(RECORD)
    one.close()
    assert not one.is_on
    assert before[-1] == "/somewhere"  # behind all that is ours
    assert "agentfs-lsp[otel]" in caplog.text
    one.configure(ON)
    assert one.is_on  # they may be elsewhere


def test_the_end_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_thread, "CLOSING_S", 0.01)
    stuck, handled = threading.Event(), threading.Event()

    def handle(_: object) -> None:
        stuck.wait(10)
        handled.set()

    thread = RecordThread("stuck", handle)
    thread.put(RECORD)
    thread.close()
    assert not handled.is_set()
    stuck.set()
