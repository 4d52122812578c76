"""One server for all tests of a module, since starting one takes longer than most tests; a place for the
sockets of editors, and both eras of MCP."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from agentfs_lsp.sockets import discovery
from support.editor import AUTO, Editor, editing
from support.mcp_agent import ERAS


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def auto(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """An editor in auto_edit mode with one folder open. Tests use their own files in it, and are marked with
    `pytest.mark.asyncio(loop_scope="module")`."""
    root = tmp_path_factory.mktemp("auto") / "root"
    root.mkdir()
    async with editing(root, options=AUTO) as editor:
        yield editor


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    """The mode of the `mcp` package's client."""
    return str(request.param)


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of sockets, below a path that is short enough for them."""
    with tempfile.TemporaryDirectory(prefix="agents-") as above:
        folder = Path(above, "agentfs")
        monkeypatch.setattr(discovery, "folder", lambda: folder)
        yield folder
