"""Which agents' programs are set up in a folder, by the settings that are there on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from agentfs_lsp.commands.agents import SERVER, Settings
from agentfs_lsp.commands.merging import UnclearError, merged, parsed

MAX_BYTES: Final = 1 << 20
"""No program's settings are larger; a workspace's file may be."""


def is_set_up(root: Path, files: Mapping[str, Settings]) -> bool:
    """Whether one of the files names our server, whatever starts it. `files`: what belongs into each."""
    return any(_names_server(_text(root / path), path, settings) for path, settings in files.items())


def are_there(root: Path, files: Mapping[str, Settings]) -> bool:
    """Whether the files have these settings, whatever starts our server."""
    return all(_has(root / path, settings) for path, settings in files.items())


def texts(root: Path, files: Iterable[str]) -> dict[str, str]:
    """What is in each of the files."""
    return {path: _text(root / path) for path in files}


def found(texts: Mapping[str, str], keys: Callable[[Any], Iterator[str]]) -> tuple[str, str] | None:
    """The first of such keys as `Agent.excluding` and `Agent.overriding` yield, and its file."""
    for path, text in texts.items():
        try:
            for key in keys(parsed(path, text)):
                return path, key
        except UnclearError:
            pass
    return None


def _names_server(text: str, path: str, settings: Settings) -> bool:
    keys = _way_to_server(settings)
    if not keys:
        return False
    try:
        found: Any = parsed(path, text)
    except UnclearError:
        return False
    for key in keys:
        if not isinstance(found, Mapping) or key not in found:
            return False
        found = found[key]
    return True


def _way_to_server(settings: Settings, above: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The keys that lead to our server's entry; none if it is not in this file."""
    for key, value in settings.items():
        if key == SERVER:
            return (*above, key)
        if isinstance(value, Mapping) and (way := _way_to_server(value, (*above, key))):
            return way
    return ()


def _has(path: Path, settings: Settings) -> bool:
    """Whether these settings are in the file, whatever starts our server."""
    text, wanted = _text(path), _without_server(settings)
    try:
        return merged(path.name, text, wanted) == text or not wanted
    except UnclearError:
        return False


def _without_server(settings: Settings) -> Settings:
    kept = {
        key: _without_server(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
    }
    return {key: value for key, value in kept.items() if key != SERVER and value != {}}


def _text(path: Path) -> str:
    """Empty if there is no such file, or none with text, or it is too large for settings."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        return data.decode("utf-8-sig") if len(data) <= MAX_BYTES else ""
    except (OSError, ValueError):
        return ""
