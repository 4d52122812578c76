"""The command `agentfs-lsp`: reads its arguments, puts the adapters together, and starts.

Composition root: the only place that knows every layer.
"""

from __future__ import annotations

import argparse
import gc
import io
import logging
import os
import sys
from functools import partial
from importlib import import_module

from agentfs_lsp import __version__
from agentfs_lsp.adapters.catalog import terminal_locale, translator_for
from agentfs_lsp.adapters.generated_code import cached_generated_code
from agentfs_lsp.adapters.stderr_log import StderrLog
from agentfs_lsp.adapters.terminal.argparse_words import (
    CommandError,
    Parser,
    complain,
    positive,
    translate_argparse,
)
from agentfs_lsp.domain.translation import Translate

MIB = 1024 * 1024
SIGPIPED = 141
"""The exit code of programs whose output nobody reads any more."""
INTERRUPTED = 130
"""The exit code of programs ended by Ctrl-C."""
UNTOLD = 5
"""The exit code if the output is lost, as that of `agentfs-lsp call` without an answer."""

COMMANDS = {
    "audit": "agentfs_lsp.commands.audit",
    "call": "agentfs_lsp.commands.call",
    "check-config": "agentfs_lsp.commands.check_config",
    "connect": "agentfs_lsp.commands.connect",
    "demo": "agentfs_lsp.demo.command",
    "history": "agentfs_lsp.commands.history",
    "hook": "agentfs_lsp.commands.hook",
    "mcp": "agentfs_lsp.mcp.command",
    "review": "agentfs_lsp.reviewer.command",
    "stats": "agentfs_lsp.commands.stats",
    "undo": "agentfs_lsp.commands.undo",
}
"""Terminal commands and the modules that run them; the server itself imports none of them."""


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # the terminal's encoding may lack some characters
    translate = translator_for(terminal_locale())
    translate_argparse()
    if sys.platform == "win32":
        print(
            translate(
                "agentfs-lsp runs on Linux and macOS. On Windows, run it in WSL or through your editor's "
                "remote development support."
            ),
            file=sys.stderr,
        )
        return 1
    if arguments and arguments[0] in COMMANDS:
        return _run(arguments[0], arguments[1:], translate)
    return _serve(_parser(translate).parse_args(arguments), translate)


def _run(command: str, arguments: list[str], translate: Translate) -> int:
    try:
        os.getcwd()
    except OSError:  # deleted, usually
        return complain(command, translate("The current folder no longer exists."), 2)
    try:
        code = int(import_module(COMMANDS[command]).run(arguments, translate))
        if sys.stdout is not None:
            sys.stdout.flush()
    except CommandError as error:
        return complain(command, str(error), error.code)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _drop_output()
        return SIGPIPED
    except OSError as error:
        if not _drop_output():
            raise
        told = translate(
            "The output could not be written: {reason}. What the command did is not undone.",
            reason=error.strerror,
        )
        return complain(command, told, UNTOLD)
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _drop_output() -> bool:
    """Drop output that is still buffered, if none can be written; returns whether that is so."""
    try:
        print(flush=True)  # a line, since what failed before may not be buffered any more
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "",
        translate,
        usage=f"%(prog)s [OPTION ...]\n       %(prog)s {{{','.join(COMMANDS)}}} ...",
        description=translate(
            "A language server through which AI agents read and change files in a workspace. The "
            "user reviews each change in the editor. Editors start it without arguments; it then "
            "communicates over standard input and output."
        ),
        epilog=translate(
            "Commands for the terminal: agentfs-lsp check-config [DIR] [PATH ...] shows which rules "
            "apply to a path, agentfs-lsp history [PATH] lists the changes that landed, agentfs-lsp "
            "audit CHANGE shows what became of one, agentfs-lsp undo ID undoes it, agentfs-lsp stats shows "
            "what agents did in numbers, agentfs-lsp review [DIR] reviews changes, agentfs-lsp connect "
            "[AGENT] connects agents' programs, agentfs-lsp mcp serves such a program, agentfs-lsp call "
            "TOOL calls a tool as an agent does, agentfs-lsp hook is a hook for Claude Code, and "
            "agentfs-lsp demo [DIR] runs a demonstration. Each command has its own --help."
        ),
    )
    options = parser.options
    options.add_argument(
        "--version",
        action="version",
        version=f"agentfs-lsp {__version__}",
        help=translate("show the version and exit"),
    )
    options.add_argument(
        "--stdio",
        action="store_true",
        help=translate("communicate over standard input and output (the default)"),
    )
    options.add_argument(
        "--log-file", metavar="FILE", help=translate("write the log to FILE instead of standard error")
    )
    options.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="warning",
        help=translate("the log level; file contents are never logged (default: %(default)s)"),
    )
    options.add_argument(
        "--operations-log",
        metavar="FILE",
        help=translate("write the operation log to FILE instead of the state folder"),
    )
    options.add_argument(
        "--max-message-mib",
        type=partial(positive, translate),
        default=256,
        metavar="N",
        help=translate("the largest message to accept, in MiB (default: %(default)s)"),
    )
    return parser


