"""`agentfs-lsp check-config`: shows the rules that apply in a folder, and to a path.

It uses the same settings, workspace file, and policy as the server, but needs no running server.
`config_report.py` prints the result (docs/configuration.md#which-rules-apply-where).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.terminal.argparse_words import Parser, complain
from agentfs_lsp.api.messages.errors import error_text
from agentfs_lsp.commands.config_report import Judged, Report, as_json, print_report
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.settings.rules import OPERATIONS
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.configuration.layers import Layers, effective
from agentfs_lsp.lsp.configuration.messages import problem_text
from agentfs_lsp.lsp.configuration.workspace_file import NO_FILE, look_again
from agentfs_lsp.service.files.store import Root
from agentfs_lsp.service.state.workspace import InForce

DONE, PROBLEMS, USAGE = 0, 1, 2


class UnusableError(Exception):
    """The requested path or settings cannot be read; contains the reason."""


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command. Returns its exit code: 0, 1 if a setting is invalid, 2 for a usage error."""
    options = _parser(translate).parse_intermixed_args(arguments)
    try:
        report = _look(options.folder, options.paths, options.settings, translate)
    except UnusableError as error:
        return complain("check-config", str(error), USAGE)
    if options.json:
        print(json.dumps(as_json(report), indent=2))
    else:
        print_report(report, translate)
    return PROBLEMS if report.problems else DONE


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "check-config",
        translate,
        # Given explicitly, because argparse wraps badly when options and paths mix.
        usage="%(prog)s [-h] [--settings FILE] [--json] [DIR] [PATH ...]",
        description=translate(
            "Show the rules that apply in a workspace folder. For each path, show whether reading, "
            "writing, and editing is allowed, requires approval, or is denied, and which rule decides."
        ),
        epilog=translate("Exit code: 0 for success, 1 if a setting is invalid, 2 for a usage error."),
    )
    parser.arguments.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        default=".",
        help=translate("the workspace folder (default: the current folder)"),
    )
    parser.arguments.add_argument(
        "paths", metavar="PATH", nargs="*", help=translate("paths in the folder; they need not exist")
    )
    parser.options.add_argument(
        "--settings",
        metavar="FILE",
        help=translate(
            "your editor's settings as JSON: the section agentfs, an object that contains it, or VS "
            "Code's settings.json without comments; use - for standard input (default: no settings)"
        ),
    )
    parser.options.add_argument("--json", action="store_true", help=translate("print JSON"))
    return parser


def _look(folder: str, paths: list[str], settings_file: str | None, translate: Translate) -> Report:
    if not os.path.isdir(folder):
        raise UnusableError(
            translate("'{path}' is not a folder. Give the folder first, then paths in it.", path=folder)
        )
    state = StateFolder()
    files = DiskStore(state)
    real = os.path.realpath(folder)
    root = Root(os.path.basename(real) or real, real, f"file://{real}")
    files.set_roots([root])
    layers = Layers().answered("initialization", _section(settings_file, translate))
    said = look_again(files, root, NO_FILE)
    in_force = effective(layers, {real: said.tightening}, [state.path]).at(root)
    return Report(
        real,
        in_force.settings,
        said,
        tuple(problem_text(problem, translate) for problem in (*layers.problems, *said.problems)),
        tuple(_judged(files, root, in_force, path, translate) for path in paths),
    )


def _section(settings_file: str | None, translate: Translate) -> object:
    """The settings in the file, in any of the accepted forms."""
    if settings_file is None:
        return {}
    try:
        if settings_file == "-":
            raw = json.load(sys.stdin)
        else:
            with open(settings_file, encoding="utf-8-sig") as file:
                raw = json.load(file)
    except OSError as error:
        reason = error.strerror or ""
        raise UnusableError(
            translate("Cannot read '{path}': {reason}.", path=settings_file, reason=reason)
        ) from error
    except json.JSONDecodeError as error:
        wrong = translate(
            "'{path}' is not valid JSON: line {line}, column {column}. JSON has no comments and no "
            "trailing commas.",
            path=settings_file,
            line=error.lineno,
            column=error.colno,
        )
        raise UnusableError(wrong) from error
    except (ValueError, RecursionError) as error:
        raise UnusableError(translate("'{path}' is not valid JSON.", path=settings_file)) from error
    if not isinstance(raw, dict):
        return raw
    dotted = {key.removeprefix("agentfs."): value for key, value in raw.items() if key.startswith("agentfs.")}
    named: Any = raw.get("agentfs")
    if named is None and not dotted:
        return raw
    return {**named, **dotted} if isinstance(named, dict) else named or dotted


def _judged(files: DiskStore, root: Root, in_force: InForce, path: str, translate: Translate) -> Judged:
    inside = os.path.relpath(path, root.path) if os.path.isabs(path) else path
    try:
        location = files.resolve(root, inside)
        files.stat(location)  # of a folder, no rule says what applies to the files in it
    except DomainError as error:
        return Judged(path, refused=error_text(error, translate)[0])
    mode, relative = in_force.settings.approval.mode, location.relative
    verdicts = (
        (one, in_force.policy.explain(one, relative, root=root.path, mode=mode)) for one in OPERATIONS
    )
    return Judged(path, relative, tuple(verdicts))
