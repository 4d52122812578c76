"""Shows each proposal, gets an answer from the person, and records it."""

from __future__ import annotations

from agentfs_lsp.api.proposals import Proposal, ReviewedFile
from agentfs_lsp.demo.person import Person
from agentfs_lsp.demo.review import ACCEPT, Answer
from agentfs_lsp.demo.screen import Screen
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import whole
from agentfs_lsp.domain.translation import Translate


class ReviewUI:
    """`person` None: the demo answers by itself, as each scene suggests."""

    def __init__(self, screen: Screen, person: Person | None, translate: Translate) -> None:
        self.suggested = ACCEPT
        self.last: Answer | None = None
        self.always = False
        self._screen = screen
        self._person = person
        self._translate = translate

    def prepare(self, suggested: Answer) -> None:
        """A change is about to be requested; the scene suggests this answer."""
        self.suggested, self.last = suggested, None

    def decide(self, proposal: Proposal) -> Answer | None:
        """Show it and get an answer; None if nobody is there."""
        self._screen.proposal(proposal, [(file, _diff_of(file)) for file in proposal["files"]])
        answer = self._person.answer(proposal, self.suggested) if self._person else self.suggested
        self._screen.decision(answer)
        self.last = answer
        self.always = self.always or bool(answer and answer.always)
        return answer

    def hear(self, what: str) -> None:
        """Something that happened in the editor."""
        self._screen.aside(self._translate("editor"), what)

    def ends_always(self) -> bool | None:
        """Whether the person wants to be asked again from now on; None if nobody is there."""
        return self._person.ends_always() if self._person else False


def _diff_of(file: ReviewedFile) -> str:
    """The whole diff: it is never truncated before a decision."""
    hunks = diff(file["base_text"], file["proposed_text"])
    return whole(file["base_text"], hunks, file["path"], operation=file["operation"], context=1)
