"""`agentfs-lsp call`: tools from a shell, in the editor's server or in one of its own."""

import asyncio
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.sockets import discovery
from support.editor import REVIEWING, editing
from support.outside import LAUNCHER, environment
from support.sample import TEXT
from support.terminal import read_to_end, terminal

COMMAND = [sys.executable, "-P", "-m", "agentfs_lsp"]


def call(root: Path, *arguments: str, given: str = "", output: str = "") -> subprocess.CompletedProcess[str]:
    """Without a terminal. `output`: the encoding of output in Python; by default, the locale's."""
    own = {"XDG_STATE_HOME": str(root.parent / "state"), "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": output}
    return subprocess.run(
        [*COMMAND, "call", *arguments],
        cwd=root,
        env={**os.environ, **own},
        input=given,
        capture_output=True,
        encoding="utf-8",
        start_new_session=True,
        check=False,
    )


def params(**given: Any) -> str:
    return json.dumps(given)


def test_the_response_is_printed_whole_or_for_a_model(root: Path, file: Path) -> None:
    whole = call(root, "Read", params(path="a.py"))
    envelope = json.loads(whole.stdout)
    assert (whole.returncode, envelope["status"], envelope["data"]["content"]) == (0, "success", TEXT)
    text = call(root, "--text", "--dialect", "gemini", "read_file", "-", given=params(file_path="a.py"))
    assert (text.returncode, text.stdout) == (0, TEXT)
    listed = call(root, "tools", params(format="mcp"))
    assert [tool["name"] for tool in json.loads(listed.stdout)["data"]["tools"]] == ["Read", "Write", "Edit"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk is stood in for on Linux alone")
@pytest.mark.parametrize("size", [1, 100_000])
def test_output_that_cannot_be_written_is_no_answer(root: Path, file: Path, size: int) -> None:
    file.write_text("x" * size)
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*COMMAND, "call", "--workspace", root, "Read", params(path="a.py")],
            env={**os.environ, "XDG_STATE_HOME": str(root.parent / "state"), "LC_ALL": "C.UTF-8"},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    told = (
        "agentfs-lsp call: The output could not be written: No space left on device. What the command did is "
        "not undone.\n"
    )
    assert (ended.returncode, ended.stderr) == (5, told)


@pytest.mark.parametrize("encoding", ["latin-1", "gbk", "ascii"])
def test_programs_get_utf_8_in_every_locale(root: Path, encoding: str) -> None:
    text = "Zoë € 漢 \U0001f600\n"
    (root / "a.py").write_text(text)
    read = params(path="a.py")
    whole = call(root, "Read", read, output=encoding).stdout
    assert json.loads(whole)["data"]["content"] == text
    assert call(root, "--text", "Read", read, output=encoding).stdout == text


@pytest.mark.parametrize(
    ("options", "said"),
    [([], r'"path_resolved": "Zo\u00eb\ud83d\ude00"'), (["--text"], r"Zo\xeb \U0001f600")],
)
async def test_a_terminal_gets_escapes_for_what_it_lacks(root: Path, options: list[str], said: str) -> None:
    """In `LC_ALL=C`, Python itself prints UTF-8."""
    (root / "Zoë\U0001f600").write_text("Zoë \U0001f600\n")
    env = {"XDG_STATE_HOME": str(root.parent / "state"), "LC_ALL": "C"}
    async with terminal(
        [*COMMAND, "call", *options, "Read", params(path="Zoë\U0001f600")], root, env
    ) as screen:
        await screen.shows(said)


@pytest.mark.parametrize("options", [[], ["--text"]])
async def test_a_text_does_not_control_the_terminal(root: Path, options: list[str]) -> None:
    name = "a\u202e"
    (root / name).write_text("one\x1b[2J\r\u202etwo\n")
    env = {"XDG_STATE_HOME": str(root.parent / "state")}
    async with terminal([*COMMAND, "call", *options, "Read", params(path=name)], root, env) as screen:
        await screen.shows(r"one\x1b[2J\x0d\u202etwo" if options else r'"path_resolved": "a\u202e"')


def test_exit_codes_tell_refusal_conflict_and_error(root: Path, file: Path) -> None:
    seen = json.loads(call(root, "Read", params(path="a.py")).stdout)["data"]["hash"]
    edit = {"path": "a.py", "old_string": "two", "new_string": "2"}
    refused = call(root, "--text", "Edit", params(**edit, expected_hash=seen))
    assert (refused.returncode, "Nobody can be asked" in refused.stdout) == (3, True)
    unread = call(root, "Edit", params(**edit))
    assert (unread.returncode, json.loads(unread.stdout)["text"]) == (
        1,
        "Read the file first. File: 'a.py'.",
    )
    assert "Each call is a session of its own: add expected_hash" in unread.stderr
    file.write_text("other\n")
    assert call(root, "Edit", params(**edit, expected_hash=seen)).returncode == 4
    assert call(root, "Read", params(path="b.py")).returncode == 1
    assert file.read_text() == "other\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Read", "{"], "not JSON"),
        (["Read", '{"path": NaN}'], "not JSON: NaN"),
        (["Read", '{"path": "a.py", "limit": -1e999}'], "The number -1e999 is too large."),
        (["Read", "[" * 100_000], "not JSON"),
        (["Read", "[]"], "must be a JSON object"),
        (["--workspace", "missing", "Read"], "is not a folder"),
        ([], "TOOL"),
    ],
)
def test_wrong_arguments_are_told(root: Path, arguments: list[str], said: str) -> None:
    wrong = call(root, *arguments)
    assert wrong.returncode == 2
    assert said in wrong.stderr
    assert wrong.stdout == ""


