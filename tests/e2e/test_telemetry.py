"""Telemetry: what is sent if the user has switched it on, and that nothing is otherwise
(docs/operations.md#telemetry)."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.collector import collecting
from support.editor import AUTO, configure, editing
from support.sample import TEXT

ON = {**AUTO, "telemetry": {"enabled": True}}


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """A place where no connection is expected."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def endpoint_of(server: socket.socket) -> dict[str, str]:
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{server.getsockname()[1]}"}


async def test_nothing_is_sent_unless_the_user_wants_it(
    root: Path, file: Path, listening: socket.socket
) -> None:
    (root / ".agentfs.toml").write_text("[telemetry]\nenabled = true\n")
    async with editing(root, options=AUTO, env=endpoint_of(listening)) as editor:
        await editor.read("a.py")
        await editor.edit("a.py", "two", "2")
        configure(editor, telemetry={"enabled": "yes"})
        await editor.read("a.py")
    assert editor.all("telemetry/event") == []
    with pytest.raises(BlockingIOError):
        listening.accept()


async def test_nothing_is_sent_any_more_once_it_is_off(
    root: Path, file: Path, listening: socket.socket
) -> None:
    async with editing(root, options=ON, env=endpoint_of(listening)) as editor:
        await editor.read("a.py")
        await editor.seen("telemetry/event")
        configure(editor, telemetry={"enabled": False})
        await editor.read("a.py")
    assert len(editor.all("telemetry/event")) == 1
    with pytest.raises(BlockingIOError):
        listening.accept()  # not even what had not been sent yet


async def test_the_editor_is_told_of_operations_and_of_no_names_and_texts(root: Path) -> None:
    (root / "SECRET.PY").write_text(TEXT)
    own = {"session": "SECRET", "agent": "SECRET", "explanation": "SECRET"}
    async with editing(root, options=ON) as editor:
        await editor.read("SECRET.PY", session="SECRET")
        await editor.edit("SECRET.PY", "two", "SECRET", **own)
        await editor.write("SECRET.json", "SECRET\n", **own)
        await editor.request("agentfs/call", {"name": "SECRET", "arguments": {"path": "a.secret"}})
        await editor.request("agentfs/status")
        await editor.seen("telemetry/event", 4)
    events = [message["params"] for message in editor.all("telemetry/event")]
    assert "SECRET" not in str(events)
    assert all(event.pop("duration_ms") > 0 for event in events)
    about = {"event": "agentfs.operation", "outcome": "success"}
    python = {"extension": ".py", "mime": "text/x-python"}
    policy = {"asked": "policy", "decision": "allowed"}
    changed = {"lines_added": 1, "lines_removed": 1, "size_bytes": len(TEXT) + 3, "match": "exact"}
    created = {"lines_added": 1, "lines_removed": 0, "size_bytes": 7}
    assert events == [
        {**about, "operation": "read", "size_bytes": len(TEXT), **python},
        {**about, "operation": "edit", **changed, **python, **policy},
        {
            **about,
            "operation": "create",
            **created,
            "extension": ".json",
            "mime": "application/json",
            **policy,
        },
        {**about, "operation": "call", "outcome": "error"},
    ]


async def test_a_collector_gets_metrics_and_a_trace_with_its_phases(root: Path, tmp_path: Path) -> None:
    (root / "SECRET.py").write_text(TEXT)
    async with collecting(tmp_path) as collector:
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint, "OTEL_SERVICE_NAME": "mine"}
        async with editing(root, options=ON, env=env) as editor:
            await editor.read("SECRET.py", session="SECRET")
            await editor.edit("SECRET.py", "two", "SECRET", session="SECRET", agent="SECRET")
    got = collector.output.read_text()
    assert "SECRET" not in got
    assert str(root) not in got
    assert "service.name: Str(mine)" in got
    spans = re.findall(r"Parent ID +: (\w*)\n +ID +: (\w+)\n +Name +: (.+)", got)
    names = {ident: name for _, ident, name in spans}
    assert [(names.get(parent, ""), name) for parent, _, name in spans] == [
        ("agentfs read", "resolve"),
        ("agentfs read", "read"),
        ("", "agentfs read"),
        ("agentfs edit", "resolve"),
        ("agentfs edit", "read"),
        ("agentfs edit", "match"),
        ("agentfs edit", "land"),
        ("", "agentfs edit"),
    ]
    metrics = ["agentfs.operations", "agentfs.operation.duration", "agentfs.phase.duration", "agentfs.lines"]
    assert all(re.search(rf"Name +: {name}\n|-> Name: {name}\n", got) for name in metrics)
    assert got.count("-> agentfs.asked: Str(policy)") >= 2
