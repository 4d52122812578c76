"""The simulated user and editor: they type, save, close and decide in every way the protocol allows, and in
some it does not."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support.fakes.disk import HOME
from support.judge import plain, tokens
from support.random_work import MANNERS, SAVING
from support.simulation.oracle import Asked, Review, number_in

if TYPE_CHECKING:
    from random import Random

    from support.simulation.world import World
    from support.wire import Message

SETTLED_S = 1.5
"""VS Code applies nothing to a closed file that changed within this time."""
PENDING = {"applied": False, "failureReason": "agentfs:pending"}
MOVED = "moved.txt"
"""The name that a renamed file gets, if it is free."""
SILENT: Any = object()
"""A response that never comes."""

Script = Generator["float | Call", Any, Any]
"""A sequence of actions: yields seconds to wait, or a request to send."""


@dataclass(frozen=True)
class Call:
    """`asked`: set if it changes files."""

    method: str
    params: Message
    asked: Asked | None = None


@dataclass
class Buffer:
    text: str
    version: int


class SimulatedEditor:
    """One window. `name` is the client's; only VS Code ends lines at a lone CR."""

    def __init__(self, world: World, way: str, name: str, *, saves: bool, adds_newline: bool) -> None:
        self.way, self.name, self.saves = way, name, saves
        self.buffers: dict[str, Buffer] = {}
        self._world = world
        self._oracle = world.oracle
        self._adds_newline = adds_newline
        self._line_end = re.compile(r"\r\n|\r|\n" if "code" in name.lower() else r"\r\n|\n")
        self._versions = 0
        self._asked: set[str] = set()
        self._about = 0
        self._before: dict[str, str | None] = {}

    # --- what the user does -------------------------------------------------------------------------------

    def act(self, kind: str, random: Random) -> None:
        path = random.choice(sorted(self.buffers) or [""]) if kind != "open" else self._some_file(random)
        if path:
            getattr(self, kind)(path, random)

    def _some_file(self, random: Random) -> str:
        closed = [path for path in self._oracle.disk if path not in self.buffers and self._on_disk(path)]
        return random.choice(closed or [""])

    def _on_disk(self, path: str) -> str | None:
        data = self._world.store.bytes_of(path)
        return None if data is None else data.decode()

    def open(self, path: str, random: Random | None = None, text: str | None = None) -> None:
        text = self._on_disk(path) if text is None else text
        if path in self.buffers or text is None:
            return
        self._versions += 1
        self.buffers[path] = Buffer(text, self._versions)
        self._tell_open(path)

    def _tell_open(self, path: str) -> None:
        buffer = self.buffers[path]
        document = {"languageId": "x", "version": buffer.version, "text": buffer.text}
        self._tell(path, "didOpen", {"textDocument": {"uri": uri_of(path), **document}})

    def type(self, path: str, random: Random) -> None:
        text = self.buffers[path].text
        lines = text.splitlines(keepends=True)
        at = random.randint(0, len(lines))
        if at and not lines[at - 1].endswith("\n"):
            lines[at - 1] += f" {self._world.token('u')}"
        else:
            lines.insert(at, f"{self._world.token('u')} typed" + ("\r\n" if "\r\n" in text else "\n"))
        self.change(path, "".join(lines))

    def type_over(self, path: str, random: Random) -> None:
        """The user types on a line that an agent inserted."""
        lines = self.buffers[path].text.splitlines(keepends=True)
        theirs = [at for at, line in enumerate(lines) if any(one[1] == "c" for one in tokens(line))]
        if theirs:
            at = random.choice(theirs)
            lines[at] = f"{self._world.token('u')} {lines[at]}"
            self.change(path, "".join(lines))

    def take_line_out(self, path: str, random: Random) -> None:
        lines = self.buffers[path].text.splitlines(keepends=True)
        if lines:
            self._oracle.forfeit |= tokens(lines.pop(random.randrange(len(lines))))
            self.change(path, "".join(lines))

    def reload(self, path: str, random: Random | None = None) -> None:
        """The editor reloads the file."""
        self.set_back(path, self._on_disk(path))

    def set_back(self, path: str, text: str | None) -> None:
        """The user undoes in the editor."""
        if path in self.buffers and text is not None:
            self._oracle.forfeit |= tokens(self.buffers[path].text) - tokens(text)
            self.change(path, text)

    def change(self, path: str, text: str) -> None:
        buffer = self.buffers[path]
        if text == buffer.text:
            return
        change = self._as_change(buffer.text, text)
        self._versions += 1
        buffer.text, buffer.version = text, self._versions
        identity = {"uri": uri_of(path), "version": buffer.version}
        self._tell(path, "didChange", {"textDocument": identity, "contentChanges": [change]})

    def _as_change(self, before: str, after: str) -> Message:
        """The whole text, or the range between common lines at both ends."""
        if len(after) % 3 == 0 or "\r" in before or not before.endswith("\n"):
            return {"text": after}
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
        head = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None)
        start = min(len(old), len(new)) if head is None else head
        place = {"line": start, "character": 0}
        return {
            "range": {"start": place, "end": {"line": len(old), "character": 0}},
            "text": "".join(new[start:]),
        }

    def save(self, path: str, random: Random | None = None) -> None:
        if path not in self.buffers:
            return
        text = self.buffers[path].text
        if self._adds_newline and text and not text.endswith("\n"):
            text += "\r\n" if "\r\n" in text else "\n"
        self._world.write(path, text, saved=True)
        self._tell(path, "didSave", {"textDocument": {"uri": uri_of(path)}})

    def close(self, path: str, random: Random | None = None) -> None:
        if path not in self.buffers:
            return
        if random is not None and self._world.case.renames and random.random() < 0.5:
            self._rename(path)
            return
        self._oracle.forfeit |= tokens(self.buffers.pop(path).text) - tokens(self._on_disk(path))
        self._tell(path, "didClose", {"textDocument": {"uri": uri_of(path)}})

    def _rename(self, path: str) -> None:
        """The user renames the file, and the document keeps its text, saved or not."""
        data = self._on_disk(path)
        if data is None or MOVED in self.buffers or self._on_disk(MOVED) is not None:
            return
        self._oracle.add_file(MOVED)
        self._world.write(path, None)
        self._world.write(MOVED, data)
        text = self.buffers.pop(path).text
        self._tell(path, "didClose", {"textDocument": {"uri": uri_of(path)}})
        self.open(MOVED, text=text)

    def reconnect(self) -> None:
        """Connect to a new server."""
        self._asked.clear()
        for path in self.buffers:
            self._tell_open(path)

    def _tell(self, path: str, method: str, params: Message) -> None:
        buffer = self.buffers.get(path)
        event = self._oracle.in_buffer(path, buffer.text if buffer else None)
        self._world.notify(f"textDocument/{method}", params, event)

    # --- what the server asks -----------------------------------------------------------------------------

    def take(self, message: Message) -> None:
        """Handle the server's notification or request."""
        method, params = message["method"], message["params"]
        if method == "agentfs/proposed":
            self._world.go(self._reviewed(params))
        elif method == "$/cancelRequest":
            self._asked.discard(params["id"])
        elif "id" in message:
            self._asked.add(message["id"])
            self._world.go(self._answered(message["id"], method, params))

    def _answered(self, number: str, method: str, params: Message) -> Script:
        random = self._world.random_for(f"answer agentfs-{number.rpartition('-')[2]}")
        if method == "workspace/applyEdit":
            answer = yield from self._asked_to_apply(params, random)
        elif method == "window/showMessageRequest":
            answer = yield from self._asked_by_message(number, params, random)
        else:
            answer = None
        if answer is not SILENT:
            told = answer if isinstance(answer, dict) and "error" in answer else {"result": answer}
            self._world.send({"jsonrpc": "2.0", "id": number, **told})

    def _asked_by_message(self, number: str, params: Message, random: Random) -> Script:
        about = self._about = number_in(params["message"]) or self._about  # later pages may not name it
        yield random.choice([0.3, 2, 2, 2, 3])
        titles = [action["title"] for action in params["actions"]]
        onward = next((title for title in titles if title.startswith("Next (")), None)
        if onward is not None:
            return {"title": onward}
        if letter := re.match(r"The letter is (\w)\.", params["message"]):
            return {"title": letter[1]}
        wishes = {"Approve": 24, "Reject": 1, "close": 1, "silent": 1, "odd": 1, "error": 1}
        wish = random.choices(list(wishes), list(wishes.values()))[0]
        if wish == "Approve" and number in self._asked and "Approve" in titles:
            self._oracle.approve(about, None)
            return {"title": "Approve"}
        return {
            "silent": SILENT,
            "odd": {"title": "Approve everything"},
            "error": {"error": {"code": -32603, "message": "busy"}},
            "Reject": {"title": "Reject"},
        }.get(wish)

    def _asked_to_apply(self, params: Message, random: Random) -> Script:
        edit = params["edit"]
        confirmed = edit.get("changeAnnotations")
        if self.way == "review" and confirmed:
            return (yield from self._held(edit, random))
        if confirmed:
            return (yield from self._previewed(edit, random))
        done, said = yield from self._applied(edit["documentChanges"][0], random)
        return as_said(done, said, random)

    def _held(self, edit: Message, random: Random) -> Script:
        """A review client's preview: pending, something odd, or applied without a settle."""
        choice = random.choices(["pending", "held", "no", "yes", "error", "apply"], [40, 4, 1, 1, 1, 1])[0]
        match choice:
            case "held":
                return SILENT
            case "apply":
                for change in edit["documentChanges"]:
                    yield from self._applied(change, random)
                return PENDING
            case "no" | "yes":
                return {"applied": choice == "yes"}
            case "error":
                return {"error": {"code": -32603, "message": "broken"}}
            case _:
                return PENDING

    def _previewed(self, edit: Message, random: Random) -> Script:
        yield random.random() * 0.5
        if random.random() < 0.1:
            return {"applied": False}
        (confirm,) = edit["changeAnnotations"].values()
        number = number_in(confirm.get("description", ""))
        done, said = True, "truth"
        for change in edit["documentChanges"]:
            ticked = [one for one in change["edits"] if random.random() < 0.85]
            if ticked and random.random() < 0.92:
                self._oracle.approve(number, {path_of(change["textDocument"]["uri"])})
                applied, said = yield from self._applied(
                    {**change, "edits": ticked, "offered": change["edits"]}, random
                )
                done = done and applied
        return as_said(done, said, random)

    # --- applying -----------------------------------------------------------------------------------------

    def _applied(self, change: Message, random: Random) -> Script:
        """Apply one document's edits, or do something similar; returns whether it did, and what the client
        says."""
        path = path_of(change["textDocument"]["uri"])
        manner = random.choices(list(MANNERS), list(MANNERS.values()))[0]
        self._world.note(f"is to apply to {path}: {manner}")
        if manner != "good":
            self._oracle.disturb()
        said, before = "truth", None
        for step in manner.split():
            match step:
                case "refuse":
                    return False, said
                case "yes" | "no" | "error" | "odd" | "silent":
                    said = step
                case "slow":
                    yield random.random() * 2 * self._world.limit_s
                case "good" | "part":
                    before = self.buffers[path].text if path in self.buffers else None
                    self._before[path] = before
                    if not self._edit(path, change, random, whole=step == "good"):
                        return False, said
                case "undo":
                    self.set_back(path, before)
                case _ if path in self.buffers:
                    getattr(self, step)(path, random)
            if random.random() < 0.5:
                yield 0.0
        return True, said

    def _edit(self, path: str, change: Message, random: Random, *, whole: bool) -> bool:
        edits = [one for one in change["edits"] if whole or random.random() < 0.5]
        buffer = self.buffers.get(path)
        version = change["textDocument"]["version"]
        if buffer is None:
            text = self._on_disk(path)
            if version is not None or text is None or self._world.seconds_since_change(path) < SETTLED_S:
                return False
            after = self.edited(text, edits)
            if not self._oracle.keeps(path, text, after):
                return False  # it moved since the preview was made, which the user sees
            self.open(path, text=after)
            return True
        if not edits or version != buffer.version:
            return False
        before = buffer.text
        after = self.edited(before, edits)
        all_of_it = self.edited(before, change.get("offered") or change["edits"])
        self._oracle.editor_edited(path, before, all_of_it)
        self._oracle.forfeit |= tokens(all_of_it) - tokens(after)  # a part may take out what all of it moves
        self.change(path, after)
        if self.saves and self.way != "review" and plain(before) == plain(self._on_disk(path)):
            self.save(path)
        return True

    def edited(self, text: str, edits: list[Message]) -> str:
        """The text after the edits, with lines counted as this editor does."""
        starts = [0, *(match.end() for match in self._line_end.finditer(text))]

        def offset(place: Message) -> int:
            line: int = place["line"]
            return len(text) if line >= len(starts) else starts[line] + int(place["character"])

        pieces = sorted(
            ((offset(one["range"]["start"]), offset(one["range"]["end"]), one) for one in edits),
            key=lambda piece: piece[:2],
            reverse=True,
        )
        for start, end, one in pieces:
            text = text[:start] + one["newText"] + text[end:]
        return text

    # --- a review -----------------------------------------------------------------------------------------

    def _reviewed(self, announced: Message) -> Script:
        """A review client's turn (docs/protocol.md#91-review-clients)."""
        number = number_in(announced["explanation"])
        random = self._world.random_for(f"review {number}")
        review = self._oracle.reviews[announced["id"]]
        yield random.choice([0, 0, 0.2, 1, 3])
        if random.random() < 0.95:
            shown = yield Call("agentfs/proposal", {"id": review.id})
            review.shown = shown if "files" in shown else None
        yield random.choice([0, 0, 0.2, 2])
        settles = [self._settling(review, random)]
        if random.random() < 0.08:
            settles.append(self._settling(review, random))
        if random.random() < 0.05:
            settles.insert(0, {"id": review.id, "decision": "amended"})
        if random.random() < 0.04:
            settles = []
        if random.random() < 0.1:
            self._world.cancel(number)
        answers = []
        for params in settles:
            self._approve(review, params)
            answers.append(self._world.start(Call("agentfs/settle", params)))
            if random.random() < 0.3:
                yield 0.0
        if settles and random.random() < 0.1:
            self._world.cancel(number)
        for reply in answers:
            while not reply.done:
                yield 0.05
        settled = next((one.answer for one in answers if one.answer and one.answer.get("apply")), None)
        if settled is not None:
            yield from self._landed(review, settled["apply"], random)

    def _settling(self, review: Review, random: Random) -> Message:
        decision = random.choices(["accepted", "amended", "rejected", "some"], [12, 6, 1, 2])[0]
        params: Message = {"id": review.id, "decision": "accepted" if decision == "some" else decision}
        uri = random.choice(sorted(review.files))
        text = review._text_of(review.files[uri], "proposed_text")
        if decision == "some":
            params["files"] = [{"uri": uri, "decision": "rejected"}]
        elif decision == "amended" and text is not None:
            amended = f"<c{review.number}.9{random.randrange(1000)}> amended\n{text}"
            params["files"] = [{"uri": uri, "decision": "amended", "text": amended}]
        elif decision == "amended":
            params["decision"] = "accepted"
        elif decision == "accepted" and random.random() < 0.02:
            params["always"] = True
        return params

    def _approve(self, review: Review, params: Message) -> None:
        if params["decision"] == "rejected":
            return
        rejected = {one["uri"] for one in params.get("files", ()) if one["decision"] == "rejected"}
        self._oracle.approve(
            review.number, {path for uri, path in review.files.items() if uri not in rejected}
        )
        if params.get("always"):
            self._oracle.lets_through.add(review.session)

    def _landed(self, review: Review, apply: Message, random: Random) -> Script:
        reports = []
        for change in apply["documentChanges"]:
            uri = change["textDocument"]["uri"]
            path = path_of(uri)
            buffer = self.buffers.get(path)
            if buffer is not None and buffer.version == change["textDocument"]["version"]:
                self._oracle.handed(review, path, self.edited(buffer.text, change["edits"]))
            done, said = yield from self._applied(change, random)
            if said in ("error", "silent"):
                return
            report = {"truth": done, "yes": True, "no": False, "odd": not done}[said]
            reports.append({"uri": uri, "applied": report})
        answer = yield Call("agentfs/applied", {"id": review.id, "files": reports})
        for change in (answer.get("revert") or {}).get("documentChanges", ()):
            before = self.buffers.get(path_of(change["textDocument"]["uri"]))
            held = tokens(before.text) if before else set()
            yield from self._applied(change, random)
            self._oracle.forfeit |= held - (tokens(before.text) if before else set())  # it may come late
        if answer.get("save"):
            yield from self._saved(review, answer["save"], random)

    def _saved(self, review: Review, uris: list[str], random: Random) -> Script:
        reports = []
        for uri in uris:
            path = path_of(uri)
            yield random.choice([0, 0.1])
            manner = random.choices(list(SAVING), list(SAVING.values()))[0]
            for step in manner.split():
                if step == "undo":
                    self.set_back(path, self._before.get(path))
                elif step == "write_outside":
                    self._world.write_outside(path, random)
                elif path in self.buffers:
                    getattr(self, step)(path, random)
            reports.append({"uri": uri, "saved": "save" in manner or random.random() < 0.3})
        if random.random() < 0.9:
            yield Call("agentfs/saved", {"id": review.id, "files": reports})


def as_said(done: bool, said: str, random: Random) -> Any:
    """A response to `workspace/applyEdit`."""
    match said:
        case "error":
            return {"error": {"code": -32603, "message": "broken"}}
        case "odd":
            return random.choice([None, {}, {"applied": "yes"}])
        case "silent":
            return SILENT
        case "yes" | "no":
            return {"applied": said == "yes"}
        case _:
            return {"applied": done}


def uri_of(path: str) -> str:
    return f"file://{HOME}/{path}"


def path_of(uri: str) -> str:
    return uri.removeprefix(uri_of(""))
