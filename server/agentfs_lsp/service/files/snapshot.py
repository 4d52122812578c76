"""A file's current state as the user at the editor sees it (docs/protocol.md#5-agentfsread).

The open document takes precedence over the disk; a snapshot has both, so that the precondition can compare
either. Reading blocks; take the document's `Buffer` on the event loop first.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from agentfs_lsp.domain.errors import BinaryFile, FileMissing, Unencodable
from agentfs_lsp.domain.revision import Expected, hash_bytes
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.text.byte_order_mark import MARK
from agentfs_lsp.domain.text.lines import is_ended, normalize, without_end
from agentfs_lsp.domain.text.textfile import (
    TextFile,
    decode,
    decode_as,
    empty_as,
    encode,
    encoding_named,
    eol_of,
    is_wide,
    mark_of,
)
from agentfs_lsp.service.files.decoding import DecodedFiles, Written
from agentfs_lsp.service.files.documents import Document
from agentfs_lsp.service.files.editorconfig import charset_for
from agentfs_lsp.service.files.store import Blob, FileStore, Location

REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Buffer:
    """An open document at one moment."""

    uri: str
    version: int
    text: str
    dirty_hint: bool | None
    encoding_hint: str | None
    as_saved: bool = False
    ends_last_line: bool = False
    positions_reliable: bool = True

    @classmethod
    def of(cls, document: Document | None) -> Buffer | None:
        """Copy the document's current state; None for None."""
        if document is None:
            return None
        return cls(
            document.uri,
            document.version,
            document.text,
            document.dirty_hint,
            document.encoding_hint,
            document.as_saved,
            document.ends_last_line,
            document.positions_reliable,
        )

    @property
    def encoding(self) -> str | None:
        """In which the editor will save the document, None if it has not told."""
        return encoding_named(self.encoding_hint) if self.encoding_hint else None


class Snapshot(NamedTuple):
    """A file at one moment: the bytes on disk, the editor's buffer, and the resulting `text`.

    `text` is the buffer's if there is one, with the file's encoding and byte-order mark; `hash` is of its
    bytes. `dirty`: the buffer differs from the disk. `lost_eol`: if the text has no line end, the one it had
    before, "" if unknown. `git_setting`: see `FileStore.git_setting_of`; None if the file was only read."""

    location: Location
    blob: Blob | None
    disk: TextFile | None
    buffer: Buffer | None
    text: TextFile
    dirty: bool
    hash: str
    lost_eol: str = ""
    git_setting: str | None = None

    @property
    def exists(self) -> bool:
        """Whether the file exists on disk or in the editor."""
        return self.blob is not None or self.buffer is not None

    @property
    def size(self) -> int:
        """The amount of text to process: bytes or code points, whichever is more."""
        return max(self.blob.stat.size if self.blob else 0, len(self.text.text))

    @property
    def revision(self) -> Expected:
        """The revision as sent on the wire: the disk's time and size, and `hash`."""
        if self.blob is None:
            return Expected(hash=self.hash if self.buffer else None)
        return Expected(self.blob.stat.mtime_ms, self.blob.stat.size, self.hash)

    def to_be_written_as(self, encoding: str, bom: bytes) -> Snapshot:
        """The snapshot with new text to be written in this encoding, provided the present text has the same
        bytes in it, and the editor has not told one."""
        there = self.text
        other = replace(there, encoding=encoding)
        told = self.buffer is not None and self.buffer.encoding is not None
        if told or there.lossy or there.bom or bom or other == there:
            return self
        try:
            is_same = encode(there.text, other) == encode(there.text, there)
        except Unencodable:
            return self
        return self._replace(text=other) if is_same else self

    @property
    def ended_by_save(self) -> bool:
        """Whether the editor adds a final line end on save without reporting it: the document lacks the one
        the saved file has (docs/protocol.md#93-how-it-lands)."""
        if self.buffer is None or self.disk is None or self.dirty:
            return False
        return not is_ended(self.buffer.text) and is_ended(self.disk.text)

    @property
    def opened_in_wrong_encoding(self) -> bool:
        """Whether the editor shows U+FFFD where the file has none: it opened the file in a wrong encoding,
        and saving would lose those bytes."""
        if self.buffer is None or self.disk is None:
            return False
        return REPLACEMENT in self.buffer.text and REPLACEMENT not in self.disk.text

    @property
    def changed_by_save(self) -> tuple[str, ...]:
        """What an editor's save will change besides the text, as "before -> after": an editor that shows
        mixed line ends as one kind, or uses another encoding, writes the file that way."""
        if self.buffer is None or self.disk is None:
            return ()
        found = []
        shown = eol_of(self.buffer.text)
        if eol_of(self.disk.text) == "mixed" and shown not in ("mixed", "none"):
            found.append(f"mixed -> {shown}")
        told = self.buffer.encoding
        plain = self.disk.encoding == "utf-8" and self.disk.text.isascii()
        if told and told != self.disk.encoding and not plain:
            found.append(f"{self.disk.encoding} -> {told}")
        return tuple(found)


