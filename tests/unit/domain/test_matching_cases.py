"""Every file in tests/cases/edit is one edit and its outcome; the README there explains the format."""

import re
from pathlib import Path
from typing import get_args

import pytest

from agentfs_lsp.domain.errors import DomainError, NoMatch
from agentfs_lsp.domain.matching.levels import LEVELS, Level
from agentfs_lsp.domain.matching.matching import find
from agentfs_lsp.domain.splices import apply_splices
from support.edit_cases import CASES, read_options, read_sections, spell_out


def tell(error: DomainError, wanted: str) -> str:
    """The facts of an error that a case asks for, in its order and format."""
    told = [type(error).__name__]
    for name in re.findall(r" (\w+)=", wanted.partition(" detail=")[0]):
        value = getattr(error, name)
        told.append(f"{name}={','.join(map(str, value)) if isinstance(value, tuple) else value}")
    if " detail=" in wanted:
        told.append(f"detail={getattr(error, 'detail', None)}")
    return " ".join(told)


@pytest.mark.parametrize("case", CASES, ids=[case.stem for case in CASES])
def test_case(case: Path) -> None:
    sections = read_sections(case.read_text(encoding="utf-8"))
    text, old, new = (spell_out(sections[name]) for name in ("file", "old", "new"))
    options = read_options(sections.get("options", ""))
    if "error" in sections:
        with pytest.raises(DomainError) as caught:
            find(text, old, new, **options)
        assert tell(caught.value, sections["error"]) == sections["error"]
        if "near" in sections:
            assert isinstance(caught.value, NoMatch)
            near = caught.value.near[0]
            shown = [f"{near.line + at} | {line}" for at, line in enumerate(near.text)]
            assert shown == spell_out(sections["near"]).split("\n")
        return
    match = find(text, old, new, **options)
    assert apply_splices(text, match.splices) == spell_out(sections["result"])
    level, _, count = sections["match"].partition(" replacements=")
    assert (match.level, match.replacements) == (level, int(count or 1))


def test_there_are_cases_for_each_level() -> None:
    assert len(CASES) > 70
    found = {read_sections(case.read_text("utf-8")).get("match", "").split(" ")[0] for case in CASES}
    missing = {*get_args(Level)} - found
    assert not missing, "add a file to tests/cases/edit with this level below `== match`"


def test_every_level_is_tried_in_the_order_of_its_names() -> None:
    assert [looking.level for looking in LEVELS] == list(get_args(Level)), "LEVELS and Level differ"
