"""`agentfs-lsp mcp`: a server of the Model Context Protocol on standard input and output
(docs/protocol.md#mcp)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser, positive
from agentfs_lsp.domain.translation import Translate

USAGE = 2


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Serve until the end of input; returns the exit code."""
    options = _parser(translate).parse_args(arguments)
    root = Path(options.workspace).resolve()
    if not root.is_dir():
        raise CommandError(translate("'{path}' is not a folder.", path=options.workspace), USAGE)
    # Not for --help.
    from agentfs_lsp.mcp.serving import serve  # noqa: PLC0415

    return serve(root, options.hold, asks=not options.no_elicitation)


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "mcp",
        translate,
        description=translate(
            "Serve an agent's program over the Model Context Protocol, on standard input and output. If an "
            "editor with agentfs has the folder open, its user reviews changes there; otherwise, the agent's "
            "program asks its user."
        ),
    )
    options = parser.options
    options.add_argument(
        "--workspace",
        metavar="DIR",
        default=".",
        help=translate("the workspace folder (default: the current folder)"),
    )
    options.add_argument(
        "--hold",
        metavar="SECONDS",
        type=partial(positive, translate),
        help=translate(
            "how long to hold a call that waits for the user (default: as long as the agent's program waits)"
        ),
    )
    options.add_argument(
        "--no-elicitation",
        action="store_true",
        help=translate("never let the agent's program ask its user: review changes in an editor only"),
    )
    return parser
