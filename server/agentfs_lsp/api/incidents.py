"""Internal errors: an incident number for the user and the location for the log, without contents of files
or messages (docs/protocol.md#3-envelope)."""

from __future__ import annotations

import traceback
from logging import Logger
from secrets import token_hex


def record_incident(log: Logger, error: BaseException) -> str:
    """Log the error's location, but not its text, which may contain file contents. Returns the incident
    number."""
    number = token_hex(4)
    where = "".join(traceback.format_tb(error.__traceback__))
    log.error("incident %s: %s\n%s", number, type(error).__name__, where)
    return number
