"""The command `agentfs-lsp`: reads its arguments, puts the adapters together, and starts.

Composition root: the only place that knows every layer.
"""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from importlib import import_module

from agentfs_lsp import __version__
from agentfs_lsp.adapters.stderr_log import StderrLog

MIB = 1024 * 1024

COMMANDS = {
    "demo": "agentfs_lsp.demo.command",
    "history": "agentfs_lsp.commands.history",
    "undo": "agentfs_lsp.commands.undo",
}
"""What is typed in a terminal, and the module that runs it: the server does without."""


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if sys.platform == "win32":
        print(
            "agentfs-lsp runs on Linux and macOS. On Windows use it where the files are: in WSL, or with the"
            " editor's remote folders.",
            file=sys.stderr,
        )
        return 1
    if arguments and arguments[0] in COMMANDS:
        return int(import_module(COMMANDS[arguments[0]]).run(arguments[1:]))
    return _serve(_parser().parse_args(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="agentfs-lsp",
        description="Language server through which AI agents read and change a workspace, reviewed in the"
        " editor. Without arguments it serves on standard input and output; editors start it so.",
        epilog="In a terminal: agentfs-lsp history [PATH] shows what landed, agentfs-lsp undo ID takes a"
        " change back, agentfs-lsp demo [DIR] shows an agent's turn; each has its own --help.",
    )
    parser.add_argument("--version", action="version", version=f"agentfs-lsp {__version__}")
    parser.add_argument(
        "--stdio", action="store_true", help="serve on standard input and output (the default)"
    )
    parser.add_argument("--log-file", metavar="FILE", help="write the log there instead of to standard error")
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="warning",
        help="how much is logged; file contents never are (default: %(default)s)",
    )
    parser.add_argument(
        "--max-message-mib",
        type=_positive,
        default=256,
        metavar="N",
        help="largest message taken, in MiB (default: %(default)s)",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _serve(options: argparse.Namespace) -> int:
    try:
        log = logging.FileHandler(options.log_file, encoding="utf-8") if options.log_file else StderrLog()
    except OSError as error:
        print(f"agentfs-lsp: the log file can't be written: {error}", file=sys.stderr)
        return 1
    line = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(handlers=[log], level=options.log_level.upper(), format=line)
    logging.getLogger("pygls").setLevel("CRITICAL")  # below that it logs what messages hold
    gc.disable()  # until all is imported, of which nothing will ever be garbage
    from agentfs_lsp.adapters.disk import DiskStore  # noqa: PLC0415 - not for --help and --version
    from agentfs_lsp.adapters.history import SqliteHistory  # noqa: PLC0415
    from agentfs_lsp.adapters.state import StateFolder  # noqa: PLC0415
    from agentfs_lsp.domain.setting_groups import HistorySettings  # noqa: PLC0415
    from agentfs_lsp.lsp.serving import serve_stdio  # noqa: PLC0415

    state = StateFolder()
    history = SqliteHistory(state, HistorySettings())
    return serve_stdio(DiskStore(state), history, [state.path], options.max_message_mib * MIB)


if __name__ == "__main__":
    sys.exit(main())
