"""Translation of messages: a template in English, the reader's language, and the facts.

`adapters/catalogue.py` creates a `Translate` from a message catalog. Templates have `str.format` syntax
and are the keys of the catalog. Each template is the first argument of a call of `translate`, so that a
test can find missing translations.
"""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


Told = tuple[str, str]
"""What is told of an error: its message, and what to do about it."""

NAMES: Mapping[str, str] = {
    "Read": "Read",
    "Write": "Write",
    "Edit": "Edit",
    "old_string": "old_string",
    "new_string": "new_string",
}
"""What templates call the tools and their parameters, for readers who know them by these very names. Facts
that every template can use; a dialect has others (docs/protocol.md#12-tool-catalogue)."""


_SENTENCE = re.compile(r"\(.*\)|（.*）|.*[.!?…:。！？：][)”\"）]*", re.DOTALL)
"""What ends as a sentence does, a remark in parentheses among them."""


class Translate(Protocol):
    """Says `template` in the reader's language with the facts put in.

    With `plural` and `count` the form for that many is chosen: `translate("one line", plural="{count} lines",
    count=3)`.
    """

    def __call__(self, template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str: ...


def english(template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str:
    """The templates themselves."""
    return fill(plural if plural and count != 1 else template, count, facts)


def fill(template: str, count: int, facts: Mapping[str, object]) -> str:
    """The template with the facts put in."""
    try:
        return template.format(count=count, **facts)
    except KeyError:  # few call tools and parameters by name
        return template.format(count=count, **{**NAMES, **facts})


def naming(translate: Translate, names: Mapping[str, str]) -> Translate:
    """The same language for a reader who knows tools and parameters by other names."""

    def renamed(template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str:
        return translate(template, plural=plural, count=count, **{**names, **facts})

    return renamed


def sentences(translate: Translate, said: Iterable[str]) -> str:
    """Sentences one after the other, set apart as the language does; empty ones are left out. One that does
    not end as a sentence gets its full stop where another follows."""
    *before, last = [one for one in said if one] or [""]
    ended = [one if _SENTENCE.fullmatch(one) else translate("{sentence}.", sentence=one) for one in before]
    return reduce(
        lambda one, next_one: translate("{before} {after}", before=one, after=next_one), (*ended, last)
    )


def nothing_changed(translate: Translate, next_step: str = "") -> str:
    """What to do about an error that left everything as it was."""
    return sentences(translate, (translate("Nothing was changed."), next_step))


def beside_what_landed(translate: Translate, unchanged: str) -> Translate:
    """The same language for errors of a part, where other parts landed: in it `unchanged` is said of what
    `nothing_changed` is said of elsewhere."""

    def of_the_part(template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str:
        if template == "Nothing was changed.":
            return unchanged
        return translate(template, plural=plural, count=count, **facts)

    return of_the_part
