"""What the user made of proposals that ended without it, in files of the state folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from tempfile import mkstemp
from typing import Final

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.domain.errors import SystemFailed, SystemRefused
from agentfs_lsp.reviewer.proposals import File, Review

FOLDER: Final = "drafts"

LONGEST_NAME: Final = 60

_UNNAMED: Final = re.compile(r"[^\w.-]+")


class Drafts:
    """Those of one reviewer. Their files stay until the user removes them; only the user can read them."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._files: list[tuple[str, str, str]] = []

    def __iter__(self) -> Iterator[str]:
        """The files."""
        return (path for _, _, path in self._files)

    def of(self, review: Review) -> str | None:
        """The file of what the user made of the same session's earlier change of one of these files."""
        earlier = {(session, uri): path for session, uri, path in self._files}
        found = (earlier.get((review.session, file.uri)) for file in review.files)
        return next(filter(None, found), None)

    def keep(self, review: Review) -> str | None:
        """Keep what the user has made of its files, once; the last one's file, or None. Raises OSError."""
        kept = None
        for file in review.files:
            if file.amended is not None:
                kept = self._write(file, file.amended)
                self._files.append((review.session, file.uri, kept))
                file.amended = None
        return kept

    def _write(self, file: File, text: str) -> str:
        try:
            folder = self._state.ensure(FOLDER)
        except (SystemFailed, SystemRefused):
            folder = None  # that of temporary files
        name = _UNNAMED.sub("_", file.path.rsplit("/", 1)[-1])[-LONGEST_NAME:]
        descriptor, path = mkstemp(prefix="", suffix=f"-{name}", dir=folder)
        with os.fdopen(descriptor, "wb") as draft:
            draft.write(text.encode("utf-8", "surrogatepass"))
        return path
