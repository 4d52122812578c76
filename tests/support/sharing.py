"""One server for all tests of a module, because starting one takes longer than most tests. Everything is
restored between tests."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from support.editor import Editor

Start = Callable[[Path], AbstractAsyncContextManager[Editor]]


def shared(start: Start) -> tuple[Any, Any, Any]:
    """The fixtures `server`, `root` and `editor` of a module whose tests are marked with `in_module`."""

    @pytest_asyncio.fixture(scope="module", loop_scope="module")
    async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
        folder = tmp_path_factory.mktemp("shared") / "root"
        folder.mkdir()
        async with start(folder) as editor:
            yield editor

    @pytest.fixture
    def root(server: Editor) -> Iterator[Path]:
        yield server.root
        for path in server.root.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    @pytest_asyncio.fixture(loop_scope="module")
    async def editor(server: Editor, root: Path) -> AsyncIterator[Editor]:
        answers = dict(server.answers)
        mode = (await server.request("agentfs/status"))["data"]["mode"]
        yield server
        server.answers = answers
        await _tidied(server)
        await server.request("agentfs/setApprovalMode", {"mode": mode})
        server.received.clear()

    return server, root, editor


in_module = pytest.mark.asyncio(loop_scope="module")


async def _tidied(editor: Editor) -> None:
    """Reset pending questions, open documents, permissions and recorded messages."""
    waiting = list(editor._waiting.values())
    for future in waiting:
        editor.cancel(future)
    if waiting:
        await asyncio.wait(waiting)
    for future in waiting:
        future.exception()
    for uri in list(editor.documents):
        editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    editor.documents.clear()
    folder = {"uri": editor.root.as_uri(), "name": editor.root.name}
    for event in ({"removed": [folder], "added": []}, {"removed": [], "added": [folder]}):
        editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})  # forget what sessions read
    assert await editor.pending() == []
