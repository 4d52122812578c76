"""`agentfs-lsp connect`: writes the configuration that makes agents' programs use `agentfs-lsp mcp`.

The change of these files is a proposal like any other: the editor that has the folder open shows it as a
diff, else this terminal.
"""

from __future__ import annotations

import os
import shutil
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urlsplit

from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser
from agentfs_lsp.client import AgentFS, AgentFSError, Answer
from agentfs_lsp.client.asynchronous import OWN
from agentfs_lsp.commands.agents import AGENTS, Agent, Settings
from agentfs_lsp.commands.call import ERROR, NO_ANSWER, USAGE, exit_code, own_settings
from agentfs_lsp.commands.merging import UnclearError, merged
from agentfs_lsp.commands.waiting import reviewer, telling
from agentfs_lsp.domain.translation import Translate

NAME = "agentfs-lsp connect"


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command; returns its exit code, as `agentfs-lsp call` does."""
    options = _parser(translate).parse_args(arguments)
    agents = options.agent or [one for one in AGENTS.values() if one.is_here()]
    if not agents:
        known = ", ".join(AGENTS)
        raise CommandError(
            translate("No agent's program was found on this machine. Name one: {agents}.", agents=known),
            USAGE,
        )
    for agent in agents:
        _tell_what_is_left(agent, translate, only=options.only, user=options.user)
    settings_of = {agent: agent.user if options.user else agent.project for agent in agents}
    wanted = {
        agent: made(_command(), options.only) for agent, made in settings_of.items() if made is not None
    }
    if options.print:
        for agent, files in wanted.items():
            for path, settings in files.items():
                print(f"# {agent.title}: {path}\n{merged(path, '', settings)}")
        return 0
    if not wanted:
        return 0
    root = _home(wanted, translate) if options.user else Path(options.workspace)
    try:
        with _open(root, translate, user=options.user) as fs:
            return _change(fs, _folder(fs, root.resolve()), wanted, translate)
    except NotADirectoryError as error:
        raise CommandError(translate("'{path}' is not a folder.", path=root), USAGE) from error
    except AgentFSError as error:
        raise CommandError(str(error), NO_ANSWER) from error


def _known(translate: Translate, name: str) -> Agent:
    """The type of an argument that names an agent."""
    if name not in AGENTS:
        raise ArgumentTypeError(translate("must be one of {agents}", agents=", ".join(AGENTS)))
    return AGENTS[name]


def _tell_what_is_left(agent: Agent, translate: Translate, *, only: bool, user: bool) -> None:
    """Tell the user what this command cannot do."""
    adding = agent.adding if user else None
    if only and (agent.keeps_its_tools or adding is not None):
        told = translate(
            "{agent} keeps its own tools that change files: --only cannot deny them here. "
            "docs/agents.md says how to do it.",
            agent=agent.title,
        )
        print(told, file=sys.stderr)
    if adding is not None:
        told = translate("{agent} changes the user's settings itself. Run:", agent=agent.title)
        print(f"{told}\n{adding(_command())}\n")


def _command() -> list[str]:
    """What starts this installation: `agentfs-lsp` if that is what the PATH finds, else absolute paths."""
    script = Path(sys.argv[0])
    if script.name != "agentfs-lsp":
        return list(OWN)
    found = shutil.which("agentfs-lsp")
    return ["agentfs-lsp"] if found and os.path.samefile(found, script) else [str(script.resolve())]


def _home(agents: Iterable[Agent], translate: Translate) -> Path:
    """The folder of the user's settings. Raises CommandError if an agent keeps them elsewhere."""
    for agent in agents:
        if os.environ.get(agent.moved):
            told = translate(
                "{variable} says where {agent} keeps its settings. Add there yourself what --print shows.",
                variable=agent.moved,
                agent=agent.title,
            )
            raise CommandError(told, USAGE)
    return Path.home()


def _open(root: Path, translate: Translate, *, user: bool) -> AgentFS:
    """Where the change is reviewed: in the editor that has the folder open, or else in this terminal."""
    if user:
        return AgentFS.open(root, reviewer(translate, no_editor=False), settings=own_settings())
    review = reviewer(translate, no_editor=True)
    return AgentFS.connect(root, review, name=NAME, settings=own_settings())


def _folder(fs: AgentFS, wanted: Path) -> str:
    """What paths in the folder begin with: the editor may have a folder above it open, or several."""
    names = {
        Path(unquote(urlsplit(one["uri"]).path)).resolve(): one["name"] for one in fs.status().data["roots"]
    }
    root = max((one for one in names if wanted.is_relative_to(one)), key=lambda one: len(one.parts))
    below = wanted.relative_to(root)
    return f"{names[root] / below if len(names) > 1 else below}/".removeprefix("./")


def _change(
    fs: AgentFS, folder: str, wanted: Mapping[Agent, Mapping[str, Settings]], translate: Translate
) -> int:
    operations, is_saved = [], True
    for name, settings in chain.from_iterable(files.items() for files in wanted.values()):
        path = folder + name
        answer = fs.read(path, limit=0)
        if not answer.ok and answer.code != "NOT_FOUND":
            return _failed(answer)
        try:
            text = _merged(path, answer, settings)
        except UnclearError as error:
            told = translate(
                "'{path}' was not changed: {reason}. Add this yourself:", path=path, reason=error
            )
            print(f"{told}\n\n{merged(path, '', settings)}")
            return ERROR
        if text != answer.content:
            operations.append({"tool": "write", "params": {"path": path, "content": text}})
        elif answer.data["dirty"]:
            is_saved = False
    if operations:
        names = ", ".join(agent.title for agent in wanted)
        why = translate("Connects {agents} to agentfs.", agents=names)
        with telling(fs, translate):
            answer = fs.batch(operations, explanation=why, agent=NAME)
        if not answer.ok:
            return _failed(answer)
        print(answer.text)
        if answer.decision == "amended":  # perhaps without what connects
            return 0
        is_saved = is_saved and answer.applied
    if not is_saved:
        print(translate("The settings are not saved yet. Save them in the editor."))
        return 0
    for agent in wanted:
        print(translate("{agent} is connected. Start a new session of it.", agent=agent.title))
    return 0


def _merged(path: str, answer: Answer, settings: Settings) -> str:
    """Raises UnclearError."""
    if answer.status == "partial":  # cut, or not text as a whole
        raise UnclearError(answer.text)
    return merged(path, answer.content or "", settings)


def _failed(answer: Answer) -> int:
    print(answer.text, file=sys.stderr)
    return exit_code(answer)


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "connect",
        translate,
        description=translate(
            "Let agents' programs read and change files through agentfs: add `agentfs-lsp mcp` to their "
            "settings. You see the change as a diff and decide, in the editor that has the folder open, or "
            "else in this terminal. What else is in the files stays."
        ),
    )
    parser.arguments.add_argument(
        "agent",
        metavar="AGENT",
        nargs="*",
        type=partial(_known, translate),
        help=translate("{agents} (default: those found on this machine)", agents=", ".join(AGENTS)),
    )
    options = parser.options
    options.add_argument(
        "--only",
        action="store_true",
        help=translate("also deny the program's own tools that change files"),
    )
    options.add_argument(
        "--user",
        action="store_true",
        help=translate("change the user's settings, for all folders, not the workspace's"),
    )
    options.add_argument(
        "--print",
        action="store_true",
        help=translate("print the settings and change nothing"),
    )
    options.add_argument(
        "--workspace",
        metavar="DIR",
        default=".",
        help=translate("the workspace folder (default: the current folder)"),
    )
    return parser
