"""What tree-sitter finds, and what happens when it fails (docs/protocol.md#95-diagnostics)."""

import logging
from collections.abc import Sequence

import pytest

from agentfs_lsp.adapters import syntax
from agentfs_lsp.adapters.syntax import TreeSitter, grammar_of
from agentfs_lsp.domain.diagnostics import SyntaxProblem
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.service.proposal.syntax import Texts

BROKEN = {
    "a.py": "def a(:\n",
    "a.js": "function a( {\n",
    "a.tsx": "const a = <b>;\n",
    "a.ts": "let a: = 1\n",
    "a.json": '{"a" 1}\n',
    "a.go": "package a\nfunc (\n",
    "a.rs": "fn a( {\n",
    "a.toml": "a = \n",
    "a.yaml": "a: [1\n",
}


async def found(path: str, after: str, before: str = "") -> Sequence[SyntaxProblem]:
    [problems] = await TreeSitter().check([Texts(path, before, after, diff(before, after))])
    return problems


@pytest.mark.parametrize("path", BROKEN)
async def test_each_grammar_finds_an_error(path: str) -> None:
    assert TreeSitter().can_check(path)
    assert await found(path, BROKEN[path])
    assert not await found(path, BROKEN[path], BROKEN[path])


async def test_what_is_missing_is_named() -> None:
    assert await found("a.js", "if (a) { b(); \n") == (SyntaxProblem(1, "}", "if (a) { b();"),)


@pytest.mark.parametrize(
    "path", ["a", "py", ".py", "a.txt", "a.d.ts", "tsconfig.json", ".vscode/a.json", "a.py/b", "a.css"]
)
def test_other_files_are_not_checked(path: str) -> None:
    assert grammar_of(path) is None


def test_without_the_extra_nothing_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "find_spec", lambda name: None)
    assert not TreeSitter().can_check("a.py")


async def test_a_parser_that_fails_is_logged_without_the_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(BROKEN["a.py"])

    monkeypatch.setattr(syntax, "_parse", fail)
    with caplog.at_level(logging.WARNING):
        assert not await found("a.py", BROKEN["a.py"])
    assert "RuntimeError" in caplog.text
    assert "def a" not in caplog.text


async def test_a_parser_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "LIMIT_S", 0.0)
    assert not await found("a.py", "(\n" * 10_000)
