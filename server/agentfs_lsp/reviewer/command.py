"""`agentfs-lsp review`: a full-screen reviewer in the terminal (docs/protocol.md#18-the-reviewers-socket)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.reviewer.connection import Connection, Refused, Unreachable
from agentfs_lsp.reviewer.drafts import Drafts

USAGE = 2

TERMINATED = 128 + signal.SIGTERM
"""The exit code that shells give to what a signal has ended."""


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Review until the user leaves; returns the exit code."""
    options = _parser(translate).parse_args(arguments)
    root = Path(options.root).resolve()
    if not root.is_dir():
        raise CommandError(translate("'{path}' is not a folder.", path=options.root), USAGE)
    if find_spec("textual") is None:
        raise CommandError(
            translate("The reviewer needs the package textual: pip install 'agentfs-lsp[review]'")
        )
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # Textual draws on stderr
        raise CommandError(translate("The reviewer needs a terminal."), USAGE)
    for size in ("COLUMNS", "LINES"):  # Textual would believe them, and draw what is not on the screen
        os.environ.pop(size, None)
    return asyncio.run(_review(root, translate))


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "review",
        translate,
        description=translate(
            "Review agents' changes in this terminal, for the editor that has the folder open. It shows a "
            "code. Compare it with the one that the editor asks about, and allow it there."
        ),
        epilog=translate("Inside, ? shows the keys. It decides nothing that you have not seen."),
    )
    parser.arguments.add_argument(
        "root",
        metavar="ROOT",
        nargs="?",
        default=".",
        help=translate("the workspace folder (default: the current folder)"),
    )
    return parser


async def _review(root: Path, translate: Translate) -> int:
    # Not for --help, nor before it is known to be installed.
    from agentfs_lsp.reviewer.app import ReviewApp  # noqa: PLC0415

    try:
        connection = await Connection.find(root)
    except Unreachable as error:
        raise CommandError(str(error)) from error
    if connection is None:
        raise CommandError(
            translate(
                "No editor with agentfs has '{path}' open, or its setting reviewers.socket is off.", path=root
            )
        )
    try:
        await _pair(connection, translate)
        place = next((one for one in connection.roots if root.is_relative_to(one)), str(root))
        app = ReviewApp(connection, place.rsplit("/", 1)[-1], translate, Drafts(StateFolder()))
        # Else the terminal would stay as the application has set it.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, app.exit, None, TERMINATED)
        try:
            ended = await app.run_async(mouse=False)
        finally:
            for told in app.keep_drafts():
                print(visible(told))
    finally:
        await connection.close()
    if ended is not None:
        raise CommandError(ended)
    return app.return_code or 0


async def _pair(connection: Connection, translate: Translate) -> None:
    try:
        code = await connection.attach()
        editor = visible(connection.editor) or translate("the editor")
        print(translate("Code: {code}", code=code))
        print(
            translate(
                "Allow this reviewer in {editor}, if the question there shows the same code.", editor=editor
            ),
            flush=True,
        )
        await connection.pair()
    except Refused as error:
        raise CommandError(str(error)) from error
