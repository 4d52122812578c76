"""The lock and open documents: docs/protocol.md#8-lock."""

from __future__ import annotations

import pytest

from support.editor import Editor
from support.revisions import both

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("made", ["read", "landed"])
async def test_a_save_in_the_files_own_line_ends_is_no_conflict_once_it_is_closed(
    auto: Editor, made: str
) -> None:
    """Some editors show a CRLF file with LF, and save it with CRLF again."""
    name = f"ends-{made}.txt"
    path = auto.root / name
    path.write_bytes(b"line\r\ntwo\r\n")
    document = auto.open(name, "line\ntwo\n" if made == "landed" else "line\n2\n")
    await auto.read(name)
    if made == "landed":
        assert (await auto.edit(name, "two", "2"))["data"]["landing"] == "editor"
    path.write_bytes(document.text.replace("\n", "\r\n").encode())
    auto.notify("textDocument/didSave", {"textDocument": {"uri": document.uri}})
    auto.close(name)
    assert (await auto.edit(name, "line", "mine"))["status"] == "success"
    assert path.read_bytes() == b"mine\r\n2\r\n"
    path.write_bytes(b"mine\n2\n")
    for answer in await both(auto, name):
        assert answer["error"]["code"] == "CONFLICT", "line ends that somebody else made others"
