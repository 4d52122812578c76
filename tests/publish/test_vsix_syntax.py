"""The extension's package for one platform has the parsers for `diagnostics.syntax`: `make vsix-syntax`
(docs/adr/0032-tree-sitter.md)."""

import platform
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from support.docs import REPOSITORY
from support.editor import AUTO, editing

BUILT = REPOSITORY / "dist" / "agentfs-linux-x64.vsix"
LIBRARIES = "extension/bundled/libs/"
MOST_BYTES = 6 << 20


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the package is for another platform"
)
async def test_the_server_in_it_reports_a_syntax_error(root: Path, tmp_path: Path) -> None:
    with ZipFile(BUILT) as archive:
        archive.extractall(tmp_path)
        names = archive.namelist()
    command = [sys.executable, "-I", "-S", str(tmp_path / "extension" / "bundled" / "run_server.py")]
    async with editing(root, command=command, options=AUTO) as editor:
        answer = await editor.write("a.ts", "let a: = 1\n")
    assert [one["source"] for one in answer["data"]["diagnostics"]] == ["tree-sitter"]
    assert BUILT.stat().st_size <= MOST_BYTES
    for version in ("311", "312", "313", "314"):
        assert f"{LIBRARIES}tree_sitter/_binding.cpython-{version}-x86_64-linux-gnu.so" in names
    assert not (REPOSITORY / "extension" / "bundled" / "libs" / "tree_sitter").exists()
