"""Conversion between changes and rows of the history's tables, without SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentfs_lsp.service.proposal.record import HistoryRecord, RecordedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

CHANGE_COLUMNS = (
    "id",
    "time_ms",
    "connection",
    "session",
    "agent",
    "tool",
    "explanation",
    "decision",
    "by",
    "landing",
    "modified_by_user",
    "files_in_all",
)
"""Each is a field of `HistoryRecord`."""

FILE_COLUMNS = (
    "change_id",
    "position",
    "path",
    "operation",
    "before_hash",
    "after_hash",
    "lines_added",
    "lines_removed",
    "encoding",
    "bom",
    "texts_kept",
    "before",
    "proposed",
    "after",
)


def row_of(change: HistoryRecord) -> tuple[object, ...]:
    """The row of `changes`."""
    return tuple(storable(getattr(change, column)) for column in CHANGE_COLUMNS)


def row_of_file(
    change_id: str, position: int, file: RecordedFile, texts: Mapping[str | None, int | None] | None
) -> tuple[object, ...]:
    """The row of `files`; `texts`: the row ids of its texts, None if not stored."""
    known = texts or {}
    return (
        change_id,
        position,
        storable(file.relative),
        file.operation,
        file.before_hash,
        file.after_hash,
        file.lines_added,
        file.lines_removed,
        file.encoding,
        file.bom,
        texts is not None,
        known.get(file.before),
        known.get(file.proposed),
        known.get(file.after),
    )


def change_of(row: Sequence[Any], root: str, files: Iterable[Sequence[Any]]) -> HistoryRecord:
    """The change of a row and its files' rows, which contain texts instead of row ids, the number of folders
    created, and the accepted text."""
    fields: dict[str, Any] = dict(zip(CHANGE_COLUMNS, map(_restored, row), strict=True))
    fields["modified_by_user"] = bool(fields["modified_by_user"])
    return HistoryRecord(**fields, files=tuple(_file_of(one, root) for one in files))


def _file_of(row: Sequence[Any], root: str) -> RecordedFile:
    fields = dict(zip((*FILE_COLUMNS[2:], "folders_made", "accepted"), row[2:], strict=True))
    fields["texts_kept"] = bool(fields["texts_kept"])
    return RecordedFile(root, relative=_restored(fields.pop("path")), **fields)


def storable(value: object) -> object:
    """Encode as a blob strings with lone surrogates, which names and explanations may have and SQLite
    rejects."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
    return value


def _restored(value: Any) -> Any:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
