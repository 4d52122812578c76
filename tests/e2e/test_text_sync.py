"""The server's copy of the editor's text: docs/protocol.md#1-start-and-transport.

Each change is sent like an editor's, by line and column, and read back by an agent.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from support.editor import Editor, Message, editing

pytestmark = pytest.mark.asyncio(loop_scope="module")

ODD = {
    "form feed": "\f",
    "vertical tab": "\v",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "next line": "\u0085",
    "file separator": "\x1c",
    "record separator": "\x1e",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["utf-8", "utf-16", "utf-32"])
async def editor(request: Any, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    root = tmp_path_factory.mktemp(request.param) / "root"
    root.mkdir()
    offered = {"general": {"positionEncodings": [request.param]}}
    async with editing(root, capabilities=offered, name="VSCodium") as editor:
        assert editor.initialized["capabilities"]["positionEncoding"] == request.param
        yield editor


def units(text: str, encoding: str) -> int:
    """The length of a piece of a line in this encoding's units."""
    return {
        "utf-8": len(text.encode()),
        "utf-16": len(text.encode("utf-16-le")) // 2,
        "utf-32": len(text),
    }[encoding]


def span(editor: Editor, line: int, before: str, replaced: str) -> Message:
    """The range of `replaced`, which follows `before` in a line."""
    encoding = editor.initialized["capabilities"]["positionEncoding"]
    start = units(before, encoding)
    return {
        "start": {"line": line, "character": start},
        "end": {"line": line, "character": start + units(replaced, encoding)},
    }


async def shown(editor: Editor, path: str) -> Any:
    answer = await editor.read(path, limit=0)
    assert answer["data"]["source"] == "editor"
    return answer["data"]["content"]


def type_over(editor: Editor, path: str, version: int, *changes: tuple[Message | None, str]) -> None:
    wire = [{"range": where, "text": text} if where else {"text": text} for where, text in changes]
    identifier = {"uri": editor.uri(path), "version": version}
    editor.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": wire})


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
async def test_what_is_no_line_end_is_content(editor: Editor, odd: str) -> None:
    editor.open("odd.py", f"first{odd}still first\nsecond\n")
    type_over(editor, "odd.py", 2, (span(editor, 1, "", "second"), "SECOND"))
    assert await shown(editor, "odd.py") == f"first{odd}still first\nSECOND\n"
    type_over(editor, "odd.py", 3, (span(editor, 0, f"first{odd}", "still"), "on the"))
    assert await shown(editor, "odd.py") == f"first{odd}on the first\nSECOND\n"
    answer = await editor.read("odd.py")
    assert (answer["stats"]["total_lines"], answer["data"]["eol"]) == (2, "lf")


async def test_columns_are_counted_as_agreed(editor: Editor) -> None:
    line = "aé漢😀z = '😀é'"
    editor.open("columns.py", f"{line}\n")
    type_over(editor, "columns.py", 2, (span(editor, 0, "aé漢😀", "z"), "name"))
    type_over(editor, "columns.py", 3, (span(editor, 0, "aé漢😀name = '", "😀"), "é"))
    assert await shown(editor, "columns.py") == "aé漢😀name = 'éé'\n"


async def test_every_file_is_followed_whatever_its_language_and_uri(editor: Editor) -> None:
    for path, language in [("a b#c%.xyz", "no-language"), ("漢.md", ""), ("Makefile", "makefile")]:
        editor.open(path, "one\n", language)
        editor.change(path, "two\n")
        assert await shown(editor, path) == "two\n"


async def test_what_cannot_be_followed_is_not_guessed_at(editor: Editor) -> None:
    editor.open("lost.py", "one\ntwo\n")
    backwards = {"start": {"line": 1, "character": 0}, "end": {"line": 0, "character": 0}}
    for number, change in enumerate([{"range": backwards, "text": "x"}, {"range": 7, "text": "x"}, {}], 2):
        identifier = {"uri": editor.uri("lost.py"), "version": number}
        editor.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
        assert (await editor.read("lost.py"))["error"]["code"] == "CONFLICT"
    type_over(editor, "lost.py", 9, (None, "known again\n"))
    assert await shown(editor, "lost.py") == "known again\n"


async def test_thousands_of_keystrokes_in_a_large_document_are_followed(editor: Editor) -> None:
    lines = ["x = 'a line of a large document'\n"] * 30_000
    editor.open("large.py", "".join(lines))
    for number in range(5_000):
        at = number * 7919 % len(lines)
        type_over(editor, "large.py", number + 2, (span(editor, at, "", "x"), "y"))
        lines[at] = lines[at].replace("x", "y", 1)
    assert await shown(editor, "large.py") == "".join(lines)


@pytest.mark.parametrize("name", ["Neovim", "Eglot", "", "VSCodium"])
async def test_a_lone_cr_ends_lines_in_vs_code(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Neovim and Emacs treat it as content: an edit after it would land one line lower."""
    root = tmp_path_factory.mktemp("lone") / "root"
    root.mkdir()
    text = "10%\r100%\nalpha\nbeta\ngamma\n"
    (root / "log.txt").write_bytes(text.encode())
    async with editing(root, name=name, options={"approval": {"mode": "auto_edit"}}) as editor:
        document = editor.open("log.txt")
        assert await shown(editor, "log.txt") == text
        answer = await editor.edit("log.txt", "beta", "BETA")
        if name == "VSCodium":
            assert document.text == text.replace("beta", "BETA")
            return
        assert answer["error"]["code"] == "CONFLICT"
        assert "carriage returns without line feeds" in answer["text"]
        assert (document.text, editor.all("workspace/applyEdit")) == (text, [])
        type_over(editor, "log.txt", 2, (span(editor, 2, "", ""), "typed"))
        assert (await editor.read("log.txt"))["error"]["code"] == "CONFLICT"
        type_over(editor, "log.txt", 3, (None, "whole\nagain\n"))
        assert await shown(editor, "log.txt") == "whole\nagain\n"
