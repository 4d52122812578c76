"""`agentfs-lsp check-config`: shows the rules that apply in a folder, and to a path.

It uses the same settings, workspace file, and policy as the server, but needs no running server.
`config_report.py` prints the result (docs/configuration.md#which-rules-apply-where), `config_schema.py`
describes what can be set.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import partial

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.programs import path_of
from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser, complain
from agentfs_lsp.api.messages.errors import error_text
from agentfs_lsp.commands.config_report import Judged, Report, as_json, print_report
from agentfs_lsp.commands.config_schema import SCHEMAS
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.policy.repositories import verdict_in_repository
from agentfs_lsp.domain.settings.rules import OPERATIONS
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.configuration.layers import Layers, effective, section_of
from agentfs_lsp.lsp.configuration.messages import problem_text
from agentfs_lsp.lsp.configuration.workspace_file import NO_FILE, look_again
from agentfs_lsp.service.files.store import Location, Root
from agentfs_lsp.service.programs import ProgramFailed
from agentfs_lsp.service.proposal.wording import failure_text
from agentfs_lsp.service.state.workspace import InForce

DONE, PROBLEMS, USAGE = 0, 1, 2


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command. Returns its exit code: 0, 1 if a setting is invalid or a formatter is not found,
    2 for a usage error."""
    options = _parser(translate).parse_intermixed_args(arguments)
    if options.schema is not None:
        print(json.dumps(SCHEMAS[options.schema](), indent=2))
        return DONE
    report = _look(options.folder, options.paths, options.settings, translate)
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
        usage="%(prog)s [-h] [--settings FILE] [--json] [--schema {workspace,settings}] [DIR] [PATH ...]",
        description=translate(
            "Show the rules that apply in a workspace folder. For each path, show whether reading, "
            "writing, and editing is allowed, requires approval, or is denied, and which rule decides."
        ),
        epilog=translate(
            "Exit code: 0 for success, 1 if a setting is invalid or names a program that is not found, "
            "2 for a usage error."
        ),
    )
    parser.arguments.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        default=".",
        help=translate("the workspace folder (default: the current folder)"),
    )
    parser.arguments.add_argument(
        "paths", metavar="PATH", nargs="*", help=translate("paths, relative to DIR; they need not exist")
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
    parser.options.add_argument(
        "--schema",
        choices=SCHEMAS,
        help=translate(
            "print only the JSON Schema of a workspace's .agentfs.toml, or of the section agentfs of an "
            "editor's settings, by which editors complete and check them"
        ),
    )
    return parser


def _look(folder: str, paths: list[str], settings_file: str | None, translate: Translate) -> Report:
    if not os.path.isdir(folder):
        wrong = translate("'{path}' is not a folder. Give the folder first, then paths in it.", path=folder)
        raise CommandError(wrong, USAGE)
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
        (
            *(problem_text(problem, translate) for problem in (*layers.problems, *said.problems)),
            *_programs_not_found(in_force.settings, root, translate),
        ),
        tuple(_judged(files, root, in_force, path, translate) for path in paths),
    )


def _programs_not_found(settings: Settings, root: Root, translate: Translate) -> Iterator[str]:
    """What would keep formatters from running."""
    commands = settings.correction.formatters.values()
    for name in dict.fromkeys(words[0] for several in commands for words in several):
        try:
            path_of(name, [root.path])
        except ProgramFailed as failed:
            reason = failure_text(f"{name}: {failed.failure}", translate)
            yield translate(
                "correction.formatters: {reason}; what agents send stays as it is.", reason=reason
            )


def _section(settings_file: str | None, translate: Translate) -> object:
    """The settings in the file, in any of the accepted forms."""
    if settings_file is None:
        return {}
    try:
        with open(0 if settings_file == "-" else settings_file, encoding="utf-8-sig") as file:
            raw = json.load(file)
    except OSError as error:
        wrong = translate("Cannot read '{path}': {reason}.", path=settings_file, reason=error.strerror)
    except json.JSONDecodeError as error:
        wrong = translate(
            "'{path}' is not valid JSON: line {line}, column {column}. JSON has no comments and no "
            "trailing commas.",
            path=settings_file,
            line=error.lineno,
            column=error.colno,
        )
    except (ValueError, RecursionError):
        wrong = translate("'{path}' is not valid JSON.", path=settings_file)
    else:
        return _section_in(raw, settings_file, translate)
    raise CommandError(wrong, USAGE)


def _section_in(raw: object, settings_file: str, translate: Translate) -> object:
    if isinstance(raw, dict) and any(key.startswith("agentfs.") for key in raw):  # VS Code's
        dotted = {key[8:]: value for key, value in raw.items() if key.startswith("agentfs.")}
        named = raw.get("agentfs")
        raw = {"agentfs": {**named, **dotted} if isinstance(named, dict) else named or dotted}
    section = section_of(raw)
    if section == {}:
        empty = translate(
            "'{path}' contains no settings of agentfs, so the defaults apply. Put them in an object "
            "named agentfs, or in keys such as agentfs.approval.mode.",
            path=settings_file,
        )
        complain("check-config", empty)
    return section


def _judged(files: DiskStore, root: Root, in_force: InForce, path: str, translate: Translate) -> Judged:
    inside = os.path.relpath(os.path.realpath(path), root.path) if os.path.isabs(path) else path
    try:
        location = files.resolve(root, inside)
        files.stat(location)  # of a folder, no rule says what applies to the files in it
    except DomainError as error:
        return Judged(path, refused=error_text(error, translate)[0])
    mode, relative = in_force.settings.approval.mode, location.relative
    in_repository = verdict_in_repository(relative, root.path, lambda it: files.exists(Location(root, it)))
    own = () if in_repository is None else (in_repository,)
    explain = partial(
        in_force.policy.explain, root=root.path, mode=mode, git_setting=files.git_setting_of(location)
    )
    verdicts = ((one, (*own, *explain(one, relative))) for one in OPERATIONS)
    return Judged(path, relative, tuple(verdicts))
