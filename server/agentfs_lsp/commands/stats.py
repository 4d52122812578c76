"""`agentfs-lsp stats`: what agents did, in numbers, from the operation log (docs/operations.md#statistics).

It reads the log directly, without a server. `stats_report.py` prints the result; as JSON, for the VS Code
extension, it needs no other package.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.operation_files import log_path, read_log
from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser
from agentfs_lsp.commands.since import since
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.statistics import statistics


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command; returns its exit code."""
    options = _parser(translate).parse_args(arguments)
    path = options.operations_log or log_path(StateFolder())
    begin = None if options.since is None else datetime.fromtimestamp(options.since / 1000, UTC)
    workspaces = None if options.workspace is None else [*map(os.path.realpath, options.workspace)]
    try:
        numbers = statistics(read_log(path), since=begin, workspaces=workspaces)
    except OSError as error:
        reason = translate("it is a link") if os.path.islink(path) else error.strerror
        wrong = translate("Cannot read '{path}': {reason}.", path=error.filename or path, reason=reason)
        raise CommandError(wrong) from error
    if options.json:
        print(json.dumps({"log": path, **numbers}, indent=2))
    else:
        from agentfs_lsp.commands.stats_report import print_statistics  # noqa: PLC0415 - the VSIX has no rich

        print_statistics(numbers, path, translate)
    return 0


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "stats",
        translate,
        description=translate(
            "Show what agents did, in numbers, from the operation log: what they read and changed, what you "
            "rejected or changed, what failed, and where the time went."
        ),
    )
    options = parser.options
    options.add_argument(
        "--since",
        metavar="WHEN",
        type=partial(since, translate),
        help=translate(
            "only operations from then on: an age such as 30m, 12h, 2d, or 4w, or a date such as 2026-01-31 "
            "or 2026-01-31T12:00 (default: the whole log)"
        ),
    )
    options.add_argument(
        "--workspace",
        metavar="DIR",
        action="append",
        help=translate(
            "only operations in this workspace folder, or the workspace folders in it; can be repeated "
            "(default: all of them)"
        ),
    )
    options.add_argument(
        "--operations-log",
        metavar="FILE",
        help=translate("the log, if the server was started with this argument"),
    )
    options.add_argument("--json", action="store_true", help=translate("print JSON"))
    return parser
