"""TextEdits and positions, computed by hand."""

import re
from urllib.parse import unquote, urlsplit

from support.wire import Message

_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_LINE = re.compile(r"\r\n|\r|\n")


def apply_text_edits(text: str, edits: list[Message], encoding: str = "utf-16") -> str:
    """Apply TextEdits from last to first; columns are in units of the encoding."""
    for edit in sorted(edits, key=lambda one: place_of(one["range"]), reverse=True):
        start, end = (offset_of(text, edit["range"][edge], encoding) for edge in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


def offset_of(text: str, position: Message, encoding: str = "utf-16") -> int:
    """The offset of a position."""
    starts = [0, *(match.end() for match in _LINE.finditer(text))]
    if position["line"] >= len(starts):
        return len(text)
    line = text[starts[position["line"]] :]
    units, offset = 0, 0
    while units < position["character"] and offset < len(line):
        units += (
            len(line[offset].encode(f"{encoding}-le" if encoding != "utf-8" else encoding)) // _UNIT[encoding]
        )
        offset += 1
    return starts[position["line"]] + offset


def path_of(uri: str) -> str:
    """The path of a test's `file:` URI."""
    return unquote(urlsplit(uri).path)


def place_of(span: Message) -> tuple[int, int]:
    """The start of a range, as a sort key."""
    return span["start"]["line"], span["start"]["character"]
