"""Message catalogs: gettext's, under `locale/` (docs/protocol.md#17-texts)."""

from __future__ import annotations

import gettext
import os
from functools import cache
from typing import TYPE_CHECKING

from agentfs_lsp.domain.translation import Translate, english, fill

if TYPE_CHECKING:  # --help need not load the settings
    from agentfs_lsp.domain.settings.settings import Language

LOCALES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "locale")


def terminal_locale() -> str:
    """The terminal's locale by POSIX's order of variables; empty if unset."""
    wanted = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return next((locale for locale in wanted if locale), "")


_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})


@cache
def translator_for(locale: str) -> Translate:
    """A translator to this locale's language, or to English if there is no catalog. `locale` is an editor's
    name for it, such as `zh-cn`, `zh-Hans` or `zh_CN.UTF-8`."""
    language = _catalog_for(locale)
    if language is None:
        return english
    catalog = gettext.translation("agentfs", LOCALES, [language], fallback=True)

    def translate(template: str, /, *, plural: str = "", count: int = 1, **facts: object) -> str:
        said = catalog.ngettext(template, plural, count) if plural else catalog.gettext(template)
        return fill(said, count, facts)

    return translate


def language(locale: str) -> Language:
    """The setting `locale` for a locale in any spelling."""
    return "en" if _catalog_for(locale) is None else "zh-cn"


def _catalog_for(locale: str) -> str | None:
    language, *marks = locale.lower().replace("_", "-").partition(".")[0].split("-")
    simplified = "hans" in marks or not _TRADITIONAL.intersection(marks)
    return "zh_CN" if language == "zh" and simplified else None
