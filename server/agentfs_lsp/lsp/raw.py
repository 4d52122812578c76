"""Access to untyped JSON from clients."""

from __future__ import annotations


def member(value: object, *keys: str) -> object:
    """What stands at the end of these keys, None where there is nothing."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
