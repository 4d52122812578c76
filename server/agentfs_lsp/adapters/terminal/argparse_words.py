"""Translates argparse's own texts into the terminal's language. argparse uses gettext's current domain,
which this module replaces with ours. It lists argparse's texts, so that the catalogs contain them
(docs/protocol.md#17-texts)."""

from __future__ import annotations

import gettext

from agentfs_lsp.adapters.catalogue import LOCALES

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


def let_argparse_speak() -> None:
    """Make argparse look up its texts in our catalogues, in the terminal's language."""
    gettext.bindtextdomain("agentfs", LOCALES)
    gettext.textdomain("agentfs")
