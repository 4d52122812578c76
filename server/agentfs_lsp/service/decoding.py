"""What large files' bytes decoded to, kept while the bytes stay the same.

Decoding and hashing 10 MB takes longer than reading it; comparing it with what was read last does not. So the
last few large files are held with their text, and compared, never trusted.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentfs_lsp.domain.revision import hash_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.domain.textfile import TextFile

SMALL = 64 * 1024
"""Smaller files are decoded each time."""

BUDGET = 64 * 1024 * 1024
"""Bytes of files and texts held; least recently used first out."""


@dataclass(frozen=True, slots=True)
class _Known:
    data: bytes
    text: TextFile
    digest: str

    @property
    def size(self) -> int:
        return len(self.data) + self.text.text.__sizeof__()


class DecodedFiles:
    """Called from any thread."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._lock = threading.Lock()

    def text_of(
        self, absolute: str, data: bytes, decode: Callable[[bytes], TextFile]
    ) -> tuple[TextFile, str]:
        """The file's text and hash; `decode` is called when its bytes are not those known."""
        if len(data) <= SMALL:
            return decode(data), hash_bytes(data)
        with self._lock:
            known = self._known.get(absolute)
        if known is not None and known.data == data:
            return known.text, known.digest
        digest = Digest(data)  # while it is decoded
        text = decode(data)
        _ = text.line_ends  # which every reader asks for
        self.keep(absolute, data, text, digest.text)
        return text, digest.text

    def keep(self, absolute: str, data: bytes, text: TextFile, digest: str) -> None:
        """Remember a large file. Only what tells its encoding by itself: what was guessed by a setting is
        guessed again."""
        if len(data) <= SMALL or text.lossy or not (text.bom or text.encoding == "utf-8"):
            return
        known = _Known(data, text, digest)
        with self._lock:
            self._known.pop(absolute, None)
            if known.size > BUDGET:
                return
            self._known[absolute] = known
            while sum(one.size for one in self._known.values()) > BUDGET:
                self._known.popitem(last=False)


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
