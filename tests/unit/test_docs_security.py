"""Each promise of docs/security.md names tests for it; test_docs_links checks that they exist."""

import re

import pytest

from support.docs import section, tables, text_of

DOCS = text_of("security.md")
PROMISES = [row for rows in tables(DOCS) for row in rows]


@pytest.mark.parametrize("row", PROMISES, ids=lambda row: row["promise"][:60])
def test_every_promise_has_its_tests(row: dict[str, str]) -> None:
    assert re.fullmatch(r"(`tests/[\w/]+\.py::test_\w+` ?)+", row["shown by"])


def test_what_is_not_promised_is_said() -> None:
    assert section(DOCS, "What is not promised").count("\n- **") >= 5
