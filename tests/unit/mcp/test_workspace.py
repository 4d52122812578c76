"""What the user is told that a call waits for, and changes whose editor ends meanwhile."""

from pathlib import Path

import pytest

from agentfs_lsp.client import Answer
from agentfs_lsp.mcp.calls import WITHDRAWN, Job
from agentfs_lsp.mcp.catalog import Catalog
from agentfs_lsp.mcp.connection import Called, Caller, Connection
from agentfs_lsp.mcp.workspace import Workspace, _EditorEnds
from agentfs_lsp.sockets.discovery import Entry


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/__init__.py", "`src/__init__.py`"),
        ("[a](command:b)\n# `c`.py", "``[a]\\x28command:b)\\x0a# `c`.py``"),
        ("\u202e`", "`` \\u202e` ``"),
    ],
)
def test_names_of_files_are_neither_markup_nor_lines_nor_links(path: str, name: str) -> None:
    workspace = Workspace(Path("/w"), Catalog("/w"))
    editing = workspace.what(Called(1, "edit", {"path": f"/w/{path}"}, Caller()))
    assert editing == f"Editing {name}: waiting for the review"
    assert workspace.what(Called(1, "read", {"path": path}, Caller())) == f"waiting for read {name}"


def entry(token: str) -> Entry:
    return Entry(1, "then", ("/w",), "Editor", "1", 1, token, "/s.sock", 0)


class Ending(Workspace):
    """A workspace whose editor ends during the first review."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, Catalog(str(root)))
        self.asked = 0

    async def _ask_once(self, job: Job, only: Entry | None = None) -> Answer:
        self.asked += 1
        raise _EditorEnds(entry("old"), 0) if self.asked == 1 else AssertionError("asked again")


def job(tool: str, **arguments: str) -> Job:
    return Job("p-1", Called(1, tool, arguments, Caller()), "it", Connection(Catalog("/w")), lambda: None)


async def test_a_change_that_is_cancelled_as_the_editor_comes_back_is_not_proposed_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, made = Ending(tmp_path), job("write", path="new.py", content="1\n")

    def find(_: Path, __: Entry) -> Entry:
        made.withdrawal.set()
        return entry("new")

    monkeypatch.setattr("agentfs_lsp.mcp.workspace.find", find)
    assert await workspace.run(made) is WITHDRAWN
    assert workspace.asked == 1


async def test_an_undo_of_the_last_change_is_not_asked_of_a_server_that_does_not_know_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentfs_lsp.mcp.workspace.find", lambda *_: entry("new"))
    workspace = Ending(tmp_path)
    outcome = await workspace.run(job("undo"))
    assert outcome.is_error
    assert "Call undo again with the change_id of your change" in outcome.text
    assert workspace.asked == 1
