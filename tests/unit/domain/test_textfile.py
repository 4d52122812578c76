"""How bytes become text, and what may be inserted."""

import codecs
import encodings
import pkgutil

import pytest

from agentfs_lsp.domain.errors import BinaryFile, Unencodable
from agentfs_lsp.domain.text.textfile import (
    TextFile,
    check_insertable,
    decode,
    encode,
    encoding_named,
    eol_of,
    is_wide,
)

CODECS = [module.name for module in pkgutil.iter_modules(encodings.__path__)]
ASCII = bytes(range(128)).decode("ascii")


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_mark_tells_the_encoding_and_stays(mark: bytes, encoding: str) -> None:
    file = decode(mark + "a中\r\n".encode(encoding), "gbk")
    assert file == TextFile("a中\r\n", encoding, mark, lossy=False)
    assert encode("é", file) == mark + "é".encode(encoding)


def test_utf_8_comes_before_the_fallback() -> None:
    assert decode("é".encode(), "cp1252").text == "é"


@pytest.mark.parametrize("name", ["gbk", "shift_jis", "latin-1", "cp1252", "utf-16-le"])
def test_the_fallback_is_used_where_the_bytes_fit(name: str) -> None:
    text = {"gbk": "中文\n", "shift_jis": "日本\n"}.get(name, "né\n")
    file = decode(text.encode(name), name)
    assert (file.text, file.lossy) == (text, False)
    assert encode(text + text, file) == (text + text).encode(name)


def test_wide_ascii_without_a_mark_is_text_to_who_says_so() -> None:
    data = "plain\n".encode("utf-16-le")
    assert decode(data, "utf-16-le").text == "plain\n"
    with pytest.raises(BinaryFile):
        decode(data, "latin-1")


@pytest.mark.parametrize("name", ["", "no-such", "hex", "rot13", "utf-7", "unicode_escape", "utf-16", "a\0b"])
def test_a_fallback_that_does_not_reproduce_the_bytes_is_none(name: str) -> None:
    file = decode(b"a\xffb\n", name)
    assert (file.encoding, file.lossy, file.shown) == ("utf-8", True, "a\ufffdb\n")
    assert encode("x" + file.text, file) == b"xa\xffb\n"


@pytest.mark.parametrize("name", CODECS)
def test_bytes_of_ascii_read_as_ascii_and_as_nothing_else_in_every_encoding(name: str) -> None:
    known = encoding_named(name)
    if known is None or is_wide(known):
        return
    assert ASCII.encode(known) == ASCII.encode("ascii")
    assert ASCII.encode("ascii").decode(known) == ASCII
    for character in map(chr, range(0x80, 0x10000)):
        data = character.encode(known, "ignore")
        assert not data or not data.isascii() or data.decode(known) != character


@pytest.mark.parametrize(
    "name",
    ["utf8bom", "utf-16le", "utf32", "gbk", "gb18030", "big5", "shift_jis", "euc_jp", "latin1", "windows874"],
)
def test_encodings_that_files_have_are_known(name: str) -> None:
    assert encoding_named(name)


@pytest.mark.parametrize(
    ("name", "text", "data"),
    [("shiftjis", "～", b"\x81\x60"), ("euckr", "똠", b"\x8c\x63"), ("gb2312", "—·", b"\xa1\xaa\xa1\xa4")],
)
def test_a_name_means_what_vs_code_means_by_it(name: str, text: str, data: bytes) -> None:
    known = encoding_named(name)
    assert known
    assert (text.encode(known), data.decode(known)) == (data, text)


@pytest.mark.parametrize("name", ["cp037", "cp500", "cp864", "cp875", "iso2022_jp", "iso2022_kr", "hz"])
def test_an_encoding_in_which_ascii_bytes_are_something_else_is_none(name: str) -> None:
    assert encoding_named(name) is None


def test_a_lossy_file_takes_only_ascii() -> None:
    file = decode(b"a\xffb\n", "utf-8")
    check_insertable("plain\n", file)
    with pytest.raises(Unencodable) as refused:
        check_insertable("one\ntwo é", file)
    assert (refused.value.character, refused.value.line) == ("é", 2)


def test_an_unpaired_surrogate_in_utf_16_stays() -> None:
    data = codecs.BOM_UTF16_LE + b"a\0\x00\xd8b\0"
    file = decode(data, "utf-8")
    assert (file.lossy, file.shown) == (True, "a\ufffdb")
    assert encode(file.text, file) == data


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        b"\x89PNG\r\n\x1a\n\0\0",
        codecs.BOM_UTF16_LE + b"a\0\0\0",
        codecs.BOM_UTF16_LE + b"a\0b",
        codecs.BOM_UTF32_LE + b"a\0\0\0\0\0\xff\x7f",
    ],
)
def test_nul_and_broken_wide_encodings_are_binary(data: bytes) -> None:
    with pytest.raises(BinaryFile) as refused:
        decode(data, "latin-1", "a.bin")
    assert refused.value.path == "a.bin"


@pytest.mark.parametrize(
    ("name", "bad"), [("cp1252", "中"), ("shift_jis", "¥"), ("gbk", "😀"), ("utf-8", "\ud800")]
)
def test_what_the_encoding_cannot_express_is_named(name: str, bad: str) -> None:
    file = TextFile("", name, b"", lossy=False)
    with pytest.raises(Unencodable) as refused:
        check_insertable(f"fine\nnot {bad}", file)
    assert (refused.value.character, refused.value.encoding, refused.value.line) == (bad, name, 2)
    with pytest.raises(Unencodable):
        encode(f"fine\nnot {bad}", file)


@pytest.mark.parametrize(
    ("text", "eol"),
    [
        ("", "none"),
        ("a\u2028\x0c", "none"),
        ("a\n", "lf"),
        ("a\r\nb\r\n", "crlf"),
        ("a\rb", "cr"),
        ("a\r\nb\n", "mixed"),
        ("\r\r\n", "mixed"),
    ],
)
def test_line_ends_are_told(text: str, eol: str) -> None:
    assert eol_of(text) == eol
