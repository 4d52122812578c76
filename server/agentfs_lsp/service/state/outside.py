"""The agents in programs of their own that are connected (docs/protocol.md#16-the-agents-socket)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OutsideAgent:
    """`name` and `version` as claimed. `namespace`: what the names of its sessions begin with. `since_ms`:
    when it connected, by the workspace's clock. `disconnect`: withdraws what is undecided, ends the
    connections of its process, and refuses further ones."""

    id: str
    name: str
    version: str | None
    namespace: str
    since_ms: float
    disconnect: Callable[[], Awaitable[None]]


class OutsideAgents:
    """In the order in which they connected. `on_changed` is called when one comes or goes."""

    def __init__(self) -> None:
        self._agents: dict[str, OutsideAgent] = {}
        self.on_changed: Callable[[], None] = lambda: None

    def __iter__(self) -> Iterator[OutsideAgent]:
        return iter(list(self._agents.values()))

    def __len__(self) -> int:
        return len(self._agents)

    def get(self, ident: str) -> OutsideAgent | None:
        """The agent with this id, while it is connected."""
        return self._agents.get(ident)

    def add(self, agent: OutsideAgent) -> None:
        """It has connected."""
        self._agents[agent.id] = agent
        self.on_changed()

    def remove(self, ident: str) -> None:
        """Its connection has ended."""
        if self._agents.pop(ident, None) is not None:
            self.on_changed()
