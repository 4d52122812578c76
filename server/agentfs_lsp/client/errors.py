"""The exceptions of the client. What the server or the user says no to is an `Answer`, not an exception."""

from __future__ import annotations


class AgentFSError(Exception):
    """Base of all exceptions that this package raises."""


class ServerGone(AgentFSError):
    """The server ended, could not be started, or was silent for too long.

    If a change was under way, it is not known whether it landed: read the file before you continue."""


class NoEditor(AgentFSError):
    """No editor with agentfs has the folder open, or its server does not accept this program."""


class TimedOut(AgentFSError, TimeoutError):
    """The time for a call was over before anyone decided. The request was withdrawn: nothing was changed."""


class RequestRefused(AgentFSError):
    """The server did not understand the request, or withdrew it while shutting down.

    `code`: JSON-RPC's, such as -32601 for an unknown method (docs/protocol.md#2-requests)."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
