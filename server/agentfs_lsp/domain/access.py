"""What a session may learn about a file (docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Access(NamedTuple):
    """By default nothing may be told. Answers and errors carry an Access.

    `path` is the displayed path, `absolute` the real one; both are empty if a request concerns several files
    or its path did not resolve. `readable`: the session may read the file at any time. `seen`: it may, or it
    has read the current version, or there is no file. Answers contain text of the file only if `seen`, and
    its result only if `readable`."""

    path: str = ""
    absolute: str = ""
    readable: bool = False
    seen: bool = False


HIDDEN = Access()


def together(files: Sequence[Access]) -> Access:
    """What may be told about all of these files at once."""
    if len(files) == 1:
        return files[0]
    if not files:
        return HIDDEN
    return Access(readable=all(one.readable for one in files), seen=all(one.seen for one in files))
