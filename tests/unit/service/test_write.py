"""agentfs/write as a use case (docs/protocol.md#6-agentfswrite)."""

from typing import Any

import pytest

from agentfs_lsp.domain.errors import (
    Conflict,
    EmptyContent,
    FolderMissing,
    LossyReplace,
    NotRead,
    NulPutIn,
    ResultTooLarge,
    TextLeftOut,
    Unencodable,
)
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.service.state.workspace import off_loop
from support.fakes.disk import HOME
from support.fakes.workspace import FakeWorkspace


async def written(work: FakeWorkspace, path: str, content: str, **more: object) -> bytes | None:
    """The file's content after the user accepted."""
    work.reviewer.accepts()
    await work.write(path, content, **more)
    return work.store.bytes_of(path)


async def test_a_new_file_is_made_with_its_folders(work: FakeWorkspace) -> None:
    work.reviewer.accepts()
    done = await work.write("src/new/a.py", "x = 1\n")
    assert work.store.bytes_of("src/new/a.py") == b"x = 1\n"
    assert done.change.operation == "create"
    assert done.landing is not None
    assert done.landing.created_dirs == ("src", "src/new")
    assert work.ended == ["landed"]


async def test_writing_the_same_content_lands_nothing(work: FakeWorkspace) -> None:
    await work.put_and_read("a.txt", "one\n")
    assert (await work.write("a.txt", "one\n")).unchanged
    assert (work.ended, work.reviewer.reviewed) == (["landed"], [])


async def test_a_dry_run_asks_nobody_and_writes_nothing(work: FakeWorkspace) -> None:
    done = await work.write("a.py", "x\n", dry_run=True)
    assert (done.dry_run, done.change.line_counts) == (True, (1, 0))
    assert (work.store.tree(), work.ended) == ({}, [])


async def test_empty_content_is_meant_only_where_it_is_said(work: FakeWorkspace) -> None:
    for content in ("", "\ufeff"):
        with pytest.raises(EmptyContent):
            await work.write("a.py", content)
    assert await written(work, "a.py", "", allow_empty=True) == b""


async def test_a_mark_that_the_editor_keeps_in_its_text_stays(work: FakeWorkspace) -> None:
    work.store.put("a.txt", b"\xef\xbb\xbfone\n")
    work.documents.open(f"file://{HOME}/a.txt", f"{HOME}/a.txt", "\ufeffone\n")
    await work.read("a.txt")
    work.reviewer.accepts()
    await work.write("a.txt", "two\n")
    assert work.editor.text_of("a.txt") == "\ufefftwo\n"


