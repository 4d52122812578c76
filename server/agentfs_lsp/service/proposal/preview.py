"""One unified diff for several changes."""

from __future__ import annotations

from collections.abc import Sequence

from agentfs_lsp.domain.diff.unified import TRUNCATED, Preview
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.service.proposal.change import FileChange


def preview_together(changes: Sequence[FileChange], settings: Settings) -> Preview:
    """Concatenate the changes' unified diffs within the `diff.*` limits of a single diff."""
    limits = settings.diff
    lines, size = limits.max_lines, limits.max_bytes
    shown: list[str] = []
    cut = False
    for change in changes:
        one = change.preview
        if one.text.count("\n") > lines or len(one.text.encode()) > size:
            one = change.preview_within(lines, size, limits.max_line_chars)
        shown.append(one.text)
        cut = cut or one.truncated
        if one.text.endswith(TRUNCATED):
            break
        lines -= one.text.count("\n")
        size -= len(one.text.encode())
    return Preview("".join(shown), cut)
