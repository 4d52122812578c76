"""A client connected to a scripted server in its own process."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.api.results import Proposal
from agentfs_lsp.demo.connection import Connection
from agentfs_lsp.demo.editor import Answer, Editor
from agentfs_lsp.domain.translation import english

SERVER = Path(__file__).with_name("scripted_server.py")


@dataclass
class Reviewer:
    """Gives the scripted answers, and records what it saw."""

    answers: list[Answer | None] = field(default_factory=list)
    seen: list[Proposal] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    def decide(self, proposal: Proposal) -> Answer | None:
        self.seen.append(proposal)
        return self.answers.pop(0)

    def hear(self, what: str) -> None:
        self.heard.append(what)


@dataclass
class Client:
    """A started client; after the block, `heard` has all that the server received."""

    connection: Connection
    editor: Editor
    reviewer: Reviewer
    heard: list[dict[str, Any]] = field(default_factory=list)
    exit_code: int | None = None

    def params_of(self, method: str) -> list[Any]:
        return [message["params"] for message in self.heard if message.get("method") == method]

    def answer_to(self, ident: str) -> dict[str, Any]:
        (answer,) = (m for m in self.heard if m.get("id") == ident and "method" not in m)
        return answer


@pytest.fixture
def client(tmp_path: Path) -> Callable[..., Any]:
    """A context manager: `client(steps, answers)`."""

    @contextmanager
    def start(steps: list[dict[str, Any]], answers: list[Answer | None] | None = None) -> Iterator[Client]:
        script, transcript = tmp_path / "script.json", tmp_path / "transcript.json"
        script.write_text(json.dumps(steps))
        command = [sys.executable, "-S", "-E", str(SERVER), str(script), str(transcript)]
        with (tmp_path / "log").open("wb") as log:
            connection = Connection(command, tmp_path, os.environ, log)
        reviewer = Reviewer(list(answers or ()))
        started = Client(connection, Editor(connection, reviewer.decide, reviewer.hear, english), reviewer)
        try:
            yield started
        finally:
            started.exit_code = connection.close()
        started.heard = json.loads(transcript.read_text())

    return start
