"""The state folder is private, and changes land one at a time (docs/protocol.md#8-lock)."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agentfs_lsp.adapters.fs.state_folder import LandingLock, StateFolder
from agentfs_lsp.domain.errors import SystemFailed, SystemRefused


def mode(path: Path | str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_it_is_created_when_needed_and_readable_by_the_user_alone(tmp_path: Path) -> None:
    state = StateFolder(str(tmp_path / "deep" / "agentfs"))
    assert not (tmp_path / "deep").exists()
    made = state.ensure("servers")
    assert made == str(tmp_path / "deep" / "agentfs" / "servers")
    assert (mode(made), mode(state.path)) == (0o700, 0o700)


def test_a_folder_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    StateFolder(str(tmp_path)).ensure()
    assert mode(tmp_path) == 0o700


def test_the_environment_can_move_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert StateFolder().path == str(tmp_path / "agentfs")


def test_a_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SystemFailed) as refused:
        StateFolder(str(tmp_path / "file" / "agentfs")).ensure()
    assert refused.value.path == str(tmp_path / "file" / "agentfs")


def test_somebody_elses_folder_is_not_used(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        with pytest.raises(SystemRefused, match="other_owner"):
            StateFolder("/").ensure()
        return
    os.chown(tmp_path, 12345, -1)
    with pytest.raises(SystemRefused, match="other_owner"):
        StateFolder(str(tmp_path)).ensure()


def test_another_thread_waits_only_so_long(tmp_path: Path) -> None:
    lock = LandingLock(StateFolder(str(tmp_path)), timeout_s=0.01)
    refused: list[SystemFailed] = []

    def take() -> None:
        try:
            with lock.held():
                pass
        except SystemFailed as error:
            refused.append(error)

    with lock.held():
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
    assert len(refused) == 1


_HOLDER = """
import sys
from agentfs_lsp.adapters.fs.state_folder import LandingLock, StateFolder
with LandingLock(StateFolder(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_server_waits_and_a_killed_one_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with (
            pytest.raises(SystemFailed, match="landing_elsewhere"),
            LandingLock(StateFolder(str(tmp_path)), timeout_s=0.02).held(),
        ):
            pass
        other.kill()
        other.wait()
        with LandingLock(StateFolder(str(tmp_path))).held():
            pass


def test_a_lock_whose_file_was_removed_is_taken_on_the_new_file(tmp_path: Path) -> None:
    lock = LandingLock(StateFolder(str(tmp_path)))
    with lock.held():
        pass
    (tmp_path / "landing.lock").unlink()
    other = LandingLock(StateFolder(str(tmp_path)), timeout_s=0.02)
    with lock.held(), pytest.raises(SystemFailed, match="landing_elsewhere"), other.held():
        pass


def test_a_link_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "target").touch()
    (tmp_path / "landing.lock").symlink_to("target")
    with pytest.raises(SystemFailed), LandingLock(StateFolder(str(tmp_path))).held():
        pass
