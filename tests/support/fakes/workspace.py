"""A connection's workspace over the fakes, and an agent's requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agentfs_lsp.domain.policy.verdict import Policy
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.domain.settings.settings import settings_from
from agentfs_lsp.service.batch import Batch, Step, batch
from agentfs_lsp.service.change_request import ChangeRequest, Submitted, submit
from agentfs_lsp.service.edit import Edit
from agentfs_lsp.service.files.store import Root
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.proposal import Outcome, Proposal
from agentfs_lsp.service.proposal.proposals import Proposals
from agentfs_lsp.service.read import Passage, Read, read
from agentfs_lsp.service.state.sessions import Sessions
from agentfs_lsp.service.state.workspace import InForce, Workspace
from agentfs_lsp.service.undo import Undo, Undone, undo
from agentfs_lsp.service.write import Write
from support.fakes.disk import HOME
from support.fakes.documents import MemoryDocuments
from support.fakes.history import MemoryHistory
from support.fakes.review import FakeEditor, ScriptedReviewer, uri_of
from support.fakes.store import MemoryStore
from support.fakes.time import ManualClock

ROOM = 1 << 20


class FakeWorkspace:
    """The workspace with the empty folder HOME, in which every change is reviewed. The default session is
    "s". `ended` records how each proposal ended."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.store = MemoryStore(clock)
        self.documents = MemoryDocuments()
        self.editor = FakeEditor(self.store, self.documents)
        self.reviewer = ScriptedReviewer(self.editor)
        self.history = MemoryHistory()
        self.ended: list[Outcome] = []
        settings = settings_from({})
        self.ws = Workspace(
            self.store,
            self.documents,
            self.reviewer,
            Sessions(100, ROOM, 100),
            Proposals(clock, lambda: None, self._ended),
            clock,
            InForce(settings, Policy(settings, ())),
            self.history,
            settings_known=True,
        )
        self.open_roots("work")

    def _ended(self, proposal: Proposal) -> None:
        self.ended.append(proposal.outcome)

    def open_roots(self, *names: str) -> None:
        """Open these folders: HOME, or others next to it."""
        folders = [HOME.rpartition("/")[0] + f"/{name}" for name in names]
        for folder in folders:
            self.store.mkdir(folder)
        roots = [Root(name, path, f"file://{path}") for name, path in zip(names, folders, strict=True)]
        self.ws.roots = tuple(roots)
        self.ws.folders = {root.path: number for number, root in enumerate(roots)}
        self.store.set_roots(roots)

    @staticmethod
    def path(relative: str) -> str:
        return f"{HOME}/{relative}"

    @staticmethod
    def uri(relative: str) -> str:
        return uri_of(relative)

    def set(self, **values: Any) -> None:
        """Change some settings; write `__` for the dot in a key."""
        named = {key.replace("__", "."): value for key, value in values.items()}
        self._values = {**getattr(self, "_values", {}), **named}
        settings = settings_from(self._values)
        self.ws.in_force = InForce(settings, Policy(settings, ()))

    # --- what an agent asks -------------------------------------------------------------------------------

    async def read(self, path: str, session: str = "s", **more: Any) -> Passage:
        passage = read(self.ws, Read(path, session, **more))
        return await passage() if callable(passage) else passage

    async def put_and_read(self, path: str, content: str | bytes, *, opened: bool = False) -> None:
        """Put a file there, which may be `opened` in the editor, and read it in session "s"."""
        self.store.put(path, content)
        if opened:
            self.editor.open(path)
        await self.read(path)

    async def write(self, path: str, content: str, **more: Any) -> Submitted:
        return await submit(self.ws, write_of(path, content, **more), self.ws.sessions.moment)

    async def edit(self, path: str, old: str, new: str, **more: Any) -> Submitted:
        return await submit(self.ws, edit_of(path, old, new, **more), self.ws.sessions.moment)

    async def edited(self, path: str, old: str, new: str, **more: Any) -> bytes | None:
        """The file's content after an edit that the user accepts."""
        self.reviewer.accepts()
        await self.edit(path, old, new, **more)
        return self.store.bytes_of(path)

    async def batch(self, *commands: Write | Edit, session: str = "s", **more: Any) -> Done:
        command = Batch([Step(one) for one in commands], session, **more)
        batched = await batch(self.ws, command, self.ws.sessions.moment)
        return Done(command.steps, batched.changes)

    async def undo(self, change_id: str | None = None, session: str = "s", **more: Any) -> Undone:
        return await undo(self.ws, Undo(session, change_id, **more))


class Done:
    """The outcome of a batch."""

    def __init__(self, steps: Sequence[Step], changes: Sequence[FileChange]) -> None:
        self.steps = steps
        self.changes = changes

    @property
    def errors(self) -> list[str]:
        """The kinds of the steps' errors, "" for none."""
        return [type(step.error).__name__ if step.error else "" for step in self.steps]


def write_of(path: str, content: str, **more: Any) -> Write:
    own = {name: more.pop(name) for name in ("allow_empty", "create_dirs") if name in more}
    return Write(_request("write", path, {"extent": len(content), **more}), content, **own)


def edit_of(path: str, old: str, new: str, **more: Any) -> Edit:
    own = {name: more.pop(name) for name in ("replace_all", "expected_count") if name in more}
    return Edit(_request("edit", path, {"extent": len(old) + len(new), **more}), old, new, **own)


def _request(tool: Any, path: str, more: dict[str, Any]) -> ChangeRequest:
    expected_hash = more.pop("expected_hash", None)
    request = ChangeRequest(tool, path, **{"session": "s", **more})
    return replace(request, expected=Expected(hash=expected_hash)) if expected_hash else request
