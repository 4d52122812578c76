"""How long a call may be held while the user decides: a little less than its client waits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agentfs_lsp.mcp.connection import Caller


@dataclass(frozen=True, slots=True)
class _Patience:
    """Seconds that a client waits for a call; `reported`: if it gets progress reports."""

    silent: float
    reported: float


_DAY: Final = 24 * 3600.0

_KNOWN: Final = (  # measured or read in the clients' sources in November 2026
    ("claudecode", _Patience(1500, _DAY)),  # 30 minutes idle, about 28 hours in all
    ("codex", _Patience(50, 50)),  # 60 to 300 s, by version; settable
    ("geminicli", _Patience(570, 570)),
    ("opencode", _Patience(50, _DAY)),
    ("visualstudiocode", _Patience(_DAY, _DAY)),
    ("zed", _Patience(50, 50)),
    ("goose", _Patience(270, 270)),
)

_OTHERS: Final = _Patience(45, 45)


def hold_s(caller: Caller, *, reports: bool) -> float:
    """Seconds to hold a call of this client. `reports`: it asked for progress reports."""
    name = re.sub(r"[^a-z0-9]", "", caller.name.lower())
    patience = next((one for known, one in _KNOWN if name.startswith(known)), _OTHERS)
    return patience.reported if reports else patience.silent
