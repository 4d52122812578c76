"""The invariants checked at every step and answer of the simulation.

- Nothing unapproved is written; what was reviewed is what is written or sent to the editor.
- The server's writes and edits remove neither what users and other programs wrote, nor anything that no
  approved change removes.
- Every answer is true (`support/judge.py`), including reads, undos and the order of messages.
- Every request gets one answer.

A moment when everyone waits is a `rest`: afterwards the server must know what it was told before.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from dataclasses import dataclass, field
from sys import maxsize
from typing import TYPE_CHECKING, NoReturn

from support.judge import ChangeRequest, Event, Judge, Place, Violation, plain, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from support.wire import Message

_NUMBER = re.compile(r"request (\d+)")
_CHANGED = re.compile(r"<c(\d+)\.")
REQUEST_CANCELLED = -32800


def explanation_of(number: int) -> str:
    """Identifies proposals."""
    return f"request {number}."


def number_in(text: str) -> int:
    """The request that a proposal's text is about; 0 if it names none."""
    found = _NUMBER.search(text)
    return int(found[1]) if found else 0


@dataclass(eq=False)
class Asked(ChangeRequest):
    """A request that changes files. `ended`: the last event it can have caused; `reached`: the number of
    rests when it reached the server; `basis`: by path, the text a write was based on. For an undo without an
    id: `means`, the session's last change when it reached the server, and `behind`, the session's changes
    unanswered at that time."""

    ended: int | None = None
    is_dry: bool = False
    basis: dict[str, str | None] = field(default_factory=dict)
    means: str | None = None
    is_cancelled: bool = False
    behind: list[Asked] = field(default_factory=list)
    reached: int = -1
    must_wait: bool = False


@dataclass(eq=False)
class Review:
    """A review client's messages about one proposal. `settles`, in order of arrival: params and response, if
    any. `in_time`: the ids of approvals that arrived before anything withdrew the proposal."""

    number: int
    id: str
    session: str
    files: dict[str, str]
    shown: Message | None = None
    settles: list[tuple[Message, list[Message]]] = field(default_factory=list)
    unanswered: set[int] = field(default_factory=set)
    in_time: set[int] = field(default_factory=set)
    is_over: bool = False

    def binding(self, path: str) -> str | None:
        """The text the file must get by the first effective settle; None if unknown."""
        for params, answers in self.settles:
            if params["decision"] == "amended" and not params.get("files"):
                continue  # it is refused
            if answers and answers[0].get("code") in ("INVALID_PARAM", "UNKNOWN"):
                continue
            for file in params.get("files", ()):
                if self.files.get(file["uri"]) == path and file.get("text") is not None:
                    return str(file["text"])
            return self._text_of(path, "proposed_text")
        return None

    def base(self, path: str) -> str | None:
        return self._text_of(path, "base_text")

    def _text_of(self, path: str, key: str) -> str | None:
        files = self.shown["files"] if self.shown else ()
        return next((file[key] for file in files if file["path"] == path), None)


