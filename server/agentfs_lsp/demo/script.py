"""The demo, scene by scene: the agent's requests, and what happens around them.

It works with any plan and any answers: no scene depends on the outcome of an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from agentfs_lsp.demo.editor import Editor, UnansweredError
from agentfs_lsp.demo.ledger import Ledger
from agentfs_lsp.demo.plan import Edit, NewFile, Plan
from agentfs_lsp.demo.review import ACCEPT, ALWAYS, Answer
from agentfs_lsp.demo.screen import Screen
from agentfs_lsp.demo.seat import ReviewUI
from agentfs_lsp.domain.diff.line_ends import first_eol
from agentfs_lsp.domain.text.lines import with_eol
from agentfs_lsp.domain.translation import Translate

SESSION = "demo"
WHO = {"session": SESSION, "agent": "Demo agent"}

Envelope = dict[str, Any]


class Turn:
    """One agent's turn in the workspace `root`."""

    def __init__(
        self, root: Path, editor: Editor, seat: ReviewUI, screen: Screen, ledger: Ledger, translate: Translate
    ) -> None:
        self._root = root
        self._editor = editor
        self._seat = seat
        self._screen = screen
        self._ledger = ledger
        self._translate = translate

    def play(self, plan: Plan) -> None:
        """All scenes in order. Raises what `Editor.call` raises."""
        for number, scene in enumerate(_scenes(self._translate), 1):
            self._screen.scene(number, scene.title, scene.about)
            scene.play(self, plan)
        self._end_always()

    def edit_after_read(self, plan: Plan) -> None:
        self._read(plan.first.path)
        self._edit(plan.first)

    def create(self, plan: Plan) -> None:
        self._write(plan.created)

    def meet_a_change(self, plan: Plan) -> None:
        self._read(plan.contested.path)
        self._change_on_disk(plan.behind)
        if _code(self._edit(plan.contested)) == "CONFLICT":
            self._read(plan.contested.path)
            self._edit(plan.contested)

    def share_the_editor(self, plan: Plan) -> None:
        uri = self._editor.documents.open(self._root / plan.unsaved.path)
        self._type(uri, plan.typed)
        self._read(plan.unsaved.path)
        self._edit(plan.unsaved)
        self._editor.documents.save(uri)
        self._screen.aside(self._translate("editor"), self._translate("saved {path}", path=plan.unsaved.path))
        self._editor.documents.close(uri)

    def be_refused(self, plan: Plan) -> None:
        self._read(plan.refused.path)
        self._edit(plan.refused, Answer("rejected", plan.reason))

    def be_trusted(self, plan: Plan) -> None:
        self._read(plan.standing.path)
        self._edit(plan.standing, ALWAYS)
        self._read(plan.free.path)
        self._edit(plan.free)

    # --- the agent -----------------------------------------------------------------------------------------

    def _read(self, path: str) -> None:
        self._ledger.touch(path)
        self._screen.read(path, self._editor.call("agentfs/read", {"path": path, **WHO}))

    def _edit(self, edit: Edit, suggested: Answer = ACCEPT) -> Envelope:
        params = {"path": edit.path, "old_string": edit.old, "new_string": edit.new, "explanation": edit.why}
        envelope = self._change("agentfs/edit", params, suggested)
        if _landed(envelope):
            self._settle_text(edit.path, lambda: self._ledger.replace(edit.path, edit.old, edit.new))
        return envelope

    def _write(self, file: NewFile) -> None:
        self._ledger.touch(file.path)
        params = {"path": file.path, "content": file.content, "explanation": file.why}
        if _landed(self._change("agentfs/write", params, ACCEPT)):
            self._settle_text(file.path, lambda: self._ledger.become(file.path, file.content))

    def _change(self, method: str, params: dict[str, Any], suggested: Answer) -> Envelope:
        if self._seat.always:
            self._go_on_unasked()
        self._seat.prepare(suggested)
        self._screen.request(method, params)
        envelope: Envelope = self._editor.call(method, {**params, **WHO})
        self._screen.result(envelope)
        self._ledger.note(params["path"], _outcome(envelope, self._translate))
        if self._seat.last and self._seat.last.always:
            self._screen.always_is_on()
        return envelope

    def _go_on_unasked(self) -> None:
        match self._seat.ends_always():
            case None:
                raise UnansweredError
            case True:
                self._end_always()

    def _settle_text(self, path: str, as_asked: Callable[[], None]) -> None:
        """The file's text now: the person's version, or else what the agent requested."""
        amended = self._seat.last.texts if self._seat.last else ()
        if amended:
            self._ledger.become(path, amended[0][1])
        else:
            as_asked()

    # --- the others ----------------------------------------------------------------------------------------

    def _change_on_disk(self, edit: Edit) -> None:
        file = self._root / edit.path
        data = file.read_bytes()
        old, new = _in_kind(edit, data.decode("utf-8"))
        file.write_bytes(data.replace(old.encode(), new.encode(), 1))
        self._ledger.replace(edit.path, edit.old, edit.new)
        self._screen.aside(
            self._translate("someone"),
            self._translate("saves {path}: {line}", path=edit.path, line=_last_line(edit.new)),
        )

    def _type(self, uri: str, edit: Edit) -> None:
        document = self._editor.documents.get(uri)
        assert document is not None
        self._editor.documents.type(uri, *_in_kind(edit, document.text))
        self._ledger.touch(edit.path)
        self._ledger.replace(edit.path, edit.old, edit.new)
        self._screen.aside(
            self._translate("editor"),
            self._translate(
                "{path} is open and has unsaved text: {line}", path=edit.path, line=_last_line(edit.new)
            ),
        )

    def _end_always(self) -> None:
        if self._seat.always:
            self._editor.call("agentfs/setApprovalMode", {"mode": "manual", "session": SESSION})
            self._seat.always = False
            self._screen.aside(
                self._translate("editor"),
                self._translate(
                    "always is off (agentfs/setApprovalMode manual): every change requires approval"
                ),
            )


