"""Finds what programs read in a text that the reviewer does not see, because they do not read the file in
its encoding (docs/protocol.md#94-what-the-answer-says).

Programs read most files as UTF-8, or byte by byte. In an encoding that is not Unicode's, letters may then be
another character, such as `â€¨` in cp1252, which is LINE SEPARATOR in UTF-8; or a letter may hold a sign of a
program's syntax, such as the backslash that is the second byte of `表` in Shift JIS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from agentfs_lsp.domain.text.escaping import MAX_FINDINGS, unseen_in
from agentfs_lsp.domain.text.lines import ends_between, split_lines

_SYNTAX = rb"""\`|<>;&'"=:?!#$%()*+,-./"""
"""What is left out, such as brackets and braces, neither ends a string nor runs what follows, and is in every
other Japanese or Chinese sentence: `ー` has one in Shift JIS."""

_WORD = re.compile(rb"[\w\x80-\xff]+")
_BLANKS = re.compile(rb"[ \t]+")

_LONGER = "\u0800"
"""From here on UTF-8 has three bytes or more. Shorter ones are in ordinary text, such as 颅 in GBK."""


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
    `MAX_FINDINGS`."""
    if after.isascii():
        return []
    found = (*islice(_as_syntax(before, after, encoding), MAX_FINDINGS), *_in_utf_8(before, after, encoding))
    return sorted(found)[:MAX_FINDINGS]


def _as_syntax(before: str, after: str, encoding: str) -> Iterator[Misread]:
    """Letters with bytes that are signs of a program's syntax. Where only words change around them, they mean
    what they meant before."""
    left = {letter: signs for letter in set(after) if (signs := _signs_in(letter, encoding))}
    if not left:
        return
    known = {_structure(line, encoding) for line in split_lines(before)}
    for number, line in enumerate(split_lines(after), 1):
        if (here := left.keys() & line) and _structure(line, encoding) not in known:
            for letter in here:
                yield Misread(number, f"{letter} -> {left.pop(letter)}")


def _signs_in(letter: str, encoding: str) -> str:
    signs = set() if letter.isascii() else set(letter.encode(encoding, "ignore")).intersection(_SYNTAX)
    return "".join(map(chr, sorted(signs)))


def _structure(line: str, encoding: str) -> bytes:
    """The line as a reader of bytes takes it apart, each word as `a`."""
    return _BLANKS.sub(b" ", _WORD.sub(b"a", line.encode(encoding, "ignore"))).lstrip()


def _in_utf_8(before: str, after: str, encoding: str) -> Iterator[Misread]:
    """Bidirectional and invisible characters, which include the separators of lines, and unusual blanks, in
    UTF-8."""
    lines, known, seen = split_lines(after), set(split_lines(before)), set[str]()
    read = as_utf_8(after, encoding)
    at = index = 0
    for found, name in unseen_in(read):
        index += ends_between(read, at, found)
        at = found
        if read[at] >= _LONGER and name not in seen and lines[index] not in known:
            seen.add(name)
            yield Misread(index + 1, name)
