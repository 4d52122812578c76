"""A server in which something prints to standard output, from Python and from a child process."""

import subprocess

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.history.history import SqliteHistory
from agentfs_lsp.domain.settings.groups import HistorySettings
from agentfs_lsp.lsp.serving import serve_stdio
from agentfs_lsp.service.files.store import Blob, Location


class PrintingStore(DiskStore):
    """Prints whenever it reads."""

    def read(self, location: Location, max_bytes: int) -> Blob:
        print("printed", flush=True)
        subprocess.run(["/bin/echo", "by a child"], check=True)
        return super().read(location, max_bytes)


if __name__ == "__main__":
    state = StateFolder()
    history = SqliteHistory(state, HistorySettings())
    serve_stdio(PrintingStore(state), history, [state.path], 1 << 28)
