"""The demo, scene by scene: the agent's requests, and what happens around them.

It works with any plan and any answers: no scene depends on the outcome of an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from agentfs_lsp.api.results import Proposal
from agentfs_lsp.demo.codex import Codex
from agentfs_lsp.demo.connection import Connection
from agentfs_lsp.demo.editor import ACCEPT, ALWAYS, Answer, Editor, UnansweredError
from agentfs_lsp.demo.ledger import Ledger
from agentfs_lsp.demo.outside import McpClient
from agentfs_lsp.demo.person import Person
from agentfs_lsp.demo.plan import Edit, NewFile, Plan
from agentfs_lsp.demo.screen import Screen
from agentfs_lsp.domain.text.lines import first_eol, with_eol
from agentfs_lsp.domain.translation import Translate

SESSION = "demo"
WHO = {"session": SESSION, "agent": "Demo agent"}

Envelope = dict[str, Any]


class Turn:
    """The agents' turn on the files of `ledger`, in an editor. `person` None: the demo answers by itself, as
    each scene suggests. `start_agent`: starts the program of the last scene."""

    def __init__(
        self,
        connection: Connection,
        person: Person | None,
        screen: Screen,
        ledger: Ledger,
        start_agent: Callable[[], McpClient | Codex],
        translate: Translate,
    ) -> None:
        self.editor = Editor(connection, self._decide, self._hear, translate)
        self._person = person
        self._screen = screen
        self._ledger = ledger
        self._start_agent = start_agent
        self._translate = translate
        self._suggested = ACCEPT
        self._answer = ACCEPT  # to the current change, also if nobody is asked
        self._always = False

    def play(self, plan: Plan) -> None:
        """All scenes in order. Raises AgentError, and what `Editor.call` raises."""
        translate, scene = self._translate, self._screen.scene

        about = translate("Nothing is written before you have seen and accepted the diff.")
        scene(1, translate("Read, then edit"), about)
        self._read(plan.first.path)
        self._edit(plan.first)

        about = translate("Not even its folder is created before you answer.")
        scene(2, translate("A new file"), about)
        self._write(plan.created)

        about = translate(
            "The file changes between the agent's read and its edit. The edit must not overwrite that change."
        )
        scene(3, translate("A concurrent change"), about)
        self._read(plan.contested.path)
        self._change_on_disk(plan.behind)
        if _code(self._edit(plan.contested)) == "CONFLICT":
            self._read(plan.contested.path)
            self._edit(plan.contested)

        about = translate("The agent reads what the editor shows, saved or not. You decide when to save.")
        scene(4, translate("Unsaved text"), about)
        uri = self.editor.documents.open(self._ledger.root / plan.unsaved.path)
        self._type(uri, plan.typed)
        self._read(plan.unsaved.path)
        self._edit(plan.unsaved)
        self.editor.documents.save(uri)
        self._hear(translate("saved {path}", path=plan.unsaved.path))
        self.editor.documents.close(uri)

        about = translate("A rejected change changes nothing. The agent gets your reason.")
        scene(5, translate("A rejection with a reason"), about)
        self._read(plan.refused.path)
        self._edit(plan.refused, Answer("rejected", plan.reason))

        about = translate("Accepts this change and all later changes of this session without asking.")
        scene(6, translate("Always"), about)
        self._read(plan.standing.path)
        self._edit(plan.standing, ALWAYS)
        self._read(plan.free.path)
        self._edit(plan.free)
        self._end_always()

        about = translate(
            "Claude Code, Codex, and other programs run `agentfs-lsp mcp`, which finds the editor's server."
        )
        scene(7, translate("An agent in another program"), about)
        self._outside(plan.outside)

    # --- the agents ----------------------------------------------------------------------------------------

    def _outside(self, edit: Edit) -> None:
        self._ledger.touch(edit.path)
        self.editor.outcome, self._suggested, self._answer = "", ACCEPT, ACCEPT
        arguments = {"old_string": edit.old, "new_string": edit.new, "explanation": edit.why}
        calls = [("read", {"path": edit.path}), ("edit", {"path": edit.path, **arguments})]
        with ThreadPoolExecutor(1) as thread, self._start_agent() as agent:  # whose end also ends the thread
            self.editor.attend(thread.submit(agent.play, calls, self._screen.outside))
        outcome = self.editor.outcome
        if outcome == "landed":
            outcome = self._answer.decision
            if self._answer.texts:
                self._ledger.become(edit.path, self._answer.texts[0][1])
            else:
                self._ledger.replace(edit.path, edit.old, edit.new)
        if outcome:  # else nobody was asked, and the result says why
            self._ledger.note(edit.path, _in_words(outcome, self._translate))

    def _read(self, path: str) -> None:
        self._ledger.touch(path)
        self._screen.read(path, self.editor.call("agentfs/read", {"path": path, **WHO}))

    def _edit(self, edit: Edit, suggested: Answer = ACCEPT) -> Envelope:
        params = {"path": edit.path, "old_string": edit.old, "new_string": edit.new, "explanation": edit.why}
        as_requested = partial(self._ledger.replace, edit.path, edit.old, edit.new)
        return self._change("agentfs/edit", params, as_requested, suggested)

    def _write(self, file: NewFile) -> None:
        self._ledger.touch(file.path)
        params = {"path": file.path, "content": file.content, "explanation": file.why}
        self._change("agentfs/write", params, partial(self._ledger.become, file.path, file.content), ACCEPT)

    def _change(
        self, method: str, params: dict[str, Any], as_requested: Callable[[], None], suggested: Answer
    ) -> Envelope:
        """`as_requested`: records the file's text, unless the person wrote another."""
        if self._always and self._person:
            match self._person.ends_always():
                case None:
                    raise UnansweredError
                case True:
                    self._end_always()
        self._suggested, self._answer = suggested, ACCEPT
        self._screen.request(method, params)
        envelope: Envelope = self.editor.call(method, {**params, **WHO})
        self._screen.result(envelope)
        self._ledger.note(params["path"], _outcome(envelope, self._translate))
        if self._answer.always:
            self._screen.always_is_on()
        if "error" not in envelope:
            if self._answer.texts:
                self._ledger.become(params["path"], self._answer.texts[0][1])
            else:
                as_requested()
        return envelope

    # --- the others ----------------------------------------------------------------------------------------

    def _change_on_disk(self, edit: Edit) -> None:
        file = self._ledger.root / edit.path
        data = file.read_bytes()
        old, new = _in_kind(edit, data.decode("utf-8"))
        file.write_bytes(data.replace(old.encode(), new.encode(), 1))
        self._ledger.replace(edit.path, edit.old, edit.new)
        told = self._translate("saves {path}: {line}", path=edit.path, line=_last_line(edit.new))
        self._screen.aside(self._translate("someone"), told)

    def _type(self, uri: str, edit: Edit) -> None:
        document = self.editor.documents.get(uri)
        assert document is not None
        self.editor.documents.type(uri, *_in_kind(edit, document.text))
        self._ledger.touch(edit.path)
        self._ledger.replace(edit.path, edit.old, edit.new)
        line = _last_line(edit.new)
        self._hear(self._translate("{path} is open and has unsaved text: {line}", path=edit.path, line=line))

    def _decide(self, proposal: Proposal) -> Answer | None:
        """Show it and get an answer; None if nobody is there."""
        self._screen.proposal(proposal)
        answer = self._person.answer(proposal, self._suggested) if self._person else self._suggested
        self._screen.decision(answer)
        if answer is not None:
            self._answer = answer
            self._always = self._always or answer.always
        return answer

    def _hear(self, what: str) -> None:
        """Something that happened in the editor."""
        self._screen.aside(self._translate("editor"), what)

    def _end_always(self) -> None:
        if self._always:
            self.editor.call("agentfs/setApprovalMode", {"mode": "manual", "session": SESSION})
            self._always = False
            self._hear(
                self._translate(
                    "always is off (agentfs/setApprovalMode manual): every change requires approval"
                )
            )


def _in_kind(edit: Edit, text: str) -> tuple[str, str]:
    """Old and new text in the line ends of `text`."""
    eol = first_eol(text)
    return with_eol(edit.old, eol), with_eol(edit.new, eol)


def _last_line(text: str) -> str:
    return text.rstrip("\n").rsplit("\n", 1)[-1]


def _code(envelope: Envelope) -> str | None:
    error: dict[str, str] = envelope.get("error") or {}
    return error.get("code")


def _outcome(envelope: Envelope, translate: Translate) -> str:
    review = envelope["data"].get("review") or envelope["context"].get("review") or {}
    return _in_words(review.get("decision") or (_code(envelope) or envelope["status"]).lower(), translate)


def _in_words(outcome: str, translate: Translate) -> str:
    words = {
        "accepted": translate("accepted"),
        "amended": translate("amended"),
        "rejected": translate("rejected"),
        "allowed": translate("allowed"),
        "conflict": translate("conflict"),
    }
    return words.get(outcome, outcome)  # else a protocol code, which isn't translated
