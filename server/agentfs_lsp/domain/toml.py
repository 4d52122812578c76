"""TOML that anybody may have written."""

from __future__ import annotations

import re
from typing import Final

MAX_DOTS: Final = 100
"""The maximum number of dots between names in one line; parsing takes quadratic time in those of one key."""

_DOT_IN_KEY: Final = re.compile(rb"""[\w"'-][ \t]*\.(?=[ \t]*[\w"'-])""")


def takes_too_long(data: bytes) -> bool:
    """Whether a key may have so many parts that this must not be parsed."""
    return any(len(_DOT_IN_KEY.findall(line)) > MAX_DOTS for line in data.splitlines())