class Scene(NamedTuple):
    title: str
    about: str
    play: Callable[[Turn, Plan], None]


def _scenes(translate: Translate) -> tuple[Scene, ...]:
    return (
        Scene(
            translate("Read, then edit"),
            translate("Nothing is written before you have seen and accepted the diff."),
            Turn.edit_after_read,
        ),
        Scene(
            translate("A new file"),
            translate("Not even its folder is created before you answer."),
            Turn.create,
        ),
        Scene(
            translate("A concurrent change"),
            translate(
                "The file changes between the agent's read and its edit. The edit must not "
                "overwrite that change."
            ),
            Turn.meet_a_change,
        ),
        Scene(
            translate("Unsaved text"),
            translate("The agent reads what the editor shows, saved or not. You decide when to save."),
            Turn.share_the_editor,
        ),
        Scene(
            translate("A rejection with a reason"),
            translate("A rejected change changes nothing. The agent gets your reason."),
            Turn.be_refused,
        ),
        Scene(
            translate("Always"),
            translate("Accepts this change and all later changes of this session without asking."),
            Turn.be_trusted,
        ),
    )


def _in_kind(edit: Edit, text: str) -> tuple[str, str]:
    """Old and new text in the line ends of `text`."""
    eol = first_eol(text)
    return with_eol(edit.old, eol), with_eol(edit.new, eol)


def _last_line(text: str) -> str:
    return text.rstrip("\n").rsplit("\n", 1)[-1]


def _landed(envelope: Envelope) -> bool:
    return "error" not in envelope


def _code(envelope: Envelope) -> str | None:
    error: dict[str, str] = envelope.get("error") or {}
    return error.get("code")


def _outcome(envelope: Envelope, translate: Translate) -> str:
    review = envelope["data"].get("review") or envelope["context"].get("review") or {}
    outcome: str = review.get("decision") or (_code(envelope) or envelope["status"]).lower()
    words = {
        "accepted": translate("accepted"),
        "amended": translate("amended"),
        "rejected": translate("rejected"),
        "allowed": translate("allowed"),
        "conflict": translate("conflict"),
    }
    return words.get(outcome, outcome)  # else a protocol code, which isn't translated
