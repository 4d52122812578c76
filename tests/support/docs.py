"""Parses the documentation: sections, tables, anchors and examples of Markdown files."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")

Row = dict[str, str]


def text_of(name: str) -> str:
    """A document, by its path below docs/."""
    return (DOCS / name).read_text("utf-8")


def section(text: str, title: str) -> str:
    """The text below the heading with this exact title, up to the next heading of its level or above."""
    plain = _FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text)
    lines, heads = text.split("\n"), plain.split("\n")
    for at, line in enumerate(heads):
        found = _HEADING.match(line)
        if found and found[2] == title:
            ends = (
                place
                for place in range(at + 1, len(heads))
                if (next_one := _HEADING.match(heads[place])) and len(next_one[1]) <= len(found[1])
            )
            return "\n".join(lines[at + 1 : next(ends, len(lines))])
    raise AssertionError(f"no section {title!r}")


def tables(text: str) -> list[list[Row]]:
    """Every table as rows, each a dict by column title."""
    found: list[list[Row]] = []
    for block in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        head, _, *rows = [
            [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip()[1:-1])]
            for line in block.strip().split("\n")
        ]
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def table(text: str, first: str) -> list[Row]:
    """The only table whose first column has this title."""
    (rows,) = (rows for rows in tables(text) if next(iter(rows[0])) == first)
    return rows


def codes(cell: str) -> list[str]:
    """The text in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def keys(rows: list[Row]) -> list[str]:
    """The first column, without backticks."""
    return [next(iter(row.values())).strip("`") for row in rows]


def examples(text: str, language: str) -> list[str]:
    """The fenced blocks in a language, in order."""
    return [block for name, block in _FENCE.findall(text) if name == language]


def anchors(text: str) -> set[str]:
    """GitHub's anchors of the headings."""
    plain = _FENCE.sub("", text)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for _, title in _HEADING.findall(plain)}


def links(text: str) -> list[str]:
    """The targets of all links and images outside examples."""
    return re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", text))
