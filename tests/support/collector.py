"""An OpenTelemetry collector on loopback that prints what it gets, from the package `rotel`."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass
class Collector:
    """`output`: what it has got so far."""

    endpoint: str
    output: Path


@asynccontextmanager
async def collecting(folder: Path) -> AsyncIterator[Collector]:
    """A collector that takes traces and metrics; skips the test where there is none."""
    package = pytest.importorskip("rotel")
    program = Path(package.__file__).with_name("rotel-agent")
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        http, grpc = (f"127.0.0.1:{each.getsockname()[1]}" for each in (one, other))
    arguments = ["--otlp-http-endpoint", http, "--otlp-grpc-endpoint", grpc, "--exporter", "blackhole"]
    arguments += ["--debug-log", "traces", "--debug-log", "metrics", "--debug-log-verbosity", "detailed"]
    output = folder / "collected"
    with output.open("wb") as written:
        process = await asyncio.create_subprocess_exec(
            program, "start", "--disable-batching", *arguments, stdout=written, stderr=written
        )
    try:
        async with asyncio.timeout(60):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", int(http.rpartition(":")[2]))
                except OSError:
                    await asyncio.sleep(0.01)
                else:
                    writer.close()
                    break
        yield Collector(f"http://{http}", output)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
