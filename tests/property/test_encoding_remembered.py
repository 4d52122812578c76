"""Whatever a change leaves of a file, it reads as written, and undo restores every byte:
docs/protocol.md#5-agentfsread."""

from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from agentfs_lsp.domain.errors import BinaryFile, DomainError, FileMissing
from agentfs_lsp.domain.matching.splicing import shortened
from agentfs_lsp.domain.revision import FileStat
from agentfs_lsp.domain.settings.groups import EncodingSettings
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.service.files.decoding import DecodedFiles
from agentfs_lsp.service.files.snapshot import Snapshot, Source
from agentfs_lsp.service.files.store import Blob, FileStore, Location, Root
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.record import RecordedFile
from agentfs_lsp.service.reversal import reversal

ROOT = Root("w", "/w", "file:///w")
ENCODINGS = st.sampled_from(["latin-1", "cp1252", "gbk", "shift_jis", "koi8-r", "utf-8"])
# Letters that, combined, may look like UTF-8 or its mark in one encoding or the other.
LATIN = st.text(st.sampled_from("aé©Ã\u00adï»¿ÿþ\n"), max_size=8)
WIDE = st.text(st.sampled_from("a中文茅ｱ銈\n"), max_size=8)
TEXTS = st.one_of(LATIN, WIDE)
BYTES = st.binary(max_size=6).filter(lambda data: b"\0" not in data)


class OneFile:
    """A disk with one file on it."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def resolve(self, root: Root, relative: str) -> Location:
        return Location(root, relative)

    def read(self, location: Location, _: int) -> Blob:
        if location.relative != "f":
            raise FileMissing(location.relative)
        return Blob(self.data, FileStat(0, len(self.data), 1, 1, 0o644, 1))


def settings_of(encoding: str) -> Settings:
    return replace(Settings(), encoding=EncodingSettings(default=encoding))


def source(disk: OneFile, decoded: DecodedFiles, settings: Settings) -> Source:
    return Source(cast("FileStore", disk), decoded, Location(ROOT, "f"), settings)


def seen(disk: OneFile, decoded: DecodedFiles, settings: Settings) -> Snapshot:
    return source(disk, decoded, settings).look(None, 1 << 20)


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, str]:
    """A file's bytes, and the encoding in the user's settings."""
    encoding = draw(ENCODINGS)
    text = draw(TEXTS)
    try:
        data = text.encode(encoding)
    except UnicodeError:
        data = draw(BYTES)
    return data + draw(st.one_of(st.just(b""), BYTES)), encoding


@given(files(), st.data())
@example((b"\xc3\xa9\ncaf\xe9\n", "latin-1"), None)
@example((b"x\xef\xbb\xbfy\n", "utf-8"), None)
def test_a_rewritten_file_keeps_its_encoding_when_read(file: tuple[bytes, str], data: Any) -> None:
    before, encoding = file
    disk, decoded, settings = OneFile(before), DecodedFiles(), settings_of(encoding)
    try:
        base = seen(disk, decoded, settings)
    except BinaryFile:
        return
    shown = base.text.shown
    if data is None:
        start = shown.index("caf") + 3 if "caf" in shown else 0
        end, put = start + 1, ""
    else:
        start = data.draw(st.integers(0, len(shown)))
        end, put = data.draw(st.integers(start, len(shown))), data.draw(st.sampled_from(["", "b", "é", "中"]))
    splice = shortened(shown, Splice(start, end, put))
    change = FileChange("f", base, "update", (splice,), settings)
    assume(splice.text or splice.start < splice.end)
    with suppress(DomainError):
        change.check()
        if base.text.lossy and change.proposed_bytes.decode("utf-8", "surrogateescape") != change.proposed:
            return  # undecodable bytes have become decodable together
        disk.data = change.proposed_bytes
        source(disk, decoded, settings).remember(change.proposed_file, change.proposed_hash)
        left = seen(disk, decoded, settings)
        event(f"looks otherwise: {seen(disk, DecodedFiles(), settings).text != left.text}")
        assert left.text.shown == change.shown
        if "\ufffd" in shown:
            return
        kept = RecordedFile(
            "/w",
            "f",
            "update",
            base.hash,
            change.proposed_hash,
            0,
            0,
            base.text.encoding,
            base.text.bom,
            before=shown,
            after=change.shown,
        )
        for known, now in ((decoded, settings), (DecodedFiles(), settings), (DecodedFiles(), Settings())):
            undone = reversal("f", (kept,), seen(disk, known, now), now)
            assert undone.proposed_bytes == before