async def test_editorconfig_names_a_new_files_line_ends(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", "[*.bat]\nend_of_line = crlf\n")
    assert await written(work, "a.bat", "one\ntwo\n") == b"one\r\ntwo\r\n"
    assert await written(work, "b.bat", "none") == b"none"
    assert await written(work, "c.txt", "one\n") == b"one\n"


async def test_of_large_editorconfigs_only_the_nearest_are_read(work: FakeWorkspace) -> None:
    crlf = "[*]\nend_of_line = crlf\n"
    work.store.put(".editorconfig", crlf)
    work.store.put("large/.editorconfig", "[*]\nend_of_line = lf\n" + "\n" * (64 * 1024))
    assert await written(work, "large/a.txt", "one\n") == b"one\r\n"
    folder = ""
    for depth in range(4):
        folder += f"d{depth}/"
        work.store.put(f"{folder}.editorconfig", "\n" * (64 * 1024))
    assert await written(work, f"{folder}a.txt", "one\n") == b"one\n"


async def test_much_text_is_off_the_loop(work: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    await work.put_and_read("a.txt", "one\n")
    sizes: list[int] = []

    async def noted(size: int, compute: Any, *arguments: Any) -> object:
        sizes.append(size)
        return await off_loop(size, compute, *arguments)

    monkeypatch.setattr("agentfs_lsp.service.change_request.off_loop", noted)
    content = "two\n" * 32 * 1024
    await written(work, "a.txt", content)
    assert len(content) in sizes


async def test_line_ends_that_a_file_lost_come_again(work: FakeWorkspace) -> None:
    await work.put_and_read("a.txt", "one\r\ntwo\r\n")
    assert await written(work, "a.txt", "one") == b"one"
    assert await written(work, "a.txt", "one\ntwo\n") == b"one\r\ntwo\r\n"


async def test_a_folder_is_made_only_where_request_and_setting_allow(work: FakeWorkspace) -> None:
    with pytest.raises(FolderMissing) as refused:
        await work.write("no/a.py", "x\n", create_dirs=False)
    assert (refused.value.path, refused.value.by_setting) == ("no/", False)
    work.set(create_dirs=False)
    with pytest.raises(FolderMissing) as refused:
        await work.write("no/a.py", "x\n")
    assert refused.value.by_setting
    work.store.mkdir("no")
    assert await written(work, "no/a.py", "x\n") == b"x\n"


async def test_too_much_is_refused_before_and_after_it_is_encoded(work: FakeWorkspace) -> None:
    work.set(limits__max_file_bytes=10)
    with pytest.raises(ResultTooLarge):
        await work.write("a.txt", "x" * 11)
    with pytest.raises(ResultTooLarge) as refused:
        await work.write("a.txt", "漢" * 4)
    assert (refused.value.size, refused.value.limit) == (12, 10)


async def test_nul_is_not_put_in(work: FakeWorkspace) -> None:
    with pytest.raises(NulPutIn) as refused:
        await work.write("a.txt", "one\na\0b\n")
    assert refused.value.line == 2


async def test_text_left_out_is_not_written(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one = 1\ntwo = 2\nthree = 3\nfour = 4\n")
    with pytest.raises(TextLeftOut):
        await work.write("a.py", "one = 10\n# ... rest of the file unchanged ...\n")
    assert await written(work, "new.py", "# ... rest of the file unchanged ...\n")


async def test_a_lossy_file_is_replaced_only_by_its_hash(work: FakeWorkspace) -> None:
    data = b"gr\xfc\xdfe\n"
    await work.put_and_read("a.txt", data)
    with pytest.raises(LossyReplace):
        await work.write("a.txt", "new\n")
    assert await written(work, "a.txt", "new\n", expected_hash=hash_bytes(data)) == b"new\n"


async def test_a_file_that_nobody_read_is_not_replaced(work: FakeWorkspace) -> None:
    work.store.put("a.py", "theirs\n")
    with pytest.raises(NotRead):
        await work.write("a.py", "mine\n")
    with pytest.raises(Conflict, match="exists"):
        await work.write("a.py", "mine\n", overwrite=False)
    work.set(require_read=False)
    assert await written(work, "a.py", "mine\n") == b"mine\n"


async def test_a_lossy_file_keeps_the_bytes_of_lines_that_stay(work: FakeWorkspace) -> None:
    data = b"caf\xe9\nold\n"
    await work.put_and_read("a.txt", data)
    with pytest.raises(Unencodable) as refused:
        await work.write("a.txt", "caf\ufffd\nnéw\n", expected_hash=hash_bytes(data))
    assert refused.value.ascii_only
    assert (
        await written(work, "a.txt", "caf\ufffd\nnew\n", expected_hash=hash_bytes(data)) == b"caf\xe9\nnew\n"
    )


async def test_a_new_file_has_the_line_ends_given(work: FakeWorkspace) -> None:
    assert await written(work, "a.txt", "a\r\nb\n") == b"a\r\nb\n"


async def test_a_new_document_that_was_never_saved_is_the_editors(work: FakeWorkspace) -> None:
    work.editor.open("draft.txt", "draft\n")
    await work.read("draft.txt")
    work.reviewer.accepts()
    done = await work.write("draft.txt", "better\n")
    assert done.landing is not None
    assert (done.landing.where, done.change.operation) == ("editor", "update")
    assert (work.editor.text_of("draft.txt"), work.store.bytes_of("draft.txt")) == ("better\n", None)


async def test_a_marker_that_the_file_holds_itself_is_text(work: FakeWorkspace) -> None:
    marker = "// ... rest of the code unchanged"
    await work.put_and_read("a.js", f"{marker}\none();\n")
    assert await written(work, "a.js", f"{marker}\ntwo();\n") == f"{marker}\ntwo();\n".encode()


async def test_not_one_of_several_marks_in_front_is_written(work: FakeWorkspace) -> None:
    assert await written(work, "a.py", "\ufeff\ufeffone\n") == b"one\n"
