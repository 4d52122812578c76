"""What the extras cost: a small edit with all of them on, with a formatter, and without any."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from .client import ServerFailedError
from .peers import Connection, Party
from .results import AGENTFS, Measure, Results
from .rounds import Turn, alternating, take_turns
from .texts import SIZES, STATES, source_of

OFF = Measure("extras", "edit 1 KB, extras off")
ON = Measure("extras", "edit 1 KB, extras on")
FORMATTED = Measure("extras", "edit 1 KB, formatted by cat")

_OFF = {"log": {"operations": False}, "diagnostics": {"syntax": False}}
_ON = {
    "log": {"operations": True},
    "diagnostics": {"syntax": True},
    "secrets": {"scan": True},
    "telemetry": {"enabled": True},
}
_FORMATTED = {**_OFF, "correction": {"formatters": {"*.py": ["cat"]}}}

_COLLECTOR = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
"""One that does not answer, which is the worst case."""


def measure_extras(results: Results, party: Party, workspace: Path, scratch: Path, rounds: int) -> None:
    """In turns: the operation log, syntax errors, the secrets scan and telemetry all on; a formatter; and
    nothing of all that."""
    text = source_of(SIZES["1 KB"])
    servers: list[Connection] = []
    turns = []
    try:
        with _environment(_COLLECTOR):
            for number, (measure, options) in enumerate(((OFF, _OFF), (ON, _ON), (FORMATTED, _FORMATTED))):
                own = scratch / f"extras-{number}"
                own.mkdir()
                server = replace(party, options=options).start(workspace, own)
                servers.append(server)
                file = f"extras-{number}.py"
                (workspace / file).write_text(text, encoding="utf-8")
                server.read(file)
                call = alternating(
                    lambda old, new, server=server, file=file: server.edit(file, old, new), *STATES
                )
                turns.append(
                    Turn(measure, AGENTFS, call, (1, 10), changes=True, pid=server.pid, shares_core=True)
                )
        take_turns(results, turns, rounds)
    except ServerFailedError as error:
        results.fail(ON, AGENTFS, str(error))
    finally:
        for server in servers:
            server.close()


@contextmanager
def _environment(more: Mapping[str, str]) -> Iterator[None]:
    before: dict[str, Any] = {name: os.environ.get(name) for name in more}
    os.environ.update(more)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
