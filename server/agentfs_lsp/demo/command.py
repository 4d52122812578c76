"""`agentfs-lsp demo`: arguments, the copy of the workspace, the server process, and the cleanup."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

from agentfs_lsp.adapters.catalog import terminal_locale
from agentfs_lsp.adapters.terminal.argparse_words import Parser, complain
from agentfs_lsp.adapters.terminal.console import TerminalConsole
from agentfs_lsp.demo import copying, plan
from agentfs_lsp.demo.codex import Codex
from agentfs_lsp.demo.connection import Connection, LostServerError
from agentfs_lsp.demo.editor import RefusedError, UnansweredError
from agentfs_lsp.demo.ledger import Ledger
from agentfs_lsp.demo.outside import AgentError, McpClient
from agentfs_lsp.demo.person import Person
from agentfs_lsp.demo.screen import Screen
from agentfs_lsp.demo.script import Turn
from agentfs_lsp.domain.translation import Translate, sentences

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def run(argv: Sequence[str], translate: Translate) -> int:
    """Run the command; `argv` excludes its name. Returns the exit code: 0, 1 for a failure, 2 for usage, 130
    for Ctrl-C."""
    options = _parser(translate).parse_args(argv)
    console = TerminalConsole(record=options.svg is not None, highlight=False)
    screen = Screen(console, translate)
    base = Path(mkdtemp(prefix="agentfs-demo-")).resolve()
    code = INTERRUPTED
    try:
        code = _prepare_and_play(screen, base, options, translate)
    except KeyboardInterrupt:
        pass  # before there was a server, or for the second time
    finally:
        if code == USAGE or not _keeps(options, code):
            shutil.rmtree(base, ignore_errors=True)
    if options.svg is not None:
        options.svg.parent.mkdir(parents=True, exist_ok=True)
        picture = console.export_svg(title="agentfs-lsp demo", unique_id="demo")
        # Drop the remote font: a picture in a document must not fetch anything.
        options.svg.write_text(re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL), "utf-8")
    return code


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "demo",
        translate,
        description=translate(
            "An agent's turn on a copy of a workspace, reviewed by you. A real server runs as a process of"
            " its own; this\nterminal plays the editor. You see every change as a diff and answer with one"
            " key:\n\n"
            "  a  accept           r  reject, with your words\n"
            "  e  edit it first    w  accept, and always from now on\n"
            "  Ctrl-D  leave: nothing is rejected, the change is withdrawn\n"
            "  Ctrl-C  stop\n\n"
            "Without a terminal it answers by itself, and says so.\n"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.arguments.add_argument(
        "dir",
        metavar="DIR",
        nargs="?",
        type=Path,
        help=translate(
            "a project of your own (at most {files} files and {mib} MiB). The demo runs on a copy, "
            "without links and without folders such as .git and node_modules; the original is not "
            "changed. Default: a small sample project",
            files=copying.MAX_FILES,
            mib=copying.MAX_MIB,
        ),
    )
    shown = parser.options
    shown.add_argument(
        "--yes",
        action="store_true",
        help=translate("answer automatically; this is the default without a terminal"),
    )
    shown.add_argument(
        "--clean", action="store_true", help=translate("remove the copy at the end instead of keeping it")
    )
    shown.add_argument(
        "--codex",
        metavar="PROGRAM",
        type=Path,
        help=translate("let Codex play the last scene, in a home of its own and without a real model"),
    )
    shown.add_argument("--svg", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    return parser


def _prepare_and_play(screen: Screen, base: Path, options: argparse.Namespace, translate: Translate) -> int:
    source = copying.SAMPLE if options.dir is None else options.dir.resolve()
    if not source.is_dir():
        return complain("demo", translate("'{folder}' is not a folder.", folder=options.dir), USAGE)
    root = base / ("harbor" if options.dir is None else source.name or "workspace")
    try:
        copying.copy_project(source, root)
        turn_plan = plan.sample_plan(translate) if options.dir is None else plan.plan_for(root, translate)
    except copying.TooBigError:
        problem = translate(
            "'{folder}' contains more than {files} files or {mib} MiB. Choose a folder inside it.",
            folder=options.dir,
            files=copying.MAX_FILES,
            mib=copying.MAX_MIB,
        )
    except plan.NothingToEditError:
        problem = translate("'{folder}' contains no text file that the demo can edit.", folder=options.dir)
    except OSError as error:
        problem = f"'{error.filename}': {error.strerror}"
    else:
        return _play(screen, root, turn_plan, options, translate)
    return complain("demo", problem, USAGE)


def _keeps(options: argparse.Namespace, code: int) -> bool:
    """Whether to keep the files; after a failure, always, with the server's log next to them."""
    return not options.clean or code == FAILED


