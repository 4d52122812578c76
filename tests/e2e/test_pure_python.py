"""Nothing compiled is required: without msgspec everything works the same (docs/adr/0002)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.editor import AUTO, RpcError, editing

BARE = {"PYTHONPATH": str(Path(__file__).parents[1] / "support" / "bare")}


def test_the_package_is_missing_in_these_tests() -> None:
    command = [sys.executable, "-c", "import msgspec"]
    imported = subprocess.run(command, env={**os.environ, **BARE}, capture_output=True, check=False)
    assert b"ModuleNotFoundError" in imported.stderr


async def test_an_agents_turn_needs_nothing_compiled(root: Path) -> None:
    (root / "a.py").write_text("def first():\n    return 1\n\n\ndef second():\n    return 2\n")
    stderr = root.parent / "stderr"
    async with editing(root, options=AUTO, env=BARE, stderr=stderr) as editor:
        editor.send_bytes(b"Content-Length: 1\r\n\r\n{")
        refused = await editor.message(lambda one: "error" in one)
        assert refused["error"]["code"] == -32700
        with pytest.raises(RpcError):
            await editor.request("no/such")
        read = await editor.read("a.py")
        assert read["data"]["hash"].startswith("sha256:")
        missed = await editor.edit("a.py", "def second():\n    return 3\n", "")
        assert missed["error"]["code"] == "INVALID_PARAM"
        assert "   6 |     return 2" in missed["text"]
        edited = await editor.edit("a.py", "return 2", "return '漢😀'")
        assert edited["data"]["applied"] is True
        written = await editor.write("new/b.py", "x\n")
        assert written["data"]["operation"] == "create"
        odd = {"path": "\ud800", "start_line": 10**40}
        assert (await editor.request("agentfs/read", odd))["context"]["params_input"] == odd
    assert (root / "a.py").read_text() == "def first():\n    return 1\n\n\ndef second():\n    return '漢😀'\n"
    assert (root / "new" / "b.py").read_text() == "x\n"
    assert b"Traceback" not in stderr.read_bytes()
