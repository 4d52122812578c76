"""Cases against a real server process: its pipes, threads and locks, a real disk and a real database.

Users, programs, editor and agents are the simulation's, on the machine's clock. What they decide follows from
the seed, what comes of it depends on the machine too. One agent acts at a time: of two changes that land one
right behind the other, only the second can be found on disk.
"""

import asyncio
import ctypes
import heapq
import json
import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

from support.client import Editor
from support.editor import connected
from support.fakes.disk import HOME
from support.judge import Event, Violation
from support.simulation.case import Case
from support.simulation.editor import Call, Script
from support.simulation.run import Played
from support.simulation.world import Reply, World
from support.wire import Message

SILENCE_S = 120
IN_FLIGHT_S = 1
"""An answer may follow what it does not know: its thread had looked at the disk before."""
_AT_CWD, _EXCHANGE = -100, 2


class Timetable:
    """`Scheduler` on the machine's clock. `rests`: how many of our messages are proven to have been read."""

    def __init__(self, speed: int) -> None:
        self.rests = 0
        self.steps = 0
        self.due: list[tuple[float, int, Callable[[], object]]] = []
        self._count = count()
        self._speed = speed
        self._began = time.monotonic()

    def time(self) -> float:
        return (time.monotonic() - self._began) * self._speed

    def at(self, seconds: float, event: Callable[[], object]) -> None:
        heapq.heappush(self.due, (self.time() + seconds, next(self._count), event))

    def note(self, what: str) -> None:
        self.steps += 1


@dataclass
class Wire(Editor):
    """Keeps what the server sends in a queue."""

    queue: asyncio.Queue[Message] = field(default_factory=asyncio.Queue)

    def _receive(self, message: Message) -> None:
        self.queue.put_nowait(message)


