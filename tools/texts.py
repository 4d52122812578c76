"""Updates the message catalogs from the code: `make texts`.

Collects every template in the code (the first argument of a call of `translate`, and its `plural`) and
argparse's texts, updates the .po files under `server/agentfs_lsp/locale/`, and compiles the .mo files next to
them. New templates have no translation, and are listed until they do; unused ones are removed.
"""

from __future__ import annotations

import ast
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from agentfs_lsp.adapters.terminal.argparse_words import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from babel.messages.catalog import Message

PACKAGE = Path(__file__).parents[1] / "server" / "agentfs_lsp"
CATALOGUES = tuple(sorted(PACKAGE.glob("locale/*/LC_MESSAGES/agentfs.po")))

Template = str | tuple[str, str]
"""A template, or the forms for one and for several."""

_HEADER = "# What agentfs says. `make texts` keeps the templates level with the code and compiles this file."


def main() -> int:
    """Update every catalog; the exit code says whether a translation is missing."""
    said = templates_in(PACKAGE)
    missing = 0
    for path in CATALOGUES:
        catalog = updated(read(path), said)
        path.write_bytes(written(catalog))
        path.with_suffix(".mo").write_bytes(compiled(catalog))
        for message in untranslated(catalog):
            print(
                f"{path.relative_to(PACKAGE.parents[1])}: no translation of {message.id!r}", file=sys.stderr
            )
            missing += 1
    if missing:
        print("Translate each in its `msgstr`, and run `make texts` again.", file=sys.stderr)
    return 1 if missing else 0


def templates_in(package: Path) -> dict[Template, list[str]]:
    """Every template with the files that use it, in order. Raises ValueError for one that is not a literal,
    because no catalog could contain it."""
    found: dict[Template, list[str]] = {}
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package.parent).as_posix()
        for template in dict.fromkeys(_templates_of(ast.parse(path.read_text("utf-8")))):
            found.setdefault(template, []).append(name)
    for word in WORDS:
        found.setdefault(word, []).append("agentfs_lsp/adapters/terminal/argparse_words.py")
    return found


def says(node: ast.AST) -> bool:
    """Whether this is a call of `translate` with a template, by any of the names in the code."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name.lstrip("_") == "translate"


def _templates_of(tree: ast.AST) -> Iterator[Template]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and says(node)]
    for call in sorted(calls, key=lambda it: (it.lineno, it.col_offset)):
        if isinstance(call.args[0], ast.Name | ast.Call) or getattr(call.args[0], "value", "") is None:
            continue  # `translate` itself, or another function of that name
        one = ast.literal_eval(call.args[0])
        several = next((ast.literal_eval(it.value) for it in call.keywords if it.arg == "plural"), None)
        yield (one, several) if several else one


def read(path: Path) -> Catalog:
    """A .po file."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parent.parent.name, domain="agentfs")


def updated(catalog: Catalog, said: dict[Template, list[str]]) -> Catalog:
    """A catalog with just these templates, and the translations from `catalog`."""
    level = Catalog(
        locale=catalog.locale_identifier,
        domain="agentfs",
        header_comment=_HEADER,
        project="agentfs-lsp",
        version="1",
        msgid_bugs_address="agentfs",
        last_translator="agentfs",
        language_team="agentfs",
        creation_date=catalog.creation_date,
        revision_date=catalog.revision_date,
        fuzzy=False,
    )
    for template, places in said.items():
        known = catalog.get(template if isinstance(template, str) else template[0])
        locations = [(place, 0) for place in places]
        if known is not None and known.id == template:
            level.add(template, known.string, locations, known.flags)
        else:
            level.add(template, locations=locations)
    return level


def untranslated(catalog: Catalog) -> Iterator[Message]:
    """Templates without a translation, or with a fuzzy one."""
    for message in catalog:
        forms = message.string if isinstance(message.string, list | tuple) else [message.string]
        if message.id and (message.fuzzy or not all(forms)):
            yield message


def written(catalog: Catalog) -> bytes:
    """The .po file."""
    file = BytesIO()
    write_po(file, catalog, width=110, include_lineno=False)
    return file.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """The .mo file."""
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


if __name__ == "__main__":
    sys.exit(main())
