"""A scripted user and editor: the ports `Reviewer` and `Applier`."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence

from agentfs_lsp.domain.errors import DomainError, NobodyToAsk, Rejected, ReviewTimedOut
from agentfs_lsp.domain.splices import apply_splices
from agentfs_lsp.domain.text.textfile import TextFile, encode
from agentfs_lsp.service.landing.last_line_end import edit_of
from agentfs_lsp.service.proposal.proposal import Decision, Proposal, Rung
from agentfs_lsp.service.proposal.review import Applied, DocumentEdit
from support.fakes.disk import HOME
from support.fakes.documents import MemoryDocuments
from support.fakes.store import MemoryStore

How = Callable[["FakeEditor", DocumentEdit], Awaitable[Applied]]
"""How an editor handles an edit, and what it responds."""

HowSaved = Callable[["FakeEditor", str], Awaitable[bool]]
"""How an editor handles the request to save the document with this URI; returns whether to expect a save."""

Answer = Callable[["Proposal"], Awaitable[tuple[Decision, "ScriptedApplier"]]]
"""The user's answer to a proposal."""


def uri_of(path: str) -> str:
    return f"file://{HOME}/{path}"


class FakeEditor:
    """The user's editor: documents over a store's files. Paths are below HOME."""

    def __init__(self, store: MemoryStore, documents: MemoryDocuments) -> None:
        self.store = store
        self.documents = documents
        self.encoding = "utf-8"
        self.adds = ""

    def open(self, path: str, text: str | None = None, *, ends_last_line: bool = False) -> None:
        """Open a file, as it is or, unsaved, with another text."""
        known = self.store.bytes_of(path)
        shown = known.decode(self.encoding) if known is not None else ""
        if ends_last_line:
            shown = shown.removesuffix("\n")
        self.documents.open(uri_of(path), f"{HOME}/{path}", shown, ends_last_line=ends_last_line)
        if text is not None:
            self.documents.change(uri_of(path), text)

    def text_of(self, path: str) -> str | None:
        document = self.documents.at(f"{HOME}/{path}")
        return document.text if document else None

    def type(self, path: str, old: str, new: str) -> None:
        text = self.text_of(path)
        assert text is not None
        assert old in text
        self.documents.change(uri_of(path), text.replace(old, new, 1))

    def save(self, path: str) -> None:
        """Save a document; `adds` to the end of its text, like editors that end the last line themselves."""
        text = self.text_of(path)
        assert text is not None
        text += self.adds
        self.store.put(path, encode(text, TextFile(text, self.encoding, b"", lossy=False)))
        self.documents.save(uri_of(path))

    def close(self, path: str) -> None:
        self.documents.close(uri_of(path))

    def rename(self, path: str, other: str) -> None:
        """Rename a file whose document is open and keeps its text, saved or not."""
        text = self.text_of(path)
        assert text is not None
        self.store.rename(path, other)
        self.close(path)
        self.documents.open(uri_of(other), f"{HOME}/{other}", text)

    def apply(self, edit: DocumentEdit, pieces: int | None = None) -> None:
        """Apply an edit to its document, or its first `pieces`."""
        text = apply_splices(edit.base, edit.splices[:pieces])
        self.documents.change(edit.uri, text.removesuffix("\n") if edit.past_last_line else text)


def path_of(uri: str) -> str:
    return uri.removeprefix(uri_of(""))


# --- how an editor applies --------------------------------------------------------------------------------


async def applies(editor: FakeEditor, edit: DocumentEdit) -> Applied:
    editor.apply(edit)
    return Applied(True)


async def pretends(editor: FakeEditor, edit: DocumentEdit) -> Applied:
    """Claims to have applied the edit, but hasn't."""
    return Applied(True)


async def applies_silently(editor: FakeEditor, edit: DocumentEdit) -> Applied:
    """Applies the edit, but claims it hasn't."""
    editor.apply(edit)
    return Applied(False, "no")


