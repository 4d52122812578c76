"""Starts the server from what is bundled beside this file, and from nothing else.

Run as `python -I -S run_server.py`: isolated and without site packages, so that neither the workspace, nor
variables, nor what is installed can put modules in between.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "libs"))

from agentfs_lsp.__main__ import main

sys.exit(main())
