"""The change of agents' settings that `agentfs-lsp connect` proposes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.client import AgentFS, Answer
from agentfs_lsp.commands.agents import Agent, Settings
from agentfs_lsp.commands.merging import UnclearError, merged
from agentfs_lsp.commands.waiting import telling
from agentfs_lsp.domain.translation import Translate

NAME: Final = "agentfs-lsp connect"
"""Who proposes it."""


class SettingsChange:
    """The change of the files of `wanted`, which are in the folder whose paths begin with `folder`. `say`
    tells the user what becomes of it. `unclear`: the agents with a file that must be changed by hand."""

    def __init__(
        self,
        fs: AgentFS,
        folder: str,
        wanted: Mapping[Agent, Mapping[str, Settings]],
        translate: Translate,
        say: Callable[[str], None],
        session: str,
    ) -> None:
        self._fs, self._folder, self._wanted = fs, folder, wanted
        self._translate, self._say = translate, say
        self._session: dict[str, Any] = {"session": session} if session else {}
        self._texts: dict[str, str] = {}  # of each file that is clear, as it should be
        self._written: dict[str, str] = {}
        self._is_saved = True
        self.unclear: set[Agent] = set()

    def propose(self) -> Answer | None:
        """Propose what is missing in the files; None if nothing is."""
        for agent, files in self._wanted.items():
            for name, settings in files.items():
                self._plan(agent, name, settings)
        if not self._written:
            return None
        operations = [
            {"tool": "write", "params": {"path": self._folder + name, "content": text}}
            for name, text in self._written.items()
        ]
        names = ", ".join(agent.title for agent in self.changing)
        told = self._translate("Connects {agents} to agentfs.", agents=names)
        with telling(self._fs, self._translate):
            return self._fs.batch(operations, explanation=told, agent=NAME, **self._session)

    @property
    def changing(self) -> list[Agent]:
        """The agents with a file to change."""
        return [agent for agent, files in self._wanted.items() if not self._written.keys().isdisjoint(files)]

    def landed(self, answer: Answer | None) -> list[Agent]:
        """Say what became of the accepted proposal; returns the agents whose files are as they should be."""
        is_saved = self._is_saved
        if answer is not None:
            if not self._is_as_proposed(answer):
                return []
            is_saved = is_saved and answer.landing == "disk"
        if not is_saved:
            self._say(self._translate("The settings are not saved yet. Save them in the editor."))
            return []
        return [agent for agent in self._wanted if agent not in self.unclear]

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

    def _is_as_proposed(self, answer: Answer) -> bool:
        """Say what was changed; returns whether the settings are as proposed."""
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


def _merged(path: str, answer: Answer, settings: Settings) -> str:
    """Raises UnclearError."""
    if answer.code == "NOT_FOUND":
        return merged(path, "", settings)
    if answer.status != "success":  # cut, not text as a whole, or refused
        raise UnclearError(answer.text)
    return merged(path, answer.content or "", settings)