async def says_nothing(editor: FakeEditor, edit: DocumentEdit) -> Applied:
    return Applied(False, known=False)


async def never_answers(editor: FakeEditor, edit: DocumentEdit) -> Applied:
    await asyncio.Event().wait()
    raise AssertionError


def refuses(reason: str = "read-only") -> How:
    async def how(editor: FakeEditor, edit: DocumentEdit) -> Applied:
        return Applied(False, reason)

    return how


def applies_after(seconds: float) -> How:
    """Claims success at once, but applies the edit later."""

    async def how(editor: FakeEditor, edit: DocumentEdit) -> Applied:
        asyncio.get_running_loop().call_later(seconds, editor.apply, edit)
        return Applied(True)

    return how


def applies_partly(pieces: int = 1) -> How:
    async def how(editor: FakeEditor, edit: DocumentEdit) -> Applied:
        editor.apply(edit, pieces)
        return Applied(True)

    return how


def applies_and(then: Callable[[], object], how: How = applies) -> How:
    """Does something else right after applying, before the editor answers."""

    async def and_then(editor: FakeEditor, edit: DocumentEdit) -> Applied:
        answer = await how(editor, edit)
        then()
        return answer

    return and_then


# --- how it saves -----------------------------------------------------------------------------------------


async def saves(editor: FakeEditor, uri: str) -> bool:
    editor.save(path_of(uri))
    return True


async def saves_not(editor: FakeEditor, uri: str) -> bool:
    """Announces a save that never comes."""
    return True


async def cannot_save(editor: FakeEditor, uri: str) -> bool:
    return False


async def hangs_saving(editor: FakeEditor, uri: str) -> bool:
    await asyncio.Event().wait()
    raise AssertionError


def saves_after(seconds: float) -> HowSaved:
    async def how(editor: FakeEditor, uri: str) -> bool:
        asyncio.get_running_loop().call_later(seconds, editor.save, path_of(uri))
        return True

    return how


def saves_and(then: Callable[[], object], first: Callable[[], object] = lambda: None) -> HowSaved:
    """Does something right before the save, such as formatting, and after it."""

    async def how(editor: FakeEditor, uri: str) -> bool:
        first()
        editor.save(path_of(uri))
        then()
        return True

    return how


class ScriptedApplier:
    """`service.proposal.review.Applier`. `special`: exceptions for some files, by path. `told`: the landing's
    calls, in order."""

    def __init__(
        self,
        editor: FakeEditor,
        how: How = applies,
        special: Mapping[str, How] | None = None,
        *,
        save: HowSaved | None = None,
        rolls_back: bool = True,
        reverts_late: bool = False,
        applied_already: bool = False,
    ) -> None:
        self.applied_already = applied_already
        self.reverts_late = reverts_late
        self.told: list[str] = []
        self.errors: list[Exception] = []
        self._editor = editor
        self._how = how
        self._special = special or {}
        self._save = save
        self._rolls_back = rolls_back

    @property
    def saves(self) -> bool:
        return self._save is not None

    async def apply(self, edits: Sequence[DocumentEdit]) -> AsyncIterator[Applied]:
        self.told.append("apply")
        for edit in edits:
            yield await self._special.get(path_of(edit.uri), self._how)(self._editor, edit)

    async def roll_back(self, edits: Sequence[DocumentEdit], error: DomainError) -> None:
        self.told.append("roll back")
        for edit in edits if self._rolls_back else ():
            self._editor.apply(edit)

    async def committed(self, save: Sequence[str]) -> Collection[str]:
        self.told.append("committed")
        return [uri for uri in save if self._save and await self._save(self._editor, uri)]

    def failed(self, error: Exception) -> None:
        self.told.append("failed")
        self.errors.append(error)


