"""argparse for the terminal: in its language, and with wrong arguments escaped. argparse uses gettext's
current domain, which this module replaces with ours. It lists argparse's texts, so that the catalogs contain
them (docs/protocol.md#17-texts)."""

from __future__ import annotations

import argparse
import gettext
import sys
from typing import Any, NoReturn

from agentfs_lsp.adapters.catalog import LOCALES
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.domain.translation import Translate

WORDS = (
    "usage: ",
    "positional arguments",
    "options",
    "show this help message and exit",
    "%(prog)s: error: %(message)s\n",
    "argument %(argument_name)s: %(message)s",
    "unrecognized arguments: %s",
    "ambiguous option: %(option)s could match %(matches)s",
    "the following arguments are required: %s",
    "one of the arguments %s is required",
    "not allowed with argument %s",
    "expected one argument",
    "expected at most one argument",
    "expected at least one argument",
    "ignored explicit argument %r",
    "invalid choice: %(value)r (choose from %(choices)s)",
    "invalid %(type)s value: %(value)r",
)
"""argparse's own templates, filled with `%`."""


class Parser(argparse.ArgumentParser):
    """The parser of a command, with groups for its `arguments` and `options`."""

    def __init__(self, command: str, translate: Translate, description: str, **more: Any) -> None:
        prog = f"agentfs-lsp {command}".rstrip()
        super().__init__(prog=prog, description=description, add_help=False, **more)
        self.arguments = self.add_argument_group(translate("arguments"))
        self.options = self.add_argument_group(translate("options"))
        self.options.add_argument("-h", "--help", action="help", help=translate("show this message and exit"))

    def error(self, message: str) -> NoReturn:
        super().error(visible(message))


def positive(translate: Translate, text: str) -> int:
    """The type of an argument that is a whole number from 1 to 999999."""
    if not text.isdecimal() or len(text) > 6 or int(text) < 1:
        raise argparse.ArgumentTypeError(translate("must be a whole number from 1 to 999999"))
    return int(text)


class CommandError(Exception):
    """Ends a command with this message and the exit code `code`."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def complain(command: str, words: str, code: int = 1) -> int:
    """Print the error, and return its exit code."""
    sys.stderr.write(f"agentfs-lsp {command}: {visible(words)}\n")
    return code


def translate_argparse() -> None:
    """Make argparse look up its texts in our catalogs, in the terminal's language."""
    gettext.bindtextdomain("agentfs", LOCALES)
    gettext.textdomain("agentfs")
