"""`agentfs-lsp` for agents and reviewers, finding only the servers of this test. Run as a file, whatever the
path."""

import os
import sys
from pathlib import Path

from agentfs_lsp.__main__ import main
from agentfs_lsp.reviewer import proposals
from agentfs_lsp.sockets import discovery

if __name__ == "__main__":
    place = Path(os.environ["AGENTFS_TEST_SOCKETS"])
    discovery.folder = lambda: place
    proposals.GUARD_S = 0.0  # users in tests read instantly
    sys.exit(main())