class ScriptedReviewer:
    """`service.proposal.review.Reviewer`. Takes one answer from `script` per proposal, and fails on
    unexpected proposals."""

    def __init__(self, editor: FakeEditor) -> None:
        self._editor = editor
        self.channel: Rung = "review"
        self.script: deque[Answer] = deque()
        self.reads: deque[bool | DomainError | Callable[[], bool] | asyncio.Future[bool]] = deque()
        self.reviewed: list[Proposal] = []
        self.concluded_with: list[Proposal] = []
        self.applier = ScriptedApplier(editor)
        """For approvals without an applier, and for what policy allows."""

    # --- what the user does -------------------------------------------------------------------------------

    def accepts(
        self,
        applier: ScriptedApplier | None = None,
        *,
        amended: Mapping[str, str] | None = None,
        rejecting: Sequence[str] = (),
        feedback: str = "",
        always: bool = False,
        first: Callable[[], object] = lambda: None,
    ) -> None:
        """An approval; `amended` texts and `rejecting` by path; something may happen `first`."""

        async def answer(proposal: Proposal) -> tuple[Decision, ScriptedApplier]:
            first()
            return Decision(
                self.channel,
                "amended" if amended else "accepted",
                "user",
                feedback=feedback,
                always=always,
                amended={f"{HOME}/{path}": text for path, text in (amended or {}).items()},
                rejected=frozenset(f"{HOME}/{path}" for path in rejecting),
            ), applier or self.applier

        self.script.append(answer)

    def rejects(
        self, feedback: str = "", *, paths: Sequence[str] = (), first: Callable[[], object] = lambda: None
    ) -> None:
        self._raises(lambda: Rejected("rejected", feedback, tuple(paths)), first)

    def cannot_ask(self) -> None:
        self._raises(lambda: NobodyToAsk("no_message"), lambda: None)

    def never_answers(self, timeout_s: float | None = None) -> None:
        """Wait until cancelled, or raise ReviewTimedOut."""

        async def answer(proposal: Proposal) -> tuple[Decision, ScriptedApplier]:
            if timeout_s is None:
                await asyncio.Event().wait()
            await asyncio.sleep(timeout_s or 0)
            raise ReviewTimedOut(timeout_s or 0)

        self.script.append(answer)

    def applies_by_itself(self, how: How = applies, special: Mapping[str, How] | None = None) -> None:
        """The editor asks and applies in one step, like a preview."""

        async def answer(proposal: Proposal) -> tuple[Decision, ScriptedApplier]:
            for edit in map(edit_of, proposal.changes):
                await (special or {}).get(path_of(edit.uri), how)(self._editor, edit)
            return Decision("preview", "accepted", "user"), ScriptedApplier(
                self._editor, applied_already=True
            )

        self.channel = "preview"
        self.script.append(answer)

    def _raises(self, error: Callable[[], DomainError], first: Callable[[], object]) -> None:
        async def answer(proposal: Proposal) -> tuple[Decision, ScriptedApplier]:
            first()
            raise error()

        self.script.append(answer)

    # --- the port -----------------------------------------------------------------------------------------

    def channel_for(self, proposal: Proposal | None) -> Rung:
        return self.channel

    def applies_itself(self, proposal: Proposal) -> bool:
        return proposal.channel == "preview"

    async def review(self, proposal: Proposal) -> tuple[Decision, ScriptedApplier]:
        self.reviewed.append(proposal)
        assert self.script, f"nobody expected to be asked: {proposal.paths}"
        proposal.to("shown")
        return await self.script.popleft()(proposal)

    async def concluded(self, proposal: Proposal) -> None:
        self.concluded_with.append(proposal)

    async def allow_read(self, path: str, agent: str, asked: Callable[[], object]) -> bool:
        asked()
        answer = self.reads.popleft()
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, asyncio.Future):
            return await answer
        return answer() if callable(answer) else answer

    def allowed_applier(self) -> ScriptedApplier:
        return self.applier
