"""The agent's actions as data: one plan for the sample workspace, and one that is generated for any
project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.domain.text.textfile import eol_of
from agentfs_lsp.domain.translation import Translate

MAX_TEXT_BYTES = 64 * 1024
MAX_CANDIDATES = 7
# The syntax of a comment in files of that kind; other kinds are left alone.
REMARKS = {
    **dict.fromkeys((".py", ".toml", ".yaml", ".yml", ".sh", ".rb", ".cfg", ".r"), "# {}"),
    **dict.fromkeys((".js", ".ts", ".tsx", ".go", ".rs", ".c", ".h", ".cpp", ".java", ".kt", ".cs"), "// {}"),
    **dict.fromkeys((".md", ".html", ".xml"), "<!-- {} -->"),
    **dict.fromkeys((".css", ".scss"), "/* {} */"),
    **dict.fromkeys((".txt", ".rst"), "{}"),
    **dict.fromkeys((".sql", ".lua"), "-- {}"),
}


class NothingToEditError(Exception):
    """The project has no text file that the turn could edit."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old`, which occurs once, by `new`. `why` in the words of whoever does it."""

    path: str
    old: str
    new: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to create."""

    path: str
    content: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A turn. `behind`: what someone else writes to the contested file; `typed`: what the person types into
    the open one, unsaved; `refused`: the change the person should reject, for `reason`; `outside`: the change
    of an agent in a program of its own."""

    task: str
    first: Edit
    created: NewFile
    contested: Edit
    behind: Edit
    unsaved: Edit
    typed: Edit
    refused: Edit
    reason: str
    standing: Edit
    free: Edit
    outside: Edit


def sample_plan(translate: Translate) -> Plan:
    return Plan(
        task=translate("Warn when a gauge passes its flood mark."),
        first=Edit(
            "tides/levels.py",
            "def tidal_range(",
            "def flooded(readings: Sequence[float], mark: float) -> bool:\n"
            '    """Whether the water passed the flood mark."""\n'
            "    return high_water(readings) > mark\n\n\ndef tidal_range(",
            translate("The report needs to know whether a mark was passed."),
        ),
        created=NewFile(
            "docs/floods.md",
            "# Flood warnings\n\nA gauge warns when its high water passes the mark in `data/gauges.csv`.\n",
            translate("To explain the warning to the harbor office."),
        ),
        contested=Edit(
            "data/gauges.csv",
            "G03,Lock Gate,\n",
            "G03,Lock Gate,2.25\n",
            translate("The lock gate had no flood mark."),
        ),
        behind=Edit("data/gauges.csv", "G02,Ferry Pier,1.95", "G02,Ferry Pier,1.85"),
        unsaved=Edit(
            "station.toml",
            'language = "en"\n',
            'language = "en"\nwarn_on_flood = true\n',
            translate("Enables the warning."),
        ),
        typed=Edit("station.toml", "interval_s = 600", "interval_s = 300"),
        refused=Edit(
            "tides/report.py", "def report(", "def make_daily_report(", translate("A longer name is clearer.")
        ),
        reason=translate("Please keep the old name"),
        standing=Edit(
            "notes/pegel.txt",
            "Schlüssel beim Hafenbüro.\n",
            "Schlüssel beim Hafenbüro.\nHochwassermarken: siehe data/gauges.csv, jährlich prüfen.\n",
            translate("Says where the marks are, in the language of the note."),
        ),
        free=Edit(
            "README.md",
            "settings in `station.toml`.\n",
            "settings in `station.toml`.\nHow floods are announced: `docs/floods.md`.\n",
            translate("Links the new page."),
        ),
        outside=Edit(
            "tides/test_levels.py",
            "from .levels import high_water, tidal_range\n",
            "from .levels import high_water, low_water, tidal_range\n\n\n"
            "def test_low_water_is_the_lowest_reading() -> None:\n"
            "    assert low_water([0.4, 1.9, 1.2]) == 0.4\n",
            translate("Low water had no test."),
        ),
    )


def plan_for(folder: Path, translate: Translate) -> Plan:
    """A harmless turn on any project: comments at the end of its first text files.

    Raises NothingToEditError."""
    ends = _candidates(folder)
    if not ends:
        raise NothingToEditError
    ordinals = iter(("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth"))

    def edit(number: int, why: str = "") -> Edit:
        path, end = ends[number % len(ends)]
        words = f"{next(ordinals)} remark of the agentfs demo"
        remark = REMARKS[PurePosixPath(path).suffix.lower()].format(words)
        return Edit(path, end, f"{end}\n{remark}", why)

    return Plan(
        task=translate("Add a remark to a few files."),
        first=edit(0, translate("A remark at the end of the file.")),
        created=NewFile(
            _free_name(folder),
            "# Remarks\n\nWritten by the agentfs demo.\n",
            translate("Says what was done."),
        ),
        contested=edit(1, translate("Another remark.")),
        behind=edit(1),
        unsaved=edit(2, translate("A remark beside what you are typing.")),
        typed=edit(2),
        refused=edit(3, translate("A remark that nobody requested.")),
        reason=translate("Please leave this file as it is"),
        standing=edit(4, translate("One more remark.")),
        free=edit(5, translate("And the last one.")),
        outside=edit(6, translate("A remark from outside.")),
    )


def _candidates(folder: Path) -> list[tuple[str, str]]:
    """Paths of files to edit, each with its end: the shortest run of last lines that occurs only once."""
    ends = (
        (path.relative_to(folder).as_posix(), _unique_end(path.read_bytes())) for path in _text_files(folder)
    )
    return list(islice(((path, end) for path, end in ends if end), MAX_CANDIDATES))


def _text_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*"), key=lambda path: (len(path.relative_to(folder).parts), path)):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if hidden or path.suffix.lower() not in REMARKS or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size <= MAX_TEXT_BYTES and os.access(path, os.W_OK):
            yield path


def _unique_end(data: bytes) -> str:
    """Empty if there is none, or the file is not UTF-8 text with uniform line ends."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    if "\0" in text or eol_of(text) == "mixed":
        return ""
    text = normalize(text).rstrip("\n")
    lines = text.split("\n")
    ends = ("\n".join(lines[first:]) for first in reversed(range(len(lines))))
    return next((end for end in ends if len(end) >= 12 and text.count(end) == 1), "")


def _free_name(folder: Path) -> str:
    names = ("agentfs-demo.md", *(f"agentfs-demo-{number}.md" for number in range(2, 1000)))
    return next(name for name in names if not (folder / name).exists())
