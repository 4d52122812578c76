"""Codex, in a home of its own, with a model on loopback that makes the calls that it is given."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Self

from agentfs_lsp.demo.outside import GOODBYE_S, HOLD_S, AgentError, Call, Hear

TASK: Final = "Do what the demo wants."
NOWHERE: Final = "http://127.0.0.1:9"


class Codex:
    """Like `McpClient`, but the program itself. `program`: its path."""

    def __init__(self, program: Path, root: Path, log: Path) -> None:
        self._model = _Model()
        home = root.parent / "codex"
        home.mkdir()
        server = [sys.executable, "-P", "-m", "agentfs_lsp", "mcp", "--hold", str(HOLD_S)]
        (home / "config.toml").write_text(
            f"""model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "read-only"

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{self._model.url}"
wire_api = "responses"

[mcp_servers.agentfs]
command = {json.dumps(server[0])}
args = {json.dumps(server[1:])}
default_tools_approval_mode = "approve"
tool_timeout_sec = {HOLD_S + 100}
""",
            "utf-8",
        )
        self._command = [str(program.absolute()), "exec", "--skip-git-repo-check", TASK]
        isolated = {"HOME": str(home), "CODEX_HOME": str(home), "NO_PROXY": "127.0.0.1"}
        self._environment = {**os.environ, **isolated, "HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE}
        self._root, self._log = root, log
        self._process: subprocess.Popen[bytes] | None = None

    def play(self, calls: Sequence[Call], hear: Hear) -> None:
        """Make the calls one after the other. Raises AgentError."""
        self._model.calls, self._model.hear = calls, hear
        try:
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=self._root,
                    env=self._environment,
                    start_new_session=True,  # Ctrl-C in the terminal is for the demo
                )
        except OSError as error:
            raise AgentError from error
        if self._process.wait() != 0 or self._model.done != len(calls):
            raise AgentError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._model.shutdown()
        self._model.server_close()
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GOODBYE_S)
            self._process.kill()


class _Model(ThreadingHTTPServer):
    """OpenAI's responses API, as far as Codex needs it: each request has the whole conversation."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.calls: Sequence[Call] = ()
        self.hear: Hear = lambda *_: None
        self.done = 0
        self.ids = itertools.count(1)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def next_item(self, results: Sequence[str]) -> dict[str, Any]:
        """What the model says: the next call, or that it is done."""
        for call, result in zip(self.calls[self.done :], results[self.done :], strict=False):
            self.hear(*call, result)
            self.done += 1
        if self.done == len(self.calls):
            content = [{"type": "output_text", "text": "Done.", "annotations": []}]
            return {"type": "message", "role": "assistant", "content": content}
        tool, arguments = self.calls[self.done]
        self.hear(tool, arguments, None)
        named = {"call_id": f"call_{self.done}", "namespace": "mcp__agentfs", "name": tool}
        return {"type": "function_call", **named, "arguments": json.dumps(arguments)}


class _Request(BaseHTTPRequestHandler):
    server: _Model

    def do_POST(self) -> None:
        """Answer with server-sent events."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        outputs = [one["output"] for one in asked["input"] if one.get("type") == "function_call_output"]
        # Codex tells the time that a call took in a part of its own.
        results = [one if isinstance(one, str) else one[-1]["text"] for one in outputs]
        number = next(self.server.ids)
        item = {**self.server.next_item(results), "id": f"item_{number}"}
        response = {"id": f"response_{number}", "object": "response", "status": "completed", "output": [item]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        events: tuple[dict[str, Any], ...] = (
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {**response, "usage": usage}},
        )
        body = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        """There is nothing else."""
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Nothing belongs on the terminal."""
