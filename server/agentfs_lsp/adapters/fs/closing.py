"""Closing files behind everybody's back: the last handle of a removed file frees what it held, and whoever
closes it waits for that.
"""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue


class Closing:
    """Handles on their way to be closed, in a thread of its own; at the end of the process the system closes
    what is left."""

    def __init__(self) -> None:
        self._handles: SimpleQueue[int] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def close(self, handle: int) -> None:
        """Close `handle` soon. Never waits."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="agentfs-closing", daemon=True)
                self._thread.start()
        self._handles.put(handle)

    def _run(self) -> None:
        while True:
            os.close(self._handles.get())
