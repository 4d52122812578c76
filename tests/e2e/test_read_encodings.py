"""Files that are not UTF-8, and files too large to load: docs/protocol.md#5-agentfsread."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from support.editor import AUTO, Editor, editing
from support.sharing import in_module, shared

pytestmark = in_module

LIMIT = 1000
RUSSIAN = "# \u043f\u0440\u043e\u0432\u0435\u0440\u043a\u0430 \u0444\u0430\u0439\u043b\u0430\n"
GBK = "中文 text\n".encode("gbk")


GBK_AND_SMALL = {**AUTO, "encoding": {"default": "GBK"}, "limits": {"max_file_bytes": LIMIT}}
server, root, editor = shared(lambda root: editing(root, options=GBK_AND_SMALL))


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gbk", "# 这是一个测试文件\nx = 1\n# 读取配置，然后返回。\n"),
        ("big5", "# 這是一個測試檔案\n讀取設定，然後返回。\n"),
        ("shift_jis", "# これはテストです\n設定を読み込む\n"),
        ("euc_jp", "# これはテストです\n設定を読み込む\n"),
        ("euc_kr", "# 이것은 시험 파일입니다\n설정을 읽는다\n"),
        ("cp1251", RUSSIAN),
        ("koi8-r", RUSSIAN),
        ("cp1252", "# Größe über Straße\ncafé\n"),
        (None, "naïve Größe, and one damaged byte: \udcff\n"),
        (None, "\udc81\udcff\n"),
    ],
)
async def test_a_lossy_read_names_encoding_and_setting(auto: Editor, encoding: str | None, text: str) -> None:
    (auto.root / "lossy.txt").write_bytes(text.encode(encoding or "utf-8", "surrogateescape"))
    answer = await auto.read("lossy.txt")
    assert answer["data"]["fallback_encoding"] == "replace"
    assert "agentfs.encoding.default" in answer["text"]
    assert re.findall(r"They look like ([\w-]+)", answer["text"]) == ([encoding] if encoding else [])
    if encoding:
        async with editing(auto.root, options={"encoding": {"default": encoding}}) as editor:
            again = await editor.read("lossy.txt")
            assert (again["status"], again["data"]["content"]) == ("success", text)


async def test_editorconfig_comes_before_the_setting(editor: Editor) -> None:
    folder = editor.root / "latin"
    folder.mkdir()
    (folder / ".editorconfig").write_text("root = true\n[*.txt]\ncharset = latin1\n")
    (folder / "a.txt").write_bytes(b"caf\xe9\n")
    answer = await editor.read("latin/a.txt")
    assert (answer["data"]["content"], answer["stats"]["encoding"]) == ("café\n", "iso8859-1")
    (folder / "a.md").write_bytes(GBK)
    assert (await editor.read("latin/a.md"))["stats"]["encoding"] == "gbk"


@pytest.mark.parametrize("charset", ["cp037", "cp273", "cp500", "cp875", "cp1026"])
async def test_an_encoding_that_does_not_extend_ascii_counts_as_unknown(root: Path, charset: str) -> None:
    """Its landed bytes would differ from those that the user and the search for secrets saw."""
    (root / ".editorconfig").write_text(f"root = true\n[*]\ncharset = {charset}\n")
    before = b"\xe9t\xe9\n"
    (root / "run.sh").write_bytes(before)
    hidden = "export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345".encode("ascii").decode(charset)
    async with editing(root, options=AUTO) as editor:
        answer = await editor.read("run.sh")
        written = await editor.write("run.sh", hidden, expected_hash=answer["data"]["hash"])
    assert (answer["status"], answer["stats"]["encoding"]) == ("partial", "utf-8")
    assert written["error"]["code"] == "INVALID_PARAM"
    assert (root / "run.sh").read_bytes() == before


async def test_where_editorconfigs_charset_does_not_fit_the_setting_is_tried(editor: Editor) -> None:
    folder = editor.root / "strict"
    folder.mkdir()
    (folder / ".editorconfig").write_text("[*]\ncharset = utf-8\n")
    (folder / "old.txt").write_bytes(GBK)
    assert (await editor.read("strict/old.txt"))["data"]["content"] == "中文 text\n"


async def test_utf_16_without_a_mark_is_text_where_editorconfig_says_so(editor: Editor) -> None:
    folder = editor.root / "wide"
    folder.mkdir()
    (folder / "a.txt").write_bytes("wide\n".encode("utf-16-le"))
    assert (await editor.read("wide/a.txt"))["error"]["code"] == "BINARY_FILE"
    (folder / ".editorconfig").write_text("[*]\ncharset = utf-16le\n")
    answer = await editor.read("wide/a.txt")
    assert (answer["data"]["content"], answer["stats"]["encoding"]) == ("wide\n", "utf-16-le")
    done = await editor.edit("wide/a.txt", "wide", "wider ä")
    assert done["status"] == "success"
    assert (folder / "a.txt").read_bytes() == "wider ä\n".encode("utf-16-le")


async def test_the_encoding_the_editor_shows_a_file_in_is_believed(editor: Editor) -> None:
    data = b"\xff\xe9 latin\n"
    (editor.root / "told.txt").write_bytes(data)
    document = editor.open("told.txt", data.decode("windows-1252"))
    editor.notify("agentfs/documentState", {"uri": document.uri, "dirty": False, "encoding": "windows1252"})
    answer = await editor.read("told.txt")
    assert (answer["status"], answer["data"]["dirty"]) == ("success", False)
    assert (answer["data"]["content"], answer["stats"]["encoding"]) == ("ÿé latin\n", "cp1252")


@pytest.mark.parametrize("typed", ["中文 😀\n", "half \ud83d\n"])
async def test_typing_that_the_files_encoding_cannot_hold_is_read(editor: Editor, typed: str) -> None:
    (editor.root / "typed.txt").write_bytes(GBK)
    editor.open("typed.txt", typed)
    answer = await editor.read("typed.txt")
    editor.close("typed.txt")
    assert (answer["status"], answer["data"]["content"]) == ("success", typed)
    assert (answer["data"]["dirty"], answer["stats"]["encoding"]) == (True, "gbk")
    assert answer["data"]["hash"] == "sha256:" + sha256(typed.encode("utf-8", "surrogatepass")).hexdigest()


# --- files over limits.max_file_bytes ---------------------------------------------------------------------


async def test_a_file_over_the_limit_is_refused_with_the_way_out(editor: Editor) -> None:
    (editor.root / "exact.txt").write_bytes(b"x" * LIMIT)
    assert (await editor.read("exact.txt"))["status"] == "success"
    (editor.root / "large.txt").write_bytes(b"x" * (LIMIT + 1))
    for params in ({}, {"limit": 0}):
        answer = await editor.read("large.txt", **params)
        assert answer["error"]["code"] == "INVALID_PARAM"
        assert "start_line and limit" in answer["text"]
        assert answer["context"]["path_resolved"] == "large.txt"


async def test_a_line_over_the_limit_is_cut_and_the_text_says_why(editor: Editor) -> None:
    (editor.root / "lines.txt").write_bytes(b"one\n" + b"x" * (LIMIT - 1) + b"\r\n" + b"y" * LIMIT)
    cut = await editor.read("lines.txt", start_line=2, limit=1)
    assert (cut["status"], cut["data"]["content"]) == ("partial", "x" * (LIMIT - 1))
    assert "agentfs.limits.max_file_bytes" in cut["text"]
    assert "limit=1" not in cut["text"]


async def test_ranges_are_decoded_like_the_whole_would_be(editor: Editor) -> None:
    mark = b"\xff\xfe"
    (editor.root / "wide.txt").write_bytes(mark + ("ä😀\r\n" * 400).encode("utf-16-le"))
    answer = await editor.read("wide.txt", start_line=3, limit=1)
    assert (answer["data"]["content"], answer["data"]["bom"]) == ("ä😀\r\n", True)
    assert (answer["data"]["final_newline"], answer["stats"]["encoding"]) == (True, "utf-16-le")
    (editor.root / "gbk-large.txt").write_bytes(GBK * 200)
    answer = await editor.read("gbk-large.txt", limit=1)
    assert (answer["data"]["content"], answer["stats"]["encoding"]) == ("中文 text\n", "gbk")
    folder = editor.root / "latin-large"
    folder.mkdir()
    (folder / ".editorconfig").write_text("[*]\ncharset = latin1\n")
    (folder / "a.txt").write_bytes(b"caf\xe9\n" * 300)
    assert (await editor.read("latin-large/a.txt", limit=1))["data"]["content"] == "café\n"


async def test_a_large_file_is_never_changed(editor: Editor) -> None:
    path = editor.root / "kept.txt"
    path.write_bytes(b"line\n" * 400)
    await editor.read("kept.txt", limit=1)
    for answer in (
        await editor.edit("kept.txt", "line", "other", replace_all=True),
        await editor.write("kept.txt", "short\n", expected_size_bytes=2000),
    ):
        assert answer["error"]["code"] == "INVALID_PARAM"
    assert path.read_bytes() == b"line\n" * 400
