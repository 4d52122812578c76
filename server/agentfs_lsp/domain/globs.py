"""gitignore globs, matched as written or in every spelling of a path.

Restrictions match every spelling of a path; permissions match only the path as written
(docs/protocol.md#13-settings-and-policy). `folding.py` defines the spellings.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import prod

from pathspec import GitIgnoreSpec
from pathspec.pattern import Pattern

from agentfs_lsp.domain.folding import fold_glob, fold_path, short_names, wide_name


@dataclass(frozen=True, slots=True)
class Spelled:
    """A root-relative path as written, and folded."""

    raw: str
    folded: str

    @classmethod
    def of(cls, relative: str) -> Spelled:
        """A line end in a name must not end the string that a glob is matched against."""
        raw = relative.replace("\n", "\r")
        return cls(raw, fold_path(raw))


class FoldedGlobs:
    """Globs without negations, matched against the path as written, folded, and in 8.3 names. Immutable.

    `globs` maps each gitignore glob, relative to a root, to its display name."""

    def __init__(self, globs: Mapping[str, str]) -> None:
        self._names = list(globs.values())
        self._raw = _compiled(globs)
        named = [_with_name(glob) for glob in globs]
        folded = [fold_glob(glob) for glob in named]
        self._folded = self._raw if folded == list(globs) else _compiled(folded)
        most = max(_FEW_SPELLINGS, min(_MAX_SPELLINGS, _MAX_OF_A_LIST // (len(globs) or 1)))
        pairs = zip(named, self._names, strict=True)
        self._short_globs = {short: name for glob, name in pairs for short in _short_spellings(glob, most)}

    def match(self, path: Spelled) -> str | None:
        """The name of the glob that matches the path, or a folder above it, in any spelling."""
        index = _last(self._folded, path.folded)
        if index is None and path.folded != path.raw:
            index = _last(self._raw, path.raw)
        return self._match_short(path) if index is None else self._names[index]

    def match_as_written(self, path: Spelled) -> str | None:
        """The same, for the path as written only."""
        index = _last(self._raw, path.raw)
        return None if index is None else self._names[index]

    def has_otherwise(self, path: Spelled) -> bool:
        """Whether some glob matches another spelling of the path but not the path as written."""
        return self._match_short(path) is not None or any(
            folded.match_file(path.folded) is not None and raw.match_file(path.raw) is None
            for folded, raw in zip(self._folded, self._raw, strict=True)
        )

    def _match_short(self, path: Spelled) -> str | None:
        if "~" not in path.folded or (index := _last(self._short, path.folded)) is None:
            return None
        return list(self._short_globs.values())[index]

    @cached_property
    def _short(self) -> Sequence[Pattern]:
        """Compiled on first use: few paths have a tilde."""
        return _compiled(self._short_globs)


def permitted(globs: tuple[str, ...], relative: str) -> bool:
    """Whether a list of globs, including negations, permits this path relative to its root."""
    return _list_of(globs).permits(Spelled.of(relative)) is not None


class GlobList:
    """A list of globs like a .gitignore, including negations. Immutable."""

    def __init__(self, globs: Sequence[str]) -> None:
        self._globs = tuple(globs)
        self._included = _positives(globs)
        negations = {_alone(glob[1:]): glob for glob in globs if glob.startswith("!")}
        self._excluded = FoldedGlobs(negations) if negations else None
        self._spec = GitIgnoreSpec.from_lines(globs)
        self._behind: dict[int, FoldedGlobs] = {}

    def permits(self, path: Spelled) -> str | None:
        """The glob that permits the path: it matches the path as written; nothing excludes a spelling."""
        glob = self._matching(path)
        if glob is None or (self._excluded is not None and self._excluded.has_otherwise(path)):
            return None
        return glob

    def forbids(self, path: Spelled) -> tuple[str, bool] | None:
        """The glob that forbids the path in some spelling, and whether as written. Only a negation of the
        path as written lifts it."""
        if (glob := self._matching(path)) is not None:
            return glob, True
        glob = self._not_excluded(path).match(path)
        return None if glob is None else (glob, False)

    def excludes(self, path: Spelled) -> bool:
        """Whether a negation excludes the path as written."""
        return self._excluded is not None and self._spec.check_file(path.raw).include is False

    @property
    def is_everything(self) -> bool:
        """Whether it matches every path."""
        return bool(self._globs) and self._globs[-1] in {"*", "**", "/**", "**/*"}

    def _matching(self, path: Spelled) -> str | None:
        """As gitignore interprets the list."""
        if self._excluded is None:
            return self._included.match_as_written(path)
        found = self._spec.check_file(path.raw)
        return self._globs[found.index] if found.include and found.index is not None else None

    def _not_excluded(self, path: Spelled) -> FoldedGlobs:
        """The globs that no later negation of the path as written lifts."""
        if self._excluded is None:
            return self._included
        found = self._spec.check_file(path.raw)
        if found.index is None:
            return self._included
        if found.index not in self._behind:
            self._behind[found.index] = _positives(self._globs[found.index + 1 :])
        return self._behind[found.index]


def fault_of(glob: str) -> bool:
    """Whether this glob can't match anything, or may take too long to match: more than three stars before the
    end of a name, or two `**` before the end."""
    within = glob.removeprefix("!").removeprefix("/").removesuffix("/").split("/")
    if not {"", ".", ".."}.isdisjoint(within):  # no path has such names
        return True
    names = glob.removeprefix("!").split("/")
    if len(glob) > _MAX_CHARACTERS or not glob.isprintable() or "[[:" in glob:
        return True
    if names[:-1].count("**") > 2 or any(len(_STARS.findall(name)) > 3 for name in names):
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            (pattern,) = GitIgnoreSpec.from_lines([glob]).patterns
            alone = _alone(glob.removeprefix("!"))
            FoldedGlobs({alone: glob})
            _compiled(_each_short_name(alone))
    except (ValueError, re.error, Warning):
        return True
    return pattern.include is None


def work_of(glob: str) -> int:
    """The approximate number of steps a valid glob takes for the worst path: stars before the end of a name,
    or of the path, are tried in all combinations of places."""
    names = glob.removeprefix("!").split("/")
    stars = max(len(_STARS.findall(name)) for name in names)
    in_names = _LONGEST_PATH * (1, 1, _LONGEST_NAME // 2, _LONGEST_NAME**2 // 6)[stars]
    return in_names if names[:-1].count("**") < 2 else max(in_names * 8, _LONGEST_PATH**2 // 4)


_LONGEST_PATH = 4096
_LONGEST_NAME = 255
_MAX_CHARACTERS = 1000
_MAX_SPELLINGS = 64
_FEW_SPELLINGS = 4
_MAX_OF_A_LIST = 2048
_STARS = re.compile(r"\*+(?=[^*])")


def _positives(globs: Iterable[str]) -> FoldedGlobs:
    return FoldedGlobs({glob: glob for glob in globs if not glob.startswith("!")})


def _alone(glob: str) -> str:
    """The text after a `!` that starts the glob."""
    return f"\\{glob}" if glob.startswith(("#", "!")) else glob


def _with_name(glob: str) -> str:
    """The glob that also matches the folder's own name, whatever is there, so that the answer tells nothing.
    With a wildcard, that could be every name beside it."""
    folder = glob.removesuffix("/**").removesuffix("/")
    if folder == glob or not folder.strip("/") or set("*?[") & set(folder.rpartition("/")[2]):
        return glob
    return f"/{folder.lstrip('/')}" if glob.endswith("/**") else folder


def _compiled(globs: Iterable[str]) -> Sequence[Pattern]:
    """One pattern per glob. Folding leaves nothing of some: they match nothing, as `/` does."""
    return list(GitIgnoreSpec.from_lines(glob or "/" for glob in globs).patterns)


def _last(patterns: Sequence[Pattern], path: str) -> int | None:
    """The index of the last glob that matches."""
    for index in range(len(patterns) - 1, -1, -1):
        if patterns[index].match_file(path) is not None:
            return index
    return None


def _short_spellings(glob: str, most: int) -> list[str]:
    """`glob` with each component long or short, except for the all-long one. If there are more than `most`,
    one wider glob that matches them all."""
    choices = _by_component(glob)
    if prod(map(len, choices)) > most:
        return ["/".join(each[0] if len(each) == 1 else wide_name(each[0]) for each in choices)]
    return ["/".join(one) for one in product(*choices)][1:]


def _each_short_name(glob: str) -> list[str]:
    """The fewest of these that include each name, plus the wider one: a few compile as fast as one."""
    choices = _by_component(glob)
    rows = range(1, max(map(len, choices)))
    each = ["/".join(names[min(row, len(names) - 1)] for names in choices) for row in rows]
    return each + _short_spellings(glob, 1)


def _by_component(glob: str) -> list[list[str]]:
    """Each component's names, the long one first."""
    parts = fold_glob(glob).split("/")
    return [[part] if part == "**" else [part, *short_names(part)] for part in parts]


@lru_cache(maxsize=64)
def _list_of(globs: tuple[str, ...]) -> GlobList:
    return GlobList(globs)
