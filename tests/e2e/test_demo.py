"""`agentfs-lsp demo`: the real command, the real server, and a user at a terminal."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.demo import DEMO, PATIENCE_S, environment, run_demo

LEGEND = "a accept"
CHINESE = {"LC_ALL": "zh_CN.UTF-8"}
# The same in every language: names, input, and the protocol's own words.
PROGRAMS = {"Claude", "Code", "Codex", "lsp", "mcp", "MCP", "client", "read", "edit"}
NAMES = {"agentfs", "demo", "agentfs_lsp", "agent", "Demo", "harbor", "stdio", *PROGRAMS}
KEYS = {"Ctrl", "Enter"}
CODES = {"success", "partial", "error", "CONFLICT", "USER_REJECTED", "manual"}
FIELDS = {"landing", "disk", "editor", "review", "policy", "accepted", "rejected", "allowed", "user", "mode"}
FORMATS = {"utf", "iso8859", "latin", "lf", "crlf", "LF", "CRLF"}
SAME = NAMES | KEYS | CODES | FIELDS | FORMATS
# An editor that changes a word and exits.
EDITOR = f"""{sys.executable} -c "import sys, pathlib
file = pathlib.Path(sys.argv[1])
file.write_text(file.read_text().replace('passed', 'topped'))" """


def workspace_in(tmp_path: Path) -> Path:
    (workspace,) = tmp_path.glob("scratch/agentfs-demo-*/harbor")
    return workspace


def assert_server_is_gone(output: str) -> None:
    found = re.search(r"process (\d+)", output)
    assert found, output
    with pytest.raises(ProcessLookupError):
        os.kill(int(found[1]), 0)


def foreign_words(output: str) -> set[str]:
    """English words in the demo's own output: without diffs, file texts, paths and programs."""
    own = re.sub(r"^ {9,}\d.*", "", output, flags=re.MULTILINE)
    own = re.sub(r"(old_string|new_string|content)=.*|\w+_\w+ = .*|G02,.*|\S+ -m ", "", own)
    own = re.sub(r"[\w.-]*[/.][\w./-]*", "", own)
    return set(re.findall(r"[A-Za-z]\w+", own, re.ASCII)) - SAME


