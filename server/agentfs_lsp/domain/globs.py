"""gitignore's globs that forbid or ask, and so match a path however it is spelled.

Globs that permit something must not use this: they match the path as it is.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

from agentfs_lsp.domain.folding import fold_path, fold_text, short_names

if TYPE_CHECKING:
    from collections.abc import Mapping


class FoldedGlobs:
    """Globs matched against the path raw, folded, and in 8.3 names. Immutable once made.

    `globs` maps each glob, as gitignore has them and relative to a root, to the name it is known by.
    """

    def __init__(self, globs: Mapping[str, str]) -> None:
        self._names = list(globs.values())
        self._raw = GitIgnoreSpec.from_lines(globs)
        self._folded = GitIgnoreSpec.from_lines(map(fold_text, globs))
        self._short_globs = {short: name for glob, name in globs.items() for short in _short_spellings(glob)}

    def match(self, relative: str) -> str | None:
        """The name of the glob that matches a root-relative path, or a folder above it; None for none."""
        raw = relative.replace("\n", "\r")  # a line end in a name must not end what the glob is held against
        folded = fold_path(raw)
        index = self._folded.check_file(folded).index
        if index is None and folded != raw:
            index = self._raw.check_file(raw).index
        if index is not None:
            return self._names[index]
        if "~" in folded and (index := self._short.check_file(folded).index) is not None:
            return list(self._short_globs.values())[index]
        return None

    @cached_property
    def _short(self) -> GitIgnoreSpec:
        """Compiled when first needed: hardly any path has a tilde."""
        return GitIgnoreSpec.from_lines(self._short_globs)


def _short_spellings(glob: str) -> list[str]:
    """`glob` with each component long or short, but for the one that is long throughout."""
    parts = fold_text(glob).split("/")
    spelled = product(*([part] if part == "**" else [part, *short_names(part)] for part in parts))
    return ["/".join(one) for one in spelled][1:]
