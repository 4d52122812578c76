"""Fixtures of the tests in real editors."""

from pathlib import Path

import pytest

from support import real_emacs
from support.nvim_plugin import NEOVIMS


@pytest.fixture
def repository() -> Path:
    """The top folder, which contains `.editors`."""
    return Path(__file__).parents[2]


@pytest.fixture(params=NEOVIMS)
def neovim(request: pytest.FixtureRequest, repository: Path) -> Path:
    """One of the Neovims that are installed."""
    binary = repository / NEOVIMS[request.param]
    if not binary.exists():
        pytest.skip(f"Neovim {request.param} is not installed")
    return binary


@pytest.fixture(params=["emacs", "emacs-30"])
def each_emacs(request: pytest.FixtureRequest, repository: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The Emacs that `support.real_emacs` starts: the one on the PATH, and Emacs 30 where it could be had."""
    program = real_emacs.EMACS
    if request.param == "emacs-30":
        program = str(repository / ".editors/emacs-30/emacs")
        if not Path(program).exists():
            pytest.skip("Emacs 30 is not installed")
    monkeypatch.setattr(real_emacs, "EMACS", program)
    return program
