"""agentfs.el: what other programs say about a change reaches the agent with the answer."""

from pathlib import Path

import pytest

from support.real_emacs import reviewing

pytestmark = pytest.mark.usefixtures("each_emacs")

CHECKER = """
(require 'flymake)
(defun test-checker (report &rest _)
  (let (found)
    (save-excursion
      (goto-char (point-min))
      (while (re-search-forward "^.*wrong.*$" nil t)
        (push (flymake-make-diagnostic (current-buffer) (match-beginning 0) (match-end 0)
                                       :error (match-string 0))
              found)))
    (funcall report found)))
(setq flymake-no-changes-timeout 0.05)
(add-hook 'find-file-hook
          (lambda ()
            (when (equal (file-name-nondirectory buffer-file-name) "a.txt")
              (add-hook 'flymake-diagnostic-functions #'test-checker nil t)
              (flymake-mode 1)
              (flymake-start))))
"""


async def test_the_agent_learns_what_its_change_broke(root: Path) -> None:
    files = {"a.txt": b"one\nwrong\ntwo\n"}
    async with reviewing(root, CHECKER, files) as emacs:
        await emacs.visit("a.txt")
        answer = await emacs.read_and_edit("a.txt", "one\n", "one\nwrong too\n")
        await emacs.review("wrong too")
        emacs.screen.press("y")
        data = (await answer)["data"]
    found = {"line": 2, "message": "wrong too", "severity": "error", "source": "test-checker"}
    assert data["diagnostics"] == [found]
