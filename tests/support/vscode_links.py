"""How VS Code reads the text of a notification: where it finds links, told by its own regular expression.

Taken from `linkedText.ts` and `notifications.ts` of VS Code 1.139; what JavaScript calls a blank is written
out, since Python calls others so.
"""

from __future__ import annotations

import re

BLANKS = "\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"

LINK = re.compile(
    r"\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^\)" + BLANKS + r"]+)(?: ([\"'])(.+?)(\3))?\)",
    re.IGNORECASE,
)

LONGEST = 1000
"""Code units; VS Code cuts there before it looks for links."""


def links_in(message: str) -> list[str]:
    """What in a message would be an anchor, whole or cut where VS Code cuts it."""
    cut = message.encode("utf-16-le", "surrogatepass")[: 2 * LONGEST].decode("utf-16-le", "surrogatepass")
    return [
        found.group()
        for text in (message, f"{cut}...")
        for found in LINK.finditer(re.sub("\r\n|\n|\r", " ", text).strip())
    ]
