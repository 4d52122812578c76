"""What eyes miss is shown; what looks like a secret is named; ordinary text is left alone."""

from __future__ import annotations

import pytest

from agentfs_lsp.domain.text.escaping import (
    MOST_FINDINGS,
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
        ("\udcff and \ud800", "\ufffd and \\ud800"),
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
    assert [it.kind for it in find_suspicious("😀\U000e0148\U000e0155")] == ["invisible"]
    assert find_suspicious("葛\U000e0100 ❤\ufe0f") == []


def test_findings_are_bounded() -> None:
    assert len(find_suspicious("\x07\n" * 5_000)) == MOST_FINDINGS
