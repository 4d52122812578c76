"""The command: arguments, log, and files it writes (docs/protocol.md#1-start-and-transport)."""

import json
import os
import re
import shlex
import socket
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from agentfs_lsp import __version__
from support.command import COMMAND, agentfs, run
from support.demo import environment
from support.editor import AUTO, REVIEW, RpcError, editing
from support.frail_server import SECRET
from support.terminal import terminal


async def test_nothing_but_messages_is_on_stdout_whatever_prints(root: Path) -> None:
    (root / "a.py").write_text("one\n")
    launcher = [sys.executable, str(Path(__file__).parents[1] / "support" / "printing_server.py")]
    stderr = root.parent / "stderr"
    async with editing(root, command=launcher, stderr=stderr) as editor:
        assert (await editor.read("a.py"))["data"]["content"] == "one\n"
    assert b"printed\n" in stderr.read_bytes()
    assert b"by a child\n" in stderr.read_bytes()


def _reachable(process: int) -> list[str]:
    """The process's sockets that others could reach: network sockets, and listening ones."""
    folder = Path(f"/proc/{process}")
    own = set()
    for handle in os.listdir(folder / "fd"):
        with suppress(FileNotFoundError):  # the handle that listed them
            own.add(os.readlink(folder / "fd" / handle).removeprefix("socket:[").rstrip("]"))
    tables = [
        (kind, line.split())
        for kind in ("tcp", "tcp6", "udp", "udp6", "unix")
        if (folder / "net" / kind).exists()
        for line in (folder / "net" / kind).read_text().splitlines()[1:]
    ]
    listening = 0x10000
    return [
        kind
        for kind, line in tables
        if (line[6] in own and int(line[3], 16) & listening if kind == "unix" else line[9] in own)
    ]


@pytest.mark.skipif(not Path("/proc/self/net").exists(), reason="a process' sockets are told on Linux alone")
async def test_there_is_no_port_to_connect_to(root: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)):
        assert "tcp" in _reachable(os.getpid())
    async with editing(root, options=AUTO) as editor:
        assert (await editor.write("a.py", "one\n"))["status"] == "success"
        assert _reachable(editor.process.pid) == []


async def test_the_log_holds_no_contents_and_no_names_of_files(root: Path) -> None:
    (root / "SECRET.py").write_text("SECRET one\n")
    log = root.parent / "log"
    arguments = ["--log-level", "debug", "--log-file", str(log)]
    async with editing(root, arguments=arguments, capabilities=REVIEW) as editor:
        await editor.read("SECRET.py")
        editor.notify("textDocument/didOpen", {"textDocument": {"uri": editor.uri("SECRET.md")}})
        editor.open("SECRET.py", "SECRET two\n")
        editor.notify(
            "textDocument/didChange", {"textDocument": {"uri": "file:///SECRET"}, "contentChanges": 1}
        )
        item = {"uri": editor.uri("SECRET.py"), "version": 1}
        editor.notify(
            "textDocument/didChange", {"textDocument": item, "contentChanges": [{"SECRET": "SECRET"}]}
        )
        editor.notify("notebookDocument/didOpen", {"cellTextDocuments": [{"text": "SECRET"}]})
        editor.notify("$/setTrace", {"value": "SECRET"})
        editor.send_bytes(b"Content-Length: 10\r\n\r\n" + b'{"SECRET":')
        with pytest.raises(RpcError):
            await editor.request("SECRET", {"SECRET": "SECRET"})
        await editor.write("b.py", "SECRET" * 2)
    lines = log.read_text().splitlines()
    written = "\n".join(line for line in lines if " agentfs_lsp.operations: " not in line)
    assert len(lines) > written.count("\n") + 1
    assert "SECRET" not in written
    assert "malformed message" in written
    assert "out of sync: a change without a text" in written


def test_the_log_says_first_that_the_server_started(tmp_path: Path) -> None:
    log = tmp_path / "log"
    agentfs("--log-level", "info", "--log-file", str(log), input="")
    assert f"agentfs-lsp {__version__} starts" in log.read_text().split("\n")[0]


async def test_a_defect_is_an_incident_and_nothing_more_is_told(root: Path) -> None:
    launcher = [sys.executable, str(Path(__file__).parents[1] / "support" / "frail_server.py")]
    (root / "broken.py").write_text("one\n")
    async with editing(root, command=launcher, stderr=root.parent / "stderr", options=AUTO) as editor:
        answers = [
            await editor.read("broken.py"),
            await editor.write("broken.py", "two\n"),
            await editor.edit("broken.py", "one", "two"),
        ]
        assert await editor.pending() == []
    log = (root.parent / "stderr").read_text()
    for answer in answers:
        number = re.search(r"incident ([0-9a-f]{8})", answer["error"]["message"])
        assert number is not None
        assert f"incident {number[1]}: RuntimeError" in log
        assert not re.search(SECRET + r"|Traceback|\.py\", line", json.dumps(answer))
    assert SECRET not in log


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_version_and_help_are_told(arguments: list[str]) -> None:
    script = Path(sys.executable).with_name("agentfs-lsp")
    by_module, by_script = agentfs(*arguments, check=True), run(str(script), *arguments, check=True)
    assert by_module.stdout == by_script.stdout
    expected = f"agentfs-lsp {__version__}\n" if arguments == ["--version"] else "--max-message-mib"
    assert expected in by_script.stdout


