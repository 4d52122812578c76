"""Evaluates the texts of `.editorconfig` files for a file (editorconfig.org).

Globs are matched by tracking all positions in the path at once, so that no pattern takes longer than its
length times the path's length. Sections beyond `_MAX_WORK` are ignored. The caller finds and reads the files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from agentfs_lsp.domain.text.byte_order_mark import MARK
from agentfs_lsp.domain.text.lines import LINE_END

_MAX_GLOB_CHARS = 1024
_MAX_NESTING = 8
_MAX_WORK = 4_000_000
"""Characters of globs times characters of the path, over all sections considered."""

_SEPARATOR = re.compile(r"[:=]")
_COMMENT = re.compile(r"\s[#;]")
_RANGE = re.compile(r"([+-]?\d{1,18})\.\.([+-]?\d{1,18})")
_NUMBER = re.compile(r"[+-]?\d{1,18}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)

Step = Callable[[str, set[int]], set[int]]
"""Maps the path positions that a pattern's start can reach to those that its next piece reaches."""


def properties_for(files: Sequence[tuple[str, str]], path: str) -> dict[str, str]:
    """The properties of the file at `path`, names and values in lower case, without `unset` ones.

    `files` are (folder, text) of `.editorconfig` files in any order; folders and `path` are relative to the
    same root, with `/` (the root itself is `""`). Nearer files win; `root = true` ends the search."""
    found: dict[str, str] = {}
    work = _MAX_WORK
    for folder, text in sorted(files, key=lambda it: len(it[0]), reverse=True):
        prefix = f"{folder}/" if folder else ""
        if not path.startswith(prefix):
            continue
        root, properties, work = _read(text.removeprefix(MARK), path.removeprefix(prefix), work)
        found = properties | found
        if root:
            break
    return {name: value for name, value in found.items() if value != "unset"}


def _read(text: str, path: str, work: int) -> tuple[bool, dict[str, str], int]:
    """Whether the file is a root, the properties of its matching sections, and the remaining `work`."""
    root = False
    preamble = True
    applies = False
    properties: dict[str, str] = {}
    for raw in LINE_END.split(text):
        line = raw.strip()
        if line.startswith("[") and line.endswith("]"):
            preamble = False
            work -= len(line) * len(path)
            applies = work >= 0 and _matches(line[1:-1], path)
        elif (preamble or applies) and not line.startswith(("#", ";")) and (pair := _pair(line)):
            name, value = pair
            if preamble:
                root = value == "true" if name == "root" else root
            else:
                properties[name] = value
    return root, properties, work


def _pair(line: str) -> tuple[str, str] | None:
    """Name and value, in lower case, of a stripped line."""
    separator = _SEPARATOR.search(line)
    if separator is None or separator.start() == 0:
        return None
    value = line[separator.end() :].lstrip()
    comment = _COMMENT.search(value)
    return line[: separator.start()].rstrip().lower(), value[: comment and comment.start()].rstrip().lower()


def _matches(glob: str, path: str) -> bool:
    """Whether a section applies to `path` (relative to the folder). A glob without a slash matches at any
    depth."""
    if len(glob) > _MAX_GLOB_CHARS:
        return False
    path = f"/{path}"
    if "/" in glob:
        start, glob = {0}, f"/{glob.removeprefix('/')}"
    else:
        start = {at for at in range(1, len(path)) if path[at - 1] == "/"}
    return len(path) in _follow(_compiled(glob), path, start)


def _follow(steps: Sequence[Step], path: str, places: set[int]) -> set[int]:
    for step in steps:
        places = step(path, places)
    return places


@lru_cache(maxsize=256)
def _compiled(glob: str) -> tuple[Step, ...]:
    return tuple(_Parser(glob).steps(len(glob)))


class _Parser:
    """Parses a glob in one pass."""

    def __init__(self, glob: str) -> None:
        self._glob = glob
        self._at = 0
        self._closing = _matching_braces(glob)

    def steps(self, end: int, until: str = "") -> list[Step]:
        """The steps up to the character `until` or to `end`."""
        found: list[Step] = []
        while self._at < end and self._glob[self._at] != until:
            found.append(self._step())
        return found

    def _step(self) -> Step:
        for sign, step in _SIGNS:
            if self._glob.startswith(sign, self._at):
                self._at += len(sign)
                return step
        self._at += 1
        match self._glob[self._at - 1]:
            case "[":
                return self._set()
            case "{" if self._at - 1 in self._closing:
                return self._braces(self._closing[self._at - 1])
            case "\\" if self._at < len(self._glob):
                self._at += 1
        return _literal(self._glob[self._at - 1])

    def _set(self) -> Step:
        """`[abc]`, `[a-z]`, `[!abc]`; a literal bracket if it is not closed, or only after a slash."""
        negated = self._glob.startswith("!", self._at)
        start = self._at + negated
        end = self._glob.find("]", start + 1)
        if end < 0 or "/" in self._glob[start:end]:
            return _literal("[")
        self._at = end + 1
        return _one_of(self._glob[start:end], negated)

    def _braces(self, end: int) -> Step:
        """`{a,b}` and `{1..9}`; anything else in braces is literal, including the braces."""
        if number := _RANGE.fullmatch(self._glob, self._at, end):
            self._at = end + 1
            return _number(int(number[1]), int(number[2]))
        branches = [self.steps(end, ",")]
        while self._at < end:
            self._at += 1
            branches.append(self.steps(end, ","))
        self._at = end + 1
        if len(branches) == 1:
            branches = [[_literal("{"), *branches[0], _literal("}")]]
        return _either(branches)


def _matching_braces(glob: str) -> dict[int, int]:
    """The closing brace of each opening one; braces nested too deeply are literal."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for found in _BRACE.finditer(glob):
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and opened:
            start = opened.pop()
            if len(opened) < _MAX_NESTING:
                closing[start] = found.start()
    return closing


def _literal(character: str) -> Step:
    return lambda path, places: {at + 1 for at in places if path.startswith(character, at)}


def _any_one(path: str, places: set[int]) -> set[int]:
    return {at + 1 for at in places if path[at : at + 1] not in ("", "/")}


def _any_of_path(path: str, places: set[int]) -> set[int]:
    return set(range(min(places), len(path) + 1)) if places else places


def _any_of_name(path: str, places: set[int]) -> set[int]:
    reached: set[int] = set()
    for start in places:
        at = start
        while at not in reached:
            reached.add(at)
            if path[at : at + 1] in ("", "/"):
                break
            at += 1
    return reached


def _one_of(characters: str, negated: bool) -> Step:
    ranges = [(pair[0], pair[-1]) for pair in re.findall(r"(?s).-.|.", characters)]

    def step(path: str, places: set[int]) -> set[int]:
        return {
            at + 1
            for at in places
            if path[at : at + 1] not in ("", "/")
            and any(low <= path[at] <= high for low, high in ranges) is not negated
        }

    return step


def _number(low: int, high: int) -> Step:
    def step(path: str, places: set[int]) -> set[int]:
        numbers = [number for at in places if (number := _NUMBER.match(path, at))]
        return {number.end() for number in numbers if low <= int(number[0]) <= high}

    return step


def _either(branches: Sequence[Sequence[Step]]) -> Step:
    return lambda path, places: set().union(*(_follow(branch, path, places) for branch in branches))


# Tried in this order.
_SIGNS: tuple[tuple[str, Step], ...] = (
    ("/**/", _either([[_literal("/")], [_literal("/"), _any_of_path, _literal("/")]])),
    ("**", _any_of_path),
    ("*", _any_of_name),
    ("?", _any_one),
)
