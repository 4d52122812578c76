"""The files of agents' programs."""

import pytest

from agentfs_lsp.commands.agents import AGENTS, Agent
from agentfs_lsp.domain.globs import Spelled
from agentfs_lsp.domain.policy.protected import protection_of


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_no_agent_changes_its_own_settings_unasked(agent: Agent) -> None:
    for made in (agent.project, agent.user or agent.project):
        for path in made(["agentfs-lsp"], True):
            found = protection_of(Spelled.of(path))
            assert found is not None, path
            assert found.change == "ask"
