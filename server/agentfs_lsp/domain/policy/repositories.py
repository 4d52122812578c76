"""Finds the repository in whose files a path leads, whatever its folder is called: `.git` may be a file or a
link that names it, and git runs what its configuration and hooks say
(docs/protocol.md#13-settings-and-policy).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from agentfs_lsp.domain.folding import fold_path
from agentfs_lsp.domain.policy.verdict import Verdict

_NAMES = frozenset(
    {
        *("head", "branches", "commondir", "config", "config.worktree", "description", "gitdir", "hooks"),
        *("index", "info", "lfs", "logs", "modules", "objects", "packed-refs", "rebase-apply"),
        *("rebase-merge", "refs", "reftable", "remotes", "rr-cache", "sequencer", "shallow", "svn"),
        "worktrees",
    }
)
"""What git reads in a repository, folded, beside `ORIG_HEAD`, `MERGE_MSG`, and the like."""

_OF_A_COMMAND = ("_head", "_msg", "_mode", "_editmsg")


def verdict_in_repository(relative: str, root: str, exists: Callable[[str], bool]) -> Verdict | None:
    """Denies the files of repositories. `root` is the root's real path; `exists` says whether anything is at
    a path in it, and is asked only if a name in `relative` is one of a repository's."""
    for folder in _perhaps_repositories(relative):
        at = f"{folder}/" if folder else ""
        # As git decides. A worktree's folder has `commondir`, which names the one with the objects.
        if exists(f"{at}HEAD") and (exists(f"{at}objects") or exists(f"{at}commondir")):
            return Verdict("deny", "own", f"{root.rstrip('/')}/{at}**")
    return None


@lru_cache(4096)
def _perhaps_repositories(relative: str) -> tuple[str, ...]:
    parts = relative.split("/")
    return tuple("/".join(parts[:depth]) for depth, part in enumerate(parts) if _is_of_git(fold_path(part)))


def _is_of_git(name: str) -> bool:
    return name in _NAMES or name.endswith(_OF_A_COMMAND)
