"""Spellings of paths, and where they may lead: docs/protocol.md#4-paths-and-roots."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from support.editor import AUTO, Editor, editing

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def every_tool(editor: Editor, path: str) -> list[dict[str, Any]]:
    return [
        await editor.read(path),
        await editor.read(path, start_line=1, limit=1),
        await editor.write(path, "put in\n"),
        await editor.write(path, "put in\n", dry_run=True),
        await editor.edit(path, "sec", "put in", expected_size_bytes=7),
    ]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "empty"),
        ("a\\b.txt", "backslash"),
        ("a\nb.txt", "control character"),
        ("a\0b.txt", "control character"),
        ("a\x9bb.txt", "control character"),
        ("/etc/passwd", "Absolute path not allowed. Use relative path."),
        ("file:///etc/passwd", "URI"),
        ("https://example.org/a", "URI"),
        ("half\ud800.txt", "not valid Unicode"),
        ("n" * 256, "longer than"),
        ("中" * 86, "longer than"),
        (
            "caf\udce9.txt",
            "not valid Unicode or not valid on this file system. An existing file with this name must",
        ),
        ("d/" * 3000 + "a.txt", "longer than"),
        ("d/" * 500_000, "longer than"),
        ("./" * 500_000 + "a.txt", "longer than"),
    ],
)
async def test_a_spelling_no_path_has_is_an_invalid_parameter(auto: Editor, path: str, message: str) -> None:
    for answer in await every_tool(auto, path):
        assert (answer["status"], answer["error"]["code"]) == ("error", "INVALID_PARAM")
        assert message in answer["error"]["message"]
        assert "path_resolved" not in answer["context"]
        assert len(answer["text"]) < 2000


async def test_odd_but_possible_names_are_files_like_any(auto: Editor) -> None:
    for name in (
        " leading",
        "trailing ",
        "quote'\"",
        "per%20cent",
        "hash#?.txt",
        "ünï/中文 😀.txt",
        "-rf",
        "~",
        "C:x",
    ):
        written = await auto.write(name, f"{name}\n")
        assert (written["status"], written["context"]["path_resolved"]) == ("success", name)
        assert (await auto.read(name))["data"]["content"] == f"{name}\n"
        assert (auto.root / name).read_text() == f"{name}\n"


@pytest.mark.parametrize("path", ["../outside.txt", "a/../../outside.txt", "../../../../etc/passwd", ".."])
async def test_nothing_outside_is_reached(auto: Editor, path: str) -> None:
    outside = auto.root.parent / "outside.txt"
    outside.write_text("secret\n")
    for answer in await every_tool(auto, path):
        assert answer["error"] == {"code": "ACCESS_DENIED", "message": "Path must be within project root."}
        assert answer["text"].endswith("ask the user to open the folder that contains it.")
        assert "secret" not in str(answer)
    assert outside.read_text() == "secret\n"


async def test_links_that_lead_outside_are_refused_whether_anything_is_there_or_not(auto: Editor) -> None:
    outside = auto.root.parent / "beyond"
    outside.mkdir()
    (outside / "kept.txt").write_text("secret\n")
    (auto.root / "to-file").symlink_to(outside / "kept.txt")
    (auto.root / "to-folder").symlink_to("../beyond")
    (auto.root / "to-nothing").symlink_to(outside / "missing.txt")
    paths = ("to-file", "to-folder/kept.txt", "to-folder/new.txt", "to-folder/kept.txt/x", "to-nothing")
    for path in paths:
        for answer in await every_tool(auto, path):
            told = {"code": "ACCESS_DENIED", "message": "Path must be within project root."}
            assert answer["error"] == told, path
            assert "path_resolved" not in answer["context"]
            assert "secret" not in str(answer)
    assert [one.name for one in outside.iterdir()] == ["kept.txt"]
    assert (outside / "kept.txt").read_text() == "secret\n"


async def test_a_path_through_the_outside_is_refused_whatever_is_there(auto: Editor) -> None:
    outside = auto.root.parent / "around"
    (outside / "folder").mkdir(parents=True)
    (outside / "file").write_text("secret\n")
    (auto.root / "out").symlink_to(outside)
    (auto.root / "back.txt").write_text("text\n")
    for name in ("file", "folder", "missing"):
        for start in ("../around", "out"):
            path = f"{start}/{name}/../../{auto.root.name}/back.txt"
            answers = await every_tool(auto, path)
            answers.append(await auto.request("agentfs/history", {"path": path}))
            for answer in answers:
                told = {"code": "ACCESS_DENIED", "message": "Path must be within project root."}
                assert answer["error"] == told, path
    assert (auto.root / "back.txt").read_text() == "text\n"


async def test_a_path_through_a_denied_place_tells_nothing_of_it(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "secret/folder").mkdir(parents=True)
    (root / "open").mkdir()
    (root / "secret/file").write_text("secret\n")
    (root / "secret/link").symlink_to("../open/a.txt")
    (root / "secret/out").symlink_to("/etc/hosts")
    (root / "secret/loop").symlink_to("loop")
    (root / "inner").symlink_to("secret")
    for name in ("file", "folder", "missing", "link", "out", "loop"):
        (root / f"to-{name}").symlink_to(f"secret/{name}")
    (root / "open/a.txt").write_text("text\n")
    rule = {"files": ["secret/**"], "read": "deny", "write": "deny", "edit": "deny"}
    async with editing(root, options={**AUTO, "rules": [rule]}) as editor:
        spelled = ("secret/{}", "secret/{}/x", "secret/{}/../../open/a.txt", "inner/{}", "inner/{}/x")
        for path in (*spelled, "to-{}", "to-{}/x", "to-{}/../../open/a.txt"):
            told = set()
            for name in ("file", "folder", "missing", "link", "out", "loop"):
                for number, answer in enumerate(await every_tool(editor, path.format(name))):
                    assert answer["error"]["code"] == "ACCESS_DENIED", path.format(name)
                    told.add((number, answer["text"].replace(name, "NAME")))
                history = await editor.request("agentfs/history", {"path": path.format(name)})
                told.add((-1, history["text"].replace(name, "NAME")))
            assert len(told) == 6, path
        assert (await editor.read("open/../open/a.txt"))["status"] == "success"
    assert (root / "open/a.txt").read_text() == "text\n"


@pytest.mark.parametrize("glob", ["{}/", "{}/**"])
async def test_a_denied_folders_own_name_tells_nothing_of_it(tmp_path: Path, glob: str) -> None:
    names = ("folder", "missing", "link", "file")
    for folder in ("folder", "open"):
        (tmp_path / folder).mkdir()
    (tmp_path / "link").symlink_to("open")
    for file in ("file", "open/a.txt"):
        (tmp_path / file).write_text("text\n")
    rule = {"files": [glob.format(name) for name in names], "read": "deny", "write": "deny"}
    async with editing(tmp_path, options={**AUTO, "rules": [rule]}) as editor:
        for path in ("{}", "{}/../open/a.txt"):
            told = set()
            for name in names:
                for number, answer in enumerate(await every_tool(editor, path.format(name))):
                    assert answer["error"]["code"] == "ACCESS_DENIED", path.format(name)
                    told.add((number, answer["text"].replace(name, "NAME")))
            assert len(told) == 5, path


async def test_what_is_no_regular_file_is_refused_at_once(auto: Editor) -> None:
    os.mkfifo(auto.root / "pipe")
    bound = socket.socket(socket.AF_UNIX)
    here = os.open(auto.root, os.O_RDONLY)
    try:
        bound.bind(
            f"/proc/self/fd/{here}/socket" if os.path.exists("/proc/self/fd") else str(auto.root / "socket")
        )
    finally:
        os.close(here)
        bound.close()
    for path in ("pipe", "socket"):
        for answer in await every_tool(auto, path):
            assert answer["error"]["code"] == "INVALID_PARAM"
            assert "not a regular file" in answer["error"]["message"]
    assert (auto.root / "pipe").is_fifo()
    (auto.root / "folder").mkdir()
    for path in ("folder", "folder/", "./", "."):
        for answer in await every_tool(auto, path):
            assert answer["error"]["code"] == "IS_DIRECTORY"


async def test_names_that_would_not_be_shown_as_they_are_are_not_created(auto: Editor) -> None:
    for name in ("photo\u202egpj.py", "a\u2066b\u2069.txt", "left\u200eright", "folder\u202e/a.txt"):
        answer = await auto.write(name, "x\n")
        assert answer["error"]["code"] == "INVALID_PARAM"
        assert name not in answer["text"]
    assert not [path for path in auto.root.iterdir() if "\u202e" in path.name]
    (auto.root / "there\u202e.txt").write_text("one\n")
    read = await auto.read("there\u202e.txt")
    assert (read["data"]["content"], "\u202e" in read["text"]) == ("one\n", False)
    changed = await auto.write("there\u202e.txt", "two\n")
    assert changed["status"] == "success"
    assert "\u202e" not in changed["text"] + changed["data"]["diff_preview"]
