"""The simulated agents: their knowledge and requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.random_work import Written, written
from support.simulation.editor import Call
from support.simulation.oracle import Asked, explanation_of

if TYPE_CHECKING:
    from random import Random

    from support.simulation.editor import Script
    from support.simulation.world import World
    from support.wire import Message


class Agent:
    """One session. `known`: the texts it has read, None for a missing file; `landed`: its changes, latest
    last."""

    def __init__(self, world: World, session: str) -> None:
        self.session = session
        self.known: dict[str, str | None] = {}
        self.landed: list[Asked] = []
        self._world = world
        self._oracle = world.oracle

    def act(self, kind: str, number: int, random: Random) -> Script:
        return {
            "read": self._reads,
            "undo": self._undoes,
            "look": self._looks,
            "edit": self._changes,
            "write": self._changes,
            "batch": self._changes,
            "dry": self._changes,
        }[kind](kind, number, random)

    def reconnect(self) -> Script:
        """Read all again, latest first, because a new server does not know what this agent has read."""
        paths = [*reversed(self.known)]
        self.known.clear()
        self.landed.clear()
        for path in paths:
            yield from self._read(path)

    def _looks(self, kind: str, number: int, random: Random) -> Script:
        method = random.choice(["agentfs/history", "agentfs/status"])
        answer = yield Call(method, {"session": self.session})
        if answer["status"] == "error":
            self._oracle.fail(f"{method} is answered {answer}")

    def _reads(self, kind: str, number: int, random: Random) -> Script:
        yield from self._read(random.choice(sorted(self._oracle.disk)))

    def _read(self, path: str) -> Script:
        began = self._oracle.now
        answer = yield Call("agentfs/read", {"path": path, "session": self.session})
        self.known.pop(path, None)
        if answer["status"] != "error":
            content = self.known[path] = answer["data"]["content"]
            self._oracle.read(path, began, content)
        elif answer["error"]["code"] == "NOT_FOUND":
            self.known[path] = None

    def _changes(self, kind: str, number: int, random: Random) -> Script:
        paths: list[str] = []
        operations: list[Written] = []
        removed: dict[str, set[str]] = {}
        shape = random.choice(["edit", "write", "batch"]) if kind == "dry" else kind
        files = sorted(self._oracle.disk)
        wanted = random.sample(files, random.randint(1, len(files)) if shape == "batch" else 1)
        for path in wanted:
            if path not in self.known or random.random() < 0.7:
                yield from self._read(path)
        for path in wanted:
            if path not in self.known:
                continue
            made = written(random, path, self.known[path], number, len(operations), shape)
            if made is not None:
                paths.append(path)
                operations.append(made)
                removed[path] = made.removed
        if not operations:
            return
        params: Message = {"session": self.session, "explanation": explanation_of(number)}
        merges = {"on_conflict": "merge"} if random.random() < 0.5 else {}
        method = operations[0].tool
        if shape == "batch":
            method = "batch"
            wire = [{"tool": one.tool, "params": {**one.params, **merges}} for one in operations]
            params |= {"operations": wire, "atomic": random.random() < 0.7}
        else:
            params |= operations[0].params | merges
        if kind == "dry":
            params["dry_run"] = True
        basis = {
            path: self.known[path] for path, one in zip(paths, operations, strict=True) if one.tool == "write"
        }
        asked = Asked(number, f"agentfs/{method}", params, self.session, paths, removed)
        asked.is_dry, asked.basis = kind == "dry", basis
        yield from self._asks(asked)

    def _undoes(self, kind: str, number: int, random: Random) -> Script:
        """The session's last change, as far as it knows, or one named by its id."""
        if not self.landed:
            return
        named = random.random() < 0.3
        undone = random.choice(self.landed) if named else self.landed[-1]
        params: Message = {"session": self.session, "explanation": explanation_of(number)}
        if named:
            params["change_id"] = undone.params["landed as"]
        asked = Asked(number, "agentfs/undo", params, self.session, undone.paths, undoes=undone.number)
        yield from self._asks(asked)

    def _asks(self, asked: Asked) -> Script:
        params = {key: value for key, value in asked.params.items() if key != "landed as"}
        answer = yield Call(asked.method, params, asked)
        self.known = {path: text for path, text in self.known.items() if path not in asked.paths}
        change_id = (answer.get("data") or {}).get("change_id")
        if change_id is None:
            return
        if asked.undoes is None:
            asked.params["landed as"] = change_id
            self.landed.append(asked)
        else:
            self.landed.clear()  # another undo would undo the undo
