"""Escapes text for the terminal, so that it cannot control the terminal or hide or reorder text.

File contents, file names, and agents' texts are all escaped here before they are printed.
"""

from __future__ import annotations

from agentfs_lsp.domain.text.escaping import escape_invisible


def visible(text: str, encoding: str = "utf-8") -> str:
    """`text` on one line, with line breaks and invisible characters escaped and tabs as spaces: otherwise it
    could imitate our own lines. So is what the terminal's encoding lacks: in UTF-8, its bytes could control a
    terminal that reads another one."""
    text = escape_invisible(text.expandtabs(4)).replace("\n", "\\x0a")
    return text.encode(encoding, "backslashreplace").decode(encoding)


def clip(line: str, width: int) -> str:
    """The line as `visible`, at most `width` characters, with an ellipsis if cut."""
    line = visible(line)
    return line if len(line) <= width else line[: max(width - 1, 0)] + "…"
