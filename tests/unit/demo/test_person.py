"""The person's text editor, and its failures. Keys are tested in tests/e2e."""

import io
import shlex
import sys

import pytest
from rich.console import Console

from agentfs_lsp.demo.person import Person, editor_command
from agentfs_lsp.demo.screen import Screen
from agentfs_lsp.domain.translation import english

NO_UTF8 = shlex.join([sys.executable, "-c", r"import sys; open(sys.argv[1], 'wb').write(b'caf\xe9')"])


def proposal(text: str = "one\n") -> dict:
    file = {"uri": "file:///a.txt", "path": "src/a.txt", "operation": "update", "proposed_text": text}
    return {"files": [file]}


def amend(monkeypatch, editor: str, text: str = "one\n"):
    monkeypatch.setenv("VISUAL", editor)
    output = io.StringIO()
    answer = Person(Screen(Console(file=output), english), english)._amend(proposal(text))
    return answer, output.getvalue()


def test_visual_comes_before_editor_and_may_have_arguments(monkeypatch) -> None:
    monkeypatch.setenv("VISUAL", "code --wait")
    monkeypatch.setenv("EDITOR", "vi")
    assert editor_command() == ["code", "--wait"]
    monkeypatch.delenv("VISUAL")
    assert editor_command() == ["vi"]


def test_without_any_editor_it_says_so(monkeypatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("EDITOR", raising=False)
    answer, said = amend(monkeypatch, "")
    assert answer is None
    assert "Set VISUAL or EDITOR" in said


def test_what_was_written_is_the_answer(monkeypatch) -> None:
    program = "import sys; assert sys.argv[1].endswith('/a.txt'); open(sys.argv[1], 'a').write('two\\n')"
    answer, _ = amend(monkeypatch, shlex.join([sys.executable, "-c", program]), "Süd\n")
    assert answer is not None
    assert (answer.decision, answer.texts) == ("amended", (("file:///a.txt", "Süd\ntwo\n"),))


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("true", "Nothing was changed"),
        ("false", "The editor failed"),
        ("/nowhere/editor", "No such file"),
        ("/nowhere/editor --say 'no end", "No such file"),
        ("rm", "The editor's text is not UTF-8"),
        (NO_UTF8, "The editor's text is not UTF-8"),
    ],
)
def test_an_editor_that_brings_nothing_decides_nothing(monkeypatch, editor, words) -> None:
    answer, said = amend(monkeypatch, editor)
    assert answer is None
    assert words in said