class Oracle:
    """`judge.World`. `rests` returns the number of rests so far, `kept` what history records of a change.
    `in_order`: requests start in order of arrival."""

    def __init__(
        self,
        paths: Sequence[str],
        rests: Callable[[], int],
        kept: Callable[[str], Mapping[str, str | None]],
        note: Callable[[str], None],
    ) -> None:
        self.disk: dict[str, Place] = {}
        self.buffers: dict[str, Place] = {}
        for path in paths:
            self.add_file(path)
        self.forfeit: set[str] = set()
        self.answers: Counter[str] = Counter()
        self.asked: dict[int, Asked] = {}
        self.approved: dict[int, set[str] | None] = {}
        self.reviews: dict[str, Review] = {}
        self.lets_through: set[str] = set()
        self.last_landed: dict[str, tuple[str, int]] = {}
        self._session_knows: dict[tuple[str, str], object] = {}
        self.in_order = True
        self.violations: list[Violation] = []
        self._rests = rests
        self._kept = kept
        self._note = note
        self._count = 0
        self._told: list[tuple[int, Event]] = []
        self._past: list[Asked] = []
        self._all: list[Asked] = []

    def fail(self, what: str) -> NoReturn:
        """Raise Violation, and remember it, because the server may catch it."""
        violation = Violation(what)
        self.violations.append(violation)
        raise violation

    def found(self, violation: Violation, cause: BaseException) -> None:
        """Record a violation found elsewhere."""
        violation.__cause__ = cause
        self.violations.append(violation)

    def add_file(self, path: str) -> None:
        for places in (self.disk, self.buffers):
            if path not in places:
                places[path] = Place()
                places[path].note(None, Event(0, known=True))

    # --- what happened ------------------------------------------------------------------------------------

    def event(self) -> Event:
        self._count += 1
        return Event(self._count)

    def told(self, event: Event) -> None:
        """The server knows of it by the next rest."""
        self._told.append((self._rests(), event))

    def disturb(self) -> None:
        """Something interferes with pending requests."""
        for asked in self.asked.values():
            asked.disturbed = True

    def on_disk(self, path: str, text: str | None, *, saved: bool) -> None:
        """A user or a program wrote a file. A save may remove what an agent had already removed in the
        editor."""
        place = self.disk[path]
        lost = tokens(place.text) - tokens(text)
        if text is None:
            lost |= place.gone.keys()  # what a change had removed from it is no longer known
        if saved:
            reviewed = {review.number for review in self.reviews.values()}
            applied = [one for one in self.under_way if one.number in reviewed or not reviewed]
            was_open = self.buffers[path].since.keys() | self.buffers[path].gone.keys()
            lost -= set().union(*(one.all_removed for one in applied)) & was_open
        self.forfeit |= lost
        self._note(f"{path} on disk: {text!r}")
        event = self.event()
        place.note(text, event)
        self.told(event)
        self.disturb()

    def in_buffer(self, path: str, text: str | None) -> Event:
        """The editor now holds this text, and is about to report it."""
        self._note(f"{path} in the editor: {text!r}")
        event = self.event()
        self.buffers[path].note(text, event)
        self.disturb()
        return event

    def is_open(self, path: str) -> bool:
        return self.buffers[path].text is not None

    # --- what the server does -----------------------------------------------------------------------------

    def server_wrote(self, path: str, before: str | None, after: str | None) -> None:
        self._note(f"the server writes {path}: {after!r}")
        event = self.event()
        event.known = event.by_server = True
        self.disk[path].note(after, event)
        self._check_approved(path, before, after)
        self._check_kept(f"a landing in {path}", path, before, after)
        self._check_reviewed(path, before, after)

    def editor_edited(self, path: str, before: str, after: str) -> None:
        """The editor makes an edit, or part of it, as told by the server: all of it gives `after`."""
        self._check_kept(f"an edit of {path}", path, before, after)

    def keeps(self, path: str, before: str, after: str) -> bool:
        """Whether an edit removes only what it may."""
        found = len(self.violations)
        with contextlib.suppress(Violation):
            self._check_kept("", path, before, after)
        keeps = len(self.violations) == found
        del self.violations[found:]
        return keeps

    def handed(self, review: Review, path: str, after: str) -> None:
        """A settle's response turns the document into `after`."""
        wanted = review.binding(path)
        if wanted is not None and plain(after) != plain(wanted):
            self.fail(f"{path} was to read {wanted!r}, and is made to read {after!r}")

    def _check_approved(self, path: str, before: str | None, after: str | None) -> None:
        for one in tokens(after) - tokens(before):
            made = _CHANGED.match(one)
            if made is None:
                continue
            asked = next((one for one in self._all if one.number == int(made[1])), None)
            paths = self.approved.get(int(made[1]), set())
            if paths is None or path in paths or (asked is not None and asked.session in self.lets_through):
                continue
            self.fail(f"{one} is written to {path}, and nobody approved it")

    def _check_reviewed(self, path: str, before: str | None, after: str | None) -> None:
        """The written text was reviewed exactly, or is the previous one."""
        for review in self.reviews.values():
            asked = self.asked.get(review.number)
            if review.is_over or asked is None or path not in asked.paths:
                continue
            wanted, base = review.binding(path), plain(review.base(path))
            if wanted is None or plain(after or "") in (plain(wanted), base):
                continue
            # A save had ended the document's last line without reporting it, and the file keeps that end.
            if plain(before) != f"{base}\n" or plain(after) != f"{plain(wanted)}\n" or wanted.endswith("\n"):
                self.fail(f"{path} was to read {wanted!r}, and {after!r} is written over {before!r}")

    def _check_kept(self, what: str, path: str, before: str | None, after: str | None) -> None:
        lost = tokens(before) - tokens(after) - self.forfeit - self._within_what_is_undone(before or "")
        excused = set().union(*(one.removed.get(path, ()) for one in self._all if one.basis))
        theirs = {one for one in lost - excused if one[1] in "uo"}
        changes = self._all
        meant: set[str] = set().union(*(one.removed.get(path, ()) for one in changes))
        own = {one for one in lost - theirs - meant if not any(self._is_own(asked, one) for asked in changes)}
        if theirs or own:
            self.fail(f"{what} loses {sorted(theirs | own)}: {before!r} -> {after!r}")

    def _within_what_is_undone(self, text: str) -> set[str]:
        """Tokens in or among lines inserted by a change that is to be undone: they may go with it."""
        undone = [f"<c{one.undoes}." for one in self.asked.values() if one.undoes is not None]
        lines = text.splitlines()
        own = [any(one in line for one in undone) for line in lines]
        return {
            token
            for at, line in enumerate(lines)
            if own[at] or (any(own[max(at - 3, 0) : at]) and any(own[at : at + 4]))
            for token in tokens(line)
        }

    # --- requests of agents -------------------------------------------------------------------------------

    @property
    def under_way(self) -> Sequence[ChangeRequest]:
        """Pending requests, with what may have interfered since they started. Each may remove what its
        session inserted before, or what it undoes."""
        changes = [*self.asked.values(), *self._past]
        seen = {one for place in self._places() for one in [*place.since, *place.gone]}
        for asked in changes:
            asked.beside = {one for one in seen if self._is_own(asked, one)}
        return changes

    def _is_own(self, asked: Asked, token: str) -> bool:
        made = _CHANGED.match(token)
        if made is None:
            return False
        number = int(made[1])
        maker = next((one for one in self._all if one.number == number), None)
        return number in (asked.number, asked.undoes) or (
            maker is not None and maker.session == asked.session
        )

    def begin(self, asked: Asked) -> None:
        asked.began = self._count
        if asked.undoes is not None:
            self._undoes(asked)
        self._all.append(asked)
        self.asked[asked.number] = asked
        if len(self.asked) > 1:
            self.disturb()

    def reached(self, asked: Asked) -> None:
        """The request has reached the server."""
        asked.reached = self._rests()
        for path, text in asked.basis.items():
            if (
                self._session_knows.get((asked.session, path), ...) != text
            ):  # it was told more, and answers cross
                seen = {one for place in self._places() for one in [*place.since, *place.gone]}
                asked.removed[path] = seen - tokens(str(asked.params))
        if asked.undoes is not None and "change_id" not in asked.params:
            asked.means, asked.undoes = self.last_landed.get(asked.session, (None, asked.undoes))
            self._undoes(asked)
            asked.behind = [
                one
                for one in self.asked.values()
                if one.session == asked.session and one is not asked and one.reached >= 0 and not one.is_dry
            ]

    def _undoes(self, asked: Asked) -> None:
        """An undo removes what its change inserted."""
        for path in asked.paths:
            text = self.buffers[path].text or self.disk[path].text
            asked.removed[path] = {one for one in tokens(text) if one.startswith(f"<c{asked.undoes}.")}

    def tells(self, session: str, path: str, text: object) -> None:
        """An answer tells a session a file's text or, if not a string, that it has changed."""
        self._session_knows[session, path] = text

    def _places(self) -> list[Place]:
        return [*self.disk.values(), *self.buffers.values()]

    def approve(self, number: int, paths: set[str] | None) -> None:
        """A user approves; None: all files."""
        known = self.approved.get(number, set())
        self.approved[number] = None if paths is None or known is None else known | paths

    def answered(self, asked: Asked, answer: Message) -> None:
        """The server answers. Raises Violation if the answer is untrue."""
        rests = self._rests()
        for at, event in self._told:
            event.known = event.known or at < rests
        self._told = [one for one in self._told if one[0] >= rests]
        del self.asked[asked.number]
        # The editor may still apply, at any time, what is not known.
        asked.ended = maxsize if "'landing': 'unknown'" in str(answer) else self._count
        for undo in self.asked.values():
            if asked not in undo.behind:
                continue
            undo.must_wait |= rests > undo.reached
            if rests == undo.reached and undo.means is not None:  # it was answered before the undo began
                undo.means, undo.undoes = self.last_landed[asked.session]
                self._undoes(undo)
        asked.must_wait |= any(one.ended is None for one in asked.behind)
        try:
            self._check_answer(asked, answer)
        except Violation as violation:
            self.violations.append(violation)
            raise
        finally:
            oldest = min((one.began for one in self.asked.values()), default=self._count)
            self._past = [one for one in [*self._past, asked] if (one.ended or 0) >= oldest]

    def _check_answer(self, asked: Asked, answer: Message) -> None:
        if asked.is_dry:
            self._check_dry(asked)
            return
        for review in self.reviews.values():
            if review.number == asked.number and not review.is_over:
                self.fail(f"request {asked.number} is answered before its review is told to be over")
        data = answer.get("data") or {}
        if answer["status"] != "error" and asked.method == "agentfs/undo":
            self._check_undone(asked, data)
        self.asked[asked.number] = asked
        try:
            with contextlib.suppress(StopIteration):
                Judge(self, asked).check(answer).send(None)  # it never waits here
        finally:
            del self.asked[asked.number]

    def _check_dry(self, asked: Asked) -> None:
        for path, place in [*self.disk.items(), *self.buffers.items()]:
            if any(asked.is_of(one) for one in tokens(place.text)):
                self.fail(f"the dry run {asked.number} changed {path}")

    def _check_undone(self, asked: Asked, data: Message) -> None:
        if not self.in_order:
            return
        if asked.must_wait:
            self.fail(f"undo {asked.number} went on though a change of its session had no answer")
        if asked.means is not None and data["undone"] != asked.means:
            self.fail(f"undo {asked.number} undid {data['undone']}, and {asked.means} was the last")

    async def kept(self, change_id: str) -> Mapping[str, str | None]:
        """`judge.World`."""
        return self._kept(change_id)

    def landed(self, asked: ChangeRequest) -> None:
        """`judge.World`."""

    def read(self, path: str, began: int, content: str) -> None:
        """A read returned the whole text."""
        states = self.buffers[path].held_since(began)
        if None in states or not states:
            states = [*states, *self.disk[path].held_since(began)]
        if plain(content) not in map(plain, states):
            self.fail(f"{path} is read as {content!r}; it was {states}")

    @property
    def now(self) -> int:
        return self._count

    def crashed(self, half_landed: Iterable[str]) -> None:
        """Pending requests get no answer; they may have landed. Nobody may read what is half landed."""
        for path in half_landed:
            self.disk[path].states[-1][0].is_half = True
        self._past += self.asked.values()
        self.asked.clear()
        self.reviews.clear()
        self.last_landed.clear()
