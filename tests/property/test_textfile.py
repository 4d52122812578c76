"""For any bytes and fallback, a file can be written exactly as it was read."""

import codecs

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.errors import BinaryFile, Unencodable
from agentfs_lsp.domain.text.textfile import check_insertable, decode, encode

ENCODINGS = [
    "utf-8",
    "utf-16",
    "utf-16-le",
    "utf-32-be",
    "utf-8-sig",
    "gbk",
    "gb18030",
    "big5",
    "big5hkscs",
    "shift_jis",
    "cp932",
    "euc_jp",
    "shift_jisx0213",
    "iso2022_jp",
    "iso2022_kr",
    "hz",
    "euc_kr",
    "johab",
    "latin-1",
    "cp1252",
    "cp037",
    "koi8-r",
    "mac_roman",
    "utf-7",
    "idna",
    "punycode",
    "unicode_escape",
    "raw_unicode_escape",
    "undefined",
    "hex",
    "zlib",
    "nonsense",
]
fallbacks = st.sampled_from(ENCODINGS)
marks = st.sampled_from(
    [b"", b"", b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE]
)
escapes = st.sampled_from([b"\x1b$B", b"\x1b(J", b"~{", b"\x0e", b"\x0f", b"\x80", b"\x8e\xa1", b"+AGE-"])
wide = st.text("aé中\n", max_size=12).flatmap(
    lambda text: st.sampled_from(["utf-16-le", "gbk", "shift_jis", "big5", "utf-8"]).map(
        lambda name: text.encode(name, "replace")
    )
)
bodies = st.lists(st.binary(max_size=6) | escapes | wide, max_size=6).map(b"".join)


@given(marks, bodies, fallbacks)
def test_bytes_survive(mark: bytes, body: bytes, fallback: str) -> None:
    try:
        file = decode(mark + body, fallback)
    except BinaryFile:
        assert b"\0" in body or len(mark) in (2, 4)
        return
    assert encode(file.text, file) == mark + body
    assert len(file.shown) == len(file.text)
    file.shown.encode()


@given(bodies, fallbacks, st.text("a¥‾中é\ud800\udc80\\~\n", max_size=6))
def test_what_may_be_inserted_is_read_back(body: bytes, fallback: str, inserted: str) -> None:
    try:
        file = decode(body, fallback)
        check_insertable(inserted, file)
    except (BinaryFile, Unencodable):
        return
    assert encode(inserted, file).decode(file.encoding) == inserted
