"""Access to untyped JSON from clients."""

from __future__ import annotations


def member(value: object, *keys: str) -> object:
    """The value at the end of these keys, or None."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
