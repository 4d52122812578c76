"""Translation of messages: a template in English, the reader's language, and the facts.

`adapters/catalog.py` creates a `Translate` from a message catalog. Templates have `str.format` syntax
and are the keys of the catalog. Each template is the first argument of a call of `translate`, so that a
test can find missing translations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Protocol

ErrorText = tuple[str, str]
"""An error's message, and what to do about it."""

NAMES = {name: name for name in ("Read", "Write", "Edit", "old_string", "new_string")}
"""The names of tools and parameters, which every template may use as facts; dialects have others
(docs/protocol.md#12-tool-catalog)."""

_SENTENCE = re.compile(r"\(.*\)|（.*）|.*[.!?…:。！？：][)”\"）]*", re.DOTALL)
"""The end of a sentence, including remarks in parentheses."""


class Translate(Protocol):
    """Translates `template` and fills in the facts.

    With `plural` and `count`, selects the form for that number: `translate("one line", plural="{count}
    lines", count=3)`."""

    def __call__(self, template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str: ...


def english(template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str:
    """English: the templates themselves."""
    return fill(plural if plural and count != 1 else template, count, facts)


def fill(template: str, count: int, facts: Mapping[str, object]) -> str:
    try:
        return template.format(count=count, **facts)
    except KeyError:  # few use names of tools and parameters
        return template.format(count=count, **{**NAMES, **facts})


def naming(translate: Translate, names: Mapping[str, str]) -> Translate:
    """The same language, with other names for tools and parameters."""

    def renamed(template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str:
        return translate(template, plural=plural, count=count, **{**names, **facts})

    return renamed


def sentences(translate: Translate, said: Iterable[str]) -> str:
    """Join sentences, separated as the language does, omitting empty ones and adding a full stop where
    another sentence follows."""
    *before, last = [one for one in said if one] or [""]
    return reduce(
        lambda one, next_one: translate("{before} {after}", before=one, after=next_one),
        (*(sentence(translate, one) for one in before), last),
    )


def sentence(translate: Translate, said: str) -> str:
    """With a full stop, unless it ends as a sentence does: what it quotes may."""
    return said if _SENTENCE.fullmatch(said) else translate("{sentence}.", sentence=said)


def nothing_changed(translate: Translate, next_step: str = "") -> str:
    """What to do about an error that changed nothing."""
    return sentences(translate, (translate("Nothing was changed."), next_step))


def beside_what_landed(translate: Translate, unchanged: str) -> Translate:
    """For errors of one part when other parts landed: says `unchanged` in place of `nothing_changed`."""

    def of_the_part(template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str:
        if template == "Nothing was changed.":
            return unchanged
        return translate(template, plural=plural, count=count, **facts)

    return of_the_part
