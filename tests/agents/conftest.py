"""One editor for all tests of a module, whose user the tests are."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from agentfs_lsp.sockets import discovery
from support.editor import REVIEWING, Editor
from support.outside import serving


@pytest.fixture(scope="module")
def sockets() -> Iterator[Path]:
    """The folder of sockets, below a path that is short enough for them."""
    with tempfile.TemporaryDirectory(prefix="agents-") as above, pytest.MonkeyPatch.context() as patch:
        folder = Path(above, "agentfs")
        patch.setattr(discovery, "folder", lambda: folder)
        yield folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(sockets: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """Tests use their own files in its workspace."""
    root = tmp_path_factory.mktemp("agents") / "root"
    root.mkdir()
    async with serving(root, sockets, **REVIEWING) as editor:
        yield editor
