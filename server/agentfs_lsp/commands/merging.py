"""Adds settings to an agent's JSON or TOML file by an edit of its text: comments, order, and layout stay.

What comes out is parsed and compared with what it should mean (docs/adr/0019-settings-of-agents.md).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agentfs_lsp.commands.agents import SERVER, Settings
from agentfs_lsp.domain.toml import takes_too_long

_Edit = tuple[int, int, str]
"""Put the text in the place of `text[start:end]`."""


class UnclearError(Exception):
    """The file is not what it should be; the message says why."""


def merged(path: str, text: str, settings: Settings) -> str:
    """The file's text with these settings; the same text if it has them. Raises UnclearError."""
    try:
        return (_toml if path.endswith(".toml") else _json)(text, settings)
    except (ValueError, RecursionError) as error:
        raise UnclearError(str(error)) from error


def parsed(path: str, text: str) -> Any:
    """What the file's text means; an empty object if it is empty. Raises UnclearError."""
    try:
        if path.endswith(".toml"):
            return _parsed_toml(text)
        return _Reader(text).document().value if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise UnclearError(str(error)) from error


def _united(given: Any, settings: Settings) -> dict[str, Any]:
    """Merge objects, unite lists, and set everything else, the server's entry as a whole."""
    if not isinstance(given, dict):
        raise UnclearError(f"{given!r} is not an object")
    united = dict(given)
    for key, value in settings.items():
        old = given.get(key)
        if isinstance(old, list) and isinstance(value, list):
            united[key] = [*old, *(one for one in value if one not in old)]
        elif old is not None and isinstance(value, Mapping) and key != SERVER:
            united[key] = _united(old, value)
        else:
            united[key] = value
    return united


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    line_end = "\r\n" if "\r\n" in text else "\n"
    result, at = "", 0
    for start, end, new in sorted(edits, key=lambda edit: edit[0]):
        result += text[at:start] + new.replace("\n", line_end)
        at = end
    return result + text[at:]


def _checked(result: Any, wanted: dict[str, Any]) -> None:
    if result != wanted:
        raise UnclearError("it has no safe place for the settings")


# --- JSON with comments and trailing commas, which most of these programs allow ---

_TOKEN: Final = re.compile(
    r"""(?P<blank> \s+ | //[^\r\n]* | /\*.*?\*/ )
    | [{}\[\]:,]
    | "(?:[^"\\]|\\.)*"
    | [^\s"{}\[\]:,/]+""",
    re.DOTALL | re.VERBOSE,
)


def _json(text: str, settings: Settings) -> str:
    if not text.strip():
        return json.dumps(settings, indent=2, ensure_ascii=False) + "\n"
    document = _Reader(text).document()
    wanted = _united(document.value, settings)
    result = _edited(text, _JsonEdits(text).of(document, wanted))
    _checked(_Reader(result).document().value, wanted)
    return result


@dataclass(slots=True)
class _Node:
    """A value, which is `text[start:end]`. Of an object, or a list: where its last entry ends, and whether a
    comma follows that."""

    value: Any
    start: int
    end: int = 0
    members: dict[str, _Node] = field(default_factory=dict)
    last_end: int = 0
    has_last_comma: bool = False


