"""What a session may learn about a file (docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Access:
    """Nothing, unless policy and the file were looked at. Answers and errors carry it.

    `path` is the file's name as answers show it, `absolute` where it really is; both are empty where a
    request is about several files, or its path led to none. `readable`: the session may read the file at any
    time. `seen`: or it has read it as it is now, or nothing is there. Answers hold text of the file only
    where it is seen, and what it has become only where it is readable.
    """

    path: str = ""
    absolute: str = ""
    readable: bool = False
    seen: bool = False


HIDDEN = Access()


def together(files: Sequence[Access]) -> Access:
    """What may be told of all these files at once: what may be told of each."""
    if len(files) == 1:
        return files[0]
    if not files:
        return HIDDEN
    return Access(readable=all(one.readable for one in files), seen=all(one.seen for one in files))
