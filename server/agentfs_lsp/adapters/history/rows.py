"""Conversion between changes and rows of the history's tables, without SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, get_args

from agentfs_lsp.service.proposal.change import Operation
from agentfs_lsp.service.proposal.record import (
    Decider,
    HistoryRecord,
    KeptDecision,
    RecordedFile,
    Save,
)

CHANGE_COLUMNS = (
    *("id", "time_ms", "connection", "session", "agent", "tool", "explanation"),
    *("decision", "by", "landing", "modified_by_user", "files_in_all"),
)
"""Each is a field of `HistoryRecord`."""

_FACTS = ("operation", "before_hash", "after_hash", "lines_added", "lines_removed", "encoding", "bom")
_TEXTS = ("before", "proposed", "after")

FILE_COLUMNS = ("change_id", "position", "path", *_FACTS, "texts_kept", *_TEXTS)
DECIDER_COLUMNS = ("rung", "client", "rule", "feedback", "decided_ms")
SAVE_COLUMNS = ("state", "saved_ms", "saved")
_FOUND_COLUMNS = (*FILE_COLUMNS[2:], "folders_made", "accepted", *SAVE_COLUMNS)

_DECISIONS, _OPERATIONS = get_args(KeptDecision), get_args(Operation)

_LAST_MS = 253_402_300_799_000
"""The end of the year 9999; later times have no date."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "bom": (bytes,),
    **dict.fromkeys(("time_ms", "modified_by_user", "files_in_all", "decided_ms"), (int,)),
    "saved_ms": (int, type(None)),
    **dict.fromkeys(("lines_added", "lines_removed", "texts_kept", "folders_made"), (int,)),
    **dict.fromkeys(
        (*_TEXTS, "accepted", "saved", "state", "before_hash", "after_hash"), (str, bytes, type(None))
    ),
}
"""All other columns are strings, which may be stored as blobs."""


class Damaged(Exception):
    """A table, column, or text is missing, or a value is not what was stored; SQLite itself does not check
    that."""


def row_of(change: HistoryRecord) -> tuple[object, ...]:
    """The row of `changes`. Its `time_ms` is what the change is sorted by."""
    sorted_by = change._replace(time_ms=change.order[0])
    return tuple(storable(getattr(sorted_by, column)) for column in CHANGE_COLUMNS)


def row_of_file(
    change_id: str, position: int, file: RecordedFile, texts: Mapping[str | None, int | None] | None
) -> tuple[object, ...]:
    """The row of `files`; `texts`: the row ids of its texts, None if not stored."""
    facts = [getattr(file, column) for column in _FACTS]
    known = [(texts or {}).get(getattr(file, column)) for column in _TEXTS]
    return change_id, position, storable(file.relative), *facts, texts is not None, *known


def change_of(row: Sequence[Any], root: str, files: Iterable[Sequence[Any]]) -> HistoryRecord:
    """The change of a row, which ends with the clock's time if it is sorted by another and with who decided
    it if known, and of its files' rows, which contain texts instead of row ids, the number of folders
    created, the accepted text, and what was saved later."""
    decider = _decider_of(row[-len(DECIDER_COLUMNS) :])
    *row, clock_ms = row[: -len(DECIDER_COLUMNS)]
    fields = _checked(CHANGE_COLUMNS, row)
    known = fields["decision"] in _DECISIONS and fields["landing"] in ("disk", "editor")
    if not known or not is_time(fields["time_ms"]) or not (clock_ms is None or is_time(clock_ms)):
        raise Damaged
    fields["modified_by_user"] = bool(fields["modified_by_user"])
    if clock_ms is not None:
        fields |= {"time_ms": clock_ms, "order_ms": fields["time_ms"]}
    return HistoryRecord(**fields, files=tuple(_file_of(one, root) for one in files), decider=decider)


def _decider_of(row: Sequence[Any]) -> Decider | None:
    if all(value is None for value in row):
        return None
    fields = _checked(DECIDER_COLUMNS, row)
    if not is_time(fields["decided_ms"]):
        raise Damaged
    return Decider(*fields.values())


def _file_of(row: Sequence[Any], root: str) -> RecordedFile:
    fields = _checked(_FOUND_COLUMNS, row[2:])
    if fields["operation"] not in _OPERATIONS or not _is_encoding(fields["encoding"]):
        raise Damaged
    fields["texts_kept"] = bool(fields["texts_kept"])
    state, saved_ms, saved = (fields.pop(column) for column in SAVE_COLUMNS)
    if state is not None:
        if state not in ("saved", "closed") or not is_time(saved_ms):
            raise Damaged
        fields["save"] = Save(state, saved_ms, saved)
    return RecordedFile(root, relative=fields.pop("path"), **fields)


def is_time(value: object) -> bool:
    return isinstance(value, int) and 0 <= value <= _LAST_MS


def _checked(columns: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    fields = dict(zip(columns, row, strict=True))
    for column in _blobs(columns, tuple(map(type, row))):
        try:
            fields[column] = fields[column].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise Damaged from None
    return fields


@lru_cache
def _blobs(columns: Sequence[str], types: Sequence[type]) -> Sequence[str]:
    """The columns whose string is stored as a blob. Raises Damaged if a value is of a wrong type."""
    for column, kind in zip(columns, types, strict=True):
        if kind not in _TYPES.get(column, (str, bytes)):
            raise Damaged
    return [column for column, kind in zip(columns, types, strict=True) if kind is bytes and column != "bom"]


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
