"""What programs read that take a file in another encoding for UTF-8, or read it byte by byte."""

import pytest

from agentfs_lsp.domain.text.escaping import MAX_FINDINGS
from agentfs_lsp.domain.text.misreading import find_misread, is_misread


@pytest.mark.parametrize(
    ("encoding", "letter", "signs"),
    [
        ("gbk", "乗", "\\"),
        ("gb18030", "乗", "\\"),
        ("cp932", "表", "\\"),
        ("shift_jis", "ポ", "|"),
        ("shift_jis", "チ", "`"),
        ("big5hkscs", "功", "\\"),
        ("johab", "œ", ";"),
    ],
)
def test_a_letter_with_a_sign_of_syntax_is_named_with_its_line(
    encoding: str, letter: str, signs: str
) -> None:
    assert find_misread("", f'one\necho "{letter}" # {letter}\n', encoding) == [(2, f"{letter} -> {signs}")]
    assert find_misread(f"{letter}\n", f"{letter}{letter}\n", encoding) == [(1, f"{letter} -> {signs}")]


@pytest.mark.parametrize(
    ("before", "after", "is_found"),
    [
        ("echo two # 乗", "echo two # 乗", False),
        ("echo two # 乗", "echo three # 乗", True),
        ("echo two # 乗", 'echo "乗" ; # " ; touch PWNED #', True),
        ("echo two 乗", 'echo "two 乗" # " ; touch PWNED #', True),
        ("echo two 乗 x", "echo two 乗", True),
        ('echo "two\\" # " ; echo three #', 'echo "two乗" # " ; touch PWNED #', True),
    ],
)
def test_such_a_letter_counts_again_if_its_line_changes(before: str, after: str, is_found: bool) -> None:
    found = find_misread(f"a\n{before}\n", f"{after}\n", "gbk")
    assert found == ([(1, "乗 -> \\")] if is_found else [])


@pytest.mark.parametrize("encoding", ["cp1252", "cp1251", "koi8-r", "iso8859-1", "gbk", "cp932"])
@pytest.mark.parametrize(
    "name",
    [
        "U+2028 LINE SEPARATOR",
        "U+2029 PARAGRAPH SEPARATOR",
        "U+202E RIGHT-TO-LEFT OVERRIDE",
        "U+00A0 NO-BREAK SPACE",
        "U+2002 EN SPACE",
        "U+3000 IDEOGRAPHIC SPACE",
    ],
)
def test_letters_that_are_another_character_in_utf_8_are_found(encoding: str, name: str) -> None:
    data = chr(int(name[2:6], 16)).encode()
    for around in (b"", b"\xe9", "é".encode()):
        try:
            letters = (around + data + b" x").decode(encoding)
            assert letters.encode(encoding) == around + data + b" x"
        except UnicodeError:
            continue
        assert (2, name) in find_misread("", f"one\nlet x = 1; // {letters}\n", encoding)
        assert (1, name) in find_misread(f"// {letters}\n", f"{letters}\n", encoding)
        assert (1, name) not in find_misread(f"// {letters}\n", f"// {letters}\n", encoding)


def test_what_completes_such_a_character_is_found() -> None:
    left, right = b"\xe2".decode("cp1252"), b"\x80\xa8".decode("cp1252")
    assert find_misread("", right, "cp1252") == []
    assert find_misread(right, left + right, "cp1252") == [(1, "U+2028 LINE SEPARATOR")]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Grüße aus Köln, „à bientôt“ – 5 €…", "cp1252"),
        ("Это «В…» и “В”, обычный текст.", "cp1251"),
        ("中文字符，测试一下。颅骨是头部的骨骼。", "gbk"),
        ("한국어 문자를 표시합니다.", "euc_kr"),
        ("日本語の文字を表示します。", "euc_jp"),
        ("データのエラーメッセージを確認。マニュアル参照。", "cp932"),
        ("一個新的檔案", "big5"),
    ],
)
def test_ordinary_text_is_read_as_it_is(text: str, encoding: str) -> None:
    assert find_misread("", text, encoding) == []


def test_only_other_encodings_are_misread() -> None:
    assert not any(map(is_misread, ("utf-8", "utf-8-sig", "ascii", "utf-16-le", "utf-32-be")))
    assert all(map(is_misread, ("cp1252", "gbk", "iso8859-1")))


def test_findings_are_bounded() -> None:
    letters = {chr(code) for code in range(0x4E00, 0x9FFF)}
    assert len(find_misread("", "".join(sorted(letters)), "gbk")) == MAX_FINDINGS
