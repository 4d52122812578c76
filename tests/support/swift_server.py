"""The server, for users who read instantly. Run as a file, whatever the path."""

import sys

from agentfs_lsp.__main__ import main
from agentfs_lsp.adapters.review import questions
from agentfs_lsp.door.listener import Listener

if __name__ == "__main__":
    Listener.changed = lambda _: None  # nobody's agents and reviewers shall find it
    questions.READING_S = 0.0
    sys.exit(main())
