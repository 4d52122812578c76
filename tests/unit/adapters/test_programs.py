"""Running the user's programs: what is found, and how it ends (docs/security.md#against-a-workspace)."""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentfs_lsp.adapters.programs import ProgramRunner
from agentfs_lsp.service.programs import Program, ProgramFailed


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A folder of programs, the only one on the PATH besides the system's, and a workspace."""
    programs, root = tmp_path / "bin", tmp_path / "root"
    programs.mkdir()
    root.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return programs, root


def put(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


async def run(
    root: Path, words: Sequence[str], text: str = "a\n", *, seconds: float = 30, most: int = 999
) -> str:
    return await ProgramRunner().filter(Program(tuple(words), [str(root)], seconds, most), text)


async def failure(root: Path, *words: str, **more: float) -> str:
    with pytest.raises(ProgramFailed) as failed:
        await run(root, words, **more)  # type: ignore[arg-type]
    return f"{failed.value.failure} {failed.value.code}"


async def test_a_text_goes_through_a_program_without_a_shell(folders: tuple[Path, Path]) -> None:
    programs, root = folders
    put(programs / "agentfmt", 'cat; echo "$1"')
    made = await run(root, ["agentfmt", "$(touch x); *"], "ä\n")
    assert made == "ä\n$(touch x); *\n"
    assert list(root.iterdir()) == []


async def test_it_runs_in_an_empty_folder_that_is_gone_afterwards(folders: tuple[Path, Path]) -> None:
    """One that formats what it finds, as `ruff format` does, finds nothing."""
    programs, root = folders
    put(programs / "agentfmt", "echo *; touch left; pwd")
    found, folder = (await run(root, ["agentfmt"])).splitlines()
    assert found == "*"
    assert not Path(folder).exists()
    assert root not in Path(folder).parents


async def test_what_a_workspace_provides_is_not_run(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, root = folders
    inside = put(root / "agentfmt", "echo evil")
    (programs / "linked").symlink_to(inside)
    (programs.parent / "alias").symlink_to(root)
    through = str(programs.parent / "alias")
    monkeypatch.setenv("PATH", os.pathsep.join(("", ".", str(root), through, os.environ["PATH"])))
    monkeypatch.chdir(root)
    for words in (["agentfmt"], [str(inside)], ["linked"], [f"{through}/agentfmt"]):
        assert await failure(root, *words) == "in_workspace 0"
    put(programs / "agentfmt", 'echo "$PATH"')
    assert await run(root, ["agentfmt"]) == f"{programs}:/usr/bin:/bin\n"


async def test_no_module_is_loaded_from_a_workspace(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, root = folders
    (root / "this_one.py").write_text("print('evil')")
    monkeypatch.setenv("PYTHONPATH", f"{root}:.:")
    assert await failure(root, sys.executable, "-m", "this_one") == "exit 1"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 3", "exit 3"),
        (":", "output 0"),
        ("printf '\\377'", "output 0"),
        ("yes", "output 0"),
        ("kill -9 $$", "exit -9"),
    ],
)
async def test_a_failing_program_is_told_from_a_result(
    folders: tuple[Path, Path], script: str, expected: str
) -> None:
    programs, root = folders
    put(programs / "agentfmt", script)
    assert await failure(root, "agentfmt") == expected


async def test_one_that_is_not_there_is_missing(folders: tuple[Path, Path]) -> None:
    programs, root = folders
    (programs / "agentfmt").write_text("#!/not/there\n")
    (programs / "agentfmt").chmod(0o755)
    assert [await failure(root, "agentfmt"), await failure(root, "none")] == ["missing 0", "missing 0"]


async def test_without_a_folder_for_temporary_files_none_runs(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, root = folders
    put(programs / "agentfmt", "cat")
    monkeypatch.setattr("tempfile.tempdir", str(root / "none"))
    assert await failure(root, "agentfmt") == "no_folder 0"


async def test_one_that_reads_nothing_of_a_long_text_has_its_result(folders: tuple[Path, Path]) -> None:
    programs, root = folders
    put(programs / "agentfmt", "echo done")
    assert await run(root, ["agentfmt"], "x" * 1_000_000) == "done\n"


@pytest.mark.parametrize("seconds", [0.2, 1000])
async def test_at_the_limit_and_when_cancelled_the_whole_group_is_killed(
    folders: tuple[Path, Path], seconds: float
) -> None:
    programs, root = folders
    os.mkfifo(root / "pipe")
    put(programs / "agentfmt", f"sh -c 'exec 3>{root}/pipe; echo started >&3; sleep 1000' & wait")
    reader = asyncio.StreamReader()
    reading = os.fdopen(os.open(root / "pipe", os.O_RDONLY | os.O_NONBLOCK), "rb")
    writing = os.open(root / "pipe", os.O_WRONLY)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), reading
    )
    running = asyncio.ensure_future(failure(root, "agentfmt", seconds=seconds))
    if seconds < 1:
        assert await running == "timeout 0"
    else:
        assert await asyncio.wait_for(reader.readline(), 20) == b"started\n"
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    os.close(writing)
    # The pipe ends once no process holds its other end any more.
    assert await asyncio.wait_for(reader.read(), 20) in (b"", b"started\n")
    transport.close()
