"""The operation log of a server that has ended."""

import json
from pathlib import Path

from support.wire import Message


def log_file(state: Path) -> Path:
    """Where a server with this XDG_STATE_HOME logs operations."""
    return state / "agentfs" / "log" / "operations.jsonl"


def logged(state: Path) -> list[Message]:
    """Its records."""
    return [json.loads(line) for line in log_file(state).read_text().splitlines()]


def short(record: Message) -> tuple[str, ...]:
    """What was done with what, and how it ended."""
    names = ("tool", "operation", "path", "outcome", "code")
    return tuple(record[name] for name in names if name in record)