def test_what_is_not_utf_8_is_told(root: Path) -> None:
    wrong = subprocess.run(
        [*COMMAND, "call", "Read", "-"], cwd=root, input=b'{"path": "\xff"}', capture_output=True, check=False
    )
    assert (wrong.returncode, b"not JSON" in wrong.stderr) == (2, True)


@pytest.mark.parametrize(
    ("language", "question", "where", "said"),
    [
        ("C.UTF-8", "Apply this change?", "No editor with agentfs", "Created 'b.py'"),
        ("zh_CN.UTF-8", "要应用此更改吗？", "没有带 agentfs 的编辑器", "已创建“b.py”"),
    ],
)
def test_at_a_terminal_the_person_is_asked(
    root: Path, language: str, question: str, where: str, said: str
) -> None:
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(root)
        os.environ |= {"XDG_STATE_HOME": str(root.parent / "state"), "LC_ALL": language}
        os.execv(sys.executable, [*COMMAND, "call", "--text", "Write", params(path="b.py", content="1\n")])
    shown = b""
    while question.encode() not in shown:
        shown += os.read(master, 1 << 16)
    assert where in shown.decode()
    assert not (root / "b.py").exists()
    os.write(master, b"y\n")
    shown += read_to_end(master)
    assert os.waitpid(pid, 0)[1] == 0
    assert said in shown.decode()
    assert (root / "b.py").read_text() == "1\n"


async def test_a_long_line_forges_none_in_a_narrow_terminal(root: Path) -> None:
    """The question is at the terminal even if no standard stream is."""
    imitating = f"b = 2  #{'.' * 26}  3 + c = 3   # harmless"
    written = params(path="b.py", content=f"a = 1\n{imitating}\nend\n")
    command = ["sh", "-c", '"$@" </dev/null >/dev/null 2>&1; exit', "sh", *COMMAND, "call", "Write", written]
    env = {"XDG_STATE_HOME": str(root.parent / "state")}
    async with terminal(command, root, env, columns=40) as screen:
        rows = (await screen.shows("Apply this change?")).split("\n")
    assert [row for row in rows if "harmless" in row]
    assert not [row for row in rows if row.startswith("  3 + c")]


async def test_a_terminal_where_nobody_can_be_asked_says_what_to_do(root: Path) -> None:
    (root.parent / "plain").touch()
    env = environment(root, root.parent / "plain" / "sockets")
    command = [sys.executable, LAUNCHER, "call", "--text", "Write", params(path="b.py", content="1\n")]
    async with terminal(command, root, env, columns=1000) as screen:
        shown = await screen.shows("Nothing was changed.")
    said, answer = (line for line in shown.split("\n") if line)
    assert said.startswith("Nobody was asked, because the questions of other programs could not be kept")
    assert answer.startswith(f"The user rejected the change: “{said}”")
    assert not (root / "b.py").exists()


async def test_a_long_diff_is_seen_before_it_is_approved(root: Path) -> None:
    written = params(path="b.py", content="".join(f"line_{number}\n" for number in range(30)))
    env = {"XDG_STATE_HOME": str(root.parent / "state")}
    async with terminal([*COMMAND, "call", "--text", "Write", written], root, env) as screen:
        first = await screen.shows("Enter: more, n: no.")
        assert "line_0\n" in first
        screen.press("y\n")
        last = await screen.shows("Apply this change?")
        assert not (root / "b.py").exists()
        screen.press("y\n")
        await screen.shows("Created 'b.py'")
    assert {f"line_{number}" for number in range(30)} <= {*first.split(), *last.split()}
    assert (root / "b.py").exists()


async def test_the_question_escapes_what_the_terminal_lacks(root: Path) -> None:
    """The second byte of Û in UTF-8 is CSI to a terminal of 8 bits: a line could erase the one before."""
    written = params(path="b.py", content="a = 1\n#Û1AÛ2K\nend\n")
    env = {"XDG_STATE_HOME": str(root.parent / "state"), "LC_ALL": "C"}
    async with terminal([*COMMAND, "call", "Write", written], root, env) as screen:
        shown = await screen.shows("Apply this change?")
    assert r"+ #\xdb1A\xdb2K" in shown


async def test_with_an_editor_its_user_reviews(root: Path, file: Path) -> None:
    async with editing(root, command=COMMAND, **REVIEWING) as editor:
        async with asyncio.timeout(60):
            while discovery.find(root) is None:
                await editor.request("agentfs/status")
        editor.open("a.py", "unsaved\n")
        read = await asyncio.to_thread(call, root, "--text", "Read", params(path="a.py"))
        assert read.stdout.endswith("unsaved\n")
        write = ["--agent", "Hook", "--text", "Write", params(path="b.py", content="1\n")]
        calling = asyncio.ensure_future(asyncio.to_thread(call, root, *write))
        proposed = await editor.seen("agentfs/proposed")
        assert proposed["agent"] == "outside: Hook"
        settle = {"id": proposed["id"], "decision": "rejected", "feedback": "Not now."}
        await editor.request("agentfs/settle", settle)
        rejected = await calling
        assert (rejected.returncode, "Not now." in rejected.stdout) == (3, True)
        env = {"XDG_STATE_HOME": str(root.parent / "state")}
        async with terminal([*COMMAND, "call", *write], root, env) as shown:
            await shown.shows("Review the change in your editor.")
            proposed = await editor.seen("agentfs/proposed", 2)
            await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "rejected"})
            await shown.shows("The user rejected the change.")
        late = asyncio.ensure_future(
            asyncio.to_thread(call, root, "--timeout", "1", "Write", params(path="b.py", content="1\n"))
        )
        await editor.seen("agentfs/proposed", 3)
        assert (await late).returncode == 5
    assert not (root / "b.py").exists()