def _serve(options: argparse.Namespace, translate: Translate) -> int:
    """Serve; returns only if that can't start."""
    if sys.stdin is None or sys.stdout is None:  # closed: their descriptors would be reused for other files
        told = translate(
            "standard input or output is closed; an editor that starts the server must keep both open"
        )
        print(f"agentfs-lsp: {told}", file=sys.stderr)
        return 1
    if sys.stdin.isatty():
        told = translate("An editor starts this server. For the commands, see agentfs-lsp --help.")
        print(told, file=sys.stderr)
    try:
        log = logging.FileHandler(options.log_file, encoding="utf-8") if options.log_file else StderrLog()
    except OSError as error:
        told = translate("cannot write the log file: {error}", error=error)
        print(f"agentfs-lsp: {told}", file=sys.stderr)
        return 1
    line = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(handlers=[log], level=options.log_level.upper(), format=line)
    logging.getLogger("agentfs_lsp").info("agentfs-lsp %s starts, in %s", __version__, sys.executable)
    logging.getLogger("pygls").setLevel("CRITICAL")  # below that it logs message contents
    gc.disable()  # until the imports are done, which create no garbage
    with cached_generated_code():
        from agentfs_lsp.adapters.disk import DiskStore  # noqa: PLC0415 - not for --help and --version
        from agentfs_lsp.adapters.fs.state_folder import StateFolder  # noqa: PLC0415
        from agentfs_lsp.adapters.history.history import SqliteHistory  # noqa: PLC0415
        from agentfs_lsp.adapters.open_telemetry import OpenTelemetry  # noqa: PLC0415
        from agentfs_lsp.adapters.operation_log import OperationLog  # noqa: PLC0415
        from agentfs_lsp.adapters.told_operations import ToldOperations  # noqa: PLC0415
        from agentfs_lsp.domain.settings.groups import HistorySettings  # noqa: PLC0415
        from agentfs_lsp.door.agents import AgentsSocket  # noqa: PLC0415
        from agentfs_lsp.door.reviewers import ReviewersSocket  # noqa: PLC0415
        from agentfs_lsp.lsp.serving import serve_stdio  # noqa: PLC0415
        from agentfs_lsp.sockets import discovery  # noqa: PLC0415

    state = StateFolder()
    history = SqliteHistory(state, HistorySettings())
    sockets = (discovery.folder(), discovery.reviewers_folder())
    own_folders = [state.path, *map(os.path.realpath, sockets)]
    return serve_stdio(
        DiskStore(state),
        history,
        own_folders,
        options.max_message_mib * MIB,
        lambda server: [
            door(server, lambda: server.client.traits.name) for door in (AgentsSocket, ReviewersSocket)
        ],
        [OperationLog(state, options.operations_log), ToldOperations(), OpenTelemetry(os.environ)],
    )


if __name__ == "__main__":
    sys.exit(main())
