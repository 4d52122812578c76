"""What large files' bytes decoded to, kept while the bytes stay the same.

Decoding and hashing 10 MB takes longer than reading it; comparing it with what was read last does not. So the
last few large files are held with their text, and compared, never trusted. Where there is no room for all
texts, bytes and hash alone are held of the older ones: hashing takes longest.

The encoding in which a file was written, or shown by an editor, is remembered too, by path and hash
(docs/protocol.md#5-agentfsread): a Latin-1 file that loses a letter may look like UTF-8. So is the line end
of a file that lost its last one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from agentfs_lsp.domain.revision import hash_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.domain.text.textfile import TextFile

SMALL = 64 * 1024
"""Smaller files are decoded each time."""

BUDGET = 64 * 1024 * 1024
"""Bytes of files and texts held; least recently used first out."""

MOST_ENCODINGS = 10_000
"""So many revisions of which the encoding is remembered; least recently used first out."""


class Written(NamedTuple):
    """How a file's bytes were written, or shown by an editor: in which encoding, and behind which mark.
    `expected`: the encodings that the user had named for the file then; with others it is told anew."""

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
    """Called from any thread."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._encodings: OrderedDict[tuple[str, str], Written] = OrderedDict()  # by path and hash
        self._eols: OrderedDict[tuple[str, str], str] = OrderedDict()  # by path and hash
        self._lock = threading.Lock()

    def remember_eol(self, absolute: str, digest: str, eol: str) -> None:
        """The revision of this hash has no line end, and those before it had this one."""
        with self._lock:
            self._eols[absolute, digest] = eol
            self._eols.move_to_end((absolute, digest))
            if len(self._eols) > MOST_ENCODINGS:
                self._eols.popitem(last=False)

    def remembered_eol(self, absolute: str, digest: str) -> str:
        """The line end that the file had before that revision, empty where none is remembered."""
        return self._eols.get((absolute, digest), "")

    def remember_encoding(self, absolute: str, digest: str, written: Written) -> None:
        """The revision of this hash is written so, whatever else its bytes look like."""
        with self._lock:
            self._encodings[absolute, digest] = written
            self._encodings.move_to_end((absolute, digest))
            if len(self._encodings) > MOST_ENCODINGS:
                self._encodings.popitem(last=False)

    def remembered_encoding(self, absolute: str, digest: str) -> Written | None:
        """How that revision is written, where it is remembered."""
        with self._lock:
            known = self._encodings.get((absolute, digest))
            if known is not None:
                self._encodings.move_to_end((absolute, digest))
            return known

    def text_of(
        self, absolute: str, data: bytes, decode: Callable[[bytes], TextFile]
    ) -> tuple[TextFile, str]:
        """The file's text and hash; `decode` is called when its bytes are not those known."""
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
        digest = Digest(data)  # while it is decoded
        text = decode(data)
        _ = text.line_ends  # which every reader asks for
        self.keep(absolute, data, text, digest.text)
        return text, digest.text

    def keep(self, absolute: str, data: bytes, text: TextFile, digest: str) -> None:
        """Remember a large file. Only what tells its encoding by itself: what was guessed by a setting is
        guessed again."""
        if not text.tells_itself:
            return
        with self._lock:
            self._known.pop(absolute, None)
            if SMALL < len(data) <= BUDGET:
                self._known[absolute] = _Known(data, text, digest)
                self._shrink()

    def _shrink(self) -> None:
        held = sum(len(one.data) + one.text_size for one in self._known.values())
        for absolute in tuple(self._known) if held > BUDGET else ():
            if held > BUDGET:
                held -= self._known[absolute].text_size
                self._known[absolute] = replace(self._known[absolute], text=None)
        while held > BUDGET:
            _, oldest = self._known.popitem(last=False)
            held -= len(oldest.data)


class Digest:
    """A hash on its way, in a thread of its own."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._text = ""
        self._thread = threading.Thread(target=self._compute, name="agentfs-hash", daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        """The hash; waits for it."""
        self._thread.join()
        return self._text

    def _compute(self) -> None:
        self._text = hash_bytes(self._data)
