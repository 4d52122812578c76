"""Invisible characters are shown and likely secrets are named; ordinary text stays as it is."""

import json
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.domain.text.escaping import (
    MAX_FINDINGS,
    escape_invisible,
    escape_to_one_line,
    find_suspicious,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tab\tand\nline", "tab\tand\nline"),
        ("bell\x07 esc\x1b[31m nel\x85 cr\r", r"bell\x07 esc\x1b[31m nel\x85 cr\x0d"),
        ("if \u202eadmin\u2066", r"if \u202eadmin\u2066"),
        ("pay\u200bpal a\u200db \ufeff", r"pay\u200bpal a\u200db \ufeff"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("a\u00a0b \u3000", r"a\xa0b \u3000"),
        ("if a:\n\u00a0\u2003\u00a0b", "if a:\n\\xa0\\u2003\\xa0b"),
        ("\u3000\u3000你好\u3000世界 é\u00a0! 5\u202f€", None),
        ("\udcff and \ud800", "\ufffd and \\ud800"),
        ("\u0601٢٠٢٦ \u06dd٣ \u070fܐ \u0890 \u08e2 \U000110bd𑂠", None),
        ("中文 é 👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 می\u200cخواهم", None),
    ],
)
def test_only_what_is_invisible_is_escaped(text: str, shown: str | None) -> None:
    assert escape_invisible(text) == (text if shown is None else shown)
    escape_invisible(text).encode()


def test_a_name_stays_in_its_line() -> None:
    assert escape_to_one_line("a\tb\nc\r\u2028\x0b 中文") == r"a\x09b\x0ac\x0d\u2028\x0b 中文"


def test_findings_name_kind_line_and_character() -> None:
    assert find_suspicious("ok\r\nx\u202ey\nb\x07 \u200b\n") == [
        ("bidirectional", 2, "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("control", 3, "U+0007"),
        ("invisible", 3, "U+200B ZERO WIDTH SPACE"),
    ]


def test_hidden_data_in_variation_selectors_is_found() -> None:
    assert [it.kind for it in find_suspicious("😀\U000e0148\U000e0155")] == ["invisible"] * 2
    assert find_suspicious("葛\U000e0100 ❤\ufe0f b\u00a0c") == []


CASES = Path(__file__).parents[2] / "cases" / "joiners.json"
JOINERS: dict[str, Any] = json.loads(CASES.read_text("utf-8"))
"""The extension's tests use them, too."""


@pytest.mark.parametrize("text", JOINERS["usual"])
def test_joiners_and_selectors_that_scripts_and_emoji_use_are_ordinary(text: str) -> None:
    assert escape_invisible(text) == text
    assert find_suspicious(text) == []


@pytest.mark.parametrize("case", JOINERS["unusual"])
def test_joiners_and_selectors_that_nothing_uses_are_escaped_and_found(case: dict[str, str]) -> None:
    assert escape_invisible(case["text"]) == case["shown"]
    assert {it.kind for it in find_suspicious(case["text"])} == {"invisible"}


DEFAULT_IGNORABLE = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010)),
    *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0),
    *(*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
    *(0x1CBB, 0x1CBC, 0x2800, 0xFFFC, 0x133FC, 0x1D159),
]
"""Default_Ignorable_Code_Point of Unicode 16, and what else VS Code counts as invisible."""

VISIBLE_SIGNS = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
"""Prepended_Concatenation_Mark of Unicode 16."""


def test_every_format_and_default_ignorable_code_point_without_a_glyph_is_escaped_and_found() -> None:
    formats = [code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"]
    egyptian = range(0x13430, 0x13460)  # Python 3.11 knows only part of them
    for code in {*formats, *DEFAULT_IGNORABLE, *egyptian} - VISIBLE_SIGNS:
        assert (escape_invisible(f"a{chr(code)}b").isascii(), hex(code)) == (True, hex(code))
        assert [found.line for found in find_suspicious(f"a{chr(code)}b")] == [1]


def test_findings_are_bounded() -> None:
    assert len(find_suspicious("\x07\n" * 5_000)) == MAX_FINDINGS
