"""Normalizes spellings that some file system may treat as the same name.

A protected name must be protected in every spelling (docs/protocol.md#13-settings-and-policy): a copy, a
checkout, or a mount of the workspace may be on a file system that folds names. So this module folds more
than any single file system does, never less.
"""

from __future__ import annotations

import re
import unicodedata


def fold_text(text: str) -> str:
    """`text` without ignored characters, case-folded and in one Unicode compatibility form. Idempotent."""
    if text.isascii():
        return text.lower()
    while True:
        folded = unicodedata.normalize("NFKC", _IGNORED.sub("", text)).casefold()
        if folded == text:
            return folded
        text = folded


def fold_path(path: str) -> str:
    """`path` with each component folded and without data streams (`:…`) and trailing dots and spaces."""
    folded = fold_text(path)
    if not _TRIMMED.search(folded):
        return folded
    parts = (part.partition(":")[0].rstrip(". ") for part in folded.split("/"))
    return "/".join(part for part in parts if part)


def fold_glob(glob: str) -> str:
    """`glob` for matching folded paths. Characters that would become wildcards by folding stay literal; dots,
    spaces and data streams at the end of a component are removed, as from paths."""
    if not glob.isascii():
        glob = "".join(_escaped(letter) for letter in glob)
    return "/".join(_trimmed(part) for part in fold_text(glob).split("/"))


def short_names(glob: str) -> list[str]:
    """Folded globs for the 8.3 names (`GIT~1`) that file systems may give to matches of `glob`, one path
    component; none if it needs no such name. If it contains more than letters, digits and `*`, one wider glob
    stands for all of them."""
    if _UNUSUAL.search(glob):
        return [f"{wide_name(glob)}~[0-9]*"]
    stem, dot, extension = fold_text(glob).lstrip(".").rpartition(".")
    if not dot:
        stem, extension = extension, ""
    start = stem.partition("*")[0].replace(".", "")
    open_ended = "*" in stem
    fits = len(stem) <= 8 and len(extension) <= 3 and "." not in stem
    if fits and not open_ended and not glob.startswith("."):
        return []
    names = [_with_tail(start, open_ended, tail) for tail in ("~[0-9]", "~[0-9][0-9]")]
    if not open_ended and len(start) > 6:  # NTFS's form from the fifth name with the same start
        names.append(f"{start[:2]}{'[0-9a-f]' * 4}~[0-9]")
    if extension:
        return [f"{name}.{extension[:3]}" for name in names]
    return names + [f"{name}.*" for name in names] if open_ended else names


def wide_name(glob: str) -> str:
    """A folded glob for every match of `glob`, one component, and for their 8.3 names, which keep the first
    two letters."""
    start = glob[:2]
    return f"{start}*" if start.isascii() and start.isalnum() else "*"


def _escaped(letter: str) -> str:
    """A letter that folds to a wildcard, escaped."""
    if letter.isascii():
        return letter
    return "".join(f"\\{one}" if one in "*?[]\\!#" else one for one in fold_text(letter))


def _trimmed(part: str) -> str:
    """A glob component trimmed as `fold_path` trims its matches; one that ends in a wildcard stays."""
    name = part.partition(":")[0]
    part = part if not name or _WILDCARD.search(name) else name
    bare = _ENDING.sub("", part)
    return part if not bare or bare[-1] in "*?]" else bare


def _with_tail(start: str, open_ended: bool, tail: str) -> str:
    room = 8 - tail.count("[0-9]") - 1
    return start[:room] + ("*" if open_ended and len(start) < room else "") + tail


# Unicode's default-ignorable characters, which include all that HFS+ ignores.
_IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_WILDCARD = re.compile(r"[*?\[\\]")
_UNUSUAL = re.compile(r"[^a-z0-9_.*-]", re.IGNORECASE)
_ENDING = re.compile(r"(?:\\?[. ])+$")
_TRIMMED = re.compile(r":|[. ](?:/|$)")
