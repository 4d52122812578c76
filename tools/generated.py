"""Generates code and documentation from the declared shapes of the wire: `make generated`.

`api/params.py`, `api/results.py`, and `lsp/results.py` declare what goes over the wire, and
`service/statistics.py` the output of `agentfs-lsp stats`. The generator writes
extension/src/protocol/types.ts, the lists of commands and methods in the greeting of docs/protocol.md, and
the table there and in docs/operations.md below each comment `<!-- table NAME -->`. The header of a table
selects its columns; if there is no table yet, it gets the usual ones. The string below a key of a shape is
its meaning.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import textwrap
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache, reduce
from itertools import pairwise
from operator import or_
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from agentfs_lsp.adapters.review.client import PENDING
from agentfs_lsp.api import params, results
from agentfs_lsp.api.methods import AGENT_REQUESTS, USER_REQUESTS
from agentfs_lsp.lsp import results as editor_results
from agentfs_lsp.lsp.features.agents import COMMANDS, MANUAL_COMMAND
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS
from agentfs_lsp.service import statistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

REPOSITORY = Path(__file__).parents[1]
DOCUMENTS = [REPOSITORY / "docs" / name for name in ("protocol.md", "operations.md")]
TYPES = REPOSITORY / "extension" / "src" / "protocol" / "types.ts"
LSP = {"Position", "Range", "TextEdit", "TextDocument", "DocumentEdit", "ChangeAnnotation"}
"""Shapes of LSP itself, which the extension's client library declares."""

MODULES: tuple[ModuleType, ...] = (params, results, editor_results, statistics)


def main() -> int:
    """Write all generated files."""
    for path, text in made().items():
        path.write_text(text, "utf-8")
    return 0


def made() -> dict[Path, str]:
    """The current text of each file that is generated or has generated parts."""
    return {**{path: document(path.read_text("utf-8")) for path in DOCUMENTS}, TYPES: typescript()}


# --- the declared shapes ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a shape. `bounds` apply to a number or to a string's length."""

    name: str
    alias: str | None
    hint: Any
    required: bool
    default: object
    bounds: tuple[int | None, int | None]
    meaning: str
    there: str


def keys_of(shape: type) -> list[Key]:
    """A shape's keys, inherited ones first."""
    hints = get_type_hints(shape, include_extras=True)
    told = {name: text for each in (*ancestors(shape), shape) for name, text in _meanings(each).items()}
    own = {each.name: each for each in fields(shape)} if is_dataclass(shape) else {}
    return [_key(name, hint, own.get(name), told.get(name, "")) for name, hint in hints.items()]


def _key(name: str, hint: Any, field: Field[Any] | None, told: str) -> Key:
    meaning, _, there = " ".join(told.split()).partition("There: ")
    if field is None:
        is_required = get_origin(hint) is not NotRequired
        hint = hint if is_required else get_args(hint)[0]
        hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        return Key(name, None, hint, is_required, MISSING, (None, None), meaning.strip(), there)
    about = field.metadata
    bounds = about.get("least"), about.get("most")
    is_required = field.default is MISSING
    return Key(name, about.get("alias"), hint, is_required, field.default, bounds, meaning, there)


def ancestors(shape: type) -> list[type]:
    """The declared base shapes of this one, the most general first."""
    bases = [_shapes()[name] for name in _bases(shape) if name in _shapes()]
    return [one for base in bases for one in (*ancestors(base), base)]


@cache
def _shapes() -> dict[str, type]:
    """Every declared shape by name, in the order of declaration."""
    return {
        name: value
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
        if is_typeddict(value) or (is_dataclass(value) and not name.startswith("_"))
    }


@cache
def _classes(module: ModuleType) -> dict[str, ast.ClassDef]:
    source = ast.parse(inspect.getsource(module))
    return {node.name: node for node in source.body if isinstance(node, ast.ClassDef)}


def _class_of(shape: type) -> ast.ClassDef:
    return _classes(sys.modules[shape.__module__])[shape.__name__]


