"""The table of dialects, by name."""

from __future__ import annotations

from agentfs_lsp.api.dialects.gemini import GEMINI
from agentfs_lsp.api.dialects.mcp import MCP
from agentfs_lsp.api.dialects.standard import STANDARD
from agentfs_lsp.api.dialects.workspace import WORKSPACE

DIALECTS = {dialect.name: dialect for dialect in (STANDARD, GEMINI, WORKSPACE, MCP)}
