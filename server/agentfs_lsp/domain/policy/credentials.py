"""Finds secrets in text by their issuers' formats (docs/protocol.md#94-what-the-answer-says).

Randomness of a string is not considered. Secrets that the previous text already contained are not
reported, so that other parts of a file with a secret can be changed.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentfs_lsp.domain.splices import Splice, apply_splices
from agentfs_lsp.domain.text.lines import ends_between

LONGEST = 16384
"""The number of characters around a change to search; a secret that extends further is not found."""

_IN_THE_MIDDLE = "T3BlbkFJ"
"""The identifying part of an OpenAI key is in its middle."""

_BESIDE = 200
"""The most characters of a key on either side of it."""

_BESIDE_AT_LEAST = 20

_ANY_KEY = r"[A-Za-z0-9/+]{40}"
_MIXED_KEY = rf"(?=[A-Z0-9/+]*[a-z])(?=[a-z0-9/+]*[A-Z]){_ANY_KEY}"
# Signs and a few words, in any language, separate the name of a key from its value.
_BETWEEN = r"(?:[^A-Za-z0-9/+]{1,40}[A-Za-z0-9/+]{1,20}){0,3}?[^A-Za-z0-9/+]{1,40}"
_SECRET_WORD = ("secret", "Secret", "SECRET")

# A key's lines may be indented, quoted, joined or commented out. Kept out of the value, so that it can be
# recognized as one the file already had.
_BETWEEN_LINES = r"(?:\\[nr]|[\s\\\"'`,;|>#/*+.&]){0,40}"

# No letter or digit precedes a match, except that of an escaped line end.
_BEGIN = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"

# Random text has letters of both cases; placeholders such as `xxxx`, and hashes, do not.
_MIXED = r"(?=[A-Z0-9]{0,40}[a-z])(?=[a-z0-9]{0,40}[A-Z])"
_MIXED_WITH_SIGNS = r"(?=[A-Z0-9_/+-]{0,40}[a-z])(?=[a-z0-9_/+-]{0,40}[A-Z])"

_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\s\\nr]{1,8}(?:Proc-Type|DEK-Info|Version|Comment)[^\r\n]{0,200}){0,4}"
    rf"(?:{_BETWEEN_LINES}[A-Za-z0-9+/=]{{16,128}}){{0,48}}"
)

# The only part of PuTTY's file that is secret.
_PUTTY_LINE = r"[A-Za-z0-9+/=]{16,128}"
_PUTTY_KEY = (
    rf"Private-Lines: [0-9]{{1,3}}{_BETWEEN_LINES}({_PUTTY_LINE}(?:{_BETWEEN_LINES}{_PUTTY_LINE}){{0,47}})"
)

# Not the keys of Microsoft's emulators, which are the same everywhere.
_AZURE_ACCOUNT_KEY = rf"AccountKey=(?!Eby8vdM02xNO|C2y6yDjf5/R){_MIXED_WITH_SIGNS}([A-Za-z0-9+/]{{86}}==)"

# Tokens with a beginning of their own: the kind, the beginnings, and what follows them.
_TOKENS = (
    ("age key", ("AGE-SECRET-KEY-",), r"(?:PQ-)?1[02-9AC-HJ-NP-Z]{58}"),
    ("Google client secret", ("GOCSPX-",), rf"{_MIXED_WITH_SIGNS}[\w-]{{28}}"),
    ("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[a-f0-9]{64}"),
    ("Hugging Face token", ("hf_",), rf"{_MIXED}[A-Za-z0-9]{{34}}"),
    ("Groq key", ("gsk_",), rf"{_MIXED}[A-Za-z0-9]{{52}}"),
    ("xAI key", ("xai-",), rf"{_MIXED}[A-Za-z0-9]{{80}}"),
    ("OpenRouter key", ("sk-or-v1-",), r"[a-f0-9]{64}"),
    ("SendGrid key", ("SG.",), rf"{_MIXED_WITH_SIGNS}[\w-]{{22}}\.{_MIXED_WITH_SIGNS}[\w-]{{43}}"),
    # A root token is as short as the name of a method, but such names rarely have digits.
    ("Vault token", ("hvs.",), rf"{_MIXED}(?=[A-Za-z]{{0,23}}[0-9])[A-Za-z0-9]{{24}}"),
    ("Vault token", ("hvs.", "hvb.", "hvr."), rf"{_MIXED_WITH_SIGNS}[\w-]{{90,300}}"),
    ("Docker token", ("dckr_pat_",), rf"{_MIXED_WITH_SIGNS}[\w-]{{27}}"),
    ("Docker token", ("dckr_oat_",), rf"{_MIXED_WITH_SIGNS}[\w-]{{32}}"),
    ("Databricks token", ("dapi",), r"[a-f0-9]{32}(?:-[0-9])?"),
    ("Shopify token", ("shp",), r"(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    ("Atlassian token", ("ATATT3",), rf"{_MIXED_WITH_SIGNS}[\w=-]{{100,400}}"),
    ("Linear key", ("lin_api_",), rf"{_MIXED}[A-Za-z0-9]{{40}}"),
    (
        "Tailscale key",
        ("tskey-",),
        rf"(?:api|auth|client|scim|webhook)-[A-Za-z0-9]{{8,20}}-{_MIXED}[A-Za-z0-9]{{20,60}}",
    ),
    ("Grafana token", ("glsa_",), rf"{_MIXED}[A-Za-z0-9]{{32}}_[A-Fa-f0-9]{{8}}"),
    ("Grafana token", ("glc_eyJ",), r"[A-Za-z0-9+/]{32,400}={0,2}"),  # JSON in Base64
)

# The kind, a prefix that every match starts with (fast to search), and the pattern of the whole format, which
# fails fast. The group, if any, identifies the secret.
_FORMATS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("private key", ("-----BEGIN ",), _PRIVATE_KEY),
    ("private key", ("Private-Lines: ",), _PUTTY_KEY),
    ("AWS access key", ("AKIA", "ASIA"), _BEGIN + r"A[KS]IA[A-Z2-7]{16}\b"),
    (
        "AWS secret access key",
        _SECRET_WORD,
        rf"(?i:secret[ _.-]?access[ _.-]?key){_BETWEEN}({_ANY_KEY})(?![A-Za-z0-9/+=])",
    ),
    (
        "AWS secret access key",
        _SECRET_WORD,
        rf"(?i:secret[ _.-]?key){_BETWEEN}({_MIXED_KEY})(?![A-Za-z0-9/+=])",
    ),
    (
        "AWS secret access key",  # in PHP's and Ruby's `'secret' => '…'`
        ("secret",),
        rf"(?<=['\"])secret['\"]\s{{0,40}}=>\s{{0,40}}['\"](?=[A-Za-z/+]*[0-9])({_MIXED_KEY})['\"]",
    ),
    (
        "GitHub token",
        tuple(f"gh{kind}_" for kind in "opusr"),
        _BEGIN + r"gh[opusr]_[A-Za-z0-9]{36,255}\b",
    ),
    ("GitHub token", ("github_pat_",), _BEGIN + r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b"),
    ("GitLab token", ("glpat-",), _BEGIN + r"glpat-[\w-]{20,}"),
    ("Slack token", ("xox",), _BEGIN + r"xox[abeoprs]-(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9-]{10,}"),
    ("Slack webhook", ("hooks.slack.com",), r"hooks\.slack\.com/services/T\w+/B\w+/\w{20,}"),
    ("Anthropic key", ("sk-ant-",), _BEGIN + r"sk-ant-[a-z]+\d\d-[\w-]{80,}"),
    ("Google API key", ("AIza",), _BEGIN + r"AIza[\w-]{35}(?![\w-])"),
    ("Stripe key", ("sk_live_", "rk_live_"), _BEGIN + r"[rs]k_live_[A-Za-z0-9]{24,}"),
    ("npm token", ("npm_",), _BEGIN + r"npm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", ("pypi-AgEI",), _BEGIN + r"pypi-AgEI[\w-]{50,}"),
    ("Azure key", ("AccountKey=",), _AZURE_ACCOUNT_KEY),
    ("Azure key", ("SharedAccessKey=",), rf"SharedAccessKey={_MIXED_WITH_SIGNS}([A-Za-z0-9+/]{{43}}=)"),
    *(
        (what, begins, rf"{_BEGIN}(?:{'|'.join(map(re.escape, begins))}){rest}(?![\w-])")
        for what, begins, rest in _TOKENS
    ),
)

_OPENAI_BEGINS = re.compile(rf"{_BEGIN}sk-")
_OPENAI_PART = re.compile(rf"[\w-]{{0,{_BESIDE}}}+")


class Secret(NamedTuple):
    """`what`: the kind; `value`: the secret part; `at`: its offset; `start` and `end`: the offsets of the
    whole match, including a name before it."""

    what: str
    value: str
    at: int
    start: int
    end: int


class NewSecret(NamedTuple):
    """`what`: the kind; `line`: its 1-based line in the text after the change."""

    what: str
    line: int


def secrets_in(text: str) -> Iterator[Secret]:
    """All secrets of known formats, by kind."""
    for what, begins, pattern in _FORMATS:
        for begin in begins:
            at, done = text.find(begin), 0
            while at >= 0:
                if found := re.compile(pattern).match(text, at):  # compiled once: `re` keeps it
                    group, done = found.lastindex or 0, found.end()
                    yield Secret(what, found[group], found.start(group), *found.span())
                at = text.find(begin, max(done, at + len(begin)))
    yield from _openai_keys(text)


def _openai_keys(text: str) -> Iterator[Secret]:
    """OpenAI keys. Each beginning is compared with the middles behind it once: to search before every middle
    takes minutes where a large text has nothing else."""
    starts: deque[int] = deque()
    middle = text.find(_IN_THE_MIDDLE)
    start = text.find("sk-") if middle >= 0 else -1
    done = 0
    while middle >= 0:
        while 0 <= start <= middle - 3 - _BESIDE_AT_LEAST:
            if _OPENAI_BEGINS.match(text, start):
                starts.append(start)
            start = text.find("sk-", start + 3)
        first = max(done, middle - 3 - _BESIDE)
        while starts and (starts[0] < first or (first := _part_end(text, starts[0] + 3, middle)) < middle):
            starts.popleft()
        behind = middle + len(_IN_THE_MIDDLE)
        if starts and (end := _part_end(text, behind)) - behind >= _BESIDE_AT_LEAST:
            yield Secret("OpenAI key", text[starts[0] : end], starts[0], starts[0], end)
            done = end
        middle = text.find(_IN_THE_MIDDLE, max(done, behind))


def _part_end(text: str, begin: int, end: int = sys.maxsize) -> int:
    """Where the part of a key that begins here ends, at `end` or before."""
    found = _OPENAI_PART.match(text, begin, end)
    return found.end() if found else begin


def new_secrets(text: str, splices: Sequence[Splice]) -> Iterator[NewSecret]:
    """The secrets that these splices add to or complete in `text` and that it did not contain before, in no
    particular order."""
    known: set[tuple[str, str]] | None = None
    shift, counted, line = 0, 0, 1
    for group in _near_each_other(splices):
        start = _not_in_line_end(text, max(0, group[0].start - LONGEST))
        end = _not_in_line_end(text, min(len(text), group[-1].end + LONGEST))
        after = apply_splices(text, group, start, end)
        for secret in secrets_in(after):
            cut = (start > 0 and secret.start == 0) or (end < len(text) and secret.end == len(after))
            if cut:  # by the limits of the search, far from the change
                continue
            if known is None:
                known = {(one.what, one.value) for one in secrets_in(text)}
            if (secret.what, secret.value) not in known:
                line += ends_between(text, counted, start)
                counted = start
                yield NewSecret(secret.what, line + shift + ends_between(after, 0, secret.at))
        shift += ends_between(after, 0, len(after)) - ends_between(text, start, end)


def _near_each_other(splices: Sequence[Splice]) -> Iterator[list[Splice]]:
    """Groups of splices whose search ranges overlap."""
    group: list[Splice] = []
    for splice in splices:
        if group and splice.start - group[-1].end > 2 * LONGEST:
            yield group
            group = []
        group.append(splice)
    if group:
        yield group


def _not_in_line_end(text: str, at: int) -> int:
    return at + 1 if text[max(0, at - 1) : at + 1] == "\r\n" else at
