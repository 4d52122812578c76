"""The person at the terminal, who answers with single keys, text, and a text editor."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from agentfs_lsp.api.proposals import Proposal
from agentfs_lsp.demo.keys import read_line, single_keys
from agentfs_lsp.demo.review import ACCEPT, ALWAYS, Answer
from agentfs_lsp.demo.screen import GUTTER, Screen
from agentfs_lsp.domain.translation import Translate

EDITORS = ("nano", "vim", "vi")  # if neither $VISUAL nor $EDITOR is set


class Person:
    """Asks at the terminal."""

    def __init__(self, screen: Screen, translate: Translate) -> None:
        self._screen = screen
        self._translate = translate

    def answer(self, proposal: Proposal, suggested: Answer) -> Answer | None:
        """The person's decision, None at the end of input. `suggested` is only a hint."""
        legend = self._translate("a accept   r reject   e edit   w always   Ctrl-D quit")
        answer: Answer | None = None
        while answer is None:
            with single_keys() as next_key:
                self._screen.legend(legend, self._hint(suggested))
                key = next_key("arew")
            match key:
                case None:
                    return None
                case "a":
                    answer = ACCEPT
                case "w":
                    answer = ALWAYS
                case "r":
                    reason = read_line(" " * GUTTER + self._translate("Reason? (Enter: none)") + " ")
                    if reason is None:
                        return None
                    answer = Answer("rejected", reason)
                case _:
                    answer = self._amend(proposal)
        return answer

    def ends_always(self) -> bool | None:
        """Before an automatically allowed change: whether the person wants to be asked again, None at the end
        of input."""
        with single_keys() as next_key:
            self._screen.legend(self._translate("always is on   Enter continue   m ask me again"), "")
            key = next_key("\r\nm")
        return None if key is None else key == "m"

    def _amend(self, proposal: Proposal) -> Answer | None:
        """The person's version of the files, or None."""
        texts: list[tuple[str, str]] = []
        for file in proposal["files"]:
            if file["operation"] == "delete":
                continue
            text = self._edit(file["path"], file["proposed_text"])
            if text is None:
                return None
            if text != file["proposed_text"]:
                texts.append((file["uri"], text))
        if not texts:
            self._screen.legend(
                self._translate("Nothing was changed. The proposal is the same as before."), ""
            )
            return None
        return Answer("amended", texts=tuple(texts))

    def _edit(self, path: str, text: str) -> str | None:
        command = editor_command()
        if not command:
            self._screen.legend(self._translate("No editor is configured. Set VISUAL or EDITOR."), "")
            return None
        with TemporaryDirectory(prefix="agentfs-edit-") as folder:
            file = Path(folder, path.rsplit("/", 1)[-1])
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            # Ctrl-C belongs to the editor while it runs; a Python handler is not inherited.
            before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
            try:
                failed = subprocess.run([*command, str(file)], check=False).returncode
            except OSError as error:
                self._screen.legend(f"{command[0]}: {error.strerror}", "")
                return None
            finally:
                signal.signal(signal.SIGINT, before)
            if failed:
                self._screen.legend(
                    self._translate("The editor failed. The proposal is the same as before."), ""
                )
                return None
            try:
                return file.read_bytes().decode("utf-8", "surrogatepass")
            except (OSError, UnicodeDecodeError):
                self._screen.legend(
                    self._translate("The editor's text is not UTF-8. The proposal is the same as before."), ""
                )
                return None

    def _hint(self, suggested: Answer) -> str:
        if suggested.always:
            return self._translate("try w here")
        if suggested.decision == "rejected":
            return self._translate("try r here, with: {words}", words=suggested.feedback)
        return ""


def editor_command() -> list[str]:
    """The person's text editor and its arguments; empty if there is none."""
    said = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if said:
        try:
            return shlex.split(said)
        except ValueError:  # an unclosed quotation mark
            return said.split()
    return next(([name] for name in EDITORS if shutil.which(name)), [])