class Source(NamedTuple):
    """Where a file's text comes from, and what tells its encoding. `named`: the one in which the editor would
    open it, by the editor's name."""

    files: FileStore
    decoded: DecodedFiles
    location: Location
    settings: Settings
    named: str | None = None

    def look(self, buffer: Buffer | None, max_bytes: int) -> Snapshot:
        """Read the file and lay the buffer over it. Raises BinaryFile and what `FileStore.read` raises,
        except FileMissing."""
        location = self.location
        try:
            blob = self.files.read(location, max_bytes)
        except FileMissing:
            text = TextFile(buffer.text, "utf-8", b"", lossy=False) if buffer else empty_as(self.named)
            return Snapshot(location, None, None, buffer, text, buffer is not None, hash_of_buffer(text))

        told = buffer.encoding if buffer else None

        def detect(data: bytes) -> TextFile:
            try:
                return self.as_text(data, told)
            except BinaryFile:
                known = self._remembered(data, hash_bytes(data))
                if known is None:
                    raise
                return known

        disk, digest = self.decoded.text_of(location.absolute, blob.data, detect)
        known = self._remembered(blob.data, digest)
        if buffer is None:
            text = known or disk
            return Snapshot(location, blob, text, None, text, dirty=False, hash=digest)
        readings = [known or disk, disk]
        if told == disk.encoding:
            readings = [disk]
        elif told and not disk.bom and (as_told := decode_as(blob.data, told)) and not as_told.lossy:
            readings.insert(0, as_told)
        found = next((one for one in readings if _reads_as(buffer, one)), None)
        if found is None and not told:
            found = self._as_the_editor_reads(blob.data, disk, digest, buffer)
        text = found or readings[0]
        if not text.lossy:
            self.remember(text, digest)
        return _overlay(location, blob, text, digest, buffer, differs=found is None)

    def as_text(self, data: bytes, told: str | None = None) -> TextFile:
        """Decode the file: by its mark, as UTF-8, in the encoding the editor has `told` for the open document
        or named for the file, by `.editorconfig` or by the settings, whichever fits first
        (docs/protocol.md#5-agentfsread). Raises BinaryFile."""
        if self.named and b"\0" not in data and is_wide(encoding_named(self.named) or ""):
            return self._replace(named=None).as_text(data, told)  # most files would seem to fit
        try:
            as_utf_8 = decode(data, "utf-8")
        except BinaryFile:
            as_utf_8 = None
        if as_utf_8 is not None and not as_utf_8.lossy:
            return _to_be_written_as(told or self.named, as_utf_8)
        for encoding in (*([told] if told else ()), *self._expected_encodings()):
            with suppress(BinaryFile):
                text = decode(data, encoding)
                if not text.lossy:
                    return text
        if as_utf_8 is None:
            raise BinaryFile(self.location.relative)
        return as_utf_8

    def remember(self, text: TextFile, digest: str) -> None:
        """Remember the encoding of the bytes with this hash, if they are ambiguous."""
        if not text.tells_itself:
            written = Written(text.encoding, text.bom, self._expected_encodings())
            self.decoded.remember_encoding(self.location.absolute, digest, written)

    def likely_encoding(self, data: bytes, text: TextFile, digest: str) -> str | None:
        """The likely encoding of the bytes with this hash, which `text` decodes lossily."""
        return self.decoded.likely_encoding(self.location.absolute, digest, data, text)

    def _remembered(self, data: bytes, digest: str) -> TextFile | None:
        written = self.decoded.remembered_encoding(self.location.absolute, digest)
        if written is None or written.expected != self._expected_encodings():
            return None
        return decode_as(data, written.encoding, written.mark)

    def _expected_encodings(self) -> tuple[str, ...]:
        """The encodings other than UTF-8 that a file without a mark may have."""
        in_editor = encoding_named(self.named) if self.named else None
        expected = (in_editor, charset_for(self.files, self.location), self.settings.encoding.default)
        return tuple(encoding for encoding in expected if encoding and encoding != "utf-8")

    def _as_the_editor_reads(
        self, data: bytes, disk: TextFile, digest: str, buffer: Buffer
    ) -> TextFile | None:
        """Decode the file in an encoding that gives the open document's text, even if it is valid UTF-8; None
        if there is none."""
        if data.isascii() or mark_of(data):
            return None
        # Editors open what is not UTF-8 in Latin-1, or guess.
        guesses = ("latin-1", self.likely_encoding(data, disk, digest)) if disk.lossy else ()
        for name in (*self._expected_encodings(), *guesses):
            encoding = encoding_named(name) if name else None
            text = decode_as(data, encoding) if encoding else None
            if text is not None and _reads_as(buffer, text):
                return text
        return None


