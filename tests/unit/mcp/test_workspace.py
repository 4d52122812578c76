"""What the user is told that a call waits for."""

from pathlib import Path

import pytest

from agentfs_lsp.mcp.catalog import Catalog
from agentfs_lsp.mcp.connection import Called, Caller
from agentfs_lsp.mcp.workspace import Workspace


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
    assert workspace.what(Called(1, "edit", {"path": f"/w/{path}"}, Caller())) == f"the review of {name}"
    assert workspace.what(Called(1, "read", {"path": path}, Caller())) == f"read {name}"
