"""Emacs with the package of editors/emacs: what it shows, its layout, and an agent in it."""

import asyncio
import contextlib
import os
import re
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

from support.docs import REPOSITORY, examples, section, text_of
from support.real_editors import RealEditor, editing
from support.sample import TEXT
from support.wire import Message

PACKAGE = REPOSITORY / "editors/emacs"
EMACS = os.environ.get("AGENTFS_TEST_EMACS", "emacs")
READY = "y accept"
"""What the first line of a review says once approving keys count."""

REVIEW = "\x03a"
"""C-c a."""

_LOOK = """;; -*- lexical-binding: t -*-
(setq warning-minimum-level :error)
(setq inhibit-startup-screen t make-backup-files nil auto-save-default nil create-lockfiles nil)
(setq test-layouts 0 test-root default-directory)
(setq-default mode-line-format '("%b %*" minor-mode-alist (:eval (format " layout-%d." test-layouts))))
(defun test-layout ()
  (interactive)
  (let ((windows (mapcar (lambda (one)
                           (list (buffer-name (window-buffer one)) (window-edges one) (window-point one)))
                         (window-list))))
    (setq test-layouts (1+ test-layouts))
    (write-region (format "%S" windows) nil (expand-file-name "../layout" test-root) nil 'silent)
    (force-mode-line-update t)))
(global-set-key (kbd "C-c l") #'test-layout)
"""

(_BLOCK,) = examples(section(text_of("editors.md"), "Emacs: agentfs.el"), "elisp")
INIT = _LOOK + _BLOCK.replace("~/path/to/clone", str(REPOSITORY))
"""What users paste, after what the tests look at."""


class Emacs(RealEditor):
    """Emacs with one window on notes.txt, and agents' requests through its connection."""

    layouts = 0

    async def layout(self) -> str:
        """The windows, with their buffers, edges, and points."""
        self.layouts += 1
        self.screen.press("\x03l")
        await self.screen.shows(f" layout-{self.layouts}.")
        return (self.root.parent / "layout").read_text()

    async def review(self, shown: str) -> str:
        """Open the review; returns the screen once keys count and it shows this."""
        await self.counts()
        self.screen.press(REVIEW)
        return await self.ready(shown)

    async def counts(self) -> None:
        """Wait until the mode line counts what waits."""
        await self.screen.shows(lambda text: re.search(r"agentfs:\d", text) is not None)

    async def ready(self, shown: str) -> str:
        """The screen, once keys count and it shows this."""
        return await self.screen.shows(lambda text: READY in text and shown in text)

    async def accept(self) -> None:
        """Press y until it counts: once more where it came too soon, or there was more below."""
        settles = len(self.wire.all("agentfs/settle"))
        while len(self.wire.all("agentfs/settle")) == settles:
            await self.ready("")
            self.screen.press("y")
            await self.screen.shows(lambda text: READY not in text)
            waiting = {
                asyncio.ensure_future(self.wire.seen("agentfs/settle", settles + 1)),
                asyncio.ensure_future(self.ready("")),
            }
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for one in waiting:
                one.cancel()

    async def visit(self, name: str) -> Message:
        """Visit a file in the selected window."""
        return await self.press(f"\x18\x06{name}\r", "textDocument/didOpen")


@contextlib.asynccontextmanager
async def reviewing(
    root: Path, more: str = "", files: dict[str, bytes] | None = None, server: list[str] | None = None
) -> AsyncIterator[Emacs]:
    """Emacs in a repository with a.py and b.py, on notes.txt."""
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    contents = {"notes.txt": b"", "a.py": TEXT.encode(), "b.py": TEXT.encode(), **(files or {})}
    for name, data in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    init = root.parent / "init.el"
    init.write_text(INIT + more)
    async with editing(root, [EMACS, "-nw", "-l", str(init), "notes.txt"], server) as editor:
        await editor.wire.seen("textDocument/didOpen")
        yield Emacs(editor.screen, editor.root, editor.wire)


def decision(answer: Message) -> tuple[str, str]:
    """How the change was decided, and where it landed."""
    review = answer["data"].get("review") or answer["context"]["review"]
    return review["decision"], answer["data"].get("landing", "")
