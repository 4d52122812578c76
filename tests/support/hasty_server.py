"""A server with short timeouts. Run as a file, whatever the path."""

import sys

from agentfs_lsp.__main__ import main
from agentfs_lsp.adapters.review import questions
from agentfs_lsp.door.listener import Listener
from agentfs_lsp.lsp import language_server, sweeping

if __name__ == "__main__":
    Listener.changed = lambda _: None  # nobody's agents and reviewers shall find it
    questions.REPEAT_S = questions.YIELD_S = 1.0
    questions.BUSY_S = 0.5
    questions.READING_S = 0.0
    language_server.FINISH_S = sweeping.LONGEST_S = 0.5
    sys.exit(main())
