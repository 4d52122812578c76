"""Repositories of git are known by what is in them, whatever their folders are called."""

import pytest

from agentfs_lsp.domain.policy.repositories import verdict_in_repository


@pytest.mark.parametrize("folder", ["", "store/", "a/b.git/"])
@pytest.mark.parametrize("parts", [("HEAD", "objects"), ("HEAD", "commondir")])
def test_what_git_reads_in_a_repository_is_denied(folder: str, parts: tuple[str, str]) -> None:
    there = {f"{folder}{part}" for part in parts}
    for name in (
        *("config", "CONFIG", "hooks/pre-commit", "modules/a/b", "refs/x", "worktrees/main/commondir"),
        *("rebase-merge/git-rebase-todo", "COMMIT_EDITMSG", "FETCH_HEAD", "MERGE_MSG"),
    ):
        verdict = verdict_in_repository(f"{folder}{name}", "/work", there.__contains__)
        assert verdict is not None
        assert (verdict.decision, verdict.rule) == ("deny", f"/work/{folder}**")
        for one in there:
            assert verdict_in_repository(f"{folder}{name}", "/work", {one}.__contains__) is None


def test_the_disk_is_not_looked_at_for_other_files() -> None:
    def exists(path: str) -> bool:
        raise AssertionError(path)

    for path in ("README.md", "src/app.py", "src/configuration/hook.py"):
        assert verdict_in_repository(path, "/work", exists) is None
