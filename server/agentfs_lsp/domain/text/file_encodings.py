"""The encodings in which an editor reads and writes files that are not open, by path
(docs/protocol.md#14-the-editors-own-methods).

Patterns have the syntax of `fnmatch` and are case-insensitive. They match a file's name or, if they
contain a slash, its path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate

from agentfs_lsp.domain.cached import cached


class FileEncodings:
    """The encodings of one folder's files. `rules` maps patterns to the editor's name of an encoding; the
    last matching rule applies. Compiled on first use."""

    def __init__(self, rules: Iterable[tuple[Sequence[str], str]] = ()) -> None:
        self._rules = tuple(rules)

    def of(self, relative: str) -> str | None:
        """The encoding for the file at this path relative to the folder, or None."""
        path = "/" + relative.lower()
        name = path.rpartition("/")[2]
        for by_name, by_path, encoding in self._compiled:
            if by_name.fullmatch(name) or by_path.fullmatch(path):
                return encoding
        return None

    @cached
    def _compiled(self) -> tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...]:
        """Last rule first."""
        return tuple(
            (_either(one for one in patterns if "/" not in one), _either(_anchored(patterns)), encoding)
            for patterns, encoding in reversed(self._rules)
        )


def _anchored(patterns: Sequence[str]) -> Iterable[str]:
    """Path patterns anchored at the folder. `fnmatch` needs no `**`: its `*` matches slashes."""
    for pattern in patterns:
        if "/" in pattern:
            yield pattern.replace("**", "*") if pattern.startswith(("/", "*")) else "/" + pattern


def _either(patterns: Iterable[str]) -> re.Pattern[str]:
    """A pattern that matches any of them; never matches if there are none."""
    return re.compile("|".join(translate(one.lower()) for one in patterns) or r"(?!)")
