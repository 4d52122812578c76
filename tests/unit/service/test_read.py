"""agentfs/read as a use case (docs/protocol.md#5-agentfsread)."""

import asyncio

import pytest

from agentfs_lsp.domain.access import Access
from agentfs_lsp.domain.errors import (
    BadRange,
    BinaryFile,
    Conflict,
    DomainError,
    FileMissing,
    OutsideRoots,
    PolicyDenied,
    ReadRejected,
    TooLarge,
    TooManyPending,
)
from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.domain.text.likely_encoding import likely_encoding
from agentfs_lsp.domain.text.textfile import TextFile
from agentfs_lsp.service.files import decoding
from agentfs_lsp.service.state import refusals
from support.fakes.disk import HOME
from support.fakes.time import settle
from support.fakes.workspace import FakeWorkspace

LARGE = "a line of text\n" * 10_000


async def test_a_file_is_read_as_it_is_on_disk(work: FakeWorkspace) -> None:
    work.store.put("src/a.py", "one\ntwo")
    passage = await work.read("src/a.py")
    assert (passage.access.path, passage.content, passage.lines) == ("src/a.py", "one\ntwo", 2)
    assert (passage.source, passage.dirty, passage.final_newline, passage.eol) == ("disk", False, False, "lf")
    assert (passage.size_bytes, passage.total_lines, passage.truncated) == (7, 2, False)


async def test_the_editors_text_wins_over_the_disks(work: FakeWorkspace) -> None:
    work.store.put("a.py", "disk\n")
    work.editor.open("a.py", "typed\n")
    passage = await work.read("a.py")
    assert (passage.content, passage.source, passage.dirty) == ("typed\n", "editor", True)


async def test_a_document_of_no_file_is_read(work: FakeWorkspace) -> None:
    work.editor.open("new.py", "typed\n")
    passage = await work.read("new.py")
    assert (passage.content, passage.size_bytes, passage.mtime_ms) == ("typed\n", None, None)


async def test_a_missing_file_is_forgotten(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one\n")
    work.store.remove("a.py")
    with pytest.raises(FileMissing):
        await work.read("a.py")
    assert work.ws.sessions.get("s", f"{HOME}/a.py") is None


async def test_what_the_editor_holds_uncertainly_is_not_read(work: FakeWorkspace) -> None:
    work.store.put("a.py", "one\n")
    work.editor.open("a.py")
    work.documents.lose_track(f"file://{HOME}/a.py")
    with pytest.raises(Conflict, match="out_of_sync"):
        await work.read("a.py")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"start_line": 2}, ("two\nthree\n", 2, False)),
        ({"start_line": 2, "limit": 1}, ("two\n", 1, True)),
        ({"limit": 0}, ("one\ntwo\nthree\n", 3, False)),
        ({"start_line": 3, "limit": 9}, ("three\n", 1, False)),
    ],
)
async def test_line_ranges(work: FakeWorkspace, asked: dict[str, int], found: tuple[str, int, bool]) -> None:
    work.store.put("a.py", "one\ntwo\nthree\n")
    passage = await work.read("a.py", **asked)
    assert (passage.content, passage.lines, passage.truncated) == found


async def test_a_range_past_the_end_is_told(work: FakeWorkspace) -> None:
    work.store.put("a.py", "one\n")
    with pytest.raises(BadRange) as refused:
        await work.read("a.py", start_line=2)
    assert (refused.value.start_line, refused.value.total_lines) == (2, 1)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("one\ntwo\nthree\n", "one\ntwo\n"),
        ("0123456789abc\n", "0123456789"),
        ("012345678\r\nb\n", "012345678"),
        ("short\n", "short\n"),
    ],
)
async def test_an_unlimited_read_is_bounded(work: FakeWorkspace, text: str, content: str) -> None:
    work.set(limits__read_chars=10)
    work.store.put("a.py", text)
    assert (await work.read("a.py")).content == content


async def test_nul_makes_a_file_binary_on_disk_and_in_the_editor(work: FakeWorkspace) -> None:
    work.store.put("a.bin", b"a\0b")
    work.store.put("b.txt", "text\n")
    work.editor.open("b.txt", "a\0b")
    for name in ("a.bin", "b.txt"):
        with pytest.raises(BinaryFile):
            await work.read(name)


async def test_bytes_that_do_not_decode_are_told(work: FakeWorkspace) -> None:
    work.store.put("a.txt", b"gr\xfc\xdfe aus K\xf6ln\n")
    passage = await work.read("a.txt")
    assert (passage.lossy, passage.content) == (True, "gr\ufffd\ufffde aus K\ufffdln\n")
    work.set(encoding__default="latin-1")
    assert (await work.read("a.txt")).content == "grüße aus Köln\n"


