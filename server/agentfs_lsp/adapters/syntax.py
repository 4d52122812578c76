"""The port SyntaxChecker, by tree-sitter (docs/adr/0032-tree-sitter.md): the extra `syntax`."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from agentfs_lsp.domain.diagnostics import Fault, SyntaxProblem, new_problems
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.service.proposal.syntax import Texts
from agentfs_lsp.service.state.workspace import in_thread

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Tree

log = logging.getLogger(__name__)

MAX_FAULTS = 100
"""A text with more of them is not in the language that its name says, or not in one the grammar knows."""

LIMIT_S = 0.25
"""How long the files of a proposal are parsed together, in seconds."""

_CHUNK = 4096


class _Grammar(NamedTuple):
    """A package with a grammar, and the function that returns it."""

    package: str
    function: str = "language"


_JAVASCRIPT = _Grammar("tree_sitter_javascript")
_TYPESCRIPT = _Grammar("tree_sitter_typescript", "language_typescript")

GRAMMARS = {
    "cjs": _JAVASCRIPT,
    "cts": _TYPESCRIPT,
    "go": _Grammar("tree_sitter_go"),
    "js": _JAVASCRIPT,
    "json": _Grammar("tree_sitter_json"),
    "jsx": _JAVASCRIPT,
    "mjs": _JAVASCRIPT,
    "mts": _TYPESCRIPT,
    "py": _Grammar("tree_sitter_python"),
    "pyi": _Grammar("tree_sitter_python"),
    "rs": _Grammar("tree_sitter_rust"),
    "toml": _Grammar("tree_sitter_toml"),
    "ts": _TYPESCRIPT,
    "tsx": _Grammar("tree_sitter_typescript", "language_tsx"),
    "yaml": _Grammar("tree_sitter_yaml"),
    "yml": _Grammar("tree_sitter_yaml"),
}
"""By the end of a file's name: the languages whose grammars accept what their compilers accept."""


def grammar_of(path: str) -> _Grammar | None:
    """The grammar for a file of this name."""
    *folders, name = path.lower().split("/")
    stem, dot, end = name.rpartition(".")
    if stem.endswith(".d") and end in {"ts", "mts", "cts"}:
        return None  # the grammar rejects much of what declarations may contain
    if end == "json" and (".vscode" in folders or stem.startswith(("tsconfig", "jsconfig"))):
        return None  # these may have trailing commas
    return GRAMMARS.get(end) if dot and stem else None


class TreeSitter:
    """The parsers of one connection, loaded when they are first needed."""

    def __init__(self) -> None:
        self._is_installed: dict[str, bool] = {}
        self._languages: dict[_Grammar, Language] = {}
        self._loading = Lock()

    def can_check(self, path: str) -> bool:
        """Whether there is a parser for files of this name."""
        grammar = grammar_of(path)
        return grammar is not None and self._has("tree_sitter") and self._has(grammar.package)

    async def check(self, texts: Sequence[Texts]) -> Sequence[tuple[SyntaxProblem, ...]]:
        """The new errors of each file. Those that fail, or that `LIMIT_S` is too short for, have none."""
        return await in_thread(self._check, texts)

    def _check(self, texts: Sequence[Texts]) -> list[tuple[SyntaxProblem, ...]]:
        until = monotonic() + LIMIT_S
        return [self._check_file(one, until) for one in texts]

    def _check_file(self, texts: Texts, until: float) -> tuple[SyntaxProblem, ...]:
        try:
            new = self._faults(texts.path, texts.after, until)
            if not new:
                return ()
            old = self._faults(texts.path, texts.before, until)
            return () if old is None else new_problems(texts.before, texts.after, texts.hunks, old, new)
        except Exception as error:  # noqa: BLE001 - no change depends on a parser
            where = "".join(traceback.format_tb(error.__traceback__))
            log.warning("a parser failed: %s\n%s", type(error).__name__, where)  # it may quote files
            return ()

    def _faults(self, path: str, text: str, until: float) -> list[Fault] | None:
        """What does not parse; None if `until` (monotonic seconds) passed, or if there is too much of it."""
        grammar = grammar_of(path)
        assert grammar is not None
        tree = _parse(self._parser(grammar), normalize(text).encode(errors="replace"), until)
        return None if tree is None else _faults_below(tree.root_node, until)

    def _has(self, package: str) -> bool:
        if package not in self._is_installed:
            self._is_installed[package] = find_spec(package) is not None
        return self._is_installed[package]

    def _parser(self, grammar: _Grammar) -> Parser:
        from tree_sitter import Language, Parser  # noqa: PLC0415 - an extra, and compiled

        with self._loading:
            if grammar not in self._languages:
                load = getattr(import_module(grammar.package), grammar.function)
                self._languages[grammar] = Language(load())
            return Parser(self._languages[grammar])


def _parse(parser: Parser, data: bytes, until: float) -> Tree | None:
    """The callbacks run in Python, and so let other threads run."""

    def read(start: int, _: object) -> bytes:
        return data[start : start + _CHUNK]

    try:
        return parser.parse(read, progress_callback=lambda *_: monotonic() > until)
    except ValueError:  # stopped by the callback
        if monotonic() > until:
            return None
        raise


def _faults_below(root: Node, until: float) -> list[Fault] | None:
    found: list[Fault] = []
    pending = [root] if root.has_error else []
    while pending:
        if monotonic() > until or len(found) > MAX_FAULTS:
            return None
        node = pending.pop()
        if node.is_error or node.is_missing:
            missing = node.type if node.is_missing else ""
            found.append(Fault(missing, node.start_point[0], node.end_point[0]))
        else:
            pending += [child for child in reversed(node.children) if child.has_error or child.is_missing]
    return found
