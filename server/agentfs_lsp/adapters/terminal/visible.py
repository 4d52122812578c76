"""Text as the terminal may show it: nothing in it can drive the terminal, hide or reorder.

A file's text, its name and an agent's words all pass here before they are printed.
"""

from __future__ import annotations

from agentfs_lsp.domain.text.escaping import escape_invisible


def visible(text: str) -> str:
    """`text` with what can't be seen shown by its code, and tabs as blanks; `\\n` stays."""
    return escape_invisible(text.expandtabs(4))


def clip(line: str, width: int) -> str:
    """The line as `visible`, at most `width` characters, with an ellipsis where something was cut."""
    line = visible(line)
    return line if len(line) <= width else line[: max(width - 1, 0)] + "…"
