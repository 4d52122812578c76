"""Runs the examples of docs/python.md in turn, in a folder with one file."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import agentfs_lsp.client
from agentfs_lsp.client import allow_all
from support.docs import examples, section, text_of
from support.sample import TEXT

DOCS = text_of("python.md")


def complete(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """A model that reads, edits, and says how it went."""
    names = [tool["function"]["name"] for tool in tools]
    calls = [
        (names[0], {"path": "a.py"}),
        (names[2], {"path": "a.py", "old_string": "one", "new_string": "1"}),
    ]
    done = sum(message["role"] == "tool" for message in messages)
    if done == len(calls):
        return {"role": "assistant", "content": messages[-1]["content"]}
    name, arguments = calls[done]
    call = {"id": str(done), "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "tool_calls": [call]}


def test_the_examples_run(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "my-project"
    project.mkdir()
    (project / "a.py").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(
        agentfs_lsp.client, "terminal", lambda: allow_all
    )  # the terminal has a test of its own
    told: list[dict[str, Any]] = []
    for number, code in enumerate(examples(DOCS, "python"), 1):
        known: dict[str, Any] = {"complete": complete}  # nothing of the others: each can be copied alone
        exec(compile(code, f"docs/python.md, example {number}", "exec"), known)
        told += known.get("messages", [])
    assert (project / "a.py").read_text() == "1\n2\nthree\n"
    assert (project / "notes.txt").read_text() == "remember\n"
    assert not (project / "my.lock").exists()
    (_, said) = [message["content"] for message in told if message["role"] == "tool"]
    assert said.startswith("Updated 'a.py'")


def test_a_host_has_fewer_than_15_lines() -> None:
    (host,) = examples(section(DOCS, "A host for a model"), "python")
    assert len([line for line in host.splitlines() if line]) < 15


def test_every_field_and_exception_exists() -> None:
    for names in re.findall(r"^\| (`.*?) \|", section(DOCS, "What goes to the model"), re.MULTILINE):
        for name in re.findall(r"`(\w+)`", names):
            assert hasattr(agentfs_lsp.client.Answer, name) or name == "envelope"
    for name in re.findall(r"^\| `(\w+)", section(DOCS, "Waiting, time limits, and errors"), re.MULTILINE):
        assert issubclass(getattr(agentfs_lsp.client, name), agentfs_lsp.client.AgentFSError)
    for name in re.findall(r"^\| `(\w+)", section(DOCS, "Reviewers"), re.MULTILINE):
        assert callable(getattr(agentfs_lsp.client, name))
