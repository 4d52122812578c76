"""Checks whether an answer is true, given the history of disk and buffers in a random world: that of the
model of the real process (`support/model.py`) or of the simulation (`support/simulation/`).

Every inserted line has a unique token that identifies its author on disk and in buffers. An answer must match
what disk and buffers held:

- an error without `landing: "unknown"`: nothing of the change is on disk or in a buffer, and nothing it would
  have removed is gone;
- `landing: "disk"`: at that time the disk held exactly what history records as landed, which is some of the
  change; `"editor"`: the buffer held every line the change inserted, and none it removed;
- `landing: "unknown"`: something happened that justifies it, and every file with some of the change is
  named.

A buffer's state counts against an answer only if the server had received it before (`Event.known`).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from support.wire import Message

TOKEN = re.compile(r"<[buoc]\d+(?:\.\d+)?>")


class Violation(AssertionError):
    """An untrue answer, or a lost text."""


@dataclass(eq=False)
class Event:
    """A change on disk or in the editor. `known`: the server has since answered a later request; `by_server`:
    the server caused it; `is_half`: a crash left it, as part of a landing that recovery will revert."""

    number: int
    known: bool = False
    by_server: bool = False
    is_half: bool = False


class Place:
    """The history of one file, on disk or in the editor."""

    def __init__(self) -> None:
        self.states: list[tuple[Event, str | None]] = []
        self.since: dict[str, Event] = {}
        self.gone: dict[str, Event] = {}

    @property
    def text(self) -> str | None:
        return self.states[-1][1] if self.states else None

    def note(self, text: str | None, event: Event) -> None:
        if self.states and self.states[-1][1] == text:
            return
        self.states.append((event, text))
        now = tokens(text)
        self.gone = {one: event for one in self.since if one not in now} | {
            one: when for one, when in self.gone.items() if one not in now
        }
        self.since = {one: self.since.get(one, event) for one in now}

    def put_in(self, event: Event) -> set[str]:
        """What it put in."""
        at = next(at for at, (one, _) in enumerate(self.states) if one is event)
        return tokens(self.states[at][1]) - tokens(self.states[at - 1][1])

    def held_since(self, number: int) -> list[str | None]:
        """Every state from event `number` on that may be read, including the one then current."""
        before = [one for one in self.states if one[0].number <= number][-1:]
        since = [one for one in self.states if one[0].number > number]
        return [text for at, text in before + since if not at.is_half]

    def standing(self) -> list[str | None]:
        """Every state that the server may have seen last."""
        last = max((at for at, (event, _) in enumerate(self.states) if event.known), default=0)
        return [text for _, text in self.states[last:]]

    def written_since(self, number: int) -> list[str | None]:
        """Every state since `number` that the server caused."""
        return [text for at, text in self.states if at.number > number and at.by_server]


def tokens(text: str | None) -> set[str]:
    return set(TOKEN.findall(text or ""))


def plain(text: str | None) -> str | None:
    return None if text is None else text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


@dataclass
class ChangeRequest:
    """A pending request. By path, `removed`: tokens it removes; `beside`: others that may go with them."""

    number: int
    method: str
    params: Message
    session: str
    paths: list[str]
    removed: dict[str, set[str]] = field(default_factory=dict)
    began: int = 0
    disturbed: bool = False
    undoes: int | None = None
    beside: set[str] = field(default_factory=set)

    @property
    def all_removed(self) -> set[str]:
        return self.beside.union(*self.removed.values())

    def is_of(self, token: str) -> bool:
        return token.startswith(f"<c{self.number}.")


class World(Protocol):
    """What the judge knows about the world besides the answer. `forfeit`: tokens that people and programs
    removed themselves."""

    disk: dict[str, Place]
    buffers: dict[str, Place]
    forfeit: set[str]
    answers: Counter[str]

    @property
    def under_way(self) -> Sequence[ChangeRequest]: ...

    def is_open(self, path: str) -> bool: ...

    async def kept(self, change_id: str) -> Mapping[str, str | None]:
        """What history records of a change as landed, by path."""

    def landed(self, asked: ChangeRequest) -> None: ...


class Judge:
    """Compares one answer with disk and buffers at the time it arrives."""

    def __init__(self, world: World, asked: ChangeRequest) -> None:
        self._world = world
        self._asked = asked

    async def check(self, answer: Message) -> None:
        """Raise Violation."""
        world, asked = self._world, self._asked
        holding = self._holding()
        if answer["status"] == "error":
            world.answers["unknown" if answer["context"].get("landing") == "unknown" else "error"] += 1
            self._check_error(answer, holding)
            return
        world.answers[answer["data"].get("landing", "none")] += 1
        self._check_results(answer, holding)
        if "change_id" in answer["data"]:
            await self._check_landed(answer)
            world.landed(asked)

    def _fail(self, what: str) -> None:
        raise Violation(f"{what} (request {self._asked.number})")

    def _holding(self) -> dict[str, set[str]]:
        """Where some of the change is, as far as the server knew in time."""
        world, asked = self._world, self._asked
        found: dict[str, set[str]] = {}
        for where, places in (("disk", world.disk), ("editor", world.buffers)):
            for path, place in places.items():
                if any(asked.is_of(one) and event.known for one, event in place.since.items()):
                    found.setdefault(path, set()).add(where)
        others = [one for one in world.under_way if one is not asked]
        by_others = set().union(*(one.all_removed for one in others))
        undone = {path for one in others if one.undoes is not None for path in one.paths}
        for path, removed in asked.removed.items():
            if path in undone:  # what the other request takes out there, its change may have brought back
                continue
            where, place = self._truth(path)
            for one in removed - world.forfeit - by_others:
                event = None if any(other.is_of(one) for other in others) else place.gone.get(one)
                if event is None or not event.known or event.number <= asked.began:
                    continue
                if not any(other.is_of(new) for other in others for new in place.put_in(event)):
                    found.setdefault(path, set()).add(f"{where}, without {one}")
        return found

    def _truth(self, path: str) -> tuple[str, Place]:
        world = self._world
        return ("editor", world.buffers[path]) if world.is_open(path) else ("disk", world.disk[path])

    def _check_error(self, answer: Message, holding: dict[str, set[str]]) -> None:
        context = answer["context"]
        if answer["error"]["code"] == "INTERNAL_ERROR":
            self._fail("an internal error")
        if context.get("landing") != "unknown":
            if holding:
                self._fail(f"{answer['error']['code']}, but {holding} hold some of it")
            return
        asked = self._asked
        self._check_unknown(answer["error"]["message"])
        named = {one["path"] for one in context["files"]}
        for path, places in holding.items():
            if path not in asked.paths and "editor" not in places:
                continue  # nobody can know yet that the file was renamed to this
            if path not in named:
                self._fail(f"{path} holds some of it ({places}), and only {named} are named")

    def _check_unknown(self, message: str) -> None:
        world, asked = self._world, self._asked
        seen = any(
            asked.is_of(one)
            for places in (world.disk, world.buffers)
            for place in places.values()
            for text in place.held_since(asked.began)
            for one in tokens(text)
        )
        if not (seen or asked.disturbed):
            self._fail(f"unknown without a reason: {message}")

    def _check_results(self, answer: Message, holding: dict[str, set[str]]) -> None:
        asked, unsure = self._asked, set()
        for result in answer["data"].get("results", []):
            if result["status"] != "error":
                continue
            path = result["path"]
            if result.get("landing") == "unknown":
                unsure.add(path)
                self._check_unknown(result["error"]["message"])
            elif path in holding:
                self._fail(f"{result['error']['code']} for {path}, but {holding[path]} holds some of it")
        if answer["data"]["applied"] and unsure:
            self._fail("applied, though some of it is unknown")
        if asked.params.get("atomic") and not answer["data"].get("landing") and not unsure and holding:
            self._fail(f"nothing landed, but {holding} hold some of it")

    async def _check_landed(self, answer: Message) -> None:
        world, data = self._world, answer["data"]
        landings = self._landings(answer)
        standing = {path: self._told_of(path, where) for path, where in landings.items()}
        for path, text_after in (await world.kept(data["change_id"])).items():
            if path not in landings:
                self._fail(f"history has {path}, the answer has not")
            after, holds = plain(text_after), self._holds
            if not any(holds(path, landings[path], plain(text), after) for text in standing[path]):
                self._fail(f"{path} is told as on {landings[path]} as {after!r}; it was {standing[path]}")
            if "amendments" not in data["review"] and not self._has_some(path, after):
                self._fail(f"{path} is told as landed as {after!r}, which holds nothing of the change")
        if data["applied"] and set(landings.values()) != {"disk"}:
            self._fail(f"applied, but {landings}")

    def _told_of(self, path: str, where: str) -> list[str | None]:
        """The file's possible states when the server looked; for a closed file, when it was written."""
        world, began = self._world, self._asked.began
        if where == "editor":
            return world.buffers[path].standing()
        written = world.disk[path].written_since(began)
        if any(text is not None for text in world.buffers[path].held_since(began)):
            return [*world.disk[path].standing(), *written]  # it may have been opened since
        return written

    def _holds(self, path: str, where: str, text: str | None, after: str | None) -> bool:
        if text == after:
            return True
        if where == "disk" or text is None:
            return False
        lines = text.splitlines()
        put_in = [one for one in (after or "").splitlines() if any(map(self._asked.is_of, tokens(one)))]
        gone = self._asked.removed.get(path, set()) - tokens(after)
        return all(one in lines for one in put_in) and not gone & tokens(text)

    def _has_some(self, path: str, after: str | None) -> bool:
        asked = self._asked
        removed = asked.removed.get(path, set())
        operations = [one["params"] for one in asked.params.get("operations", [])] or [asked.params]
        sent = "".join(str(one) for one in operations if one.get("path") == path)
        if not removed and not any(map(asked.is_of, tokens(sent))):
            return True  # nothing can be said about it
        return bool(removed - tokens(after)) or any(map(asked.is_of, tokens(after)))

    def _landings(self, answer: Message) -> dict[str, str]:
        data = answer["data"]
        if "results" in data:
            return {
                one["path"]: one["landing"]
                for one in data["results"]
                if one.get("landing", "unknown") != "unknown"
            }
        if "undone" in data:
            return {one["path"]: one["landing"] for one in data["files"]}
        return {self._asked.paths[0]: data["landing"]}
