"""`agentfs-lsp connect`: writes the configuration that makes agents' programs use `agentfs-lsp mcp`.

The change of these files is a proposal like any other: the editor that has the folder open shows it as a
diff, else this terminal.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal
from urllib.parse import unquote_to_bytes, urlsplit

from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.client import AgentFS, AgentFSError, Answer, Reviewer, deny_all
from agentfs_lsp.client.asynchronous import OWN
from agentfs_lsp.commands.agents import AGENTS, Agent, Settings
from agentfs_lsp.commands.call import ERROR, NO_ANSWER, USAGE, exit_code, own_settings
from agentfs_lsp.commands.merging import merged
from agentfs_lsp.commands.set_up import are_there, found, is_set_up, texts
from agentfs_lsp.commands.settings_change import NAME, SettingsChange
from agentfs_lsp.commands.waiting import reviewer
from agentfs_lsp.domain.translation import Translate

OwnTools = Literal["denied", "deniable", "overridden", "undeniable"]
"""What becomes of the program's own tools that change files; `deniable`: with `--only`; `overridden`: they
are denied, but another setting in the same files allows them."""


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command; returns its exit code, as `agentfs-lsp call` does."""
    options = _parser(translate).parse_args(arguments)
    if options.list:
        _print_list(options, translate)
        return 0
    agents = options.agent or [one for one in AGENTS.values() if one.is_here() and not one.has_extension]
    if not agents:
        known = ", ".join(AGENTS)
        raise CommandError(
            translate(
                "No agent's program that needs connecting was found on this machine. Name one: {agents}.",
                agents=known,
            ),
            USAGE,
        )
    for agent in agents:
        _tell_what_is_left(agent, translate, only=options.only, user=options.user)
    wanted = _settings(agents, options.only, user=options.user)
    if options.print:
        for agent, files in wanted.items():
            for path, settings in files.items():
                print(f"# {agent.title}: {'~/' if options.user else ''}{path}\n{merged(path, '', settings)}")
        return 0
    if not wanted:
        return 0
    root = _home(wanted, translate) if options.user else Path(options.workspace)
    review = reviewer(translate, no_editor=not options.user)
    try:
        with _open(root, review, user=options.user) as fs:
            folder = _folder(fs, root.resolve())
            report = _Report(as_json=options.json)
            change = SettingsChange(fs, folder, wanted, translate, report.say, options.session)
            can_ask = fs.is_editors or review is not deny_all
            connected = _connected(change, wanted, translate, report, can_ask=can_ask)
            only = _settings(connected, only=True, user=options.user)
            for agent, settings in only.items():
                are_denied = not change.lacks(settings)
                kept = _own_tools(agent, change.texts_of(agent), translate, report, are_denied=are_denied)
                if not options.only:
                    _tell_how_to_deny(agent, kept, options, translate, report)
            report.end()
            return ERROR if change.unclear else 0
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
        print(_that_it_keeps_its_tools(agent, translate), file=sys.stderr)
    if adding is not None:
        told = translate("{agent} adds to the user's settings itself. To connect it, run:", agent=agent.title)
        print(f"{told}\n{adding(_command())}\n")


def _that_it_keeps_its_tools(agent: Agent, translate: Translate) -> str:
    return translate(
        "{agent} keeps its own tools that change files: --only cannot deny them here. "
        "docs/agents.md says how to do it.",
        agent=agent.title,
    )


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


def _settings(agents: Iterable[Agent], only: bool, *, user: bool) -> dict[Agent, Mapping[str, Settings]]:
    """The settings by agent and file; without the agents that change the user's settings themselves."""
    makers = {agent: agent.user if user else agent.project for agent in agents}
    return {agent: made(_command(), only) for agent, made in makers.items() if made is not None}


def _open(root: Path, review: Reviewer, *, user: bool) -> AgentFS:
    """Where the change is reviewed: in the editor that has the folder open, or else in this terminal."""
    if user:
        return AgentFS.open(root, review, settings=own_settings())
    return AgentFS.connect(root, review, name=NAME, settings=own_settings())


def _folder(fs: AgentFS, wanted: Path) -> str:
    """What paths in the folder begin with: the editor may have a folder above it open, or several."""
    names = {
        Path(os.fsdecode(unquote_to_bytes(urlsplit(one["uri"]).path))).resolve(): one["name"]
        for one in fs.status().data["roots"]
    }
    root = max((one for one in names if wanted.is_relative_to(one)), key=lambda one: len(one.parts))
    below = wanted.relative_to(root)
    return f"{names[root] / below if len(names) > 1 else below}/".removeprefix("./")


def _print_list(options: Namespace, translate: Translate) -> None:
    """Tell which programs are set up."""
    agents = options.agent or list(AGENTS.values())
    plain = _settings(agents, only=False, user=options.user)
    only = _settings(agents, only=True, user=options.user)
    root = _home(plain, translate) if options.user else Path(options.workspace)
    if not root.is_dir():
        raise CommandError(translate("'{path}' is not a folder.", path=root), USAGE)
    report = _Report(as_json=options.json)
    for agent, files in plain.items():
        there = texts(root, files)
        if is_set_up(root, files) and not _is_excluded(agent, there, translate, report):
            report.say(translate("{agent} is set up.", agent=agent.title))
            _own_tools(agent, there, translate, report, are_denied=are_there(root, only[agent]))
        else:
            report.say(translate("{agent} is not set up.", agent=agent.title))
    report.end()


