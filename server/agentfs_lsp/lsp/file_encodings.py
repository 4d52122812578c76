"""`agentfs/fileEncodings`: the encodings in which the editor reads and writes files that are not open
(docs/protocol.md#14-the-editors-own-methods).

Invalid parts are ignored; nothing is raised.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

from agentfs_lsp.adapters.documents import path_of
from agentfs_lsp.domain.text.file_encodings import FileEncodings
from agentfs_lsp.domain.text.textfile import encoding_named
from agentfs_lsp.lsp.raw import member

_MAX_CHARACTERS = 200
"""The maximum length of a pattern."""

_MAX_WORK = 50_000
"""The maximum number of characters of a folder's patterns: compiling takes a few microseconds for each."""

_log = logging.getLogger(__name__)


def file_encodings(params: object) -> Mapping[str, FileEncodings]:
    """The rules by the folders' real paths."""
    found = {}
    for folder in _dicts(params, "folders"):
        uri = folder.get("uri")
        path = path_of(uri) if isinstance(uri, str) else None
        if path is not None:
            found[path] = FileEncodings(_rules(folder))
    return found


def _rules(folder: dict[str, object]) -> Iterator[tuple[tuple[str, ...], str]]:
    left = _MAX_WORK
    for rule in _dicts(folder, "rules"):
        files, encoding = rule.get("files"), rule.get("encoding")
        if isinstance(files, list) and isinstance(encoding, str):
            patterns = tuple(one for one in files if isinstance(one, str) and len(one) <= _MAX_CHARACTERS)
            left -= sum(len(one) + 1 for one in patterns)
            if left < 0:
                _log.warning("agentfs/fileEncodings: too many patterns; the rest is ignored")
                return
            yield patterns, encoding if encoding_named(encoding) else "utf8"


def _dicts(value: object, key: str) -> list[dict[str, object]]:
    listed = member(value, key)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
