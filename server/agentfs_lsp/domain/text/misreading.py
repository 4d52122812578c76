"""Finds what programs read in a text that the reviewer does not see, because they do not read the file in
its encoding (docs/protocol.md#94-what-the-answer-says).

Programs read most files as UTF-8, or byte by byte. In an encoding that is not Unicode's, letters may then be
another character, such as `â€¨` in cp1252, which is LINE SEPARATOR in UTF-8; or a letter may hold a sign of a
program's syntax, such as the backslash that is the second byte of `表` in Shift JIS.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from agentfs_lsp.domain.text.escaping import MAX_FINDINGS, suspicious_in
from agentfs_lsp.domain.text.lines import ends_between

_SYNTAX = rb"\`|"
"""These end a string, or run what follows. Brackets, braces, and the like do not, and are in every other
Japanese or Chinese sentence, as in `ー` (Shift JIS)."""

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
    """What `after` has more of than `before`: one finding per character, at most `MAX_FINDINGS`."""
    if after.isascii():
        return []
    found = (*islice(_as_syntax(before, after, encoding), MAX_FINDINGS), *_in_utf_8(before, after, encoding))
    return sorted(found)[:MAX_FINDINGS]


def _as_syntax(before: str, after: str, encoding: str) -> Iterator[Misread]:
    """Letters with bytes that are signs of a program's syntax."""
    data = after.encode(encoding, "ignore")
    if all(data.count(sign) == after.count(chr(sign)) for sign in _SYNTAX):
        return
    for letter in sorted(set(after)):
        signs = set(letter.encode(encoding, "ignore")).intersection(_SYNTAX)
        if not letter.isascii() and signs and after.count(letter) > before.count(letter):
            line = 1 + ends_between(after, 0, after.index(letter))
            yield Misread(line, f"{letter} -> {''.join(map(chr, sorted(signs)))}")


def _in_utf_8(before: str, after: str, encoding: str) -> Iterator[Misread]:
    """Bidirectional and invisible characters, which include the separators of lines, in UTF-8."""
    was, read = as_utf_8(before, encoding), as_utf_8(after, encoding)
    seen: set[str] = set()
    for at, kind, name in suspicious_in(read):
        character = read[at]
        if character >= _LONGER and kind != "control" and character not in seen:
            seen.add(character)
            if read.count(character) > was.count(character):
                yield Misread(1 + ends_between(read, 0, at), name)
