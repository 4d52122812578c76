"""Reads the cases of an edit in tests/cases/edit; the README there explains their format."""

import re
from pathlib import Path

CASES = sorted((Path(__file__).parents[1] / "cases" / "edit").glob("*.txt"))
SECTIONS = {"file", "old", "new", "options", "match", "result", "error", "near"}
SIGNS = {"␊": "\n", "␍": "\r", "␉": "\t", "␠": " "}


def read_sections(source: str) -> dict[str, str]:
    """A case's sections by name, verbatim except for the final line end of each."""
    parts = re.split(r"^== (\w+)\n", source, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert len(parts) == 2 * len(sections) + 1, "a section stands twice"
    assert sections.keys() <= SECTIONS, sections.keys() - SECTIONS
    assert ("error" in sections) != ("match" in sections), "either it matches or it fails"
    return {name: text.removesuffix("\n") for name, text in sections.items()}


def spell_out(text: str) -> str:
    """The text with the signs replaced by what they stand for."""
    text = re.sub("[␊␍␉␠]", lambda sign: SIGNS[sign[0]], text)
    return re.sub(r"⟨U\+([0-9A-F]{4,6})⟩", lambda it: chr(int(it[1], 16)), text)


def read_options(text: str) -> dict[str, object]:
    """The request's options."""
    return {
        name: int(value) if value else True
        for name, _, value in (word.partition("=") for word in text.split())
    }
