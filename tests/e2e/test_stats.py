"""`agentfs-lsp stats`: docs/operations.md#statistics. AGENTFS_RECORD=1 writes the expected output anew."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.service.statistics import Statistics
from generated import keys_of
from support.command import COMMAND, agentfs, run
from support.docs import REPOSITORY
from support.editor import REVIEWING, editing
from support.operation_log import log_file
from support.terminal import terminal

CASES = REPOSITORY / "tests" / "cases" / "stats"
LOG = CASES / "operations.jsonl"


def stats(*arguments: str, state: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """With a log and a terminal of its own."""
    plain = {
        name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "COLUMNS"))
    }
    env = {
        **plain,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "XDG_STATE_HOME": str(state or "/nonexistent"),
        **variables,
    }
    return agentfs("stats", *arguments, env=env, encoding="utf-8")


def numbers(*arguments: str, state: Path | None = None) -> Any:
    return json.loads(stats(*arguments, "--json", state=state).stdout)


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("wide", {}),
        ("narrow", {"COLUMNS": "40"}),
        ("chinese", {"LC_ALL": "zh_CN.UTF-8"}),
    ],
)
def test_a_log_as_tables(name: str, variables: dict[str, str]) -> None:
    ended = stats("--operations-log", str(LOG), **variables)
    shown = "".join(f"{line.rstrip()}\n" for line in ended.stdout.splitlines())
    expected = CASES / f"{name}.txt"
    if os.environ.get("AGENTFS_RECORD"):
        expected.write_text(shown, "utf-8")
    assert shown == expected.read_text("utf-8")
    assert ended.stderr == ""


async def test_what_a_server_logged_is_counted(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.py")
        await editor.read("none.py")
        for number, decision in enumerate(("accepted", "rejected"), 1):
            changing = editor.start("agentfs/write", {"path": "a.py", "content": f"{number}\n"})
            await editor.settle(await editor.proposed(number), decision)
            await changing
    told = numbers(state=editor.state)
    assert set(told) == {"log", *(key.name for key in keys_of(Statistics))}
    assert told["log"] == str(log_file(editor.state))
    assert {one["operation"]: one["count"] for one in told["by_operation"]} == {"read": 2, "update": 2}
    assert (told["success"]["count"], told["rejection"]["count"]) == (2, 1)
    assert (told["rejection"]["of"], told["review"]["count"], told["skipped_lines"]) == (2, 2, 0)
    assert {one["name"] for one in told["errors"]} == {"NOT_FOUND", "USER_REJECTED"}
    assert numbers("--workspace", str(root), "--since", "1h", state=editor.state)["operations"] == 4
    assert numbers("--workspace", str(root.parent / "x"), state=editor.state)["operations"] == 0


def test_as_json_it_needs_no_other_package() -> None:
    without = (
        "import sys; sys.modules['rich'] = None; from agentfs_lsp.__main__ import main; sys.exit(main())"
    )
    told = run(sys.executable, "-c", without, "stats", "--json", "--operations-log", str(LOG), check=True)
    assert json.loads(told.stdout)["operations"] == 12


@pytest.mark.parametrize(
    ("since", "count"),
    [
        ("2026-01-31", 1),
        ("2026-01-30T10:00", 2),
        ("2026-01-30T11:00+01:00", 2),
        ("2026-01-30 09:08:00Z", 3),
        ("999999w", None),
        ("yesterday", None),
        ("5", None),
        ("-2d", None),
        ("", None),
    ],
)
def test_since_is_an_age_or_a_date(since: str, count: int | None) -> None:
    ended = stats("--operations-log", str(LOG), f"--since={since}", "--json")
    if count is None:
        assert ended.returncode == 2
        assert "--since: must be an age such as 30m, 12h, 2d, or 4w, or a date" in ended.stderr
    else:
        assert json.loads(ended.stdout)["operations"] == count


def test_without_operations_it_says_what_to_do(tmp_path: Path) -> None:
    nothing = stats(state=tmp_path)
    assert (nothing.returncode, nothing.stderr) == (0, "")
    assert "log.operations" in nothing.stdout
    assert str(log_file(tmp_path)) in nothing.stdout
    assert "omit --since" in stats("--operations-log", str(LOG), "--since", "1m").stdout
    elsewhere = stats("--operations-log", str(LOG), "--workspace", "/nowhere\x1b[31m").stdout
    assert "omit --workspace" in elsewhere
    assert "\x1b" not in elsewhere
    link = tmp_path / "link"
    link.symlink_to(LOG)
    refused = stats("--operations-log", str(link))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "it is a link" in refused.stderr


async def test_a_terminal_has_colors_unless_the_user_wants_none(tmp_path: Path) -> None:
    command = [*COMMAND, "stats", "--operations-log", str(LOG)]
    env = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
    colors = []
    for more in ({}, {"NO_COLOR": "1"}):
        async with terminal(command, tmp_path, env | more) as screen:
            await screen.shows("Skipped: 2 lines")
            colors.append({cell.fg for row in screen.cells for cell in row})
    assert "cyan" in colors[0]
    assert colors[1] == {"default"}
