"""agentfs: the one door through which agents read and change a workspace, reviewed in the editor."""

__version__ = "0.1.0"
