"""TextEdits and positions, counted by hand."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from support.wire import Message

_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_LINE = re.compile(r"\r\n|\r|\n")


def apply_text_edits(text: str, edits: list[Message], encoding: str = "utf-16") -> str:
    """TextEdits applied from the last to the first; columns are units of the encoding."""
    for edit in sorted(edits, key=lambda one: place_of(one["range"]), reverse=True):
        start, end = (offset_of(text, edit["range"][edge], encoding) for edge in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


def offset_of(text: str, position: Message, encoding: str = "utf-16") -> int:
    """A position as an offset, counted by hand."""
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
    """The path of a `file:` URI of a test's."""
    return unquote(urlsplit(uri).path)


def place_of(span: Message) -> tuple[int, int]:
    """Where a range begins, to sort by."""
    return span["start"]["line"], span["start"]["character"]
