"""The Emacs package compiles without warnings, is clean under its linters, and passes its own tests."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.docs import examples, section, text_of
from support.real_editors import NOT_COMPILED
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


def test_the_block_with_a_url_installs_it(each_emacs: str, tmp_path: Path) -> None:
    if "emacs-30" not in each_emacs:
        pytest.skip("use-package has :vc since Emacs 30")
    clone = tmp_path / "clone"
    shutil.copytree(PACKAGE, clone / "editors/emacs", ignore=shutil.ignore_patterns("*.elc"))
    author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "All"]):
        subprocess.run(["git", *command], cwd=clone, check=True)
    block = examples((PACKAGE / "README.md").read_text(), "elisp")[1].replace("URL", f'"file://{clone}"')
    tells = """
(message "bound: %s, mode: %s" (key-binding (kbd "C-c a")) agentfs-mode)
(with-current-buffer (get-buffer-create "*Compile-Log*") (message "%s" (buffer-string)))
"""
    init = tmp_path / "init.el"
    init.write_text(f"{NOT_COMPILED}\n(setq package-archives nil)\n{block}{tells}")
    run = subprocess.run(
        [each_emacs, "--batch", "-l", str(init)],
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "bound: agentfs-review, mode: t" in run.stderr
    log = run.stderr.partition("mode: t")[2]
    assert "editors/emacs" not in log, log  # what is generated is Emacs' own
