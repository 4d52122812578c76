"""Only a single key is an answer, and only what the person's text editor brings is an amendment."""

import io
import os
import pty
import shlex
import sys
from collections.abc import Iterator

import pytest
from rich.console import Console

from agentfs_lsp.adapters.terminal.amending import editor_command
from agentfs_lsp.demo import person
from agentfs_lsp.demo.editor import ACCEPT, Answer
from agentfs_lsp.demo.person import END, Person, single_keys
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
        ("rm", "No such file"),
        (NO_UTF8, "The editor's text is not UTF-8"),
    ],
)
def test_a_failed_text_editor_decides_nothing(monkeypatch, editor, words) -> None:
    answer, said = amend(monkeypatch, editor)
    assert answer is None
    assert words in said


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    keyboard, inside = pty.openpty()
    with os.fdopen(inside) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield keyboard
    os.close(keyboard)


@pytest.mark.parametrize("typed", ["x", "\x1b[A", "\x1bOA", "a pasted answer", "aa", "a\n", "\x1ba", "é"])
def test_neither_another_key_nor_an_arrow_nor_a_paste_is_an_answer(
    keyboard: int, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, taken = person._typed, []

    def type_on(stdin: int) -> str:
        taken.append(take(stdin))
        if len(taken) == 1:
            os.write(keyboard, b"R")
        return taken[-1]

    monkeypatch.setattr(person, "_typed", type_on)
    with single_keys() as next_key:
        os.write(keyboard, typed.encode())
        assert next_key("ar\xc3\xa9") == "r"
    assert len(taken) == 2


@pytest.mark.parametrize(("typed", "key"), [("a", "a"), ("A", "a"), (END, None)])
def test_single_keys_are_told_from_sequences_and_pastes(keyboard: int, typed: str, key: str | None) -> None:
    with single_keys() as next_key:
        os.write(keyboard, typed.encode())
        assert next_key("ar") == key


def test_what_was_typed_before_the_question_is_no_reason(
    keyboard: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = person._typed

    def type_ahead(stdin: int) -> str:
        key = take(stdin)
        os.write(keyboard, b"typed ahead\n")
        return key

    class Shown(Screen):
        def legend(self, *_: str) -> None:
            os.write(keyboard, b"r")

    def translate(template: str, **_: object) -> str:
        if template.startswith("Reason?"):
            os.write(keyboard, b"Not now.\n")
        return template

    monkeypatch.setattr(person, "_typed", type_ahead)
    answer = Person(Shown(Console(file=io.StringIO()), english), translate).answer(proposal(), ACCEPT)
    assert answer == Answer("rejected", "Not now.")
