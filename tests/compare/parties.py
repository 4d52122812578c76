"""Who is compared, in the order of the page's columns."""

from compare.aider import Aider
from compare.own import AgentFSParty
from compare.party import Party
from compare.programs import Codex, Gemini, OpenCode
from compare.tool_servers import NpmServer, PythonServer

PARTIES: tuple[type[Party], ...] = (AgentFSParty, NpmServer, OpenCode, Gemini, Codex, Aider, PythonServer)
