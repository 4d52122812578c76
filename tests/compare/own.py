"""agentfs, through its client library."""

import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from agentfs_lsp import __version__
from agentfs_lsp.client import AgentFSError, AsyncAgentFS, allow_all
from compare.party import Document, Edit, Party, PartyFailedError
from compare.verdicts import Outcome
from support.client import Editor
from support.editor import AUTO, editing
from support.outside import LAUNCHER


class AgentFSParty(Party):
    """Its own server, and for unsaved text that of an editor, which speaks LSP with it."""

    name = "agentfs"
    about = (
        "the client library with a server of its own and default settings; `allow_all` stands for a user who "
        "accepts each change. For unsaved text: the server of a scripted editor that speaks LSP"
    )
    replaces_all = True

    @property
    def version(self) -> str:
        return f"agentfs-lsp {__version__}"

    async def start(self) -> None:
        self._editors: dict[str, Editor] = {}
        self._closing = AsyncExitStack()
        beside = self.root.parent
        places = [f"XDG_STATE_HOME={beside / 'state'}", f"AGENTFS_TEST_SOCKETS={beside / 'sockets'}"]
        self._command = ["env", *places, sys.executable, "-P", LAUNCHER]
        fs = AsyncAgentFS.open(self.root, allow_all, command=self._command)
        self._fs = await self._closing.enter_async_context(fs)

    async def close(self) -> None:
        await self._closing.aclose()

    @property
    def pid(self) -> int:
        return int(self._fs._link.pid)  # type: ignore[union-attr]

    async def read(self, path: str) -> str:
        answer = await self._ask("agentfs/read", {"path": path})
        return str(answer["data"].get("content", answer["text"]))

    async def edit(self, edit: Edit) -> Outcome:
        return await self._change("agentfs/edit", _spelled(edit))

    async def write(self, path: str, content: str) -> Outcome:
        return await self._change("agentfs/write", {"path": path, "content": content})

    async def change(self, edits: Sequence[Edit]) -> Outcome:
        operations = [{"tool": "edit", "params": _spelled(edit)} for edit in edits]
        answer = await self._ask("agentfs/batch", {"operations": operations, "atomic": True})
        return Outcome(answer["status"] != "error", answer["text"])

    async def open(self, path: str, text: str) -> Document:
        opened = editing(self.root, command=self._command, options=AUTO)
        editor = self._editors[path] = await self._closing.enter_async_context(opened)
        editor.open(path, text)
        return _Document(editor, path)

    async def _change(self, method: str, params: dict[str, Any]) -> Outcome:
        answer = await self._ask(method, params)
        landed = answer["data"].get("applied") or answer["data"].get("landing") == "editor"
        return Outcome(bool(landed), answer["text"])

    async def _ask(self, method: str, params: dict[str, Any]) -> Any:
        if editor := self._editors.get(params.get("path", "")):
            return await editor.request(method, params)
        try:
            return (await self._fs.request(method, params)).envelope
        except AgentFSError as error:
            raise PartyFailedError(str(error)) from error


class _Document(Document):
    """In the scripted editor."""

    def __init__(self, editor: Editor, path: str) -> None:
        self._editor, self._path = editor, path

    def type(self, text: str) -> None:
        self._editor.change(self._path, text)

    def save(self) -> None:
        self._editor.save(self._path)


def _spelled(edit: Edit) -> dict[str, Any]:
    params: dict[str, Any] = {"path": edit.path, "old_string": edit.old, "new_string": edit.new}
    return params | ({"replace_all": True} if edit.replace_all else {})
