"""How VS Code finds links in a notification, by its own regular expression.

Taken from `linkedText.ts` and `notifications.ts` of VS Code 1.139; JavaScript's whitespace is spelled out,
since Python's differs.
"""

import re

BLANKS = "\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"

LINK = re.compile(
    r"\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^\)" + BLANKS + r"]+)(?: ([\"'])(.+?)(\3))?\)",
    re.IGNORECASE,
)

LONGEST = 1000
"""Code units; VS Code truncates before it looks for links."""


def links_in(message: str) -> list[str]:
    """What would become a link in a message, complete or after VS Code's truncation."""
    cut = message.encode("utf-16-le", "surrogatepass")[: 2 * LONGEST].decode("utf-16-le", "surrogatepass")
    return [
        found.group()
        for text in (message, f"{cut}...")
        for found in LINK.finditer(re.sub("\r\n|\n|\r", " ", text).strip())
    ]