class _Report:
    """What is said, at once, and which agents are set up; as JSON, all at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._lines: list[str] = []
        self._agents: list[dict[str, str]] = []

    def say(self, line: str) -> None:
        if self._as_json:
            self._lines.append(line)
        else:
            print(line)

    def add(self, agent: Agent, kept: OwnTools, **told: str) -> None:
        """It is set up."""
        self._agents.append({"name": _name(agent), "title": agent.title, "own_tools": kept, **told})

    def end(self) -> None:
        if self._as_json:
            print(json.dumps({"agents": self._agents, "lines": self._lines}, indent=2))


def _connected(
    change: SettingsChange, wanted: Iterable[Agent], translate: Translate, report: _Report, *, can_ask: bool
) -> list[Agent]:
    """Propose the change, and tell which agents are set up; returns them. Raises CommandError if it was
    refused."""
    answer = change.propose()
    if answer is not None and not answer.ok:
        raise CommandError(_why(answer, translate, can_ask=can_ask), exit_code(answer))
    clear = change.landed(answer)
    excluded = {one for one in clear if _is_excluded(one, change.texts_of(one), translate, report)}
    connected = [one for one in clear if one not in excluded]
    for agent in connected:
        if agent in change.changing:
            report.say(translate("{agent} is set up. Start a new session of it.", agent=agent.title))
        else:
            report.say(translate("{agent} is set up already.", agent=agent.title))
    for agent in wanted:
        if agent in change.unclear | excluded:
            report.say(translate("{agent} is not set up: see above.", agent=agent.title))
    return connected


def _why(answer: Answer, translate: Translate, *, can_ask: bool) -> str:
    """Why nothing was changed, in words for a person: an answer's own text is for a model."""
    if answer.code == "USER_REJECTED":
        return translate("You did not accept the change. Nothing was changed.")
    nobody = translate("Nobody can be asked, so the change was refused.")
    if answer.envelope["error"]["message"] == nobody and not can_ask:
        return translate(
            "Nobody could be asked, so nothing was changed: no editor with agentfs has this folder open, and "
            "there is no terminal. Run this in a terminal, or add yourself what --print shows."
        )
    return answer.text


def _is_excluded(agent: Agent, texts: Mapping[str, str], translate: Translate, report: _Report) -> bool:
    """Whether its own settings keep the agent from using our server; if so, it is said."""
    excluded = found(texts, agent.excluding)
    if excluded is not None:
        path, key = excluded
        told = translate(
            "{agent} cannot use agentfs: its setting {key} in '{path}' excludes it. Change that yourself.",
            agent=agent.title,
            key=visible(key),
            path=path,
        )
        report.say(told)
    return excluded is not None


def _own_tools(
    agent: Agent, texts: Mapping[str, str], translate: Translate, report: _Report, *, are_denied: bool
) -> OwnTools:
    """Add an agent that is set up to the report; what overrides `--only` is said."""
    overridden = found(texts, agent.overriding) if are_denied else None
    if overridden is not None:
        path, key = overridden
        told = translate(
            "{agent} can still change files without a review, with its own tools: its setting {key} in "
            "'{path}' allows them again. Change that yourself.",
            agent=agent.title,
            key=visible(key),
            path=path,
        )
        report.say(told)
        report.add(agent, "overridden", told=told)
        return "overridden"
    kept: OwnTools = "undeniable" if agent.keeps_its_tools else "denied" if are_denied else "deniable"
    report.add(agent, kept)
    return kept


def _tell_how_to_deny(
    agent: Agent, kept: OwnTools, options: Namespace, translate: Translate, report: _Report
) -> None:
    """Tell the user whether the agent could still change files without a review."""
    if kept == "undeniable":
        report.say(_that_it_keeps_its_tools(agent, translate))
    elif kept == "deniable":
        where = ["--user"] if options.user else []
        where += [] if options.workspace == "." else ["--workspace", options.workspace]
        command = [*_command(), "connect", "--only", *where, _name(agent)]
        told = translate(
            "{agent} keeps its own tools that change files without a review: {tools}. To deny them, run: "
            "{command}",
            agent=agent.title,
            tools=", ".join(agent.own_tools),
            command=shlex.join(command),
        )
        report.say(told)


def _name(agent: Agent) -> str:
    return next(name for name, one in AGENTS.items() if one is agent)


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
        help=translate(
            "{agents} (default: those found on this machine but vscode, where the extension is enough)",
            agents=", ".join(AGENTS),
        ),
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
        "--list",
        action="store_true",
        help=translate("tell which of the agents are set up, and change nothing"),
    )
    options.add_argument(
        "--json",
        action="store_true",
        help=translate("print a JSON object with what is said, and the agents that are set up"),
    )
    options.add_argument(
        "--session",
        metavar="NAME",
        default="",
        help=translate("the name of the session of the change, by which a program finds it"),
    )
    options.add_argument(
        "--workspace",
        metavar="DIR",
        default=".",
        help=translate("the workspace folder (default: the current folder)"),
    )
    return parser
