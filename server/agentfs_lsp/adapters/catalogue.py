"""Message catalogues: gettext's, beside the code under `locale/` (docs/protocol.md#17-texts)."""

from __future__ import annotations

import gettext
import os
from functools import cache
from typing import TYPE_CHECKING

from agentfs_lsp.domain.texts import english

if TYPE_CHECKING:
    from agentfs_lsp.domain.texts import Say

LOCALES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "locale")

_LANGUAGES = {"zh": "zh_CN", "zh-cn": "zh_CN", "zh-hans": "zh_CN", "zh-sg": "zh_CN"}
"""Locales as editors name them, lower case, and the catalogue that serves them. All others: English."""


@cache
def say_in(locale: str) -> Say:
    """What speaks this locale's language."""
    language = _LANGUAGES.get(locale.lower())
    if language is None:
        return english
    catalogue = gettext.translation("agentfs", LOCALES, [language], fallback=True)

    def say(template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str:
        said = catalogue.ngettext(template, plural, count) if plural else catalogue.gettext(template)
        return said.format(count=count, **facts)

    return say
