"""Unmodified pygls with one custom request."""

from typing import Any

from envelope import STATUS
from pygls.lsp.server import LanguageServer

server = LanguageServer("stock-pygls", "1")


@server.feature("agentfs/status")
def status(params: Any) -> dict[str, Any]:
    """Return a constant envelope."""
    return STATUS


server.start_io()