def _own(shape: type) -> set[str]:
    """The keys that this class itself declares."""
    return {
        node.target.id
        for node in _class_of(shape).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


def _bases(shape: type) -> list[str]:
    return [base.id for base in _class_of(shape).bases if isinstance(base, ast.Name)]


def _meanings(shape: type) -> dict[str, str]:
    """The string below each key in the source."""
    body = _class_of(shape).body
    return {
        key.target.id: text.value.value
        for key, text in pairwise(body)
        if isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


def options_of(hint: Any) -> list[Any]:
    """The members of a union, or the hint itself."""
    return list(get_args(hint)) if get_origin(hint) in (UnionType, Union) else [hint]


def choices_of(hint: Any) -> list[object]:
    """The values of literals."""
    return [
        choice for option in options_of(hint) if get_origin(option) is Literal for choice in get_args(option)
    ]


def _shape_in(hint: Any) -> type:
    """The shape that a key or its list contains."""
    (shape,) = (
        one for option in options_of(hint) for one in (option, *get_args(option)) if is_typeddict(one)
    )
    return shape  # type: ignore[no-any-return]


# --- the documents ----------------------------------------------------------------------------------------

_TABLE = re.compile(
    r"<!-- table (?P<name>\w+)(?: beside (?P<other>\w+))? -->\n"
    r"(?:\n\|(?P<columns>.*)\|\n(?:\|.*\n)*)?"
)
_LIST = re.compile(r'"(commands|methods)": \[[^\]]*\]')


def document(text: str) -> str:
    """The document with its generated tables and lists as they are now. `beside` another shape omits the keys
    of that shape, which has a table of its own."""
    return _LIST.sub(_list, _TABLE.sub(_table, text))


def _list(found: re.Match[str]) -> str:
    methods = [*AGENT_REQUESTS, *EDITOR_REQUESTS, *USER_REQUESTS]
    names = {"commands": [*COMMANDS, MANUAL_COMMAND], "methods": methods}[found[1]]
    lines = textwrap.wrap(", ".join(map(json.dumps, names)), 104)
    return f'"{found[1]}": [\n      ' + "\n      ".join(lines) + "]"


def _table(found: re.Match[str]) -> str:
    name, columns = found["name"], found["columns"]
    if columns is None and is_dataclass(_shapes()[name]):
        columns = " parameter | type | default | bounds | meaning "
    elif columns is None:
        columns = f" {'stats' if name.endswith('Stats') else 'data'} key | type | there | meaning "
    rule = "| --- " * len(columns.split("|")) + "|"
    comment = found[0].partition("\n")[0]
    return f"{comment}\n\n|{columns}|\n{rule}\n" + "".join(_rows(name, found["other"], columns))


def _rows(name: str, other: str | None, columns: str) -> Iterator[str]:
    shape = _shapes()[name]
    left_out = {key.name for key in keys_of(_shapes()[other])} if other else set()
    for key in sorted(keys_of(shape), key=lambda key: _place(shape, key)):
        if key.name in left_out:
            continue
        about = {
            "type": _type_in_words(key.hint, in_params=is_dataclass(shape)),
            "default": "required" if key.required else f"`{json.dumps(key.default, default=str)}`",
            "bounds": _bounds_in_words(key),
            "there": key.there or "always",
            "meaning": _resolved(key.meaning, key.hint),
        }
        names = ", ".join(f"`{one}`" for one in (key.name, key.alias) if one)
        cells = [names, *(about[column.strip()].replace("|", "\\|") for column in columns.split("|")[1:])]
        yield "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|\n"


def _place(shape: type, key: Key) -> tuple[bool, bool]:
    """The sort key of params: required ones, then those of this request alone, then shared ones."""
    is_optional = is_dataclass(shape) and not key.required
    return is_optional, is_optional and key.name not in _own(shape)


_WORDS = {str: "string", bool: "true or false", dict: "object", list: "list"}


def _type_in_words(hint: Any, *, in_params: bool) -> str:
    """The type in words. For params, list the allowed strings and say that numbers are whole."""
    said: list[str] = []
    for option in options_of(hint):
        if get_origin(option) is Literal:
            said += [f"`{json.dumps(choice)}`" for choice in get_args(option)] if in_params else ["string"]
        elif option in (int, float):
            said.append("whole number" if in_params else "number")
        elif option is not NoneType:
            said.append(_WORDS.get(get_origin(option) or option, "object"))
    return " or ".join(dict.fromkeys(said))


def _bounds_in_words(key: Key) -> str:
    (least, most), unit = key.bounds, " characters" if str in options_of(key.hint) else ""
    if least is not None and most is not None:
        return f"{least} to {most}{unit}"
    if least is not None:
        return f"at least {least}{unit}"
    return f"at most {most}{unit}" if most is not None else ""


def _resolved(text: str, hint: Any) -> str:
    """A meaning with its placeholders filled in."""

    def fill(found: re.Match[str]) -> str:
        what, _, name = found[1].partition(":")
        if what == "keys":
            shape = _shape_in(hint)
            return "`{" + ", ".join(key.name for key in keys_of(shape) if key.required) + "}`"
        choices = choices_of(get_type_hints(_shape_in(hint))[name] if name else hint)
        *others, last = (f"`{json.dumps(choice)}`" for choice in choices)
        comma = "," if len(others) > 1 else ""
        return f"{', '.join(others)}{comma} or {last}" if others else last

    return re.sub(r"\{((?:keys|values)(?::\w+)?)\}", fill, text)


# --- extension/src/protocol/types.ts -----------------------------------------------------------------------


def typescript() -> str:
    """The module."""
    aliases = {
        name: value
        for module in MODULES
        for name, value in vars(module).items()
        if get_origin(value) in (Literal, UnionType) and not name.startswith("_")
    }
    interfaces = [_interface(name, shape, aliases) for name, shape in _shapes().items() if name not in LSP]
    used = "".join(interfaces)
    blocks = [
        "/** The names and shapes of the wire. Generated by `make generated`; do not edit. */",
        "/* eslint max-lines: off */",
        "import type { TextDocumentEdit, WorkspaceEdit as LspWorkspaceEdit } from 'vscode-languageclient';",
        _methods(
            "AgentMethod",
            "Requests of agents. The server’s response to initialize lists those that it serves.",
            AGENT_REQUESTS,
        ),
        _methods("EditorMethod", "Requests of the editor alone.", [*EDITOR_REQUESTS, *USER_REQUESTS]),
        _methods(
            "Notification",
            "Notifications, in both directions; LSP's own are the library's.",
            [method for method in editor_results.NOTIFICATIONS if method.startswith("agentfs/")],
        ),
        f"/** The failureReason for a preview that is settled later. */\nexport const PENDING = '{PENDING}';",
        *(
            f"export type {name} = {_in_typescript(value, {})};"
            for name, value in aliases.items()
            if get_origin(value) is UnionType
            or re.search(rf"\b{name}\b", used)  # an answer, or part of a shape
        ),
        *interfaces,
    ]
    return "\n\n".join(blocks) + "\n"


def _methods(name: str, meaning: str, methods: Iterable[str]) -> str:
    entries = "".join(f"  {method.removeprefix('agentfs/')}: '{method}',\n" for method in methods)
    return f"/** {meaning} */\nexport const {name} = {{\n{entries}}} as const;"


def _interface(name: str, shape: type, aliases: dict[str, Any]) -> str:
    bases = [one.__name__ for one in map(_shapes().get, _bases(shape)) if one is not None]
    extends = f" extends {', '.join(bases)}" if bases else ""
    keys = [key for key in keys_of(shape) if key.name in _own(shape)]
    said = f"/** {_plain(inspect.getdoc(shape) or '')} */\n"
    if name == "WorkspaceEdit":
        edits = "  documentChanges: TextDocumentEdit[];\n"
        return f"{said}export interface WorkspaceEdit extends LspWorkspaceEdit {{\n{edits}}}"
    if not keys:
        return f"{said}export type {name} = {' & '.join(bases) or 'Record<string, never>'};"
    members = "".join(_member(key, aliases) for key in keys)
    return f"{said}export interface {name}{extends} {{\n{members}}}"


def _member(key: Key, aliases: dict[str, Any]) -> str:
    hint = key.hint
    if key.default is None:  # absent, not null
        hint = reduce(or_, (one for one in options_of(hint) if one is not NoneType))
    meaning = _plain(_resolved(key.meaning, key.hint))
    if key.there:
        meaning = f"{meaning} (there: {_plain(key.there)})" if meaning else f"There: {_plain(key.there)}"
    said = f"  /** {meaning} */\n" if meaning else ""
    return f"{said}  {key.name}{'' if key.required else '?'}: {_in_typescript(hint, aliases)};\n"


def _plain(text: str) -> str:
    """The text on one line, without links."""
    named = re.sub(r"\[([\d.]+)\]\([^)]*\)", r"section \1", " ".join(text.split()))
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", named)


_TYPES: dict[object, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    object: "unknown",
}


def _in_typescript(hint: Any, aliases: dict[str, Any]) -> str:
    named = next((name for name, value in aliases.items() if hint == value), None)
    if named or hint in _TYPES:
        return named or _TYPES[hint]
    inner = get_args(hint)
    match get_origin(hint):
        case origin if origin in (UnionType, Union):
            said = " | ".join(_in_typescript(option, aliases) for option in inner)
        case origin if origin is Literal:
            said = " | ".join(json.dumps(choice).replace('"', "'") for choice in inner)
        case origin if origin is list:
            member = _in_typescript(inner[0], aliases)
            said = f"({member})[]" if " | " in member else f"{member}[]"
        case None:
            said = hint.__name__
        case _:  # a mapping
            said = f"Record<string, {_in_typescript(inner[1], aliases)}>"
    return said


if __name__ == "__main__":
    sys.exit(main())
