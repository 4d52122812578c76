"""Displays a unified diff in color, with the line numbers of both sides.

It does not compute differences itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.domain.text.width import fitting, width_of

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_STYLES = {"+": "not dim green", "-": "not dim red", " ": "not dim"}


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line to display: the prefix, and the line including it."""

    margin: int
    text: Text


def render_diff(diff: str) -> list[DiffLine]:
    """The lines of `diff` without headers, with their numbers in the old and the new text."""
    rows: list[tuple[int | str, int | str, Text] | None] = []  # None between two hunks
    old = new = old_left = new_left = 0
    last = 1
    # Other line ends are part of their line.
    for line in diff.removesuffix("\n").split("\n") if diff else ():
        sign, rest = line[:1] or " ", line[1:].removesuffix("\r")
        if (old_left or new_left) and sign in _STYLES:
            in_old, in_new = sign != "+", sign != "-"
            rows.append((old if in_old else "", new if in_new else "", _body(sign, visible(rest))))
            old, new = old + in_old, new + in_new
            old_left, new_left = old_left - in_old, new_left - in_new
        elif hunk := _HUNK.match(line):
            if rows:
                rows.append(None)
            old, old_left, new, new_left = (int(number or 1) for number in hunk.groups())
            last = max(last, old + old_left, new + new_left)
        elif not line.startswith(("--- ", "+++ ")):
            rows.append(("", "", Text(f"  {visible(line)}", "dim")))
    digits = len(str(last))
    return [_numbered(digits, *row) if row else DiffLine(0, Text("⋯", "dim")) for row in rows]


def wrapped(text: Text, console: Console, head: str) -> Iterator[Text]:
    """The text in rows that fit the terminal, all but the first behind `head`: the terminal itself would
    continue in the first column, where text can imitate our lines. One row if the output is no terminal."""
    if not _is_terminal(console) or width_of(text.plain) <= console.width:
        yield text
        return
    head = fitting(head, console.width // 2)
    room = max(console.width - width_of(head), 1)
    plain, cuts = text.plain, [0]
    while (at := cuts[-1]) < len(plain):
        cuts.append(at + len(fitting(plain[at : at + room], room)))
    for number, piece in enumerate(text.divide(cuts[1:-1])):
        yield Text(head if number else "").append_text(piece)


def _is_terminal(console: Console) -> bool:
    """rich takes a terminal for none if FORCE_COLOR is empty or TTY_COMPATIBLE is 0."""
    return console.is_terminal or console.file.isatty()


def _numbered(digits: int, old: int | str, new: int | str, body: Text) -> DiffLine:
    numbers = f"{old:>{digits}} {new:>{digits}} "
    return DiffLine(2 * digits + 4, Text(numbers, "dim").append_text(body))


def _body(sign: str, words: str) -> Text:
    body = Text(f"{sign} {words}" if words else sign.rstrip(), _STYLES[sign])
    if sign != " " and words != words.rstrip():
        body.stylize("reverse", 2 + len(words.rstrip()))  # trailing spaces would be invisible
    return body
