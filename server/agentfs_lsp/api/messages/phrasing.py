"""The wording for one kind of caller, where it differs from the usual wording.

The usual texts are in `errors.py`, in `answers/change.py`, and in the files of `requests/`. Dialects with
their own wording are in `dialects/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agentfs_lsp.domain.translation import Told, Translate

if TYPE_CHECKING:
    from agentfs_lsp.domain.errors import DomainError

TellOfFile = Callable[[Any, Translate, str], Told]
"""Tells of an error: the error, the language, and the file's name as the caller is told it, "" where the path
led to none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """The facts for a text about a change that is on disk. `size`: the bytes written."""

    path: str
    size: int
    is_edit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasing:
    """`names`: what tools and parameters are called. `errors`: errors that are told in other words than those
    of `errors.py`. `absolute`: files are named by their absolute paths. `denies_outside`: an absolute
    path outside the roots is told as a path that leads out of them, not as one spelled wrongly. `ranges`: the
    caller can read a part of a file. `landed`: the headline of a change that is on disk, where it is not the
    usual one. `amended_text`: what the user made of a change is told in full, not by a diff."""

    names: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[type[DomainError], TellOfFile] = field(default_factory=dict)
    absolute: bool = False
    denies_outside: bool = False
    ranges: bool = True
    landed: Callable[[Landed, Translate], str] | None = None
    amended_text: bool = False


USUAL = Phrasing()
"""The wording of the requests themselves."""
