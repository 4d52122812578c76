"""docs/images/ of the editors that docs/editors.md configures, as they ask: `make pictures-of-editors`."""

import asyncio
import re
import sys
import tempfile
from io import StringIO
from itertools import groupby
from pathlib import Path

from pyte.screens import Char
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME, TerminalTheme
from rich.text import Text

from support.configured import KINDS, Kind
from support.docs import DOCS
from support.terminal import COLUMNS, Terminal

PICTURES = {
    "neovim-0.12": ("neovim", "Neovim", SVG_EXPORT_THEME),
    "emacs-30-eglot": ("eglot", "Emacs: eglot", DEFAULT_TERMINAL_THEME),
    "emacs-30-lsp-mode": ("lsp-mode", "Emacs: lsp-mode", DEFAULT_TERMINAL_THEME),
    "helix": ("helix", "Helix", SVG_EXPORT_THEME),
    "vim-coc": ("coc", "Vim: coc", SVG_EXPORT_THEME),
    "vim-lsp": ("vim-lsp", "Vim: vim-lsp", SVG_EXPORT_THEME),
}
"""By kind: the file, the title, and the colors, on a background as the editor expects it."""
CODE = '''"""Greets people."""


def greet(name):
    print("Hello " + name)


greet("Ada")
'''
OLD, NEW = '    print("Hello " + name)', '    print(f"Hello, {name}!")'
ENV = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "COLORFGBG": "15;0"}


def style_of(cell: Char) -> Style:
    """How the terminal shows it, in rich's words."""
    colors = [
        f"#{name}"
        if re.fullmatch(r"[0-9a-f]{6}", name)
        else name.replace("bright", "bright_").replace("brown", "yellow")
        for name in (cell.fg, cell.bg)
    ]
    return Style(color=colors[0], bgcolor=colors[1], bold=cell.bold, reverse=cell.reverse)


def drawn(screen: Terminal, file: str, title: str, theme: TerminalTheme) -> str:
    """The screen as SVG."""
    lines = [
        Text.assemble(
            *(("".join(cell.data for cell in cells), style) for style, cells in groupby(line, style_of))
        )
        for line in screen.cells
    ]
    console = Console(
        record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(Text("\n").join(lines))
    svg = console.export_svg(title=title, unique_id=file, theme=theme)
    return re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)


async def take(kind: Kind, file: str, title: str, theme: TerminalTheme) -> None:
    """Draw the editor as it asks about a change of the open file."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        async with kind.on_a_file(root, CODE, **ENV) as editor:
            answer = await editor.read_and_edit("a.py", OLD, NEW)
            await editor.offers("Approve", answer, (f"-{OLD}", f"+{NEW}"))
            (DOCS / f"images/{file}.svg").write_text(drawn(editor.screen, file, title, theme))


if __name__ == "__main__":
    for kind in KINDS:
        if kind.name in PICTURES and kind.missing:
            print(f"No picture of {kind}: {kind.missing}.", file=sys.stderr)
        elif kind.name in PICTURES:
            asyncio.run(take(kind, *PICTURES[kind.name]))