class _Reader:
    """Finds out where the values are. Raises ValueError."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def document(self) -> _Node:
        node = self._value()
        if self._next() < len(self._text):
            raise self._error()
        return node

    def _error(self) -> ValueError:
        return ValueError(f"line {self._text.count(chr(10), 0, self._at) + 1} is not JSON")

    def _next(self) -> int:
        """Where the next token is."""
        while (found := _TOKEN.match(self._text, self._at)) and found["blank"]:
            self._at = found.end()
        return self._at

    def _takes(self, mark: str) -> bool:
        """Whether the next token is this; if so, it is behind us."""
        if not self._text.startswith(mark, self._next()):
            return False
        self._at += 1
        return True

    def _value(self) -> _Node:
        node = _Node(None, self._next())
        if self._takes("{"):
            node.value = {}
            self._entries(node, "}")
        elif self._takes("["):
            node.value = []
            self._entries(node, "]")
        else:
            found = _TOKEN.match(self._text, node.start)
            if found is None:
                raise self._error()
            try:
                node.value = json.loads(found[0])
            except ValueError as error:
                raise self._error() from error
            self._at = found.end()
        node.end = self._at
        return node

    def _entries(self, node: _Node, closing: str) -> None:
        may_follow = True
        while not self._takes(closing):
            if not may_follow:
                raise self._error()
            if closing == "}":
                key = self._value().value
                if not isinstance(key, str) or not self._takes(":"):
                    raise self._error()
                entry = node.members[key] = self._value()
                node.value[key] = entry.value
            else:
                entry = self._value()
                node.value.append(entry.value)
            node.last_end = entry.end
            may_follow = node.has_last_comma = self._takes(",")


class _JsonEdits:
    """What to edit for another value to come out."""

    def __init__(self, text: str) -> None:
        self._text = text
        indented = re.search(r"^[ \t]+(?=\S)", text, re.MULTILINE)
        self._indent = indented[0] if indented else "  "

    def of(self, node: _Node, wanted: Any) -> Iterator[_Edit]:
        given = node.value
        if given == wanted:
            return
        entries: list[tuple[str, Any]]
        if isinstance(given, dict) and isinstance(wanted, dict) and given.keys() <= wanted.keys():
            for key, member in node.members.items():
                yield from self.of(member, wanted[key])
            entries = [(f"{json.dumps(key)}: ", wanted[key]) for key in wanted if key not in node.members]
        elif isinstance(given, list) and isinstance(wanted, list) and wanted[: len(given)] == given:
            entries = [("", value) for value in wanted[len(given) :]]
        else:
            yield node.start, node.end, self._dumped(wanted, self._margin(node.start))
            return
        if entries:
            yield from self._added(node, entries)

    def _added(self, node: _Node, entries: list[tuple[str, Any]]) -> Iterator[_Edit]:
        """The new entries come last, behind the comments that are there."""
        inner = self._text[node.start : node.end - 1]
        end = node.start + len(inner.rstrip())
        margin = self._margin(node.start)
        is_one_line = bool(node.value) and "\n" not in inner
        gap = " " if is_one_line else f"\n{margin}{self._indent}"
        new = [
            gap + key + (json.dumps(value) if is_one_line else self._dumped(value, margin + self._indent))
            for key, value in entries
        ]
        if node.value and not node.has_last_comma:
            yield node.last_end, node.last_end, ","
        closes_alone = is_one_line or "\n" in self._text[end : node.end]
        yield end, end, ",".join(new) + ("" if closes_alone else f"\n{margin}")

    def _dumped(self, value: Any, margin: str) -> str:
        return json.dumps(value, indent=self._indent, ensure_ascii=False).replace("\n", f"\n{margin}")

    def _margin(self, at: int) -> str:
        """The blanks at the beginning of its line."""
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]


# --- TOML ---


def _toml(text: str, settings: Settings) -> str:
    given = _parsed_toml(text)
    wanted = _united(given, settings)
    result = text if given == wanted else _edited(text, _toml_edits(text, given, settings))
    _checked(tomllib.loads(result), wanted)
    return result


def _parsed_toml(text: str) -> dict[str, Any]:
    if takes_too_long(text.encode()):
        raise UnclearError("it has keys that take too long to read")
    return tomllib.loads(text)


def _toml_edits(text: str, given: dict[str, Any], settings: Settings) -> Iterator[_Edit]:
    for table, values in _tables(settings):
        if table:
            yield _table_edit(text, table, _lines(values))
        else:
            yield from _top_edits(text, {key: new for key, new in values.items() if given.get(key) != new})


def _tables(settings: Settings, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Settings]]:
    """The names of each table, and what it directly contains."""
    values = {key: value for key, value in settings.items() if not isinstance(value, Mapping)}
    if values:
        yield above, values
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _tables(value, (*above, key))


def _lines(values: Settings) -> str:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())


def _top_edits(text: str, values: Settings) -> Iterator[_Edit]:
    """New keys come first in the file: behind a table's header, they would belong to it."""
    header = re.search(r"^[ \t]*\[", text, re.MULTILINE)
    top = text[: header.start()] if header else text
    new = ""
    for key, value in values.items():
        old = re.search(rf"^({key}[ \t]*=[ \t]*)(?:\"[^\"\n]*\"|'[^'\n]*'|[\w.-]+)", top, re.MULTILINE)
        if old:
            yield old.end(1), old.end(), json.dumps(value)
        else:
            new += _lines({key: value})
    if new:
        yield 0, 0, f"{new}\n"


def _table_edit(text: str, table: tuple[str, ...], lines: str) -> _Edit:
    """What the table contains is replaced, up to the comments that precede the next one."""
    names = r"[ \t]*\.[ \t]*".join(table)
    header = re.search(rf"^[ \t]*\[[ \t]*{names}[ \t]*\][^\n]*\n", text, re.MULTILINE)
    if header is None:
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        return len(text), len(text), f"{gap}[{'.'.join(table)}]\n{lines}"
    at = end = header.end()
    for line in text[at:].splitlines(keepends=True):
        if line.lstrip().startswith("["):
            break
        at += len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            end = at
    return header.end(), end, lines
