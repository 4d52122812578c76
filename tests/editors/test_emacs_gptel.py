"""agentfs-gptel.el with the real gptel and a scripted model."""

import asyncio
import contextlib
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support import real_emacs
from support.real_emacs import Emacs, reviewing
from support.sample import CHANGED, TEXT
from support.scripted_model import Model, scripted_model

GPTEL = """
(add-to-list 'load-path "{gptel}")
(require 'gptel)
(require 'gptel-openai)
(setq gptel-model 'scripted
      gptel-backend (gptel-make-openai "scripted" :protocol "http" :host "{host}" :key "none" :stream t
                                       :endpoint "/chat/completions" :models '(scripted)))
(require 'agentfs-gptel)
(agentfs-gptel-tools
 (lambda (tools) (setq-default gptel-tools tools) (message "there are %d tools" (length tools))))
(defun test-ask ()
  (interactive)
  (let ((chat (gptel "*chat*" nil "change a.py" t)))
    (with-current-buffer chat (gptel-send))))
(defun test-kill () (interactive) (let (kill-buffer-query-functions) (kill-buffer "*chat*")))
(global-set-key (kbd "C-c g") #'test-ask)
(global-set-key (kbd "C-c k") #'test-kill)
"""
EDIT = {"path": "a.py", "old_string": "two", "new_string": "2"}


@contextlib.asynccontextmanager
async def asked(root: Path, repository: Path) -> AsyncIterator[tuple[Emacs, Model]]:
    """Emacs, and the model, which has been asked to change a file and has read it."""
    gptel = repository / ".editors/gptel"
    if not gptel.exists():
        pytest.skip("there is no .editors/gptel")
    loads = [real_emacs.EMACS, "-Q", "--batch", "-L", str(gptel), "-l", "gptel"]
    if subprocess.run(loads, capture_output=True, check=False).returncode:
        pytest.skip("gptel does not load in this Emacs")
    async with scripted_model() as model:
        config = GPTEL.format(gptel=gptel, host=model.url.removeprefix("http://"))
        async with reviewing(root, config) as emacs:
            await emacs.screen.shows("there are 3 tools")
            emacs.screen.press("\x03g")
            assert (await model.call("read", {"path": "a.py"})).split() == TEXT.split()
            yield emacs, model


async def test_a_model_changes_a_file_after_a_review(root: Path, repository: Path, each_emacs: str) -> None:
    async with asked(root, repository) as (emacs, model):
        told = asyncio.create_task(model.call("edit", {**EDIT, "replace_all": False}))
        await emacs.review("Agent:  gptel")
        emacs.screen.press("y")
        assert "Updated" in await told
        assert (root / "a.py").read_text() == CHANGED
        assert "was not found" in await model.call("edit", {**EDIT, "old_string": "no such text"})


async def test_a_model_is_told_the_reason_of_a_rejection(
    root: Path, repository: Path, each_emacs: str
) -> None:
    async with asked(root, repository) as (emacs, model):
        told = asyncio.create_task(model.call("edit", EDIT))
        await emacs.review("Agent:  gptel")
        emacs.screen.press("r")
        await emacs.screen.shows("Reject, because (may be empty):")
        emacs.screen.press("two is right\r")
        assert "two is right" in await told
    assert (root / "a.py").read_text() == TEXT


async def test_a_chat_that_is_killed_withdraws_its_change(
    root: Path, repository: Path, each_emacs: str
) -> None:
    async with asked(root, repository) as (emacs, model):
        told = asyncio.create_task(model.call("edit", EDIT))
        await emacs.counts()
        emacs.screen.press("\x03k")
        await emacs.screen.shows(lambda text: "agentfs:1" not in text)
        told.cancel()
    assert (root / "a.py").read_text() == TEXT
