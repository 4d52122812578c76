"""The wording for one kind of caller, where it differs from the usual wording.

The usual texts are in `errors.py`, in `answers/change.py`, and in the files of `requests/`. Dialects with
their own wording are in `dialects/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.translation import ErrorText, Translate
from agentfs_lsp.service.proposal.change import FileChange, Landing

FileErrorText = Callable[[Any, Translate, str], ErrorText]
"""Puts an error into words: the error, the language, and the file's displayed path ("" if the path did not
resolve)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasing:
    """`names`: of tools and parameters. `errors`: wording that differs from `errors.py`. `absolute`: show
    absolute paths. `denies_outside`: report an absolute path outside the roots as outside, not as malformed.
    `ranges`: the caller can read part of a file. `landed`: a headline for changes on disk other than the
    usual one, or None for that. `amended`: reports the user's amended text in full, not as a diff.
    `content_alone`: the text of a complete read is the file's content. `confirms`: the user is asked to
    confirm a tool's call, as “Confirm Write: a.py”."""

    names: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[type[DomainError], FileErrorText] = field(default_factory=dict)
    absolute: bool = False
    denies_outside: bool = False
    ranges: bool = True
    landed: Callable[[Landing, str, Translate], str | None] | None = None
    amended: Callable[[FileChange, str, Translate], str] | None = None
    content_alone: bool = False
    confirms: bool = False


USUAL = Phrasing()
"""The wording of the requests themselves."""
