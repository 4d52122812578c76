"""The encodings in which an editor reads and writes files that are not open, by path
(docs/protocol.md#14-the-editors-own-methods).

Patterns have the syntax of `fnmatch` and are case-insensitive. They match a file's name or, if they
contain a slash, its path.
"""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING

from agentfs_lsp.domain.cached import cached

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class FileEncodings:
    """The encodings of one folder's files. `rules` are patterns with the name of an encoding, as the editor
    calls it; of those that match a path the last decides. Compiled when first asked."""

    def __init__(self, rules: Iterable[tuple[Sequence[str], str]] = ()) -> None:
        self._rules = tuple(rules)

    def of(self, relative: str) -> str | None:
        """The encoding's name for the file at this path, which is relative to the folder; None for none."""
        path = "/" + relative.lower()
        name = path.rpartition("/")[2]
        for by_name, by_path, encoding in self._compiled:
            if by_name.fullmatch(name) or by_path.fullmatch(path):
                return encoding
        return None

    @cached
    def _compiled(self) -> tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...]:
        """The last rule first."""
        return tuple(
            (_either(one for one in patterns if "/" not in one), _either(_anchored(patterns)), encoding)
            for patterns, encoding in reversed(self._rules)
        )


def _anchored(patterns: Sequence[str]) -> Iterable[str]:
    """Patterns of paths, each as one that begins at the folder: `fnmatch` has no `**`, as its `*` crosses
    slashes."""
    for pattern in patterns:
        if "/" in pattern:
            yield pattern.replace("**", "*") if pattern.startswith(("/", "*")) else "/" + pattern


def _either(patterns: Iterable[str]) -> re.Pattern[str]:
    """What matches any of them; nothing, where there are none."""
    return re.compile("|".join(translate(one.lower()) for one in patterns) or r"(?!)")
