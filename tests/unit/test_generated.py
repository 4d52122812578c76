"""Generated files are up to date with the declared shapes."""

import re

import pytest

from agentfs_lsp.api import params, results
from generated import document, made
from support.docs import REPOSITORY, text_of

MADE = {str(path.relative_to(REPOSITORY)): text for path, text in made().items()}


@pytest.mark.parametrize("name", MADE)
def test_what_is_generated_is_up_to_date(name: str) -> None:
    assert (REPOSITORY / name).read_text("utf-8") == MADE[name], f"{name} is stale: run `make generated`"


@pytest.mark.parametrize(
    ("comment", "first"),
    [
        ("table ReadParams beside Params", "parameter"),
        ("table ReadData", "data key"),
        ("table Stats", "stats key"),
    ],
)
def test_a_comment_without_a_table_gets_one(comment: str, first: str) -> None:
    text = document(f"<!-- {comment} -->\n\nMore.\n")
    head, rule, row, *_ = text.split("\n")[2:]
    assert head.startswith(f"| {first} | type | ")
    assert {line.count("|") for line in (head, rule, row)} == {head.count("|")}
    assert text.endswith("|\n\nMore.\n")
    assert document(text) == text


def test_what_agents_send_and_get_has_its_tables() -> None:
    sent = {name for name, value in vars(params).items() if params.Params in getattr(value, "__mro__", ())}
    sent -= {"StatusParams", "ChangeParams"}  # the first has no keys of its own, the second is a base
    declared = sent | {name for name in vars(results) if name.endswith("Data")}
    missing = declared - set(re.findall(r"<!-- table (\w+)", text_of("protocol.md")))
    assert not missing, "add `<!-- table NAME -->` to docs/protocol.md, and run `make generated`"
