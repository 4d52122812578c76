"""What a review shows, as rows of text that fit the terminal. All that others wrote is escaped, and never
interpreted as markup."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Token
from pygments.util import ClassNotFound
from rich.text import Text

from agentfs_lsp.adapters.terminal.diffview import DiffLine, render_diff
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import Operation, whole
from agentfs_lsp.domain.text.width import fitting, width_of
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.reviewer.proposals import File, Review

MAX_COLORED: Final = 100_000
"""Characters of one side of a diff that get the colors of their language."""

MAX_COLORED_LINE: Final = 1_000
"""Characters of a line in it: many lexers take time with the square of what one pattern matches."""

COLORING_S: Final = 0.5
"""Seconds for one side; what takes longer stays without colors. Agents choose text and language, and the user
waits."""

QUOTE: Final = "│ "
"""Before each row of what agents say, which could otherwise pass for a part of the diff."""

_STYLES: Final = (
    (Token.Comment, "italic bright_black"),
    (Token.Keyword, "magenta"),
    (Token.Literal.String, "yellow"),
    (Token.Literal.Number, "cyan"),
    (Token.Name.Function, "bright_blue"),
    (Token.Name.Class, "bright_blue"),
    (Token.Name.Decorator, "bright_blue"),
    (Token.Name.Builtin, "cyan"),
    (Token.Name.Tag, "bright_blue"),
    (Token.Operator.Word, "magenta"),
)
_GROUNDS: Final = {"+": "on #0d2a16", "-": "on #33131a"}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the terminal. `line`: which line of the whole it belongs to; `file`: of which file, counted
    from 0, or None above all files."""

    text: Text
    line: int
    file: int | None


def rows_of(lines: Iterable[tuple[DiffLine, int | None]], columns: int) -> list[Row]:
    """The lines in rows of so many columns. What continues a line stands behind its margin, where text cannot
    pass for a line of ours; a row is too long if there is no room for a character beside it."""
    return [
        Row(piece, number, file)
        for number, (line, file) in enumerate(lines)
        for piece in _wrapped(line, columns)
    ]


def one_row(words: str, columns: int) -> str:
    """The words, escaped, in one row of so many columns, with an ellipsis if they are cut."""
    shown = visible(words)
    return shown if width_of(shown) <= columns else f"{fitting(shown, max(columns - 1, 0))}…"


def _wrapped(line: DiffLine, columns: int) -> Iterator[Text]:
    plain = line.text.plain
    room = max(columns - max(line.margin, width_of(plain[: line.margin])), 1)
    if width_of(plain) <= columns:
        yield line.text
        return
    head = Text(QUOTE if plain.startswith(QUOTE) else " " * line.margin, "dim")
    cuts = [line.margin]
    while (at := cuts[-1]) < len(plain):
        cuts.append(at + len(fitting(plain[at : at + room], room)))
    for number, piece in enumerate(line.text.divide(cuts[1:-1])):
        yield Text.assemble(head, piece) if number else piece


# --- a proposal -------------------------------------------------------------------------------------------


def review_lines(review: Review, translate: Translate) -> list[tuple[DiffLine, int | None]]:
    """What the user decides about: who, why, the warnings, and the diff of each file."""
    lines: list[tuple[DiffLine, int | None]] = [(line, None) for line in _head(review, translate)]
    for number, file in enumerate(review.files):
        is_marked = number == review.at and len(review.files) > 1
        lines += [(line, number) for line in _file(file, translate, is_marked=is_marked)]
    return lines


def _head(review: Review, translate: Translate) -> Iterator[DiffLine]:
    yield DiffLine(2, Text(visible(review.title), "bold"))
    who = [review.agent or translate("An agent"), translate("session {name}", name=review.session)]
    yield DiffLine(2, Text(QUOTE + " · ".join(map(visible, who)), "dim"))
    if review.explanation:
        yield DiffLine(2, Text(QUOTE + visible(" ".join(review.explanation.split())), "italic"))
    if review.blind:
        told = translate("The agent may not read what it changes here.")
        yield DiffLine(2, Text(told, "bold yellow"))
    if len(review.files) > 1 and review.atomic:
        yield DiffLine(2, Text(translate("All of these files change, or none does."), "dim"))


