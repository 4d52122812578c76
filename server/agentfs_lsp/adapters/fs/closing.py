"""Closes files in the background: closing the last handle of a removed file frees its blocks, which takes
time."""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue


class Closing:
    """Closes handles on a thread of its own; the system closes the rest at exit."""

    def __init__(self) -> None:
        self._handles: SimpleQueue[int] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def close(self, handle: int) -> None:
        """Close `handle` soon. Never blocks."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="agentfs-closing", daemon=True)
                self._thread.start()
        self._handles.put(handle)

    def _run(self) -> None:
        while True:
            os.close(self._handles.get())