@pytest.mark.parametrize(
    ("variables", "chinese"),
    [
        ({"LANG": "zh_CN.UTF-8"}, True),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, True),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("arguments", [["--help"], ["demo", "--help"]])
def test_help_in_the_users_language(arguments: list[str], variables: dict[str, str], chinese: bool) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    command = [sys.executable, "-X", "utf8", "-m", "agentfs_lsp", *arguments]
    ended = run(*command, encoding="utf-8", check=True, env=plain | variables)
    assert ("选项:" in ended.stdout, "options:" in ended.stdout) == (chinese, not chinese)


@pytest.mark.parametrize(
    ("command", "argument"),
    [("audit", "CHANGE"), ("check-config", "PATH"), ("demo", "DIR"), ("history", "PATH"), ("undo", "ID")],
)
def test_help_tells_arguments_from_options(command: str, argument: str) -> None:
    told = agentfs(command, "--help", check=True, env=os.environ | {"LC_ALL": "C.UTF-8"})
    arguments, _, _ = told.stdout.partition("\narguments:\n")[2].partition("\noptions:\n")
    assert f"\n  {argument} " in f"\n{arguments}"


@pytest.mark.parametrize(
    "arguments", [["--nope"], ["check-config", "--settings"], ["undo"], ["history", "--limit", "x"]]
)
def test_complaints_about_arguments_are_in_the_language_of_the_terminal(arguments: list[str]) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    command = [sys.executable, "-X", "utf8", "-m", "agentfs_lsp", *arguments]
    ended = run(*command, encoding="utf-8", env=plain | {"LANG": "zh_CN.UTF-8"})
    assert ended.returncode == 2
    assert ended.stderr.startswith("用法：agentfs-lsp")
    assert "：错误：" in ended.stderr
    complaint = ended.stderr.partition("：错误：")[2]
    assert not re.search("error|argument|expected|invalid|required", complaint)


def test_a_terminal_in_another_encoding_reads_what_it_can_show(tmp_path: Path) -> None:
    chinese = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "gbk", "LC_ALL": "zh_CN.GBK"}
    done = agentfs("demo", "--clean", encoding="gbk", env=environment(tmp_path, **chinese))
    assert (done.returncode, done.stderr) == (0, "")
    assert "已更新“tides/levels.py”" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port", "1"],
        ["--max-message-mib", "0"],
        ["--max-message-mib", "x"],
        ["--log-level", "loud"],
        ["audit", "--jsonl", "--since", "yesterday"],
        ["history", "--limit", "0"],
        ["history", "--limit", "9999999999999999999"],
    ],
)
def test_arguments_that_are_none_are_refused_by_name(arguments: list[str]) -> None:
    ended = agentfs(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert arguments[-2] in ended.stderr


async def test_in_a_terminal_it_says_that_an_editor_starts_it(tmp_path: Path) -> None:
    async with terminal(COMMAND, tmp_path, {}) as screen:
        await screen.shows("agentfs-lsp --help")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--{}"],
        ["check-config", "{}"],
        ["check-config", "--settings={}", "."],
        ["history", "--{}"],
        ["undo", "--yes", "{}", "{}"],
        ["demo", "{}"],
    ],
)
def test_a_wrong_argument_does_not_control_the_terminal(arguments: list[str]) -> None:
    given = [one.format("\x1b]0;title\x07") for one in arguments]
    ended = agentfs(*given)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert r"\x1b]0;title\x07" in ended.stderr
    assert "\x1b" not in ended.stderr


@pytest.mark.parametrize("name", ["check-config", "demo", "history", "undo"])
def test_in_a_folder_that_was_deleted_a_command_says_so(tmp_path: Path, name: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'rmdir "$PWD" && exec {shlex.quote(sys.executable)} -P -m agentfs_lsp {name}'
    ended = run("sh", "-c", script, cwd=gone)
    told = f"agentfs-lsp {name}: The current folder no longer exists.\n"
    assert (ended.returncode, ended.stderr) == (2, told)


def test_a_log_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    ended = agentfs("--log-file", str(tmp_path / "none" / "log"))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("agentfs-lsp: cannot write the log file: ")


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_where_standard_input_or_output_is_closed_the_command_ends(closed: str) -> None:
    ended = run("sh", "-c", f'"{sys.executable}" -m agentfs_lsp {closed}', input="")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("agentfs-lsp: standard input or output is closed")
