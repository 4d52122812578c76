"""Finds what programs read in a text that the reviewer does not see, because they do not read the file in
its encoding (docs/protocol.md#94-what-the-answer-says).

Programs read most files as UTF-8, or byte by byte. In an encoding that is not Unicode's, letters may then be
another character, such as `â€¨` in cp1252, which is LINE SEPARATOR in UTF-8; or a letter may hold a sign of a
program's syntax, such as the backslash that is the second byte of `表` in Shift JIS.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from agentfs_lsp.domain.text.escaping import MAX_FINDINGS, unseen_in
from agentfs_lsp.domain.text.lines import ends_between, split_lines

_SYNTAX = rb"""\`|<>;&'"=:?!#$%()*+,-./"""
"""What is left out, such as brackets and braces, neither ends a string nor runs what follows, and is in every
other Japanese or Chinese sentence: `ー` has one in Shift JIS."""

_LONGER = "\u0800"
"""From here on UTF-8 has three bytes or more. Shorter ones are in ordinary text, such as 颅 in GBK."""

_NO_BREAK_SPACE = "\xa0"
"""Ends a name in JavaScript."""

_BLOCK = 1 << 20


class Misread(NamedTuple):
    """`line` is 1-based in the searched text; `detail` names what is read."""

    line: int
    detail: str


def is_misread(encoding: str) -> bool:
    """Whether programs that read UTF-8 read other characters in files of this encoding."""
    return encoding != "ascii" and not encoding.startswith(("utf-8", "utf-16", "utf-32"))


def as_utf_8(text: str, encoding: str) -> str:
    """What programs read that take the file for UTF-8."""
    return text.encode(encoding, "ignore").decode("utf-8", "replace")


def find_misread(before: str, after: str, encoding: str) -> list[Misread]:
    """What is in the lines of `after` that `before` has not: one finding per character, at most
    `MAX_FINDINGS`. A line that has such a character already counts if it changes: what the character does
    depends on what is around it."""
    if after.isascii():
        return []
    lines, known = split_lines(after), frozenset(split_lines(before))
    found = (*islice(_as_syntax(lines, known, encoding), MAX_FINDINGS), *_in_utf_8(lines, known, encoding))
    return sorted(found)[:MAX_FINDINGS]


def _as_syntax(lines: Sequence[str], known: frozenset[str], encoding: str) -> Iterator[Misread]:
    """Letters with bytes that are signs of a program's syntax."""
    letters = set[str]().union(*map(_letters, lines))
    left = {letter: signs for letter in letters if (signs := _signs_in(letter, encoding))}
    for number, line in enumerate(lines, 1):
        for letter in left.keys() & _letters(line) if left and line not in known else ():
            yield Misread(number, f"{letter} -> {left.pop(letter)}")


def _letters(line: str) -> set[str]:
    """Its characters beyond ASCII, in steps between which other threads run."""
    if line.isascii():
        return set()
    return set[str]().union(*(line[at : at + _BLOCK] for at in range(0, len(line), _BLOCK)))


def _signs_in(letter: str, encoding: str) -> str:
    signs = set() if letter.isascii() else set(letter.encode(encoding, "ignore")).intersection(_SYNTAX)
    return "".join(map(chr, sorted(signs)))


def _in_utf_8(lines: Sequence[str], known: frozenset[str], encoding: str) -> Iterator[Misread]:
    """Bidirectional and invisible characters, which include the separators of lines, and unusual blanks, in
    UTF-8."""
    seen = set[str]()
    read = as_utf_8("".join(lines), encoding)
    at = index = 0
    for found, name in unseen_in(read):
        index += ends_between(read, at, found)
        at = found
        counts = read[at] >= _LONGER or read[at] == _NO_BREAK_SPACE
        if counts and name not in seen and lines[index] not in known:
            seen.add(name)
            yield Misread(index + 1, name)
