"""Puts other people's words into texts that some programs show as Markdown, and others as they are
(docs/protocol.md#94-what-the-answer-says).

In code nothing is markup: no link, no HTML, nothing that joins or hides lines. In a program that shows the
text as it is, only the backquotes around it are seen.
"""

from __future__ import annotations

import re

_TICKS = re.compile("`+|~+")


def code_block(text: str) -> str:
    """The lines of `text`, which all end with `\\n`, in a fence that none of them can close."""
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}\n{text}\n{fence}"


def code(line: str) -> str:
    """A line, such as a name, within a sentence. It has at least one character."""
    ticks = "`" * (_longest(line) + 1)
    # Of blanks at both ends Markdown takes one each.
    pad = " " if line[0] == "`" or line[-1] == "`" or (line[0] == line[-1] == " " and line.strip(" ")) else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
