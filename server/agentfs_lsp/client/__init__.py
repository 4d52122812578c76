"""agentfs for Python programs: reads and changes of a workspace, reviewed before they land.

docs/python.md shows how to use it::

    from agentfs_lsp.client import AgentFS, terminal

    with AgentFS.open("my-project", terminal()) as fs:
        print(fs.read("README.md").for_model())
        print(fs.edit("README.md", "teh", "the", agent="Ada").for_model())
"""

from agentfs_lsp.client.answer import Answer
from agentfs_lsp.client.asynchronous import AsyncAgentFS
from agentfs_lsp.client.errors import AgentFSError, NoEditor, RequestRefused, ServerGone, TimedOut
from agentfs_lsp.client.reviewers import allow_all, deny_all, terminal
from agentfs_lsp.client.reviews import Accept, Amend, Decision, Reject, Review, ReviewedFile, Reviewer
from agentfs_lsp.client.synchronous import AgentFS

__all__ = [
    "Accept",
    "AgentFS",
    "AgentFSError",
    "Amend",
    "Answer",
    "AsyncAgentFS",
    "Decision",
    "NoEditor",
    "Reject",
    "RequestRefused",
    "Review",
    "ReviewedFile",
    "Reviewer",
    "ServerGone",
    "TimedOut",
    "allow_all",
    "deny_all",
    "terminal",
]
