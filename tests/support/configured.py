"""Editors that have nothing but the configuration of docs/editors.md: how they start, and their keys.

`KINDS` has all of them, whether install.sh could bring them or not: `Kind.missing` tells what is not there.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from support import real_neovim
from support.docs import REPOSITORY, examples, section, text_of
from support.editor import SERVER
from support.real_editors import ASK, RealEditor, editing
from support.sample import TEXT
from support.wire import Message

APPLY, CHANGED = "workspace/applyEdit", "textDocument/didChange"
EDITORS = REPOSITORY / ".editors"

_QUIET = """;; -*- lexical-binding: t -*-
(setq warning-minimum-level :error)
(setq inhibit-startup-screen t make-backup-files nil auto-save-default nil create-lockfiles nil)
(setq lsp-client-packages nil) ; it loads a file for each of 150 languages
(setq package-directory-list '("{packages}"))
(package-initialize)
"""


@dataclass(frozen=True)
class Keys:
    """What the editors of a family are told by keys."""

    back: str
    """Leaves the diff for the file."""
    type_line: str
    """Types the line "typed" before the first one."""
    save: str
    pick: Callable[[int, str], str]
    """Chooses by the place among the choices, from 0 on, and the title."""
    run: str = ""
    """Runs the file with the documented call."""
    messages: str = ""
    """Shows again what the call has printed."""
    scroll: str = ""
    """Scrolls the diff while the question is open."""
    enter: str = ""
    """Ends a choice, once it is on the screen."""


_LSP_MODE = Keys(
    back="\x18\x06{}\r",
    type_line="\x1b<typed\r",
    save="\x18\x13",
    pick=lambda _, title: f"{title}\r",
    run="\x1bxload-file\r{}\r",
    scroll="\x1b\x16",
)
_EGLOT = replace(_LSP_MODE, pick=lambda _, title: f"\x01\x0b{title}\r")  # "Reject" stands there
_COC = Keys(
    back=":buffer {}\r",
    type_line="ggOtyped\x1b",
    save=":write\r",
    pick=lambda place, _: f"{place + 1}",
    run=":source {}\r",
)
_VIM = replace(_COC, enter="\r")  # in a callback, Vim drops an Enter that comes together with the number
_VIM_LSP = replace(_VIM, messages=":messages\r")  # it draws the window anew
_HELIX = replace(_COC, back="ga", pick=lambda place, _: "\x1b[B" * place + "\r", run="")


@dataclass(frozen=True)
class Kind:
    """An editor. `set_up` writes its configuration into the folder, and returns the arguments and the call: a
    file to run, or what to type."""

    name: str
    program: str
    """In .editors, or on the PATH."""
    keys: Keys
    set_up: Callable[[Path], tuple[list[str], str]]
    needs: str = ""
    """A further file in .editors."""
    starts: tuple[str, str] | None = None
    """What is asked before the server starts, and the keys that answer."""

    def __str__(self) -> str:
        return self.name

    @property
    def missing(self) -> str:
        """Why it can't be tested here, if so."""
        if not (shutil.which(self.program) or (EDITORS / self.program).exists()):
            return f"there is no .editors/{self.program}"
        if not (EDITORS / self.needs).exists():
            return f"there is no .editors/{self.needs}"
        return ""

    @contextlib.asynccontextmanager
    async def on_a_file(self, root: Path, text: str = TEXT, **env: str) -> AsyncIterator[Configured]:
        """The editor in a repository, on a.py with this text."""
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        (root / "a.py").write_text(text)
        (root.parent / "home").mkdir()
        arguments, call = self.set_up(root.parent)
        program = str(EDITORS / self.program) if "/" in self.program else self.program
        async with editing(root, [program, *arguments, "a.py"], SERVER, self.starts, env) as editor:
            await editor.wire.seen("textDocument/didOpen")
            yield Configured(editor, self.keys, call)


class Configured(RealEditor):
    """An editor that runs."""

    def __init__(self, editor: RealEditor, keys: Keys, call: str) -> None:
        super().__init__(editor.screen, editor.root, editor.wire)
        self.keys = keys
        self._call = call
        self._page, self._titles, self.seen = 0, [""], ""

    async def call(self) -> asyncio.Future[Message]:
        """Run the documented call; returns a future for its response."""
        await self.wire.ask("agentfs/read", {"path": "a.py"})
        method = "agentfs/edit" if self.keys.run else "workspace/executeCommand"
        request = await self.press((self.keys.run or "{}").format(self._call), method)
        return asyncio.ensure_future(self._response(request))

    async def _response(self, request: Message) -> Message:
        return (await self.wire.response(request))["result"]

    async def type_line(self) -> None:
        """Type a line before the first one of a.py, and wait until the server knows it."""
        content, reported = TEXT, 0
        self.screen.press(self.keys.type_line)
        while content != f"typed\n{TEXT}":
            await self.wire.seen(CHANGED, reported := reported + 1)
            content = (await self.wire.ask("agentfs/read", {"path": "a.py"}))["data"]["content"]

    def go_back(self) -> None:
        """Leave the diff for a.py."""
        self.screen.press(self.keys.back.format(self.root / "a.py"))

    async def offers(self, title: str, answer: asyncio.Future[Message], diff: tuple[str, ...] = ()) -> bool:
        """Turn to the next page that offers this choice, with these lines on the screen before. False
        once the editor has applied the change, or the answer is there."""
        while await self._asked_again(answer):
            self._page += 1
            question = self.wire.all(ASK)[self._page - 1]["params"]
            self._titles = [action["title"] for action in question["actions"]]
            lines = [line.rstrip() for line in question["message"].split("\n")]
            screen = await self._shows(lines)
            if title in self._titles:
                if hidden := [line for line in diff if line not in self.seen]:
                    self.screen.press(self.keys.scroll)
                    await self._shows(hidden)
                return True
            if "The end of the diff" in question["message"]:
                screen = await self._scrolled_to("The letter is ")
            letter = re.search(r"The letter is (\w)\.", screen)
            await self.choose(letter[1] if letter else self._titles[1])
        return False

    async def decide(self, title: str, answer: asyncio.Future[Message], diff: tuple[str, ...] = ()) -> None:
        """Choose this wherever it is offered, with these lines on the screen before."""
        while await self.offers(title, answer, diff):
            await self.choose(title)

    async def choose(self, title: str) -> None:
        """Choose this on the page on the screen."""
        self.screen.press(choice := self.keys.pick(self._titles.index(title), title))
        if self.keys.enter:
            await self.screen.shows(lambda text: text.rstrip().endswith(choice))
            self.screen.press(self.keys.enter)

    async def _shows(self, lines: list[str]) -> str:
        screen = await self.screen.shows(lambda text: all(line in text for line in lines))
        self.seen += screen
        return screen

    async def _scrolled_to(self, wanted: str) -> str:
        while wanted not in (screen := self.screen.text):
            self.screen.press(self.keys.scroll)
            await self.screen.shows(lambda text, before=screen: text != before)
        self.seen += screen
        return screen

    async def _asked_again(self, answer: asyncio.Future[Message]) -> bool:
        def over() -> bool:
            return answer.done() or bool(self.wire.all(APPLY))

        await self.wire.until(
            lambda: over() or len(self.wire.all(ASK)) > self._page, "a question, an edit, or the answer"
        )
        for request in self.wire.all(APPLY):
            await self.wire.answered(request)
        return not over()


def _documented(title: str, language: str) -> list[str]:
    return examples(section(text_of("editors.md"), title), language)


def _neovim(folder: Path) -> tuple[list[str], str]:
    configuration, call = real_neovim.documented()
    (folder / "init.lua").write_text(configuration)
    (folder / "call.lua").write_text(call)
    return ["-n", "-u", str(folder / "init.lua")], str(folder / "call.lua")


def _emacs(title: str, packages: str = "none") -> Callable[[Path], tuple[list[str], str]]:
    def set_up(folder: Path) -> tuple[list[str], str]:
        attach, call, *more = _documented(title, "elisp")
        quiet = _QUIET.format(packages=EDITORS / packages / "usr/share/emacs/site-lisp/elpa-src")
        (folder / "init.el").write_text("".join((quiet, attach, *more, *_documented("Emacs: both", "elisp"))))
        (folder / "call.el").write_text(call)
        return ["-nw", "-l", str(folder / "init.el")], str(folder / "call.el")

    return set_up


def _helix(folder: Path) -> tuple[list[str], str]:
    (languages,), (call,) = _documented("Helix", "toml"), _documented("Helix", "text")
    _write(folder / "home/config/helix/languages.toml", languages)
    return [], call.replace("\n", "\r")


def _vim(folder: Path, plugin: str, configuration: str, call: str) -> tuple[list[str], str]:
    (folder / "call.vim").write_text(call)
    runtime = f"set runtimepath^={EDITORS / plugin} noswapfile\n"
    (folder / "vimrc").write_text(f"{runtime}filetype plugin on\n{configuration}")
    return ["-N", "-u", str(folder / "vimrc")], str(folder / "call.vim")


def _coc(folder: Path) -> tuple[list[str], str]:
    (settings,), (call,) = _documented("Vim: coc", "json"), _documented("Vim: coc", "vim")
    _write(folder / "home/coc/coc-settings.json", settings)
    (folder / "home/data/coc").mkdir(parents=True)  # or it says that it makes it
    node = EDITORS / "node" if (EDITORS / "node").exists() else shutil.which("node")
    places = {"config_home": folder / "home/coc", "data_home": folder / "home/data/coc", "node_path": node}
    return _vim(
        folder,
        "coc.nvim",
        "".join(f"let g:coc_{name} = {json.dumps(str(place))}\n" for name, place in places.items()),
        call,
    )


def _vim_lsp(folder: Path) -> tuple[list[str], str]:
    return _vim(folder, "vim-lsp", *_documented("Vim: vim-lsp", "vim"))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(text)


_IMPORT = ("Do nothing: ask again", "i")

KINDS = [
    Kind("neovim-0.11", "neovim/bin/nvim", _VIM, _neovim),
    Kind("neovim-0.12", "neovim-0.12/nvim", _VIM, _neovim),
    Kind("emacs-28-eglot", "emacs", _EGLOT, _emacs("Emacs: eglot")),
    Kind("emacs-30-eglot", "emacs-30/emacs", _EGLOT, _emacs("Emacs: eglot")),
    Kind(
        "emacs-28-lsp-mode",
        "lsp-mode-8/emacs",
        _LSP_MODE,
        _emacs("Emacs: lsp-mode", "lsp-mode-8"),
        starts=_IMPORT,
    ),
    Kind(
        "emacs-30-lsp-mode",
        "lsp-mode-10/emacs",
        _LSP_MODE,
        _emacs("Emacs: lsp-mode", "lsp-mode-10"),
        starts=_IMPORT,
    ),
    Kind("helix", "helix/hx", _HELIX, _helix),
    Kind("vim-coc", "vim/vim", _COC, _coc, "coc.nvim/build/index.js"),
    Kind("vim-lsp", "vim/vim", _VIM_LSP, _vim_lsp, "vim-lsp/plugin/lsp.vim"),
]
