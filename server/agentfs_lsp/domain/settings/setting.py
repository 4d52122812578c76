"""The description of a setting: key, default, shape, meaning, and what a workspace may do with it.

`settings.py` contains all settings (docs/protocol.md#13-settings-and-policy).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeVar, cast

from agentfs_lsp.domain.shapes import Shape

T = TypeVar("T")

Mode = Literal["manual", "auto_edit"]

InWorkspace = Literal[
    "users",  # only the user's value counts
    "free",  # guards nothing: the workspace's value counts
    "lower",  # a number: the lower value counts
    "strictest",  # only the strictest value may be set
    "besides",  # rules and lists: all apply, and the strictest counts
]
"""How a workspace's `.agentfs.toml` may change a setting; it can never loosen one."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as the user knows it.

    `strictest`: the value used instead of an invalid one, for protective settings; None for the others, whose
    previous value stays. `wrong_asks`: use the valid parts of an invalid value, and ask about everything."""

    key: str
    default: object
    shape: Shape
    meaning: str
    strictest: object = None
    wrong_asks: bool = False
    in_workspace: InWorkspace = "users"


def setting(
    default: T,
    shape: Shape,
    meaning: str,
    *,
    strictest: object = None,
    wrong_asks: bool = False,
    in_workspace: InWorkspace = "users",
) -> T:
    """A dataclass field for a setting: everything of a `Setting` except its key, which is the field's name.
    By default, workspaces cannot change the setting."""
    metadata = {"setting": Setting("", default, shape, meaning, strictest, wrong_asks, in_workspace)}
    if isinstance(default, dict):
        return field(default_factory=cast("Callable[[], T]", default.copy), metadata=metadata)
    return field(default=default, metadata=metadata)
