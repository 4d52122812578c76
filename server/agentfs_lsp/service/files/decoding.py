"""A cache of large files' text and hash, valid while their bytes stay the same.

Decoding and hashing 10 MB takes longer than reading and comparing it. So the last few large files are kept
with their text, and their bytes compared on each use. Without room for all texts, older files keep bytes and
hash only, since hashing is slowest.

Also remembers, by path and hash, the encoding a file was written or shown in
(docs/protocol.md#5-agentfsread), since a Latin-1 file that loses a letter may look like UTF-8, and the line
end of a file that lost its last one, and the likely encoding of one that is not UTF-8.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.domain.text.likely_encoding import likely_encoding
from agentfs_lsp.domain.text.textfile import TextFile

T = TypeVar("T")

SMALL = 64 * 1024
"""Smaller files are not cached."""

BUDGET = 64 * 1024 * 1024
"""Maximum bytes of files and texts; evicts the least recently used."""

MAX_ENCODINGS = 10_000
"""Maximum number of remembered encodings; evicts the least recently used."""


class Written(NamedTuple):
    """The encoding and byte-order mark in which a file was written or shown. `expected`: the encodings
    configured for it at that time; the entry is valid only while they are the same."""

    encoding: str
    mark: bytes
    expected: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    data: bytes
    text: TextFile | None
    digest: str

    @property
    def text_size(self) -> int:
        return 0 if self.text is None else self.text.text.__sizeof__()


class DecodedFiles:
    """The cache. Thread-safe."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._encodings: OrderedDict[tuple[str, str], Written] = OrderedDict()  # by path and hash
        self._eols: OrderedDict[tuple[str, str], str] = OrderedDict()  # by path and hash
        self._likely: OrderedDict[tuple[str, str], str | None] = OrderedDict()  # by path and hash
        self._lock = threading.Lock()

    def remember_eol(self, absolute: str, digest: str, eol: str) -> None:
        """Remember the line end the file had before this revision, which has none."""
        self._remember(self._eols, (absolute, digest), eol)

    def remembered_eol(self, absolute: str, digest: str) -> str:
        """The file's line end before this revision, or ""."""
        return self._eols.get((absolute, digest), "")

    def remember_encoding(self, absolute: str, digest: str, written: Written) -> None:
        """Remember how this revision is encoded, whatever its bytes look like."""
        self._remember(self._encodings, (absolute, digest), written)

    def remembered_encoding(self, absolute: str, digest: str) -> Written | None:
        """How this revision is encoded, if remembered."""
        with self._lock:
            known = self._encodings.get((absolute, digest))
            if known is not None:
                self._encodings.move_to_end((absolute, digest))
            return known

    def likely_encoding(self, absolute: str, digest: str, data: bytes, text: TextFile) -> str | None:
        """The likely encoding of this revision, `data`, which `text` decodes lossily. Guessed once, not for
        each range that is read of it."""
        key = (absolute, digest)
        if key in self._likely:
            return self._likely[key]
        found = likely_encoding(data, text)
        self._remember(self._likely, key, found)
        return found

    def text_of(
        self, absolute: str, data: bytes, decode: Callable[[bytes], TextFile]
    ) -> tuple[TextFile, str]:
        """The file's text and hash; calls `decode` unless the bytes are cached."""
        if len(data) <= SMALL:
            return decode(data), hash_bytes(data)
        with self._lock:
            known = self._known.get(absolute)
            if known is not None:
                self._known.move_to_end(absolute)
        if known is not None and known.data == data:
            if known.text is not None:
                return known.text, known.digest
            text = decode(data)
            self.keep(absolute, data, text, known.digest)
            return text, known.digest
        with ThreadPoolExecutor(1, "agentfs-hash") as thread:
            hashing = thread.submit(hash_bytes, data)  # in parallel with decoding
            text = decode(data)
            _ = text.line_ends  # computed here because every reader needs it
        digest = hashing.result()
        self.keep(absolute, data, text, digest)
        return text, digest

    def keep(self, absolute: str, data: bytes, text: TextFile, digest: str) -> None:
        """Cache a large file, unless its encoding was guessed from settings, which may change."""
        if not text.tells_itself:
            return
        with self._lock:
            self._known.pop(absolute, None)
            if SMALL < len(data) <= BUDGET:
                self._known[absolute] = _Known(data, text, digest)
                self._shrink()

    def _remember(self, known: OrderedDict[tuple[str, str], T], key: tuple[str, str], value: T) -> None:
        with self._lock:
            known[key] = value
            known.move_to_end(key)
            if len(known) > MAX_ENCODINGS:
                known.popitem(last=False)

    def _shrink(self) -> None:
        held = sum(len(one.data) + one.text_size for one in self._known.values())
        for absolute in tuple(self._known) if held > BUDGET else ():
            if held > BUDGET:
                held -= self._known[absolute].text_size
                self._known[absolute] = replace(self._known[absolute], text=None)
        while held > BUDGET:
            _, oldest = self._known.popitem(last=False)
            held -= len(oldest.data)
