"""`agentfs-lsp check-config`: which rules apply where, and for a path why
(docs/configuration.md#which-rules-apply-where)."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.command import agentfs
from support.docs import examples, section, text_of

SETTINGS = {
    "approval": {"mode": "auto_edit"},
    "rules": [
        {"files": ["[ab]*.md", "SOUL.md"], "write": "ask", "edit": "ask"},
        {"files": ["USER.md"], "write": "allow", "requires": "memory"},
    ],
    "switches": {"memory": False},
}


def check(root: Path, *arguments: str, settings: object = None) -> subprocess.CompletedProcess[str]:
    given = ["--settings", "-"] if settings is not None else []
    state = str(root.parent / "state")
    env = {**os.environ, "XDG_STATE_HOME": state, "COLUMNS": "160", "LANG": "C.UTF-8"}
    return agentfs("check-config", str(root), *arguments, *given, input=json.dumps(settings), env=env)


def checked(root: Path, *arguments: str, settings: object = None) -> dict[str, Any]:
    found = json.loads(check(root, "--json", *arguments, settings=settings).stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(("which", "title"), [("workspace", ".agentfs.toml"), ("settings", "agentfs")])
def test_it_prints_what_can_be_set_as_a_schema(root: Path, which: str, title: str) -> None:
    printed = check(root, "--schema", which)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert json.loads(printed.stdout)["title"] == title


def test_for_a_path_it_says_what_decides_each_operation(root: Path) -> None:
    (root / "link.md").symlink_to("SOUL.md")
    paths = ["SOUL.md", "USER.md", "x.txt", "soul.md", ".git/config", "link.md", "../out"]
    found = checked(root, *paths, settings=SETTINGS)
    told = {one["path"]: one for one in found["paths"]}
    assert {
        path: [told[path][one]["decision"] for one in ("read", "write", "edit")] for path in paths[:-1]
    } == {
        "SOUL.md": ["allow", "ask", "ask"],
        "USER.md": ["deny", "deny", "deny"],
        "x.txt": ["allow", "allow", "allow"],
        "soul.md": ["allow", "ask", "ask"],
        ".git/config": ["deny", "deny", "deny"],
        "link.md": ["allow", "ask", "ask"],
    }
    write = told["soul.md"]["write"]
    assert (write["source"], write["rule"]) == ("spelling", "SOUL.md")
    assert write["besides"] == [{"decision": "allow", "source": "mode", "rule": None}]
    assert told["USER.md"]["read"]["rule"] == "switches.memory"
    assert told["link.md"]["resolved"] == "SOUL.md"
    assert "within project root" in told["../out"]["error"]


def test_what_git_runs_is_protected_by_its_setting(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]\n\thooksPath = tools\n")
    found = checked(root, "tools/pre-push", settings=SETTINGS)["paths"][0]
    assert found["read"]["decision"] == "allow"
    assert found["write"] == {
        "decision": "ask",
        "source": "protected",
        "rule": "core.hooksPath",
        "besides": [{"decision": "allow", "source": "mode", "rule": None}],
    }


def test_the_workspaces_file_counts_and_what_is_wrong_is_told(root: Path) -> None:
    (root / ".agentfs.toml").write_text("save = 'always'\nrules = [{files = ['*.sql'], read = 'deny'}]\n")
    found = checked(root, "a.sql", settings={"agentfs": SETTINGS})
    assert found["paths"][0]["read"] == {
        "decision": "deny",
        "source": "workspace",
        "rule": "*.sql",
        "besides": [{"decision": "allow", "source": "mode", "rule": None}],
    }
    assert [rule["source"] for rule in found["rules"]] == ["settings", "settings", ".agentfs.toml"]
    assert found["problems"] == [f'{root}/.agentfs.toml: save can only be "never" in a workspace; ignored.']
    assert check(root, settings=SETTINGS).returncode == 1


@pytest.mark.parametrize(
    "wrapped",
    [
        SETTINGS,
        {"agentfs": SETTINGS, "python": {}},
        {f"agentfs.{key}": value for key, value in SETTINGS.items()} | {"editor.tabSize": 4},
    ],
)
def test_settings_are_found_however_an_editor_wraps_them(root: Path, wrapped: object) -> None:
    found = checked(root, settings=wrapped)
    assert (found["mode"], found["switches"], len(found["rules"])) == ("auto_edit", {"memory": False}, 2)
    assert found["problems"] == []


def test_settings_of_other_programs_are_no_settings_of_agentfs(root: Path) -> None:
    for settings in ({"editor.tabSize": 4, "python": {}}, {}):
        ended = check(root, "--json", settings=settings)
        assert (ended.returncode, json.loads(ended.stdout)["problems"]) == (0, [])
        assert ended.stderr.startswith("agentfs-lsp check-config: '-' contains no settings of agentfs")
        assert "agentfs.approval.mode" in ended.stderr


def test_the_terminal_shows_rules_and_paths_as_tables(root: Path) -> None:
    listed = check(root, settings=SETTINGS)
    assert listed.returncode == 0
    assert "[ab]*.md" in listed.stdout
    assert "Switch memory: off" in listed.stdout
    assert "switches.memory is off" in check(root, "USER.md", settings=SETTINGS).stdout


def test_the_example_of_the_documents_is_what_it_prints(root: Path) -> None:
    docs = text_of("configuration.md")
    rules = json.loads(examples(section(docs, "Rules"), "json")[0])
    settings = {**rules, "approval": {"mode": "auto_edit"}}
    shown = check(root, "SOUL.md", settings=settings).stdout.replace(str(root), "/home/u/app")
    _, _, printed = examples(docs, "console")[0].partition("\n")
    assert [line.rstrip() for line in shown.splitlines()] == printed.splitlines()


def test_formatters_that_would_not_run_are_told(root: Path) -> None:
    own = root / "format"
    own.write_text("#!/bin/sh\ncat\n")
    own.chmod(0o755)
    commands = {"*.a": ["cat"], "*.b": [["no-such-formatter"], ["cat"]], "*.c": [str(own)]}
    found = check(root, "--json", settings={"correction": {"formatters": commands}})
    assert found.returncode == 1
    missing, inside = json.loads(found.stdout)["problems"]
    assert missing.startswith("correction.formatters: no-such-formatter was not found; ")
    assert f"{own} is in the workspace" in inside


def test_without_settings_the_defaults_apply(root: Path) -> None:
    found = checked(root, "a.md", ".env")
    assert (found["mode"], found["rules"], found["files"]) == ("manual", [], None)
    assert [one["read"]["decision"] for one in found["paths"]] == ["allow", "ask"]


def test_names_and_globs_forge_no_lines(root: Path) -> None:
    folder = root / "evil\nforged 1"
    folder.mkdir()
    (folder / ".agentfs.toml").write_text('protected = ["a\\nforged 2"]\n"x\\nforged 3" = 1\n')
    rule = {"files": ["b\nforged 4"], "write": "ask"}
    rules = check(folder, settings={"rules": [rule]}).stdout
    paths = check(folder, "a\nforged 5", "../\nforged 6", settings={}).stdout
    assert all(f"forged {number}" in rules + paths for number in range(1, 7))
    lines = (rules + paths).splitlines()
    assert [line for line in lines if line.lstrip(" │┃").startswith("forged")] == []
    refused = check(folder, "--settings", "no\nforged")
    assert len(refused.stderr.splitlines()) == 1


def test_what_cannot_be_looked_at_is_wrong_usage(root: Path) -> None:
    for arguments in (["nowhere"], [str(root), "--settings", str(root / "missing.json")]):
        ended = agentfs("check-config", *arguments, cwd=root)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith("agentfs-lsp check-config: ")


def test_a_folder_is_told_as_one_and_not_judged_as_a_file(root: Path) -> None:
    """A rule such as `secrets/` concerns what is in the folder: applied to the folder itself, it would
    suggest that agents may read there."""
    (root / "secrets").mkdir()
    rules = [{"files": ["secrets/"], "read": "deny"}]
    found = checked(root, "secrets", "secrets/a", settings={"rules": rules})
    folder, file = found["paths"]
    assert folder == {"path": "secrets", "error": "'secrets' is a directory."}
    assert file["read"]["decision"] == "deny"


def test_what_is_wrong_with_the_settings_file_is_told_in_the_users_language(root: Path) -> None:
    (root / "cut.json").write_text("{\n  ,")
    (root / "latin.json").write_bytes(b'{"\xff": 1}')
    for name, words in (
        ("cut.json", "不是 JSON：第 2 行，第 3 列。JSON 不允许注释"),
        ("latin.json", "不是 JSON"),
        ("none", "无法读取"),
    ):
        environment = {**os.environ, "LANG": "zh_CN.UTF-8", "LC_ALL": "zh_CN.UTF-8", "PYTHONUTF8": "1"}
        ended = agentfs("check-config", str(root), "--settings", name, cwd=root, env=environment)
        assert ended.returncode == 2
        assert words in ended.stderr
