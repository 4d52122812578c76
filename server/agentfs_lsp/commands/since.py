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
    text = text.strip()
    try:
        if ago := _AGO.fullmatch(text):
            moment_s = time.time() - int(ago[1]) * _SECONDS[ago[2]]
        else:
            moment_s = datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        moment_s = -1
    if moment_s < 0:
        raise ArgumentTypeError(
            translate(
                "must be an age such as 30m, 12h, 2d, or 4w, or a date such as 2026-01-31 or 2026-01-31T12:00"
            )
        )
    return int(moment_s * 1000)
