"""The wheel in a clean environment, far from the source: `make dist`, which builds it from the sdist."""

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from mcp import Client, StdioServerParameters

from support.command import run
from support.docs import REPOSITORY, links

DIST = REPOSITORY / "dist"
PACKAGE = REPOSITORY / "server" / "agentfs_lsp"
KINDS = {".py", ".mo", ".typed"}
SAMPLE = PACKAGE / "demo" / "workspace"


def built(pattern: str) -> Path:
    (path,) = DIST.glob(pattern)
    return path


def in_wheel(path: Path) -> bool:
    """Whether the server or its demo reads this file of the source."""
    return "__pycache__" not in path.parts and (path.suffix in KINDS or SAMPLE in path.parents)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the environment in `env`, and nothing of the clone."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", "--without-pip", str(folder / "env"), check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "env/bin/python")]
    wheel = str(built("agentfs_lsp-*.whl"))
    done = run(*pip, "install", "--quiet", "--disable-pip-version-check", wheel, cwd=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    (folder / "a.py").write_text("one\n")
    return folder


def variables(folder: Path) -> dict[str, str]:
    """Few, and none that lead to the clone."""
    return {"HOME": str(folder), "TMPDIR": str(folder), "PATH": os.defpath, "LC_ALL": "C.UTF-8"}


def installed(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """`agentfs-lsp` from the wheel, without a terminal."""
    command = str(folder / "env/bin/agentfs-lsp")
    return run(command, *arguments, cwd=folder, env=variables(folder) | more, input="")


def test_the_wheel_has_all_that_runs_and_its_license() -> None:
    with ZipFile(built("agentfs_lsp-*.whl")) as wheel:
        names = set(wheel.namelist())
    source = filter(in_wheel, filter(Path.is_file, PACKAGE.rglob("*")))
    needed = {str(path.relative_to(PACKAGE.parent)) for path in source}
    assert {"agentfs_lsp/py.typed", "agentfs_lsp/locale/zh_CN/LC_MESSAGES/agentfs.mo"} <= needed
    assert needed - names == set()
    rest = {name for name in names - needed if not re.match(r"agentfs_lsp-[\d.]+\.dist-info/", name)}
    assert rest == set()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_sdist_has_the_documents_that_the_page_on_pypi_names() -> None:
    with tarfile.open(built("agentfs_lsp-*.tar.gz")) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    documents = {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "docs").rglob("*.md")}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", *documents} <= names


def test_the_page_on_pypi_has_no_link_that_leads_nowhere_there(folder: Path) -> None:
    read = "import importlib.metadata as m; print(m.metadata('agentfs-lsp').get_payload())"
    page = run(str(folder / "env/bin/python"), "-c", read, cwd=folder, check=True).stdout
    assert page.startswith("# agentfs\n")
    assert [link for link in links(page) if not link.startswith("https://")] == []


def test_it_runs_from_the_wheel(folder: Path) -> None:
    where = run(
        str(folder / "env/bin/python"), "-c", "import agentfs_lsp; print(agentfs_lsp.__file__)", cwd=folder
    )
    assert Path(where.stdout.strip()).is_relative_to(folder)
    version = built("agentfs_lsp-*.whl").name.split("-")[1]
    assert installed(folder, "--version").stdout == f"agentfs-lsp {version}\n"
    assert "usage: agentfs-lsp" in installed(folder, "--help").stdout
    assert "用法" in installed(folder, "--help", LC_ALL="zh_CN.UTF-8").stdout


def test_the_demo_runs_from_the_wheel(folder: Path) -> None:
    done = installed(folder, "demo", "--clean")
    assert done.returncode == 0, done.stdout + done.stderr
    outside = done.stdout.split("An agent in another program", 1)[1]
    assert re.search(r"answer +accept\n +Updated\s+'/", outside)


def test_an_agent_reads_from_a_shell(folder: Path) -> None:
    answer = json.loads(installed(folder, "call", "Read", json.dumps({"path": "a.py"})).stdout)
    assert (answer["status"], answer["data"]["content"]) == ("success", "one\n")


async def test_an_agent_reads_over_mcp(folder: Path) -> None:
    command = str(folder / "env/bin/agentfs-lsp")
    server = StdioServerParameters(command=command, args=["mcp"], cwd=str(folder), env=variables(folder))
    async with Client(server) as agent:
        result = await agent.call_tool("read", {"path": "a.py"})
    assert (result.is_error, "one" in result.content[0].text) == (False, True)
