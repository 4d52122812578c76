"""Conversion between changes and rows of the history's tables, without SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from agentfs_lsp.service.proposal.record import HistoryRecord, KeptDecision, RecordedFile

CHANGE_COLUMNS = (
    *("id", "time_ms", "connection", "session", "agent", "tool", "explanation"),
    *("decision", "by", "landing", "modified_by_user", "files_in_all"),
)
"""Each is a field of `HistoryRecord`."""

_FACTS = ("operation", "before_hash", "after_hash", "lines_added", "lines_removed", "encoding", "bom")
_TEXTS = ("before", "proposed", "after")

FILE_COLUMNS = ("change_id", "position", "path", *_FACTS, "texts_kept", *_TEXTS)

_LAST_MS = 253_402_300_799_000
"""The end of the year 9999; later times have no date."""

_CHOICES = {
    "decision": get_args(KeptDecision),
    "landing": ("disk", "editor"),
    "operation": ("create", "update", "delete"),
}
_WHOLE = {"modified_by_user", "files_in_all", "lines_added", "lines_removed", "texts_kept", "folders_made"}
_MISSING = {"before_hash", "after_hash", "before", "proposed", "after", "accepted"}


class Damaged(Exception):
    """A table, column, or text is missing, or a value is not what was stored; SQLite itself does not check
    that."""


def row_of(change: HistoryRecord) -> tuple[object, ...]:
    """The row of `changes`."""
    return tuple(storable(getattr(change, column)) for column in CHANGE_COLUMNS)


def row_of_file(
    change_id: str, position: int, file: RecordedFile, texts: Mapping[str | None, int | None] | None
) -> tuple[object, ...]:
    """The row of `files`; `texts`: the row ids of its texts, None if not stored."""
    facts = [getattr(file, column) for column in _FACTS]
    known = [(texts or {}).get(getattr(file, column)) for column in _TEXTS]
    return change_id, position, storable(file.relative), *facts, texts is not None, *known


def change_of(row: Sequence[Any], root: str, files: Iterable[Sequence[Any]]) -> HistoryRecord:
    """The change of a row and its files' rows, which contain texts instead of row ids, the number of folders
    created, and the accepted text."""
    fields = _checked(CHANGE_COLUMNS, row)
    fields["modified_by_user"] = bool(fields["modified_by_user"])
    return HistoryRecord(**fields, files=tuple(_file_of(one, root) for one in files))


def _file_of(row: Sequence[Any], root: str) -> RecordedFile:
    fields = _checked((*FILE_COLUMNS[2:], "folders_made", "accepted"), row[2:])
    fields["texts_kept"] = bool(fields["texts_kept"])
    return RecordedFile(root, relative=fields.pop("path"), **fields)


def _checked(columns: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    fields = {column: _restored(column, value) for column, value in zip(columns, row, strict=True)}
    if not all(map(_fits, fields, fields.values())):
        raise Damaged
    return fields


def _fits(column: str, value: object) -> bool:
    match column:
        case "time_ms":
            return isinstance(value, int) and 0 <= value <= _LAST_MS
        case "bom":
            return isinstance(value, bytes)
        case "encoding":
            return isinstance(value, str) and _is_encoding(value)
        case _ if column in _CHOICES:
            return value in _CHOICES[column]
        case _ if column in _WHOLE:
            return isinstance(value, int)
    return isinstance(value, str) or (value is None and column in _MISSING)


def _is_encoding(name: str) -> bool:
    try:
        "".encode(name)
    except (LookupError, ValueError):
        return False
    return True


def storable(value: object) -> object:
    """Encode as a blob strings with lone surrogates, which names and explanations may have and SQLite
    rejects."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
    return value


def _restored(column: str, value: Any) -> Any:
    if column == "bom" or not isinstance(value, bytes):
        return value
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise Damaged from None
