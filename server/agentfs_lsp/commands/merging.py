"""Puts settings into an agent's JSON or TOML file, and keeps what else is there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, MutableMapping
from typing import Any

from agentfs_lsp.commands.agents import SERVER, Settings


class UnclearError(Exception):
    """The file is not what it should be; the message says why."""


def merged(path: str, text: str, settings: Settings) -> str:
    """The file's text with these settings; the same text if it has them. Raises UnclearError."""
    try:
        return _toml(text, settings) if path.endswith(".toml") else _json(text, settings)
    except ValueError as error:
        raise UnclearError(str(error)) from error


def _json(text: str, settings: Settings) -> str:
    """In the file's indent; the order of the members stays. Comments are no JSON: they raise ValueError."""
    wanted = json.loads(text) if text.strip() else {}
    if text.strip() and not _unite(wanted, settings):
        return text
    _unite(wanted, settings)
    indented = re.search(r"^[ \t]+(?=\")", text, re.MULTILINE)
    return json.dumps(wanted, indent=indented[0] if indented else 2, ensure_ascii=False) + "\n"


def _toml(text: str, settings: Settings) -> str:
    # Only this command needs the library.
    import tomlkit  # noqa: PLC0415

    document = tomlkit.parse(text)
    _unite(document, settings)
    return tomlkit.dumps(document)


def _unite(given: Any, wanted: Settings) -> bool:
    """Merge objects, unite lists, and set everything else, the server's entry as a whole; returns whether
    anything is new. Raises UnclearError."""
    if not isinstance(given, MutableMapping):
        raise UnclearError(f"{given!r} is not an object")
    is_new = False
    for key, value in wanted.items():
        old, new = given.get(key), value
        if isinstance(old, list) and isinstance(value, list):
            new = [*old, *(one for one in value if one not in old)]
        if old is not None and isinstance(value, Mapping) and key != SERVER:
            is_new |= _unite(old, value)
        elif old != new:
            given[key], is_new = new, True
    return is_new
