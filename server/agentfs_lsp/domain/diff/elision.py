"""Detects text that a model omitted from its input (docs/protocol.md#6-agentfswrite).

A line such as "// ... rest of the code unchanged" in place of a file's text would delete that text. Only a
whole line that says nothing else counts, according to a small grammar. Comments that continue, statements
(`...` in Python, `...args`), and prose do not count. The omitted text is not restored: the request is
rejected, and the model must write the complete text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agentfs_lsp.domain.text.lines import ends_between, normalize

# Every marker contains one of these, so most comments need no closer look.
_TELLING = (
    *("rest", "remain", "exist", "other", "previous", "original", "chang", "same", "identical", "untouched"),
    *("unmodified", "intact", "omitted", "elided", "truncated", "shown"),
    *("as before", "as is", "as-is", "as it", "as they"),
)
_LONGEST = 120  # maximum characters of a marker, without indentation
_OPENERS = ("//", "#", "--", ";", "%", "/*", "{/*", "<!--", "(*", "*", "...", "…", "[", "(", "REM ")

_COMMENT = re.compile(
    r"""(?://+!?|\#+|--+|;+|%+|REM\s)\s*(?P<line>.*)
    |   (?:\{\s*)?/\*+(?P<block>.*?)\*/(?:\s*\})?
    |   <!--+(?P<markup>.*?)--+>
    |   \(\*(?P<ml>.*?)\*\)
    |   \*\s+(?P<star>.*)
    """,
    re.VERBOSE,
)

_WHAT = (
    r"(?:(?:source|current|files?|file's|class|component|function|method|module|import|helper|test|css) )*"
    r"(?:code|files?|functions?|methods?|class(?:es)?|implementations?|contents?|imports?|lines|logic|modules?"
    r"|components?|script|tests?|body|definitions?|document|text|sections?|styles?|rules?|routes?|handlers?"
    r"|markup|html|css|declarations?|helpers?|props|fields|properties|members|cases|statements|paragraphs)"
    r"(?: (?:and|or|&) (?:code|functions?|methods?|class(?:es)?|imports?|logic|styles?|tests?|helpers?))?"
)
_STATE = (
    r"(?:(?:is|are|was|were|remains?|stays?|kept|left|continues?|keeps?)(?: exactly| completely)? )*"
    r"(?:unchanged|the same|same|as before|as is|as-is|as it was|as they were|untouched|unmodified|intact"
    r"|omitted|elided|truncated|not shown|identical)"
    r"(?: as (?:before|above|(?:in )?the original))?(?: for (?:brevity|clarity|conciseness))?(?: here)?"
)
_HERE = r"(?:(?:goes|go|is|are|remains?|stays?) )?here"
_THE = r"(?: (?:the|this|your|my|its|that))?(?: (?:existing|original|previous))?"
_REST = rf"(?:the )?(?:rest|remainder)(?:(?: of)?{_THE} {_WHAT})?"
_QUANTIFIER = r"(?:remaining|existing|other|previous|original|unchanged|same)"
_OTHERS = rf"(?:all )?(?:(?:the|your|other|my) )*{_QUANTIFIER} {_WHAT}"
_KEEP = r"(?:(?:keep|add|insert|include|put|paste|and) )?"
_CHINESE = (
    r"(?:保留|此处|这里|以下|以上|后面|前面)?"
    r"(?:其余|剩余|其他|其它|原有|原来|现有|已有|之前|后续)(?:的)?(?:所有)?"
    r"(?:代码|内容|部分|方法|函数|逻辑|实现|文件|文本|样式)?(?:都|均)?(?:保持|维持)?"
)
_CHINESE_STATE = r"(?:不变|原样|省略|略|相同|同上|一致|未改动|未修改)"

# With an ellipsis a mention suffices; without one, the line must say that something was not written.
_ELLIPTIC = (
    rf"{_KEEP}(?:(?:{_REST}|{_OTHERS})(?: (?:{_STATE}|{_HERE}))?|{_STATE}|{_WHAT} {_STATE}"
    rf"|no changes?(?: here)?|{_CHINESE}{_CHINESE_STATE}?"
    rf"|(?:此处|以下|代码|内容)*{_CHINESE_STATE}(?:代码|内容)?)"
)
_PLAIN = (
    rf"(?:the )?(?:rest|remainder) of{_THE} {_WHAT}(?: (?:{_STATE}|{_HERE}))?|the rest {_STATE}"
    rf"|(?:all )?(?:(?:the|other) )*(?:remaining|other existing|previous existing) {_WHAT} {_STATE}"
    rf"|(?:your |the )?(?:existing|previous|remaining|other) code {_HERE}"
    rf"|{_WHAT} (?:omitted|elided|unchanged|not shown|truncated) for (?:brevity|clarity|conciseness)"
    rf"|{_CHINESE}{_CHINESE_STATE}"
)
_ELLIPSIS = r"(?:\.{3,}|…+)"
_AT_AN_END = re.compile(rf"[\[({{<]*\s*{_ELLIPSIS}|.*{_ELLIPSIS}[\])}}>]*$")
_EDGES = re.compile(r"^[\s.…\[\](){}<>*:;!,\-–—=]+|[\s.…\[\](){}<>*:;!,\-–—=]+$")
# Outside a comment it must stand between ellipses or in brackets; `[...rest]` and `{...props}` are code.
_SET_APART = re.compile(rf"[\[(].*[\])]|{_ELLIPSIS}\s+\(.*\)|\[?{_ELLIPSIS}\s.*\s?{_ELLIPSIS}\]?")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A marker in place of text: its 1-based line in the input, and its text without outer whitespace."""

    line: int
    marker: str


def find_placeholder(
    content: str, original: str | None, changed: Iterable[tuple[int, int]] | None = None
) -> Placeholder | None:
    """The first line of `content` that stands for omitted text of `original`, the file before. A marker that
    `original` contains is content. With None every marker counts, so as not to reveal what the file contains.
    `changed`: the ranges of `content` that `original` lacks, in whole lines; None: all of it.
    """
    if original is not None and (not original or original.isspace()):
        return None
    for start, end in ((0, len(content)),) if changed is None else changed:
        for number, line in enumerate(normalize(content[start:end]).split("\n"), 1):
            marker = line.strip() if len(line) <= 2 * _LONGEST else line[: 4 * _LONGEST].strip()
            if (
                marker.startswith(_OPENERS)
                and len(marker) <= _LONGEST
                and (not marker.isascii() or any(map(marker.lower().__contains__, _TELLING)))
                and _stands_for_text(marker)
                and (original is None or marker not in original)
            ):
                return Placeholder(ends_between(content, 0, start) + number, marker)
    return None


def _stands_for_text(marker: str) -> bool:
    comment = _COMMENT.fullmatch(marker)
    said = next(group for group in comment.groups() if group is not None).strip() if comment else marker
    core = " ".join(_EDGES.sub("", said).split())
    if not comment and not (_SET_APART.fullmatch(said) and " " in said):
        return False
    return bool(
        re.fullmatch(_PLAIN, core, re.IGNORECASE)
        or (_AT_AN_END.match(said) and re.fullmatch(_ELLIPTIC, core, re.IGNORECASE))
    )