def _to_be_written_as(name: str | None, text: TextFile) -> TextFile:
    """ASCII doesn't reveal the file's encoding; write new text in the encoding with this name."""
    encoding = encoding_named(name) if name else None
    if encoding is None or encoding == "utf-8" or text.bom or not text.text.isascii():
        return text
    return text if is_wide(encoding) else replace(text, encoding=encoding)


def _reads_as(buffer: Buffer, disk: TextFile) -> bool:
    """Whether file and buffer have the same text, apart from a final line end that the editor added on save
    without reporting it. Vim and Neovim report an empty file as one with an empty line."""
    if buffer.text == disk.shown:
        return True
    text, shown = normalize(buffer.text.removeprefix(MARK)), normalize(disk.shown)
    if text == shown or (buffer.as_saved and not is_ended(text) and f"{text}\n" == shown):
        return True
    return (buffer.as_saved or buffer.ends_last_line) and (text, shown) == ("\n", "")


def _overlay(
    location: Location, blob: Blob, disk: TextFile, disk_digest: str, buffer: Buffer, *, differs: bool
) -> Snapshot:
    mark = b"" if buffer.text.startswith(MARK) else disk.bom  # some editors keep the mark in the text
    is_empty = buffer.ends_last_line and not (differs or disk.text or without_end(buffer.text))
    text = TextFile("" if is_empty else buffer.text, disk.encoding, mark, lossy=False)
    digest = hash_of_buffer(text) if differs else disk_digest
    return Snapshot(location, blob, disk, buffer, text, differs or bool(buffer.dirty_hint), digest)


def hash_of_buffer(text: TextFile) -> str:
    try:
        return hash_bytes(encode(text.text, text))
    except Unencodable:  # the file's encoding can't express the buffer: hash it as UTF-8
        return hash_bytes(text.text.encode("utf-8", "surrogatepass"))
