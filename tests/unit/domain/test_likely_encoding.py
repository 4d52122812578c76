"""The likely encoding of bytes that are not UTF-8, however large the file and long its lines are."""

import pytest

from agentfs_lsp.domain.text import likely_encoding as module
from agentfs_lsp.domain.text.likely_encoding import likely_encoding
from agentfs_lsp.domain.text.textfile import decode

CHINESE = "中文字符，测试一下。"
TEXTS = {
    "gbk": CHINESE,
    "big5": "中文字元，測試一下。",
    "shift_jis": "日本語の文字を表示します。",
    "euc_jp": "日本語の文字を表示します。",
    "euc_kr": "한국어 문자를 표시합니다.",
    "cp1251": "Это русский текст, обычный.",
    "koi8-r": "Это русский текст, обычный.",
    "cp1252": "Grüße aus Köln, à bientôt.",
}


def guess(data: bytes) -> str | None:
    text = decode(data, "utf-8")
    assert text.lossy
    return likely_encoding(data, text)


@pytest.mark.parametrize("encoding", TEXTS)
@pytest.mark.parametrize("end", ["\n", " ", ""], ids=["lines", "words", "one line"])
@pytest.mark.parametrize("times", [1, 30_000])
def test_a_text_is_told_by_its_characters(encoding: str, end: str, times: int) -> None:
    assert guess(((TEXTS[encoding] + end) * times).encode(encoding)) == encoding


@pytest.mark.parametrize("end", ["\n", ""])
def test_only_the_beginning_of_what_is_not_utf_8_is_examined(
    monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    examined: list[int] = []
    share = module._share

    def noting(candidate: module._Candidate, sample: bytes) -> float:
        examined.append(len(sample))
        return share(candidate, sample)

    monkeypatch.setattr(module, "_share", noting)
    assert guess(b"plain text\n" * 20_000 + ((CHINESE + end) * 100_000).encode("gbk")) == "gbk"
    assert max(examined) <= 2 * module._SAMPLE


def test_all_of_the_bytes_must_fit() -> None:
    text = (CHINESE * 100_000).encode("gbk")
    assert guess(text + b"\xff\n") is None
    assert guess(text + b"\xd6") is None
    assert guess(text[:1_000_001]) is None


def test_utf_8_with_a_damaged_byte_stays_that() -> None:
    assert guess((CHINESE * 10_000).encode() + b"\xd6\n" + (CHINESE * 10_000).encode()) is None


def test_what_is_undecodable_is_shown_in_its_place() -> None:
    data = ("是吗? " + CHINESE).encode("gbk") + b" ? \x3f"
    text = decode(data, "utf-8")
    assert text.shown == "".join("\ufffd" if "\udc80" <= it <= "\udcff" else it for it in text.text)
