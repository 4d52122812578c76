"""The editor's encodings of files it does not have open: docs/protocol.md#14-the-editors-own-methods."""

import codecs
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from support.editor import AUTO, REVIEWING, Editor, editing

pytestmark = pytest.mark.asyncio(loop_scope="module")

RULES = [
    {"files": ["*"], "encoding": "gbk"},
    {"files": ["*.md", "readme"], "encoding": "windows1252"},
    {"files": ["docs/*.md"], "encoding": "utf8"},
    {"files": ["*.bom"], "encoding": "utf8bom"},
    {"files": ["*.wide"], "encoding": "utf16le"},
    {"files": ["*.odd"], "encoding": "nosuchencoding"},
]


def tell(editor: Editor, rules: object) -> None:
    folder = {"uri": editor.root.as_uri(), "rules": rules}
    editor.notify("agentfs/fileEncodings", {"folders": [folder]})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    root = tmp_path_factory.mktemp("told") / "root"
    root.mkdir()
    async with editing(root, options=AUTO) as editor:
        tell(editor, RULES)
        yield editor


async def test_a_closed_file_is_read_as_the_editor_would_read_it(editor: Editor) -> None:
    (editor.root / "a.txt").write_bytes("中文 text\n".encode("gbk"))
    answer = await editor.read("a.txt")
    assert (answer["status"], answer["data"]["content"]) == ("success", "中文 text\n")
    assert answer["stats"]["encoding"] == "gbk"
    done = await editor.edit("a.txt", "text", "文本")
    assert done["status"] == "success"
    assert (editor.root / "a.txt").read_bytes() == "中文 文本\n".encode("gbk")


@pytest.mark.parametrize("opens", [False, True])
async def test_what_an_encoding_told_during_the_review_cannot_express_does_not_land(
    root: Path, *, opens: bool
) -> None:
    (root / "a.txt").write_text("one\n")
    async with editing(root, **REVIEWING) as editor:
        if not opens:
            editor.open("a.txt")
        await editor.read("a.txt")
        asked = editor.start("agentfs/edit", {"path": "a.txt", "old_string": "one", "new_string": "→"})
        proposal = await editor.proposed()
        if opens:
            editor.open("a.txt")
        editor.notify("agentfs/documentState", {"uri": editor.uri("a.txt"), "encoding": "windows1252"})
        await editor.settle(proposal)
        assert (await asked)["error"]["code"] == "INVALID_PARAM"
        assert editor.documents[editor.uri("a.txt")].text == "one\n"


async def test_a_new_file_is_written_as_the_editor_would_write_it(editor: Editor) -> None:
    assert (await editor.write("new.txt", "新文件\n"))["data"]["applied"]
    assert (editor.root / "new.txt").read_bytes() == "新文件\n".encode("gbk")
    answer = await editor.read("new.txt")
    assert (answer["data"]["content"], answer["stats"]["encoding"]) == ("新文件\n", "gbk")


@pytest.mark.parametrize(
    ("path", "encoding", "mark"),
    [
        ("new.md", "cp1252", b""),
        ("sub/NEW.MD", "cp1252", b""),
        ("sub/README", "cp1252", b""),
        ("docs/new.md", "utf-8", b""),
        ("docs/sub/new.md", "utf-8", b""),
        ("sub/docs/new.md", "cp1252", b""),
        ("new.bom", "utf-8", codecs.BOM_UTF8),
        ("new.wide", "utf-16-le", codecs.BOM_UTF16_LE),
        ("new.odd", "utf-8", b""),
    ],
)
async def test_the_last_matching_rule_decides(editor: Editor, path: str, encoding: str, mark: bytes) -> None:
    assert (await editor.write(path, "é\n"))["data"]["applied"]
    assert (editor.root / path).read_bytes() == mark + "é\n".encode(encoding)
    answer = await editor.read(path)
    assert (answer["data"]["content"], answer["data"]["bom"]) == ("é\n", bool(mark))


async def test_an_ascii_file_takes_new_text_in_its_encoding(editor: Editor) -> None:
    (editor.root / "ascii.txt").write_bytes(b"one\n")
    (editor.root / "empty.txt").write_bytes(b"")
    await editor.read("ascii.txt")
    await editor.read("empty.txt")
    assert (await editor.edit("ascii.txt", "one", "一"))["status"] == "success"
    assert (await editor.write("empty.txt", "一\n"))["status"] == "success"
    assert (editor.root / "ascii.txt").read_bytes() == "一\n".encode("gbk")
    assert (editor.root / "empty.txt").read_bytes() == "一\n".encode("gbk")


async def test_what_the_encoding_can_not_express_is_refused(editor: Editor) -> None:
    answer = await editor.write("emoji.txt", "line\n😀\n")
    assert (answer["error"]["code"], "gbk" in answer["text"]) == ("INVALID_PARAM", True)
    assert not (editor.root / "emoji.txt").exists()


async def test_marks_and_utf_8_come_first(editor: Editor) -> None:
    (editor.root / "marked.txt").write_bytes(codecs.BOM_UTF8 + "é\n".encode())
    (editor.root / "utf8.txt").write_bytes("é 中\n".encode())
    for name in ("marked.txt", "utf8.txt"):
        assert (await editor.read(name))["stats"]["encoding"] == "utf-8"


async def test_wide_encodings_are_for_what_has_nul(editor: Editor) -> None:
    (editor.root / "old.wide").write_bytes("wide\n".encode("utf-16-le"))
    (editor.root / "latin.wide").write_bytes(b"caf\xe9s\n")
    assert (await editor.read("old.wide"))["data"]["content"] == "wide\n"
    assert (await editor.read("latin.wide"))["status"] == "partial"


async def test_what_is_told_anew_replaces_what_was_told(editor: Editor) -> None:
    (editor.root / "again.txt").write_bytes(b"caf\xe9\n")
    tell(editor, [{"files": ["*"], "encoding": "windows1252"}])
    try:
        assert (await editor.read("again.txt"))["data"]["content"] == "café\n"
    finally:
        tell(editor, RULES)


async def test_more_than_an_editor_needs_is_left_out(editor: Editor) -> None:
    (editor.root / "over.txt").write_bytes("中文\n".encode("gbk"))
    many = [f"*{'a?' * 40}{number}" for number in range(1000)]
    tell(editor, [{"files": ["*"], "encoding": "gbk"}, {"files": [*many, "over.txt"], "encoding": "cp1252"}])
    try:
        assert (await editor.read("over.txt"))["data"]["content"] == "中文\n"
    finally:
        tell(editor, RULES)


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {"folders": {}},
        {"folders": [1, {"uri": 5}, {"uri": "untitled:a"}]},
        {"folders": [{"uri": "file:///x", "rules": [{"files": "*", "encoding": "gbk"}, {"files": [5]}]}]},
    ],
)
async def test_unusable_encoding_reports_are_ignored(editor: Editor, params: object) -> None:
    editor.notify("agentfs/fileEncodings", params)
    try:
        (editor.root / "untold.txt").write_bytes("中文\n".encode("gbk"))
        assert (await editor.read("untold.txt"))["status"] == "partial"
    finally:
        tell(editor, RULES)
