"""Has the file changed since this session read it: docs/protocol.md#8-lock."""

import os
from pathlib import Path

import pytest

from support.editor import Editor
from support.revisions import both, hash_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


def revision(path: Path) -> dict[str, object]:
    stat = path.stat()
    return {
        "mtime_ms": stat.st_mtime_ns // 1_000_000,
        "size_bytes": stat.st_size,
        "hash": hash_of(path.read_bytes()),
    }


async def test_another_content_is_a_conflict_that_shows_what_changed(auto: Editor) -> None:
    path = auto.root / "changed.txt"
    path.write_text("line\n")
    await auto.read("changed.txt")
    before = revision(path)
    path.write_text("line\nuser's\n")
    for dry_run in (True, False):
        for answer in await both(auto, "changed.txt", dry_run=dry_run):
            assert (answer["status"], answer["error"]["code"], answer["data"]) == ("error", "CONFLICT", {})
            conflict = answer["context"]["conflict"]
            told = (conflict["source"], conflict["expected"], conflict["actual"])
            assert told == ("disk", before, revision(path))
            assert conflict["diff_since_read"] == (
                "--- a/changed.txt\n+++ b/changed.txt\n@@ -1 +1,2 @@\n line\n+user's\n"
            )
            assert "Read it again" in answer["text"]
    assert path.read_text() == "line\nuser's\n"


async def test_a_rewrite_of_the_same_size_and_time_is_a_conflict(auto: Editor) -> None:
    path = auto.root / "forged.txt"
    path.write_text("line 1\n")
    before = path.stat()
    await auto.read("forged.txt")
    path.write_text("line 2\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    for answer in await both(auto, "forged.txt"):
        assert answer["error"]["code"] == "CONFLICT"
    assert path.read_text() == "line 2\n"


# --- expected_* -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["mtime_ms", "size_bytes", "hash"])
async def test_each_expectation_stands_for_a_read(auto: Editor, field: str) -> None:
    path = auto.root / f"expected-{field}.txt"
    path.write_text("line\n")
    actual = revision(path)
    wrong = {"mtime_ms": 1, "size_bytes": 6, "hash": hash_of(b"other")}[field]
    for answer in await both(auto, path.name, **{f"expected_{field}": wrong}):
        assert answer["error"]["code"] == "CONFLICT"
        conflict = answer["context"]["conflict"]
        assert conflict["expected"] == {"mtime_ms": None, "size_bytes": None, "hash": None, field: wrong}
        assert (conflict["actual"], conflict["diff_since_read"]) == (actual, None)
    right = {f"expected_{field}": actual[field]}
    assert (await auto.edit(path.name, "line", "mine", **right))["status"] == "success"
    assert path.read_text() == "mine\n"


@pytest.mark.parametrize("made", ["read", "landed"])
async def test_a_save_in_the_files_own_line_ends_is_no_conflict_once_closed(auto: Editor, made: str) -> None:
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
