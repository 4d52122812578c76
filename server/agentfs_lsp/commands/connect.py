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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote_to_bytes, urlsplit

from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.client import AgentFS, AgentFSError, Answer, Reviewer, deny_all
from agentfs_lsp.client.asynchronous import OWN
from agentfs_lsp.commands.agents import AGENTS, Agent, Settings
from agentfs_lsp.commands.call import ERROR, NO_ANSWER, USAGE, exit_code, own_settings
from agentfs_lsp.commands.merging import UnclearError, merged
from agentfs_lsp.commands.set_up import are_there, found, is_set_up, texts
from agentfs_lsp.commands.waiting import reviewer, telling
from agentfs_lsp.domain.translation import Translate

NAME = "agentfs-lsp connect"

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
            change = _Change(fs, folder, wanted, translate, report, options.session)
            connected = change.make(can_ask=fs.is_editors or review is not deny_all)
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


class _Change:
    """The change of the agents' files. `unclear`: the agents with a file that must be changed by hand."""

    def __init__(
        self,
        fs: AgentFS,
        folder: str,
        wanted: Mapping[Agent, Mapping[str, Settings]],
        translate: Translate,
        report: _Report,
        session: str,
    ) -> None:
        self._fs, self._folder, self._wanted, self._translate = fs, folder, wanted, translate
        self._report, self._say = report, report.say
        self._session: dict[str, Any] = {"session": session} if session else {}
        self._texts: dict[str, str] = {}  # of each file that is clear, as it should be
        self._written: dict[str, str] = {}
        self._is_saved = True
        self._excluded: set[Agent] = set()
        self.unclear: set[Agent] = set()

    def make(self, *, can_ask: bool) -> list[Agent]:
        """Propose it, and say what became of it; returns the agents that are set up. Raises
        CommandError if the change was refused."""
        for agent, files in self._wanted.items():
            for name, settings in files.items():
                self._plan(agent, name, settings)
        connected = self._connected(can_ask=can_ask)
        for agent in self._wanted:
            if agent in self.unclear | self._excluded:
                self._say(self._translate("{agent} is not set up: see above.", agent=agent.title))
        return connected

    def texts_of(self, agent: Agent) -> dict[str, str]:
        """What is in its files."""
        return {self._path(name): self._texts[name] for name in self._wanted[agent]}

    def lacks(self, settings: Mapping[str, Settings]) -> bool:
        """Whether these settings are not in the files."""
        try:
            return any(merged(name, text, more) != text for name, more, text in self._with_texts(settings))
        except UnclearError:  # other settings stand in their place
            return True

    def _with_texts(self, settings: Mapping[str, Settings]) -> Iterator[tuple[str, Settings, str]]:
        return ((name, more, self._texts[name]) for name, more in settings.items())

    def _connected(self, *, can_ask: bool) -> list[Agent]:
        translate, is_saved = self._translate, self._is_saved
        changing = [
            agent for agent, files in self._wanted.items() if not self._written.keys().isdisjoint(files)
        ]
        if self._written:
            answer = self._propose(changing)
            if not answer.ok:
                raise CommandError(_why(answer, translate, can_ask=can_ask), exit_code(answer))
            if not self._print_changed(answer):
                return []
            is_saved = is_saved and answer.landing == "disk"
        if not is_saved:
            self._say(translate("The settings are not saved yet. Save them in the editor."))
            return []
        clear = [agent for agent in self._wanted if agent not in self.unclear]
        self._excluded = {
            agent for agent in clear if _is_excluded(agent, self.texts_of(agent), translate, self._report)
        }
        connected = [agent for agent in clear if agent not in self._excluded]
        for agent in connected:
            if agent in changing:
                self._say(translate("{agent} is set up. Start a new session of it.", agent=agent.title))
            else:
                self._say(translate("{agent} is set up already.", agent=agent.title))
        return connected

    def _print_changed(self, answer: Answer) -> bool:
        """Returns whether the settings are as proposed."""
        names = list(self._written)
        failed = {names[index] for index in answer.data.get("failed_items", ())}
        changed = [self._path(name) for name in names if name not in failed]
        self._say(self._translate("Changed: {files}.", files=", ".join(changed)))
        if answer.decision == "amended":  # perhaps without what connects
            self._say(self._translate("You amended the settings. Check that they still connect the agents."))
            return False
        for name in failed:
            self._say(self._translate("'{path}' was not changed.", path=self._path(name)))
        self.unclear |= {agent for agent, files in self._wanted.items() if not failed.isdisjoint(files)}
        return True

    def _plan(self, agent: Agent, name: str, settings: Settings) -> None:
        answer = self._fs.read(self._folder + name, limit=0, **self._session)
        try:
            text = self._texts[name] = _merged(name, answer, settings)
        except UnclearError as error:
            told = self._translate(
                "'{path}' was not changed: {reason}. Add this yourself:",
                path=self._path(name),
                reason=str(error).rstrip(".。"),
            )
            self._say(f"{told}\n\n{merged(name, '', settings)}")
            self.unclear.add(agent)
            return
        if text != answer.content:
            self._written[name] = text
        elif answer.data["dirty"]:
            self._is_saved = False

    def _path(self, name: str) -> str:
        return visible(self._folder + name)

    def _propose(self, agents: Iterable[Agent]) -> Answer:
        operations = [
            {"tool": "write", "params": {"path": self._folder + name, "content": text}}
            for name, text in self._written.items()
        ]
        names = ", ".join(agent.title for agent in agents)
        told = self._translate("Connects {agents} to agentfs.", agents=names)
        with telling(self._fs, self._translate):
            return self._fs.batch(operations, explanation=told, agent=NAME, **self._session)


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


def _merged(path: str, answer: Answer, settings: Settings) -> str:
    """Raises UnclearError."""
    if answer.code == "NOT_FOUND":
        return merged(path, "", settings)
    if answer.status != "success":  # cut, not text as a whole, or refused
        raise UnclearError(answer.text)
    return merged(path, answer.content or "", settings)


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
