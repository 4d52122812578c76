"""Escapes text for display and finds suspicious characters (docs/protocol.md#94-what-the-answer-says).

Bidirectional, invisible, and control characters are escaped wherever the server renders text. They are
reported if a change adds them, and are written unchanged. Joiners and variation selectors are part of emoji
and of several scripts, so they are reported only where no script uses them. Unusual blanks are only escaped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Literal, NamedTuple, cast

from agentfs_lsp.domain.text.joining import USUAL
from agentfs_lsp.domain.text.lines import ends_between

Kind = Literal["bidirectional", "invisible", "control"]

MAX_FINDINGS = 100

LONGEST_NAME = 4096
"""Maximum characters of a name shown; file systems accept no longer paths."""

LONGEST_UNKNOWN = 200
"""Maximum characters shown of anything that names nothing."""

# Line ends and tabs are ordinary; U+0080..U+009F are controls too.
_CONTROL = "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_BIDIRECTIONAL = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# All format and default-ignorable characters of Unicode not named elsewhere here, the line and paragraph
# separators, and what VS Code counts as invisible. Listed as ranges because Python 3.11's tables lack some.
# Prepended concatenation marks have glyphs, so they are text. A test of the extension compares its own list.
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1cbb\u1cbc\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff0-\ufffc\U000133fc\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d159"
    "\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
# Other blanks than the usual one. Between characters of a script that uses them they stay as they are.
_BLANKS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

# One character class is many times faster to search than the alternatives of `_character`, which are tried
# only where it matches.
_CANDIDATE = re.compile(
    f"[{_CONTROL}{_BIDIRECTIONAL}{_INVISIBLE}{_BLANKS}{_JOINERS}{_SELECTORS}\ud800-\udfff\r]"
)
_UNSEEN = re.compile(f"[{_BIDIRECTIONAL}{_INVISIBLE}{_BLANKS}{_JOINERS}{_SELECTORS}]")
# What Markdown, and VS Code in notifications, turns into a link: `](` before a URI of any scheme.
_LINK = re.compile(r"\]\((?=\s*<?[a-z][a-z0-9+.-]*:[^\s)])", re.IGNORECASE | re.ASCII)

_PLAIN = bytes({*range(0x20, 0x7F), *b"\t\n\r"})


class Finding(NamedTuple):
    """Something for the reviewer to see: `line` is 1-based in the searched text; `detail` names it."""

    kind: Kind
    line: int
    detail: str


def escape_invisible(text: str) -> str:
    """`text` with bidirectional, invisible and control characters shown as `\\x07` or `\\u202e`; `\\n` and
    tabs stay.

    Undecodable bytes become U+FFFD, as in a read; the result can be encoded as UTF-8."""
    return text if _is_plain(text) and "\r" not in text else _CANDIDATE.sub(_escaped, text)


def escape_to_one_line(text: str) -> str:
    """As `escape_invisible`, but also escapes `\\n` and tabs: a name can then imitate neither extra lines nor
    a link. Truncated if it is longer than any name."""
    return escape_links(escape_invisible(cut_name(text))).replace("\n", "\\x0a").replace("\t", "\\x09")


def cut_name(text: str, most: int = LONGEST_NAME) -> str:
    """The first `most` characters of `text`."""
    return text if len(text) <= most else f"{text[:most]}…"


def escape_links(text: str) -> str:
    """`text` with the parenthesis of every link shown as `\\x28`: `[label]\\x28command:id)`. Editors render
    links in notifications, and a link can run a command. Joining lines creates no new links."""
    return _LINK.sub(r"]\\x28", text) if "](" in text else text


SEPARATORS = ("\u2028", "\u2029")
"""LINE and PARAGRAPH SEPARATOR: some programs end lines there, and VS Code shows a dialog about them."""


def find_suspicious(text: str) -> list[Finding]:
    """Suspicious characters in a text to insert, by line: one finding per line and character, at most
    `MAX_FINDINGS`."""
    return list(dict.fromkeys(islice(_characters(text), MAX_FINDINGS)))


def _characters(text: str) -> Iterator[Finding]:
    at, line = 0, 1
    for found, kind, name in suspicious_in(text):
        line += ends_between(text, at, found)
        at = found
        yield Finding(kind, line, name)


def suspicious_in(text: str) -> Iterator[tuple[int, Kind, str]]:
    """Offset, kind, and name of each suspicious character."""
    for candidate in () if _is_plain(text) else _CANDIDATE.finditer(text):
        found = _character().match(text, candidate.start())
        if found and found.lastgroup != "blank":  # usual in prose
            yield found.start(), cast("Kind", found.lastgroup), _named(found.group())


def unseen_in(text: str) -> Iterator[tuple[int, str]]:
    """Offset and name of each character without a glyph of its own, wherever it stands, but of no control
    character."""
    for found in () if text.isascii() else _UNSEEN.finditer(text):
        yield found.start(), _named(found.group())


@cache
def _character() -> re.Pattern[str]:
    """A candidate that counts where it stands. Compiled when it is first needed, not at every start."""
    return re.compile(
        f"(?P<control>[{_CONTROL}])|(?P<bidirectional>[{_BIDIRECTIONAL}])"
        f"|(?P<invisible>(?!{USUAL})[{_INVISIBLE}{_JOINERS}{_SELECTORS}])"
        # Within a run of them, what counts is the characters around it. A limit keeps long runs cheap.
        f"|(?P<blank>(?<![^\0-\x7f{_BLANKS}])[{_BLANKS}](?![{_BLANKS}]{{0,63}}+[^\0-\x7f{_BLANKS}]))"
    )


def _is_plain(text: str) -> bool:
    return text.isascii() and not text.encode().translate(None, _PLAIN)


def _escaped(candidate: re.Match[str]) -> str:
    character = candidate.group()
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return "\ufffd"
    always = character == "\r" or 0xD800 <= code <= 0xDFFF
    if not always and not _character().match(candidate.string, candidate.start()):
        return character
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
