"""Real editors as test clients: their capabilities were recorded from `initialize`, and how they treat
messages and edits was measured in the editors.

A persona is the editor; buttons are pressed by the person using it.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from support.editor import ASK, NO_ANSWER, Editor, RpcError, apply_text_edits, editing, path_of, recorded
from support.wire import Message

Press = str | None | object
"""The title of the button to press; None: close the question; NO_ANSWER: never answer."""


@dataclass(frozen=True)
class Persona:
    """`stale`: its response to an edit for an outdated version. `lags`: it reports a change only after
    answering. `null`: its response to unknown methods."""

    name: str
    channel: Literal["preview", "message"] = "message"
    stale: Literal["refuses", "refuses with reason", "errs", "skips", "ignores"] = "refuses"
    first_only: bool = False
    lags: bool = False
    null: bool = False

    @contextlib.asynccontextmanager
    async def editing(
        self, root: Path, press: Press = None, options: Message | None = None, **connection: Any
    ) -> AsyncIterator[Editor]:
        """The editor with `root` open, and a user who presses `press` whenever asked. `connection`: options
        of `connected`."""
        recording = recorded(self.name)
        name = (recording["clientInfo"] or {}).get("name", "")
        capabilities = recording["capabilities"]
        async with editing(
            root, capabilities=capabilities, name=name, options=options, **connection
        ) as editor:
            editor.answers["workspace/applyEdit"] = lambda params: self.apply(editor, params["edit"])
            editor.answers["window/showMessageRequest"] = self.pressing(press, editor)
            if self.null:
                editor.answers["window/showDocument"] = lambda _: None
            elif "showDocument" in (recording["capabilities"].get("window") or {}):
                editor.answers["window/showDocument"] = lambda _: {"success": True}
            yield editor

    def apply(self, editor: Editor, edit: Message) -> object:
        """Apply a plain edit. Most editors apply nothing of an annotated one, as after a rejection."""
        [change] = edit["documentChanges"]
        document = editor.documents.get(change["textDocument"]["uri"])
        fresh = document is not None and document.version == change["textDocument"]["version"]
        if not fresh and self.stale != "ignores":
            return self._stale_answer()
        editor.apply(edit, pinned=False, tell=not self.lags)
        if self.lags:
            path = str(Path(path_of(change["textDocument"]["uri"])).relative_to(editor.root))
            asyncio.get_running_loop().call_soon(editor.catch_up, path)
        return {"applied": True}

    def _stale_answer(self) -> object:
        match self.stale:
            case "skips":
                return {"applied": True}
            case "errs":
                raise RpcError(-32603, "Edits require another version")
            case "refuses with reason":
                return {"applied": False, "failureReason": "outdated workspace edit"}
            case _:
                return {"applied": False}

    def pressing(self, press: Press, editor: Editor) -> Callable[[Any], object]:
        """Answer message requests, with the letter at the end of the diff if that is asked for. If only the
        first button can be pressed, rejecting means closing the question."""
        if not self.first_only:
            return pressing(press, lambda: _end_of_diff(editor))
        return pressing_first if press == "Approve" else pressing(NO_ANSWER if press is NO_ANSWER else None)


def ticking(editor: Editor, ticked: slice | None, **files: slice) -> Callable[[Any], object]:
    """VS Code's Refactor Preview: applies the ticked hunks of each file; None: discarded. `files`: other
    ticks for files by name without suffix.

    A closed file opens in a tab with the unsaved result some time after the response."""

    def is_fresh(change: Message) -> bool:
        document = editor.documents.get(change["textDocument"]["uri"])
        return document is None or document.version == change["textDocument"]["version"]

    def apply(change: Message) -> None:
        uri = change["textDocument"]["uri"]
        path = Path(path_of(uri))
        edits = change["edits"][files.get(path.stem, ticked)]
        if uri in editor.documents and edits:
            editor.apply({"documentChanges": [{**change, "edits": edits}]})
        elif edits:
            text = apply_text_edits(path.read_bytes().decode(), edits)
            asyncio.get_running_loop().call_soon(editor.open, str(path.relative_to(editor.root)), text)

    def answer(params: Message) -> object:
        changes = params["edit"]["documentChanges"]
        if ticked is None or not all(map(is_fresh, changes)):
            return {"applied": False}
        for change in changes:
            apply(change)
        return {"applied": True}

    return answer


def pressing(press: Press, end_of_diff: Callable[[], str] = str) -> Callable[[Any], object]:
    """Answer a message request with the button of that title, after all pages before it."""

    def answer(params: Message) -> object:
        message = params["message"]
        told = end_of_diff() if message.startswith("The end of the diff") else message
        if press is not NO_ANSWER and (letter := re.match(r"The letter is (\w)\.", told)):
            return {"title": letter[1]}
        wanted = [title for title in titles(params) if title == press or title.startswith("Next (")]
        if press is NO_ANSWER:
            return NO_ANSWER
        return {"title": wanted[0]} if isinstance(press, str) and wanted else None

    return answer


def _end_of_diff(editor: Editor) -> str:
    """The last line of the diff that the editor shows."""
    shown = editor.all("window/showDocument")[-1]["params"]["uri"]
    return Path(path_of(shown)).read_text().rstrip("\n").rpartition("\n")[2]


def pressing_first(params: Message) -> object:
    """Answer with the first button, the only one that can be chosen."""
    return params["actions"][0]


def questions(editor: Editor) -> list[Message]:
    return [message["params"] for message in editor.all(ASK)]


def titles(question: Message) -> list[str]:
    return [action["title"] for action in question["actions"]]


def answering(answer: Any) -> dict[str, Any]:
    """Options of `editing` for a user who answers questions with this, or as it says."""
    return {ASK: answer if callable(answer) else lambda _: answer}


VSCODE = Persona("vscode-1.139", channel="preview")
NEOVIM_0_7 = Persona("nvim-0.7.2", stale="skips")
NEOVIM_0_11 = Persona("nvim-0.11.4", stale="skips")
NEOVIM_0_12 = Persona("nvim-0.12.4", stale="skips")
EGLOT_1_9 = Persona("emacs28-eglot1.9", stale="errs", lags=True, null=True)
EGLOT_1_17 = Persona("emacs30-eglot1.17.30", stale="errs")
LSP_MODE_8 = Persona("emacs28-lsp8", stale="errs", null=True)
LSP_MODE_10 = Persona("emacs30-lsp10", stale="errs")
HELIX = Persona("hx-25.07", stale="refuses with reason")
COC = Persona("vim9-coc0.0.82")
VIM_LSP = Persona("vim9-vim-lsp", stale="ignores", first_only=True, lags=True)

PERSONAS = (
    *(VSCODE, NEOVIM_0_7, NEOVIM_0_11, NEOVIM_0_12, EGLOT_1_9, EGLOT_1_17),
    *(LSP_MODE_8, LSP_MODE_10, HELIX, COC, VIM_LSP),
)
