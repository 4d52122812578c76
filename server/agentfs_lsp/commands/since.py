"""The time that a user gives a command: a date, or how long ago."""

from __future__ import annotations

import re
import time
from argparse import ArgumentTypeError
from datetime import datetime

from agentfs_lsp.domain.translation import Translate

_AGO = re.compile(r"([0-9]{1,6})([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def since(translate: Translate, text: str) -> int:
    """The type of such an argument, in milliseconds since the epoch: `2026-11-28`, `2026-11-28T10:00`, in the
    machine's time zone unless it names one, or `90m`, `12h`, `7d`, `2w`."""
    if ago := _AGO.fullmatch(text):
        return int((time.time() - int(ago[1]) * _SECONDS[ago[2]]) * 1000)
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise ArgumentTypeError(
            translate("must be a date such as 2026-11-28 or 2026-11-28T10:00, or an age such as 12h or 7d")
        ) from None
