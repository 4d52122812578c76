"""agentfs/read through the real process: docs/protocol.md#5-agentfsread."""

import pytest

from support.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_without_a_limit_two_thousand_lines_come(auto: Editor) -> None:
    (auto.root / "long.txt").write_text("".join(f"{number}\n" for number in range(1, 2502)))
    first = await auto.read("long.txt")
    told = (first["status"], first["stats"]["lines_read"], first["stats"]["total_lines"])
    assert told == ("partial", 2000, 2501)
    assert "start_line=2001" in first["text"]
    rest = await auto.read("long.txt", start_line=2001)
    assert (rest["status"], rest["stats"]["lines_read"]) == ("success", 501)
    assert (await auto.read("long.txt", limit=0))["stats"]["lines_read"] == 2501


async def test_without_a_limit_two_hundred_thousand_characters_come_in_whole_lines(auto: Editor) -> None:
    line = "x" * 998 + "\r\n"
    (auto.root / "wide.txt").write_bytes((line * 300).encode())
    answer = await auto.read("wide.txt")
    assert (answer["status"], answer["stats"]["chars_read"]) == ("partial", 200_000)
    assert answer["data"]["content"] == line * 200
    (auto.root / "one-line.txt").write_text("y" * 300_000)
    cut = await auto.read("one-line.txt")
    assert (cut["status"], cut["stats"]["chars_read"]) == ("partial", 200_000)
    assert "Line 1 is truncated" in cut["text"]
    assert (await auto.read("one-line.txt", limit=1))["stats"]["chars_read"] == 300_000


async def test_line_numbers_stand_before_each_line(auto: Editor) -> None:
    (auto.root / "numbered.txt").write_bytes(b"a\r\n\nc\fd")
    answer = await auto.read("numbered.txt", line_numbers=True)
    assert answer["data"]["content"] == "   1 | a\r\n   2 | \n   3 | c\fd"
    assert answer["stats"]["chars_read"] == 7
    last = await auto.read("numbered.txt", line_numbers=True, start_line=3)
    assert last["data"]["content"] == "   3 | c\fd"
    (auto.root / "numbers.txt").write_text("line\n" * 50_000)
    many = await auto.read("numbers.txt", line_numbers=True, start_line=3, limit=0)
    expected = "".join(f"{number:4d} | line\n" for number in range(3, 50_001))
    assert many["data"]["content"] == expected
