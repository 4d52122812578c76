"""Typographic variants: a text is folded block by block, as if it were one."""

from unicodedata import normalize

import pytest

from agentfs_lsp.domain.matching import typography
from agentfs_lsp.domain.matching.typography import fold


@pytest.mark.parametrize("block", [1, 2, 3, 7])
@pytest.mark.parametrize(
    "text",
    [
        "e\u0301cole a\u0308o\u0308u\u0308 a\u0308",
        "\u1112\u1161\u11ab\u1100\u1173\u11af x \u1112\u1161",
        "plain text, then \U0001f600 and e\u0301",
        "a" + "\u0301" * 12 + "b",
        "\u0301 at the beginning",
    ],
)
def test_blocks_change_nothing(text: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typography, "_BLOCK", block)
    assert fold(text) == normalize("NFC", text)


def test_long_runs_of_marks_stay() -> None:
    marks = "\u0316\u0301" * 20
    assert fold(f"e\u0301 a{marks} e\u0301") == f"é a{marks} é"
