"""The port `History` in memory."""

from collections.abc import Callable, Sequence

from agentfs_lsp.domain.settings.groups import HistorySettings
from agentfs_lsp.service.proposal.record import (
    HistoryQuery,
    HistoryRecord,
    HistoryTrouble,
    RecordedFile,
    Save,
)


class MemoryHistory:
    """`service.proposal.record.History`, without limits."""

    def __init__(self) -> None:
        self.records: list[HistoryRecord] = []
        self.settings: HistorySettings | None = None
        self.closed = False

    def keep(self, size: int, make: Callable[[], HistoryRecord]) -> None:
        newest_ms = self.records[-1].order[0] if self.records else -1
        self.records.append(make().after(newest_ms))

    def note_save(self, change_id: str, root: str, relative: str, save: Save) -> None:
        for number, record in enumerate(self.records):
            if record.id == change_id:
                files = tuple(
                    file._replace(save=file.save or save)
                    if (file.root, file.relative) == (root, relative)
                    else file
                    for file in record.files
                )
                self.records[number] = record._replace(files=files)

    def find(self, roots: Sequence[str], wanted: HistoryQuery) -> list[HistoryRecord]:
        found = []
        for record in sorted(self.records, key=lambda one: one.order, reverse=True):
            here = [file for file in record.files if file.root in roots]
            files = [file for file in here if wanted.path_in(file.root) is not None]
            if files and _fits(record, wanted):
                found.append(record._replace(files=tuple(_with(file, texts=wanted.texts) for file in files)))
        return found[: wanted.limit]

    def drop(self, change_id: str) -> None:
        """Delete a change, as if it did not fit."""
        self.records = [record for record in self.records if record.id != change_id]

    def drop_texts(self, change_id: str) -> None:
        """Delete a change's texts, as if they did not fit."""
        for number, record in enumerate(self.records):
            if record.id == change_id:
                files = tuple(_with(file, texts=False)._replace(texts_kept=False) for file in record.files)
                self.records[number] = record._replace(files=files)

    def configure(self, settings: HistorySettings) -> None:
        self.settings = settings

    def on_trouble(self, told: Callable[[HistoryTrouble, str], None]) -> None:
        """There is never any."""

    def close(self) -> None:
        self.closed = True


def _fits(record: HistoryRecord, wanted: HistoryQuery) -> bool:
    paths = [(file.relative, wanted.path_in(file.root)) for file in record.files]
    return (
        any(path == "" or f"{relative}/".startswith(f"{path}/") for relative, path in paths)
        and wanted.change_id in (None, record.id)
        and record.id.startswith(wanted.id_begin)
        and wanted.session in (None, record.session)
        and (wanted.before is None or record.order < wanted.before)
    )


def _with(file: RecordedFile, *, texts: bool) -> RecordedFile:
    if texts:
        return file
    save = file.save and file.save._replace(text=None)
    return file._replace(before=None, proposed=None, after=None, accepted=None, save=save)
