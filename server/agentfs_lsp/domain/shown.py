"""Text made safe to look at, and what in it deserves a look (docs/protocol.md#94-what-the-answer-says).

Characters that reorder, hide or command are escaped where the server itself renders text, and are findings
where somebody puts them into a file; they are written as they came. Joiners and variation selectors are
part of emoji and of several scripts, so they count only where no script uses them. Secrets are told by
their issuers' formats alone: nothing is guessed from how random a string looks, and no finding repeats the
secret.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

from agentfs_lsp.domain.lines import ends_between

Kind = Literal["bidirectional", "invisible", "control", "secret"]

MOST_FINDINGS = 100

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_CHARACTERS = re.compile(
    # Line ends and tabs are ordinary; U+0080..U+009F are controls too.
    "(?P<control>[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f])"
    "|(?P<bidirectional>[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])"
    "|(?P<invisible>[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"
    # Behind ASCII (but for the keycaps 0\ufe0f\u20e3..9\ufe0f\u20e3), at the begin, or doubled, these say
    # nothing to any reader.
    f"|(?<![^\0-\x7f])[\u200c\u200d{_SELECTORS}](?!\u20e3)"
    f"|(?<=[{_SELECTORS}])[{_SELECTORS}]|(?<=[\u200c\u200d])[\u200c\u200d])"
)
_UNSHOWABLE = re.compile(f"{_CHARACTERS.pattern}|(?P<surrogate>[\ud800-\udfff])|\r")

# What it is, a piece that every one of them holds (looked for first, being fast), and the whole format.
_SECRETS = tuple(
    (what, sign, re.compile(pattern))
    for what, sign, pattern in (
        ("private key", "PRIVATE KEY", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
        ("AWS access key", "AKIA", r"\bAKIA[A-Z2-7]{16}\b"),
        ("AWS access key", "ASIA", r"\bASIA[A-Z2-7]{16}\b"),
        ("GitHub token", "gh", r"\bgh[opusr]_[A-Za-z0-9]{36,255}\b"),
        ("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b"),
        ("GitLab token", "glpat-", r"\bglpat-[\w-]{20,}"),
        ("Slack token", "xox", r"\bxox[abeoprs]-(?=[A-Za-z-]*\d)[A-Za-z0-9-]{10,}"),
        ("Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/services/T\w+/B\w+/\w{20,}"),
        ("Anthropic key", "sk-ant-", r"\bsk-ant-[a-z]+\d\d-[\w-]{80,}"),
        ("OpenAI key", "T3BlbkFJ", r"\bsk-(?:[a-z]+-)?[\w-]{20,}T3BlbkFJ[\w-]{20,}"),
        ("Google API key", "AIza", r"\bAIza[\w-]{35}(?![\w-])"),
        ("Stripe key", "k_live_", r"\b[rs]k_live_[A-Za-z0-9]{24,}"),
        ("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
        ("PyPI token", "pypi-AgEI", r"\bpypi-AgEI[\w-]{50,}"),
    )
)


class Finding(NamedTuple):
    """Something a reviewer should see: `line` is 1-based in the text looked at; `detail` names it."""

    kind: Kind
    line: int
    detail: str


def escape_invisible(text: str) -> str:
    """`text` with what reorders, hides or commands shown as `\\x07` or `\\u202e`; `\\n` and tabs stay.

    Bytes that did not decode are U+FFFD, as in a read; the result can be encoded as UTF-8.
    """
    return text if text.isascii() and text.isprintable() else _UNSHOWABLE.sub(_escaped, text)


def find_suspicious(text: str) -> list[Finding]:
    """What in a text about to be inserted deserves a look, in order of lines: one finding a line and kind
    (and
    character or format), at most `MOST_FINDINGS`."""
    places: dict[Finding, None] = {}
    at, line = 0, 1
    for found in _CHARACTERS.finditer(text):
        line += ends_between(text, at, found.start())
        at = found.start()
        places.setdefault(Finding(_kind(found), line, _named(found.group())))
        if len(places) >= MOST_FINDINGS:
            break
    for what, sign, pattern in _SECRETS:
        if sign in text:
            for found in pattern.finditer(text):
                places.setdefault(Finding("secret", ends_between(text, 0, found.start()) + 1, what))
    return sorted(places, key=lambda it: it.line)[:MOST_FINDINGS]


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    if 0xDC80 <= code <= 0xDCFF:
        return "\ufffd"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _kind(found: re.Match[str]) -> Kind:
    return "control" if found["control"] else "bidirectional" if found["bidirectional"] else "invisible"


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