class ProcessWorld(World):
    """The files are in `root`, and the server at the other end of `wire`."""

    speed = 8

    def __init__(self, case: Case, root: Path, wire: Wire) -> None:
        self._root, self._wire = root, wire
        self._landed: dict[int, str] = {}
        self._texts: dict[str, dict[str, str | None]] = {}
        self._proofs = 0
        self._is_unproven = False
        self._turns: deque[Script] = deque()
        super().__init__(case)
        self.scheduler.close()
        self.scheduler = self._timetable = Timetable(self.speed)  # type: ignore[assignment]
        store = SimpleNamespace(bytes_of=self._bytes_of, die_between_files=lambda _: None)
        self.store = store  # type: ignore[assignment]
        self.oracle.told = self._told  # type: ignore[method-assign]
        self.oracle.in_order = False  # it is not known what reached the server first

    def _serve(self) -> None:
        door = SimpleNamespace(handle_message=self._put)
        self.server = SimpleNamespace(protocol=door)  # type: ignore[assignment]

    async def play(self) -> None:
        """Run the case to its end. Raises Violation, with the path to it in its notes."""
        try:
            self._begin()
            for path in self.case.files:
                self.editor.open(path)
            for action in self.case.actions:
                self.scheduler.at(action.at, lambda action=action: self._act(action.number, action.kind))  # type: ignore[misc]
            self.scheduler.at(max(action.at for action in self.case.actions) + 8, self._end)
            while self._timetable.due or self._replies:
                await self._step()
        except Violation as violation:
            violation.add_note("\n".join(self.trace))
            raise

    async def _step(self) -> None:
        due = self._timetable.due
        wait_s = (due[0][0] - self.scheduler.time()) / self.speed if due else SILENCE_S
        try:
            message = await asyncio.wait_for(self._wire.queue.get(), max(wait_s, 0))
        except TimeoutError:
            if not due:
                raise Violation(f"never answered: {[*self._replies]}") from None
            self._look()
            heapq.heappop(due)[2]()
        else:
            await self._receive(message)
        if self._is_unproven:
            self._is_unproven = False
            self._proofs += 1
            self._put({"jsonrpc": "2.0", "id": f"proof-{self._proofs}", "method": "agentfs/status"})
        if self.oracle.violations:
            raise self.oracle.violations[0]

    # --- messages -----------------------------------------------------------------------------------------

    def _put(self, message: Message) -> None:
        self._wire.send(json.loads(json.dumps(message).replace(f"file://{HOME}", self._root.as_uri())))

    async def _receive(self, message: Message) -> None:
        if str(message.get("id")).startswith("proof-"):
            self._timetable.at(IN_FLIGHT_S * self.speed, self._prove)
            return
        self._look()
        message = json.loads(json.dumps(message).replace(self._root.as_uri(), f"file://{HOME}"))
        reply = None if "method" in message else self._replies.get(message["id"])
        result = message.get("result") or {}
        later: list[Message] = []
        if reply is not None and reply.call.asked is not None and "change_id" in result.get("data", {}):
            self._landed[reply.call.asked.number] = result["data"]["change_id"]
            later = await self._ask_for_texts(result["data"]["change_id"])
        self._sent(message)
        for one in later:
            await self._receive(one)

    def _prove(self) -> None:
        self._timetable.rests += 1

    async def _ask_for_texts(self, change_id: str) -> list[Message]:
        """What history keeps of a change; what the server says meanwhile."""
        params = {"change_id": change_id, "texts": True}
        self._put({"jsonrpc": "2.0", "id": "kept", "method": "agentfs/userHistory", "params": params})
        later: list[Message] = []
        while (message := await self._wire.queue.get()).get("id") != "kept":
            later.append(message)
        (change,) = message["result"]["data"]["changes"]
        self._texts[change_id] = {file["path"]: file["after_text"] for file in change["files"]}
        return later

    def _kept(self, change_id: str) -> dict[str, str | None]:
        return self._texts[change_id]

    def _told(self, event: Event) -> None:
        self.oracle._told.append((self._proofs, event))
        self._is_unproven = True

    def _reaches(self, number: int, reply: Reply) -> None:
        """Answers may cross what is sent: no more is told than what was sent."""
        call = reply.call
        if call.asked is not None:
            self.oracle.reached(call.asked)
        if call.method == "agentfs/settle" and call.params["id"] in self.oracle.reviews:
            self.oracle.reviews[call.params["id"]].settles.append((call.params, []))

    # --- agents -------------------------------------------------------------------------------------------

    def _act(self, number: int, kind: str) -> None:
        if kind in ("edit", "write", "batch", "undo", "read", "look", "dry"):
            random = self.random_for(f"action {number}")
            self._turns.append(random.choice(self.agents).act(kind, number, random))
            if len(self._turns) == 1:
                self.go(self._in_turn())
        elif kind not in ("fail", "crash"):
            super()._act(number, kind)

    def _in_turn(self) -> Script:
        while self._turns:
            yield from self._turns[0]
            self._turns.popleft()

    def _end(self) -> None:
        """Once the agent is through: history tells nothing behind a shutdown."""
        while len(self._turns) > 1:
            self._turns.pop()
        if self._turns or self.oracle.asked:
            self.scheduler.at(1, self._end)
        else:
            super()._end()

    def start(self, call: Call, then: Callable[[Message], object] = lambda _: None) -> Reply:
        """An undo names its change: which one was the last is not known from here."""
        if call.asked is not None and call.asked.undoes is not None:
            call.asked.params["change_id"] = call.params["change_id"] = self._landed[call.asked.undoes]
        return super().start(call, then)

    # --- the disk -----------------------------------------------------------------------------------------

    def _bytes_of(self, path: str) -> bytes | None:
        self._look()
        file = self._root / path
        return file.read_bytes() if file.exists() else None

    def _look(self) -> None:
        """What is new on disk is the server's."""
        for path in self.oracle.disk:
            try:
                found = (self._root / path).read_bytes().decode()
            except FileNotFoundError:
                found = None
            self._found(path, found)

    def _found(self, path: str, text: str | None) -> None:
        if text != self.oracle.disk[path].text:
            self.oracle.server_wrote(path, self.oracle.disk[path].text, text)

    def write(self, path: str, text: str | None, *, saved: bool = False) -> None:
        """What was there up to this very moment is the server's, too."""
        file, theirs = self._root / path, self._root.parent / "theirs"
        if text is None:
            file.rename(theirs)
            self._found(path, theirs.read_bytes().decode())
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            theirs.write_bytes(text.encode())
            if _exchange(theirs, file):
                self._found(path, theirs.read_bytes().decode())
            else:
                theirs.rename(file)
        self.changed_at[path] = self.scheduler.time()
        self.oracle.on_disk(path, text, saved=saved)


def _exchange(one: Path, other: Path) -> bool:
    """Two files exchange their names; False where the other is missing."""
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.renameat2(_AT_CWD, os.fsencode(one), _AT_CWD, os.fsencode(other), _EXCHANGE)
    return bool(done == 0)


async def play_for_real(case: Case, root: Path) -> Played:
    """Play a case against a server process that works in `root`."""
    case = replace(case, limit_s=2.0, any_order=False)
    async with connected(root, editor_class=Wire) as wire:
        assert isinstance(wire, Wire)
        world = ProcessWorld(case, root, wire)
        violation = ""
        try:
            await world.play()
        except Violation as found:
            violation = str(found)
    return Played(case, world._timetable.steps, "", world.oracle.answers, violation, world.trace)