def _file(file: File, translate: Translate, *, is_marked: bool) -> Iterator[DiffLine]:
    signs = {"create": translate("new file"), "delete": translate("deleted"), "update": ""}
    marks = [signs.get(file.operation, ""), translate("amended by you") if file.amended is not None else ""]
    head = Text(f"{'▸─' if is_marked else '──'} {visible(file.path)}", "bold blue")
    for mark in filter(None, marks):
        head.append(f" · {mark}", "not bold")
    if file.is_rejected:
        head.append(f" · {translate('rejected by you')}", "bold red")
    yield DiffLine(3, head)
    for warning in file.warnings:
        line, told = warning.get("line"), str(warning.get("detail"))
        if line:
            told = translate("line {line}: {detail}", line=line, detail=told)
        yield DiffLine(2, Text(f"! {visible(told)}", "bold yellow"))
    lines = diff_lines(file.base, file.text, file.path, file.operation)
    yield from lines or [DiffLine(2, Text(translate("no change of its text"), "dim"))]


# --- diffs ------------------------------------------------------------------------------------------------


def diff_lines(before: str, after: str, path: str, operation: Operation = "update") -> list[DiffLine]:
    """The diff between two texts, with line numbers and the colors of the language."""
    lines = render_diff(whole(before, diff(before, after), path, operation=operation))
    for line in lines:
        if line.margin and (ground := _GROUNDS.get(line.text.plain[line.margin - 2 : line.margin - 1])):
            line.text.stylize(ground, line.margin - 2)
    lexer = _lexer_for(path)
    if lexer is not None:
        for sign in "-+":
            _color([one for one in lines if one.margin and _sign(one) in (" ", sign)], sign, lexer)
    return lines


def _sign(line: DiffLine) -> str:
    return line.text.plain[line.margin - 2 : line.margin - 1] or " "


def _lexer_for(path: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(path.rsplit("/", 1)[-1], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _color(side: Sequence[DiffLine], sign: str, lexer: Lexer) -> None:
    """Color the lines of one side; unchanged lines get the colors of the new one. Colors only, in place."""
    code = "\n".join(line.text.plain[line.margin :] for line in side)
    if len(code) > MAX_COLORED or any(len(line.text.plain) > MAX_COLORED_LINE for line in side):
        return
    number = column = 0
    until = time.monotonic() + COLORING_S
    for kind, value in lexer.get_tokens(code):
        if time.monotonic() > until:
            return
        style = next((style for parent, style in _STYLES if kind in parent), None)
        for index, piece in enumerate(value.split("\n")):
            if index:
                number, column = number + 1, 0
            if number >= len(side):
                return
            line = side[number]
            if style and piece and (sign == "+" or _sign(line) == "-"):
                at = line.margin + column
                line.text.stylize(style, at, at + len(piece))
            column += len(piece)


# --- the history ------------------------------------------------------------------------------------------


def change_lines(change: Mapping[str, Any], translate: Translate) -> list[tuple[DiffLine, int | None]]:
    """A change that landed, with its texts (docs/protocol.md#agentfshistory)."""
    head = f"{change['time']} · {change['tool']} · {change['agent'] or translate('An agent')}"
    lines = [DiffLine(2, Text(visible(head), "bold"))]
    if change["explanation"]:
        lines.append(DiffLine(2, Text(QUOTE + visible(" ".join(change["explanation"].split())), "italic")))
    for file in change["files"]:
        lines.append(DiffLine(3, Text(f"── {visible(file['path'])}", "bold blue")))
        before, after = file.get("before_text"), file.get("after_text")
        if before is None and after is None:
            lines.append(DiffLine(2, Text(translate("its texts were not recorded"), "dim")))
        else:
            lines += diff_lines(before or "", after or "", file["path"], file["operation"])
    return [(line, None) for line in lines]
