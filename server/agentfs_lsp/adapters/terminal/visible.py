"""Escapes text for the terminal, so that it cannot control the terminal or hide or reorder text.

File contents, file names, and agents' texts are all escaped here before they are printed.
"""

from __future__ import annotations

import codecs
import locale
import os
from functools import cache

from agentfs_lsp.domain.text.escaping import escape_invisible


def visible(text: str) -> str:
    """`text` as `on_one_line`, with escapes for what the terminal's encoding lacks: in UTF-8, bytes of
    letters could control a terminal that reads another encoding."""
    encoding = terminal_encoding()
    return on_one_line(text).encode(encoding, "backslashreplace").decode(encoding)


def on_one_line(text: str) -> str:
    """`text` on one line, with line breaks and invisible characters escaped and tabs as spaces: otherwise it
    could imitate our own lines."""
    return escape_invisible(text.expandtabs(4)).replace("\n", "\\x0a")


def clip(line: str, width: int) -> str:
    """The line as `visible`, at most `width` characters, with an ellipsis if cut."""
    line = visible(line)
    return line if len(line) <= width else line[: max(width - 1, 0)] + "…"


@cache
def terminal_encoding() -> str:
    """The terminal's encoding by POSIX's order of variables, not by Python's locale, which is ASCII if that
    locale is not installed. Only `LC_ALL=C` is ASCII: Python itself replaces `LANG=C` with UTF-8."""
    wanted = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    named = next(filter(None, wanted), "")
    codeset = named.partition(".")[2].partition("@")[0]
    try:
        return (
            codecs.lookup(codeset).name
            if codeset
            else "ascii"
            if named in {"C", "POSIX"}
            else locale.getencoding()
        )
    except LookupError:
        return "ascii"
