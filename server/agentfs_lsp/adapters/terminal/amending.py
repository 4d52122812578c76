"""Has the user edit a proposed text in a text editor."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from agentfs_lsp.domain.translation import Translate

EDITORS: Final = ("nano", "vim", "vi")
"""If neither $VISUAL nor $EDITOR is set."""


class NotEdited(Exception):
    """There is no edited text. The text says why, to the user."""


def edit(path: str, text: str, translate: Translate) -> str:
    """The text as the user's editor leaves it, in a file that only the user can read. Blocks. Raises
    NotEdited."""
    command = editor_command()
    if not command:
        raise NotEdited(translate("No editor is configured. Set VISUAL or EDITOR."))
    with TemporaryDirectory(prefix="agentfs-edit-") as folder:
        file = Path(folder, path.rsplit("/", 1)[-1])
        # Ctrl-C belongs to the text editor while it runs; a Python handler is not inherited.
        before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
        try:
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            subprocess.run([*command, os.fspath(file)], check=True)  # noqa: S603 - the user's own editor
            return file.read_bytes().decode("utf-8", "surrogatepass")
        except subprocess.CalledProcessError as error:
            told = translate("The editor failed. The proposal is the same as before.")
            raise NotEdited(told) from error
        except OSError as error:
            raise NotEdited(f"{command[0]}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            told = translate("The editor's text is not UTF-8. The proposal is the same as before.")
            raise NotEdited(told) from error
        finally:
            signal.signal(signal.SIGINT, before)


def editor_command() -> list[str]:
    """The user's text editor and its arguments; empty if there is none."""
    told = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if told:
        try:
            return shlex.split(told)
        except ValueError:  # an unclosed quotation mark
            return told.split()
    return next(([name] for name in EDITORS if shutil.which(name)), [])
