"""The Emacs package compiles without warnings, is clean under its linters, and passes its own tests."""

import subprocess

import pytest

from support.docs import examples, section, text_of
from support.real_emacs import PACKAGE

TESTS = ["-L", ".", "-l", "test/agentfs-test.el", "-f", "ert-run-tests-batch-and-exit"]


@pytest.mark.parametrize("arguments", [["-l", "test/check.el"], TESTS], ids=["check", "ert"])
def test_the_package(each_emacs: str, arguments: list[str]) -> None:
    run = subprocess.run(
        [each_emacs, "-Q", "--batch", *arguments], cwd=PACKAGE, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_its_page_has_the_lines_of_the_documents() -> None:
    (pasted,) = examples(section(text_of("editors.md"), "Emacs: agentfs.el"), "elisp")
    assert examples((PACKAGE / "README.md").read_text(), "elisp")[0] == pasted