async def test_the_encoding_of_a_revision_is_guessed_once(
    work: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    guessed: list[bytes] = []

    def noting(data: bytes, text: TextFile) -> str | None:
        guessed.append(data)
        return likely_encoding(data, text)

    monkeypatch.setattr(decoding, "likely_encoding", noting)
    for text in ("中文字符，测试一下。\n", "另外一个测试。\n"):
        data = (text * 5).encode("gbk")
        work.store.put("a.txt", data)
        for line in (1, 2, 3):
            passage = await work.read("a.txt", start_line=line, limit=1)
            assert (passage.lossy, passage.likely_encoding) == (True, "gbk")
        assert guessed.pop() == data
        assert guessed == []


async def test_an_editor_that_shows_the_wrong_encoding_is_told(work: FakeWorkspace) -> None:
    work.set(encoding__default="latin-1")
    work.store.put("a.txt", b"gr\xfc\xdfe\n")
    work.documents.open(f"file://{HOME}/a.txt", f"{HOME}/a.txt", "gr\ufffd\ufffde\n")
    assert (await work.read("a.txt")).lossy


async def test_editorconfig_names_the_charset_wherever_it_stands_above(work: FakeWorkspace) -> None:
    work.store.put(".editorconfig", "root = true\n[*.txt]\ncharset = latin1\n")
    work.store.put("deep/down/a.txt", b"gr\xfc\xdfe\n")
    assert (await work.read("deep/down/a.txt")).content == "grüße\n"


async def test_a_large_file_is_read_too(work: FakeWorkspace) -> None:
    work.store.put("large", LARGE)
    passage = await work.read("large", limit=0)
    assert (len(passage.content), passage.total_lines) == (len(LARGE), 10_000)


async def test_a_file_over_the_limit_is_read_by_ranges_alone(work: FakeWorkspace) -> None:
    work.set(limits__max_file_bytes=1000)
    work.store.put("large", LARGE)
    with pytest.raises(TooLarge):
        await work.read("large")
    passage = await work.read("large", start_line=10_000, limit=5)
    assert (passage.content, passage.lines, passage.truncated) == ("a line of text\n", 1, False)
    assert (passage.hash, passage.total_lines, passage.final_newline) == (None, None, True)
    bounded = await work.read("large", start_line=3)
    assert (bounded.truncated, len(bounded.content)) == (True, 990)
    work.set(limits__read_chars=20)
    bounded = await work.read("large", start_line=3)
    assert (bounded.content, bounded.lines, bounded.truncated) == ("a line of text\n", 1, True)


async def test_an_open_file_over_the_limit_is_read_by_ranges(work: FakeWorkspace) -> None:
    work.set(limits__max_file_bytes=1000)
    work.store.put("large", LARGE)
    work.editor.open("large", LARGE.replace("a", "b"))
    assert (await work.read("large", start_line=2, limit=1)).content == "b line of text\n"
    work.store.put("large", LARGE * 10)
    with pytest.raises(TooLarge):
        await work.read("large", start_line=2, limit=1)


async def test_utf_16_is_not_read_by_ranges_without_its_mark(work: FakeWorkspace) -> None:
    work.set(limits__max_file_bytes=1000, encoding__default="utf-16-le")
    work.store.put("large", "\u0aff".encode("utf-16-le") * 1000)
    with pytest.raises(BinaryFile):
        await work.read("large", limit=1)


# --- policy -----------------------------------------------------------------------------------------------


async def test_a_denied_file_is_not_read(work: FakeWorkspace) -> None:
    work.set(rules=(Rule(("*.key",), read="deny"),))
    work.store.put("a.key", "x")
    with pytest.raises(PolicyDenied) as denied:
        await work.read("a.key")
    assert denied.value.access == Access("a.key", work.path("a.key"))


async def test_a_guarded_file_is_read_once_the_user_allows_it(work: FakeWorkspace) -> None:
    work.store.put(".env", "A=1\n")
    work.store.put("large.pem", LARGE)
    work.reviewer.reads += [True, True]
    assert (await work.read(".env")).content == "A=1\n"
    assert (await work.read("large.pem", limit=1)).content == "a line of text\n"


async def test_a_refused_read_is_not_asked_for_again_for_a_while(work: FakeWorkspace) -> None:
    work.store.put(".env", "A=1\n")
    work.reviewer.reads.append(False)
    both = await asyncio.gather(work.read(".env"), work.read(".env"), return_exceptions=True)
    assert [one.again_s for one in both if isinstance(one, ReadRejected)] == [10, 10]
    work.reviewer.reads += [True, False]
    await work.read(".env", session="other")
    await work.clock.sleep(10)
    with pytest.raises(ReadRejected):
        await work.read(".env")
    await work.clock.sleep(15)
    with pytest.raises(ReadRejected) as again:
        await work.read(".env")
    assert again.value.again_s == 5
    for wait_s in (*(10 * 2**n for n in range(2, 9)), 3600, 3600):
        await work.clock.sleep(3600)
        work.reviewer.reads.append(False)
        with pytest.raises(ReadRejected) as again:
            await work.read(".env")
        assert again.value.again_s == wait_s


async def test_a_read_that_waited_is_not_asked_about_if_it_may_not_be_read_now(work: FakeWorkspace) -> None:
    def closed() -> None:
        work.open_roots("other")

    def replaced() -> None:
        work.store.remove(".env")
        work.store.link(".env", "/outside")

    def denied() -> None:
        work.set(rules=(Rule((".env",), read="deny"),))

    for change, error in ((denied, PolicyDenied), (replaced, OutsideRoots), (closed, OutsideRoots)):
        work.store.put(".env", "A=1\n")
        work.set(rules=())
        answer = asyncio.get_running_loop().create_future()
        work.reviewer.reads.append(answer)
        both = [asyncio.ensure_future(work.read(".env", session=change.__name__)) for _ in range(2)]
        await settle()
        change()
        answer.set_result(True)
        with pytest.raises(error):
            await both[1]
        with pytest.raises(DomainError):
            await both[0]


async def test_cancelled_questions_push_no_refusal_out(
    work: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "MAX_KEPT", 1)
    work.store.put(".env", "A=1\n")
    work.reviewer.reads += [False, asyncio.get_running_loop().create_future()]
    with pytest.raises(ReadRejected):
        await work.read(".env")
    reading = asyncio.ensure_future(work.read("b.pem"))
    await settle()
    reading.cancel()
    await settle()
    with pytest.raises(ReadRejected):
        await work.read(".env")


async def test_closing_a_folder_forgets_its_refusals_alone(work: FakeWorkspace) -> None:
    work.open_roots("work", "other")
    work.store.put(".env", "A=1\n")
    work.store.put("/home/other/.env", "B=1\n")
    work.reviewer.reads += [False, False]
    for path in ("work/.env", "other/.env"):
        with pytest.raises(ReadRejected):
            await work.read(path)
    work.ws.forget_root(work.ws.roots[1])
    with pytest.raises(ReadRejected):
        await work.read("work/.env")
    work.reviewer.reads.append(True)
    assert (await work.read("other/.env")).content == "B=1\n"


async def test_a_session_has_only_so_many_reads_that_ask(work: FakeWorkspace) -> None:
    work.set(limits__pending_per_session=1)
    work.store.put(".env", "A=1\n")

    def more_while_asked() -> bool:
        with pytest.raises(TooManyPending):
            work.read("b.pem").send(None)
        work.reviewer.reads.append(False)
        with pytest.raises(ReadRejected):
            work.read(".env", "other").send(None)
        return True

    work.reviewer.reads.append(more_while_asked)
    assert (await work.read(".env")).content == "A=1\n"
    answer = asyncio.get_running_loop().create_future()
    work.reviewer.reads += [answer, True]
    first, waiting = (asyncio.ensure_future(work.read(".env")) for _ in range(2))
    await settle()
    answer.set_result(True)
    assert (await first).content == (await waiting).content == "A=1\n"


async def test_settings_that_change_during_the_question_count(work: FakeWorkspace) -> None:
    work.store.put(".env", "A=1\n")

    def denied_meanwhile() -> bool:
        work.set(rules=(Rule((".env",), read="deny"),))
        return True

    work.reviewer.reads.append(denied_meanwhile)
    with pytest.raises(PolicyDenied):
        await work.read(".env")


# --- roots and recovery -----------------------------------------------------------------------------------


async def test_with_several_roots_answers_and_errors_name_them(work: FakeWorkspace) -> None:
    work.open_roots("work", "other")
    work.store.put("/home/other/a.py", "theirs\n")
    assert (await work.read("other/a.py")).access.path == "other/a.py"
    with pytest.raises(FileMissing) as refused:
        await work.read("work/a.py")
    assert refused.value.path == "work/a.py"


async def test_a_replaced_root_is_read_afresh(work: FakeWorkspace) -> None:
    await work.put_and_read("a.py", "one\n")
    work.store.remove(HOME)
    work.store.put("a.py", "other\n")
    assert (await work.read("a.py")).content == "other\n"


async def test_a_file_of_an_interrupted_landing_is_read_once_that_is_recovered(work: FakeWorkspace) -> None:
    work.store.put("a.py", "old\n")
    work.ws.interrupted = frozenset({f"{HOME}/a.py"})
    reading = asyncio.ensure_future(work.read("a.py"))
    await settle()
    assert not reading.done()
    work.store.put("a.py", "recovered\n")
    work.ws.end_recovery()
    assert (await reading).content == "recovered\n"