def _play(
    screen: Screen, root: Path, turn_plan: plan.Plan, options: argparse.Namespace, translate: Translate
) -> int:
    log = root.parent / "server.log"
    # A demo's history stays with the copy.
    environment = {**os.environ, "XDG_STATE_HOME": str(root.parent / "state")}
    # -P: a module in the current folder must not replace a real one.
    command = [sys.executable, "-P", "-m", "agentfs_lsp", "--stdio"]
    with log.open("wb") as stderr:
        connection = Connection(command, root.parent, environment, stderr)
    ledger = Ledger(root, translate)
    try:
        code = _take_turn(screen, connection, ledger, log, turn_plan, options, translate)
    except KeyboardInterrupt:
        screen.line(translate("Interrupted. The request was cancelled; nothing else changes."), "yellow")
        code = INTERRUPTED
    except (LostServerError, RefusedError, AgentError) as error:
        told = (_told(error, translate), translate("Server log: {log}", log=log))
        screen.line(sentences(translate, told), "red")
        code = FAILED
    finally:
        ended = connection.close()
    findings = ledger.findings()
    screen.closing(findings)
    if code == DONE and (ended != 0 or not all(found.ok for found in findings)):
        code = FAILED
    screen.goodbye(ended, root if _keeps(options, code) else None)
    return code


def _told(error: LostServerError | RefusedError | AgentError, translate: Translate) -> str:
    if isinstance(error, AgentError):
        return translate("The agent's program has failed.")
    if isinstance(error, RefusedError):
        return str(error)
    if error.silence_s is None:
        return translate("The server has exited.")
    return translate("The server did not respond for {seconds:.0f} seconds.", seconds=error.silence_s)


def _take_turn(
    screen: Screen,
    connection: Connection,
    ledger: Ledger,
    log: Path,
    turn_plan: plan.Plan,
    options: argparse.Namespace,
    translate: Translate,
) -> int:
    person, answers = None, translate("automatic (--yes)")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        answers = translate("automatic (no terminal)")
    elif not options.yes:
        person, answers = Person(screen, translate), translate("you")
    if options.codex is None:
        start_agent: Callable[[], McpClient | Codex] = partial(McpClient, ledger.root, log)
    else:
        start_agent = partial(Codex, options.codex, ledger.root, log)
    turn = Turn(connection, person, screen, ledger, start_agent, translate)
    try:
        turn.editor.start(ledger.root, terminal_locale())
        if options.clean:
            files = translate("{folder} (a copy, removed at the end)", folder=ledger.root)
        else:
            files = translate("{folder} (a copy, kept)", folder=ledger.root)
        command = f"{Path(sys.executable).name} -m agentfs_lsp"
        server = translate("{command}, process {pid}, on stdio", command=command, pid=connection.pid)
        facts = ((translate("files"), files), (translate("server"), server), (translate("answers"), answers))
        screen.opening(turn_plan.task, facts, asked=person is not None)
        turn.play(turn_plan)
    except UnansweredError:
        screen.line(translate("Input has ended, so the demo ends here."), "yellow")
    except KeyboardInterrupt:
        turn.editor.cancel()
        raise
    return DONE
