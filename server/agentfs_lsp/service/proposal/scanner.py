"""The port to a library that finds secrets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from agentfs_lsp.service.proposal.risks import Warned

UNSEARCHED = Warned("secret", 0, "unsearched")
"""What may be a secret, because it could not be searched for any."""

Added = Iterable[tuple[int, str]]
"""Lines with their 1-based numbers."""


class SecretScanner(Protocol):
    """Thread-safe."""

    def scan(self, path: str, lines: Added, before: str) -> Sequence[Warned]:
        """The likely secrets in these lines of a file, without those that its text `before` has, too, and
        `UNSEARCHED` if not all lines could be searched. Blocking, for a bounded time. Never raises."""