def _heed_ctrl_c() -> None:
    """Background jobs of a shell ignore it, and so would their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """The demo in its own terminal; `type` waits for the question before it presses keys."""

    def __init__(self, tmp_path: Path, *arguments: str, **more: str) -> None:
        self._keys, inside = pty.openpty()
        self.process = subprocess.Popen(
            [*DEMO, *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=environment(tmp_path, TERM="xterm", **more),
            start_new_session=True,
            preexec_fn=_heed_ctrl_c,  # noqa: PLW1509 - no other thread runs here
        )
        os.close(inside)
        self._raw = b""
        self._seen = 0

    def type(self, prompt: str, keys: str) -> None:
        self.wait_for(prompt)
        os.write(self._keys, keys.encode())

    def wait_for(self, words: str) -> None:
        while (at := self.text.find(words, self._seen)) < 0:
            assert self._more(), f"ended without {words!r}:\n{self.text}"
        self._seen = at + len(words)

    def finish(self) -> int:
        """Read to the end; returns the exit code."""
        while self._more():
            pass
        return self.process.wait(PATIENCE_S)

    @property
    def text(self) -> str:
        plain = re.sub(rb"\x1b\[[0-9;]*m", b"", self._raw)
        # A character split by a read is complete after the next one.
        return plain.decode(errors="ignore").replace("\r\n", "\n")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._keys)

    def _more(self) -> bool:
        ready, _, _ = select.select([self._keys], [], [], PATIENCE_S)
        assert ready, f"silent after:\n{self.text}"
        try:
            data = os.read(self._keys, 65536)
        except OSError:  # Linux's error when nobody holds the other end
            return False
        self._raw += data
        return bool(data)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    started = Terminal(tmp_path, VISUAL="", EDITOR=EDITOR)
    yield started
    started.close()


@dataclass(frozen=True)
class Scripted:
    folder: Path
    done: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Scripted:
    """One run without a terminal, shared by several tests."""
    folder = tmp_path_factory.mktemp("scripted")
    return Scripted(folder, run_demo(folder))


def test_without_a_terminal_it_answers_by_itself_and_the_whole_turn_goes_as_told(scripted: Scripted) -> None:
    done = scripted.done
    assert done.returncode == 0, done.stdout + done.stderr
    assert "automatic (no terminal)" in done.stdout
    results = re.findall(r"^  [✓◐✗] +(success|partial|error \w+)  ", done.stdout, re.MULTILINE)
    assert results == [
        "success",
        "success",
        "error CONFLICT",
        "success",
        "partial",
        "error USER_REJECTED",
        "success",
        "success",
    ]
    assert "from editor, unsaved" in done.stdout
    assert "Please keep the old name" in done.stdout.split("error USER_REJECTED", 1)[1]
    assert "landing: editor" in done.stdout
    assert "allowed by mode (rung policy)" in done.stdout
    outside = done.stdout.split("An agent in another program", 1)[1]
    assert "outside: MCP client: “Low water had no test.”" in outside
    assert re.search(r"answer +accept\n +Updated\s+'/", outside)
    assert "\x1b" not in done.stdout
    assert_server_is_gone(done.stdout)


def test_the_demo_reports_the_disk_truthfully(scripted: Scripted) -> None:
    workspace = workspace_in(scripted.folder)
    gauges = (workspace / "data/gauges.csv").read_bytes()
    assert gauges.count(b"\r\n") == gauges.count(b"\n") == 5
    assert b"G02,Ferry Pier,1.85\r\nG03,Lock Gate,2.25\r\n" in gauges
    assert (workspace / "notes/pegel.txt").read_bytes().endswith("jährlich prüfen.\n".encode("latin-1"))
    assert b"interval_s = 300\n" in (workspace / "station.toml").read_bytes()
    assert b"def report(" in (workspace / "tides/report.py").read_bytes()
    assert b"def test_low_water" in (workspace / "tides/test_levels.py").read_bytes()
    assert re.search(r"✓ +data/gauges.csv .*CRLF ×5", scripted.done.stdout)
    assert re.search(r"✓ +notes/pegel.txt .*latin-1", scripted.done.stdout)


def test_a_terminal_in_chinese_reads_chinese_also_from_the_server(tmp_path: Path) -> None:
    done = run_demo(tmp_path, **CHINESE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert foreign_words(done.stdout) == set()
    assert "自动回答：没有可供询问的终端" in done.stdout
    assert "已更新“tides/levels.py”" in done.stdout
    assert b"def flooded(" in (workspace_in(tmp_path) / "tides/levels.py").read_bytes()


def test_a_project_of_ones_own_is_changed_with_reasons_in_chinese(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_bytes("这是一行文字，长得足以只出现一次。\n".encode())
    done = run_demo(tmp_path, project, **CHINESE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "在几个文件中各留一条备注。" in done.stdout


def test_the_keys_are_explained_in_chinese(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, VISUAL="", EDITOR=EDITOR, **CHINESE)
    try:
        terminal.type("a 接受", "r")
        terminal.type("为什么？", "不要\n")
        terminal.type("a 接受", "w")
        terminal.type("“始终接受”已开启   ", "m")
        terminal.type("a 接受", "\x04")
        assert terminal.finish() == 0, terminal.text
        assert "拒绝：“不要”" in terminal.text
        assert foreign_words(terminal.text) == set()
    finally:
        terminal.close()


def test_a_project_of_ones_own_is_copied_and_stays_as_it_was(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    files = {
        ".git/config": b"[core]\n",
        "README.md": b"# A project of some kind\n",
        "main.py": b"print('hello, world')\r\n",
        "odd name [1].txt": "naïve text without a last newline".encode(),
    }
    for name, data in files.items():
        (project / name).write_bytes(data)
    done = run_demo(tmp_path, project, "--clean")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {
        p.relative_to(project).as_posix(): p.read_bytes() for p in project.rglob("*") if p.is_file()
    } == files
    assert list(tmp_path.glob("scratch/agentfs-demo-*")) == []
    assert "odd name [1].txt" in done.stdout


def test_what_is_no_folder_is_said(tmp_path: Path) -> None:
    done = run_demo(tmp_path, tmp_path / "nowhere")
    assert done.returncode == 2
    assert done.stderr == f"agentfs-lsp demo: '{tmp_path / 'nowhere'}' is not a folder.\n"
    assert list(tmp_path.glob("scratch/agentfs-demo-*")) == []


def test_a_person_accepts_rejects_edits_and_trusts(terminal: Terminal, tmp_path: Path) -> None:
    terminal.type(LEGEND, "e")  # the editor changes a word in the docstring
    terminal.type(LEGEND, "a")
    terminal.type(LEGEND, "A")
    terminal.type(LEGEND, "a")
    terminal.type(LEGEND, "r")
    terminal.type("Reason?", "Not this one\n")
    terminal.type(LEGEND, "w")
    terminal.type("always is on   ", "\n")
    terminal.wait_for("outside: MCP client")
    terminal.type(LEGEND, "r")
    terminal.type("Reason?", "Not from outside\n")
    assert terminal.finish() == 0, terminal.text
    workspace = workspace_in(tmp_path)
    assert "The user rejected the change: “Not from outside”" in terminal.text
    assert b"low_water" not in (workspace / "tides/test_levels.py").read_bytes()
    assert b"Whether the water topped the flood mark." in (workspace / "tides/levels.py").read_bytes()
    assert b"def report(" in (workspace / "tides/report.py").read_bytes()
    assert "reject: “Not this one”" in terminal.text
    assert "amended by user" in terminal.text
    assert_server_is_gone(terminal.text)


def test_always_is_ended_when_the_person_wants_to_be_asked_again(terminal: Terminal, tmp_path: Path) -> None:
    terminal.type(LEGEND, "w")
    terminal.type("always is on   ", "m")
    terminal.type(LEGEND, "r")
    terminal.type("Reason?", "\n")
    terminal.type(LEGEND, "\x04")
    assert terminal.finish() == 0, terminal.text
    workspace = workspace_in(tmp_path)
    assert not (workspace / "docs").exists()


def test_no_answer_leaves_the_file_as_it_was(terminal: Terminal, tmp_path: Path) -> None:
    terminal.type(LEGEND, "\x04")
    assert terminal.finish() == 0, terminal.text
    assert "the proposal is withdrawn" in terminal.text
    assert b"flooded" not in (workspace_in(tmp_path) / "tides/levels.py").read_bytes()
    assert_server_is_gone(terminal.text)


def test_an_interrupt_changes_nothing_and_leaves_no_process(terminal: Terminal, tmp_path: Path) -> None:
    terminal.wait_for(LEGEND)
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.finish() == 130, terminal.text
    assert b"flooded" not in (workspace_in(tmp_path) / "tides/levels.py").read_bytes()
    assert_server_is_gone(terminal.text)


@pytest.mark.parametrize("interrupts", [False, True])
def test_leaving_the_last_scene_withdraws_the_outside_agents_change(
    terminal: Terminal, tmp_path: Path, interrupts: bool
) -> None:
    for _ in range(7):
        terminal.type(LEGEND, "a")
    terminal.wait_for("outside: MCP client")
    if interrupts:
        terminal.wait_for(LEGEND)
        terminal.process.send_signal(signal.SIGINT)
    else:
        terminal.type(LEGEND, "\x04")
    assert terminal.finish() == (130 if interrupts else 0), terminal.text
    assert b"low_water" not in (workspace_in(tmp_path) / "tides/test_levels.py").read_bytes()
    assert_server_is_gone(terminal.text)
