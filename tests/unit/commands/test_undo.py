"""`agentfs-lsp undo`: what its question needs."""

from pathlib import Path
from typing import Any, cast

import pytest

from agentfs_lsp.client import discovery
from agentfs_lsp.commands import undo
from agentfs_lsp.domain.errors import SystemRefused
from agentfs_lsp.domain.translation import english


def test_without_a_folder_of_the_users_own_nobody_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setattr(discovery, "folder", lambda: tmp_path)
    with pytest.raises(SystemRefused):
        undo._ask(english, cast("Any", None))
