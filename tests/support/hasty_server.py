"""A server with short timeouts. Run as a file, whatever the path."""

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.history.history import SqliteHistory
from agentfs_lsp.adapters.review import questions
from agentfs_lsp.domain.settings.groups import HistorySettings
from agentfs_lsp.lsp import language_server, sweeping
from agentfs_lsp.lsp.serving import serve_stdio

if __name__ == "__main__":
    questions.REPEAT_S = questions.YIELD_S = 1.0
    questions.BUSY_S = 0.5
    questions.READING_S = 0.0
    language_server.FINISH_S = sweeping.LONGEST_S = 0.5
    state = StateFolder()
    history = SqliteHistory(state, HistorySettings())
    serve_stdio(DiskStore(state), history, [state.path], 1 << 28)
