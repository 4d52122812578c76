"""One server for all tests of a module: starting one takes longer than most tests."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from support.editor import AUTO, Editor, editing


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def auto(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """An editor in auto_edit mode with one folder open. Tests use their own files in it, and are marked with
    `pytest.mark.asyncio(loop_scope="module")`."""
    root = tmp_path_factory.mktemp("auto") / "root"
    root.mkdir()
    async with editing(root, options=AUTO) as editor:
        yield editor
