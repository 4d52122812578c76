r"""Finds text that was escaped once too often: `\n` in place of line ends, `&lt;` in place of `<`.

Code may mean either, so only what is escaped as a whole counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from agentfs_lsp.domain.splices import Splice

_NEWLINE = "\\n"
_SEVERAL = 2
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_MEANING = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\"}

_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&apos;": "'", "&#39;": "'"}
_ENTITY = re.compile("|".join(_ENTITIES))
_AS_IT_IS = re.compile(f"[<>]|(?!{_ENTITY.pattern})&")

CODE = frozenset(
    (
        *(
            "bash",
            "bat",
            "c",
            "cc",
            "cjs",
            "clj",
            "cpp",
            "cs",
            "css",
            "cts",
            "cxx",
            "d",
            "dart",
            "el",
            "erl",
            "ex",
        ),
        *(
            "exs",
            "fish",
            "fs",
            "go",
            "gradle",
            "h",
            "hh",
            "hpp",
            "hs",
            "java",
            "jl",
            "js",
            "json",
            "jsonc",
            "kt",
        ),
        *(
            "kts",
            "less",
            "lisp",
            "lua",
            "m",
            "mjs",
            "ml",
            "mm",
            "mts",
            "nim",
            "pas",
            "pl",
            "pm",
            "proto",
            "ps1",
        ),
        *(
            "py",
            "pyi",
            "r",
            "rb",
            "rs",
            "sass",
            "scala",
            "scm",
            "scss",
            "sh",
            "sql",
            "swift",
            "tcl",
            "tf",
            "toml",
        ),
        *("ts", "v", "vb", "vhd", "vim", "yaml", "yml", "zig", "zsh"),
    )
)
"""Suffixes of code and data, but not of markup, nor of code that contains markup."""


def has_escaped_newlines(content: str) -> bool:
    """Whether a whole file's text has several `\\n` and not one line end."""
    if "\n" in content or "\r" in content or content.count(_NEWLINE) < _SEVERAL:
        return False
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return True
    return False


def with_newlines(content: str) -> str | None:
    """Such a text with each escape replaced once by what it means; None if one has no such meaning."""
    if not {found[1] for found in _ESCAPE.finditer(content)} <= _MEANING.keys():
        return None
    return _ESCAPE.sub(lambda found: _MEANING[found[1]], content)


def is_code(path: str) -> bool:
    """Whether the name says that the file contains no markup."""
    return path.rpartition("/")[2].rpartition(".")[2].lower() in CODE


def first_entity(before: str, hunks: Sequence[Splice]) -> tuple[int, str] | None:
    """The hunk with the first HTML entity, and the entity; None if the text `before` has one, or new lines
    have `<`, `>`, or `&` as they are."""
    found = next(
        ((at, entity[0]) for at, hunk in enumerate(hunks) if (entity := _ENTITY.search(hunk.text))), None
    )
    if found is None or _ENTITY.search(before) or any(_AS_IT_IS.search(hunk.text) for hunk in hunks):
        return None
    return found


def without_entities(text: str) -> str:
    """The text with each entity replaced once by its character."""
    return _ENTITY.sub(lambda found: _ENTITIES[found[0]], text)
