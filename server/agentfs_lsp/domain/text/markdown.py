"""Puts other people's words into texts that some programs show as Markdown, and others as they are
(docs/protocol.md#94-what-the-answer-says).

In code nothing is markup: no link, no HTML, nothing that joins or hides lines. In a program that shows the
text as it is, only the backquotes around it are seen. Where there is no room for them, what would be markup
is escaped.
"""

from __future__ import annotations

import re

_TICKS = re.compile("`+|~+")
_MARKUP = re.compile(
    r"""<(?=[a-zA-Z/!?]) | &(?=[\#a-zA-Z0-9])  # a tag or a comment; a character by its name
    | \\(?=[!-/:-@[-`{-~])                    # an escape
    | (?<=\])[(:]                            # a link, or where one leads
    | [`*~] | (?<!\w)_++ | _++(?!\w)         # code, emphasis, which _ within a word is not""",
    re.VERBOSE,
)
_AT_START = re.compile(r"[#>]|[0-9](?=[0-9]{0,8}[.)])")
"""Makes a heading, a quotation, or an item of what begins a line."""


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


def escape_markup(line: str) -> str:
    """A line with what Markdown or HTML would take out of it shown as `\\x3c`. At its start, and where it is
    cut, `escape_start` escapes more."""
    return _MARKUP.sub(_escaped, line)


def escape_start(line: str) -> str:
    """A line with the character escaped that would make it anything but text, except for `-` and `+`
    before a blank."""
    return f"\\x{ord(line[0]):02x}{line[1:]}" if _AT_START.match(line) else line


def _escaped(markup: re.Match[str]) -> str:
    return "".join(f"\\x{ord(one):02x}" for one in markup[0])


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
