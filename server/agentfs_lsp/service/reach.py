"""What agents may touch now, as far as the settings and the open folders tell without looking at files: what
the tool catalogue lists (docs/protocol.md#12-tool-catalogue).

Whether a certain file may be touched is `domain/policy.py`, asked for each request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from agentfs_lsp.domain.rules import Operation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentfs_lsp.service.ports import Location
    from agentfs_lsp.service.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Reach:
    """Of one operation. `closed`: the only files it may touch, None where there is no closed list; `named`:
    those it may touch that the user's rules name."""

    closed: tuple[Location, ...] | None = None
    named: tuple[str, ...] = ()


def reach(ws: Workspace) -> Mapping[Operation, Reach]:
    """What each operation may touch; one that may touch no file is left out."""
    if not ws.roots:
        return {}
    return {operation: Reach() for operation in get_args(Operation)}
