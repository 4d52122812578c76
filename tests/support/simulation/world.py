"""One run of the simulation: a case (a seed, and the timed actions of users, programs and agents) against the
real server in this process.

The server is `create_server` with all of `api`, `service` and `domain`; disk, history, clock and loop are
simulated. Messages take time but keep their order, as on a pipe.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from agentfs_lsp.adapters.review.diff_file import DiffFiles
from agentfs_lsp.domain.translation import english
from agentfs_lsp.jsonrpc.codec import encode
from agentfs_lsp.lsp import server as door
from agentfs_lsp.service.proposal.record import HistoryQuery
from support.fakes.disk import HOME
from support.fakes.history import MemoryHistory
from support.fakes.time import ManualClock
from support.judge import Event, Violation
from support.simulation.agents import Agent
from support.simulation.case import FILES
from support.simulation.disk import SimulatedStore
from support.simulation.editor import Call, SimulatedEditor
from support.simulation.oracle import REQUEST_CANCELLED, Oracle, Review, number_in
from support.simulation.scheduler import Scheduler

if TYPE_CHECKING:
    from agentfs_lsp.service.proposal.record import HistoryRecord
    from support.simulation.case import Case
    from support.simulation.editor import Script
    from support.wire import Message

NEW = "new.txt"
"""Does not exist at first."""

ROOT = [{"name": "work", "uri": f"file://{HOME}"}]
STEPS_PER_ACTION = 4000
"""A run with more steps is in an infinite loop."""


@dataclass(eq=False)
class Reply:
    """The future response to a client's request."""

    call: Call
    then: Callable[[Message], object] = lambda _: None
    done: bool = False
    answer: Message | None = None


@dataclass(eq=False)
class Pipe:
    """Messages in one direction, in order, each with its own delay."""

    world: World
    random: Random
    deliver: Callable[[Any], object]
    waiting: deque[Any] = field(default_factory=deque)
    latest: float = 0.0

    def put(self, message: Any) -> None:
        delay = self.random.choice([0, 0, 0, 0.001, 0.05, self.random.random() * 0.5])
        now = self.world.scheduler.time()
        self.latest = max(self.latest, now + delay)
        self.waiting.append(message)
        self.world.scheduler.at(self.latest - now, self._next)

    def _next(self) -> None:
        if self.waiting:
            self.deliver(self.waiting.popleft())

    def cut(self) -> None:
        """Lose the messages on their way."""
        self.waiting.clear()


class KeptHistory(MemoryHistory):
    """Calls `last` with a session's last change."""

    def __init__(self, last: dict[str, tuple[str, int]]) -> None:
        super().__init__()
        self._last = last

    def keep(self, size: int, make: Callable[[], HistoryRecord]) -> None:
        super().keep(size, make)
        kept = self.records[-1]
        if kept.decision != "withdrawn":
            self._last[kept.session] = kept.id, number_in(kept.explanation)


class World:
    """`limit_s`: the server's timeouts for landing and saving. `changed_at`: when users or programs changed a
    file on disk. `speed`: seconds here per second of the server."""

    speed = 1

    def __init__(self, case: Case) -> None:
        self.case = case
        self.limit_s = case.limit_s
        self.trace: list[str] = []
        self.changed_at: dict[str, float] = {}
        self.clock = ManualClock()
        self.scheduler = Scheduler(Random(f"{case.seed} order"), self.clock, any_order=case.any_order)
        self.oracle = Oracle([*case.files, NEW], lambda: self.scheduler.rests, self._kept, self.note)
        self.store = SimulatedStore(self.clock, self.scheduler.pause, self.oracle.server_wrote)
        self.history = KeptHistory(self.oracle.last_landed)
        for path in case.files:
            self.write(path, FILES[path])
        self.editor = SimulatedEditor(
            self, case.way, case.name, saves=case.saves, adds_newline=case.adds_newline
        )
        self.agents = [Agent(self, f"agent {number}") for number in range(case.agents)]
        self.oracle.in_order = not case.any_order
        if case.way == "auto_edit":
            self.oracle.lets_through |= {agent.session for agent in self.agents}
        self._tokens = count(1)
        self._ids = count(1)
        self._life = 0
        self._replies: dict[int, Reply] = {}
        self._crash_in: int | None = None
        self._to_server = Pipe(self, self.random_for("to the server"), self._reach_server)
        self._to_client = Pipe(self, self.random_for("to the client"), self._reach_client)

    def random_for(self, what: str) -> Random:
        """Decisions independent of others' actions."""
        return Random(f"{self.case.seed} {what}")

    def note(self, what: str) -> None:
        self.trace.append(f"{self.scheduler.time():9.3f} {what}")
        self.scheduler.note(what)

    def token(self, whose: str) -> str:
        return f"<{whose}{next(self._tokens)}>"

    # --- running ------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run the case to its end. Raises Violation, with the path to it in its notes."""
        with made_of_seeds(self):
            try:
                self._play()
            except Violation as violation:
                violation.add_note("\n".join(self.trace))
                raise
            finally:
                self.store.crash()
                self.scheduler.kill()
                self.scheduler.close()

    def _play(self) -> None:
        self._begin()
        for action in self.case.actions:
            self.scheduler.at(action.at, lambda action=action: self._act(action.number, action.kind))  # type: ignore[misc]
        last = max((action.at for action in self.case.actions), default=0)
        self.scheduler.at(last + 20, self._end)
        most = STEPS_PER_ACTION * (len(self.case.actions) + 10)
        while self.scheduler.step():
            if self.oracle.violations:
                raise self.oracle.violations[0]
            if self.scheduler.steps > most:
                raise Violation("it never ends")
            if self._crash_in is not None:
                self._crash_in -= 1
                if self._crash_in <= 0:
                    self._crash()
        if self._replies:
            waiting = [f"{number} {one.call.method}" for number, one in self._replies.items()]
            raise Violation(f"never answered: {waiting}")

    def _serve(self) -> None:
        self._life += 1
        life = self._life

        def send(message: Message) -> None:
            if life == self._life:
                self._sent(message)

        with self.scheduler.running():
            self.server = door.create_server(
                send, lambda _: None, self.store, self.history, DiffFiles("/nowhere"), [], lambda _: english
            )

    def _begin(self) -> None:
        self._serve()
        settings = {
            "landing_timeout_s": self.limit_s / self.speed,
            "save_timeout_s": self.limit_s / self.speed,
            "approval": {
                "timeout_s": (60 if self.case.way == "message" else 5) / self.speed,
                "mode": "auto_edit" if self.case.way == "auto_edit" else "manual",
            },
        }
        capabilities: Message = {
            "experimental": {"agentfs": {"review": self.case.way == "review", "save": self.case.saves}},
            "workspace": {"workspaceEdit": {"changeAnnotationSupport": {}}},
        }
        handshake = {
            "processId": None,
            "clientInfo": {"name": self.case.name},
            "workspaceFolders": ROOT,
            "rootUri": ROOT[0]["uri"],
            "capabilities": capabilities,
            "initializationOptions": settings,
        }
        self.start(Call("initialize", handshake))
        self.notify("initialized", {})
        self.editor.reconnect()

    def _end(self) -> None:
        """The window closes: everything pending is answered."""
        self._crash_in = None
        self.store.die_between_files(None)
        self.note("shuts down")
        self.start(Call("shutdown", {}))

    def _act(self, number: int, kind: str) -> None:
        random = self.random_for(f"action {number}")
        self.note(f"action {number}: {kind}")
        match kind:
            case "open" | "type" | "type_over" | "take_line_out" | "save" | "close" | "reload":
                self.editor.act(kind, random)
            case "outside":
                self.write_outside(random.choice(sorted(self.oracle.disk)), random)
            case "remove":
                self._remove_outside(random)
            case "cancel" if self.oracle.asked:
                self.cancel(random.choice(list(self.oracle.asked)))
            case "fail":
                self.note(f"the disk fails at the next {self.store.fail_next(random)}")
                self.oracle.disturb()
            case "crash" if random.random() < 0.5:
                self.store.die_between_files(lambda: self._crash_soon(1))
            case "crash":
                self._crash_soon(random.randint(1, 60))
            case "cancel":
                pass
            case _:
                self.go(random.choice(self.agents).act(kind, number, random))

    # --- the disk -----------------------------------------------------------------------------------------

    def write(self, path: str, text: str | None, *, saved: bool = False) -> None:
        """Write or remove a file, not as the server; `saved`: as the editor."""
        if text is None:
            self.store.remove(path)
        else:
            self.store.put(path, text)
        self.store.forget(f"{HOME}/{path}")
        self.changed_at[path] = self.scheduler.time()
        self.oracle.on_disk(path, text, saved=saved)

    def seconds_since_change(self, path: str) -> float:
        """Since anyone but the server changed the file on disk."""
        return self.scheduler.time() - self.changed_at.get(path, -60.0)

    def write_outside(self, path: str, random: Random) -> None:
        """Another program inserts a line into a file."""
        lines = (self.oracle.disk[path].text or "").splitlines(keepends=True)
        at = random.randint(0, max(len(lines) - 1, 0))
        lines.insert(at, f"{self.token('o')} outside\n")
        self.write(path, "".join(lines))

    def _remove_outside(self, random: Random) -> None:
        path = random.choice(sorted(self.oracle.disk))
        if self.oracle.disk[path].text is not None:
            self.write(path, None)

    def _crash_soon(self, steps: int) -> None:
        self._crash_in = steps

    def _crash(self) -> None:
        """Power fails, or the server is killed; another one starts on the same disk."""
        self._crash_in = None
        self.note("the server is gone")
        self._life += 1
        self.store.crash()
        self.scheduler.kill()
        self._to_server.cut()
        self._to_client.cut()
        for reply in self._replies.values():
            reply.done = True
        self._replies.clear()
        self.store.cut_power(self.random_for(f"power {self._life}"))
        self.store.restart()
        self.oracle.crashed(self.store.half_landed())
        self._begin()
        for agent in self.agents:
            self.go(agent.reconnect())

    def _kept(self, change_id: str) -> dict[str, str | None]:
        (record,) = self.history.find([HOME], HistoryQuery(change_id=change_id, texts=True, limit=1))
        return {file.relative: file.after for file in record.files}

    # --- messages -----------------------------------------------------------------------------------------

    def go(self, script: Script) -> None:
        """Run a script."""
        self._go_on(script, None)

    def _go_on(self, script: Script, value: Any) -> None:
        try:
            wanted = script.send(value)
        except StopIteration:
            return
        if isinstance(wanted, Call):
            self.start(wanted, lambda answer: self._go_on(script, answer))
        else:
            self.scheduler.at(wanted, lambda: self._go_on(script, None))

    def start(self, call: Call, then: Callable[[Message], object] = lambda _: None) -> Reply:
        """Send a request."""
        number, reply = next(self._ids), Reply(call, then)
        self._replies[number] = reply
        if call.asked is not None:
            self.oracle.begin(call.asked)
        self.send({"jsonrpc": "2.0", "id": number, "method": call.method, "params": call.params})
        return reply

    def cancel(self, number: int) -> None:
        """The agent takes a request back."""
        for wire, reply in self._replies.items():
            if reply.call.asked is not None and reply.call.asked.number == number:
                self.oracle.disturb()
                self.notify("$/cancelRequest", {"id": wire})

    def notify(self, method: str, params: Message, event: Event | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params}, event)

    def send(self, message: Message, event: Event | None = None) -> None:
        self._to_server.put((message, event))

    def _reach_server(self, sent: tuple[Message, Event | None]) -> None:
        message, event = sent
        self.note(f"-> {json.dumps(message)}")
        reply = self._replies.get(message["id"]) if "method" in message and "id" in message else None
        if reply is not None:
            self._reaches(message["id"], reply)
        if message.get("method") == "shutdown":
            for asked in self.oracle.asked.values():
                asked.is_cancelled = True
        elif message.get("method") == "$/cancelRequest":
            self._reaches_cancelled(message["params"]["id"])
        if event is not None:
            self.oracle.told(event)
        self.server.protocol.handle_message(json.loads(json.dumps(message)))

    def _reaches(self, number: int, reply: Reply) -> None:
        call = reply.call
        if call.asked is not None:
            self.oracle.reached(call.asked)
        review = self.oracle.reviews.get(call.params.get("id", ""))
        if review is not None and call.method in ("agentfs/settle", "agentfs/applied", "agentfs/saved"):
            if not review.is_over:
                review.unanswered.add(number)
            if call.method == "agentfs/settle":
                review.settles.append((call.params, []))
                asked = self.oracle.asked.get(review.number)
                files = call.params.get("files", ())
                rejected = {file["uri"] for file in files if file["decision"] == "rejected"}
                accepts = call.params["decision"] != "rejected" and review.files.keys() - rejected
                if accepts and asked is not None and not asked.is_cancelled:
                    review.in_time.add(number)

    def _reaches_cancelled(self, number: int) -> None:
        reply = self._replies.get(number)
        if reply is not None and reply.call.asked is not None:
            reply.call.asked.is_cancelled = True

    def _sent(self, message: Message) -> None:
        """The server sends a message, which must be true now."""
        message = json.loads(encode(message))
        self.note(f"<- {json.dumps(message)}")
        if "method" not in message:
            self._check_answered(message)
        elif message["method"] == "agentfs/proposed":
            params = message["params"]
            files = {file["uri"]: file["path"] for file in params["files"]}
            number = number_in(params["explanation"])
            self.oracle.reviews[params["id"]] = Review(number, params["id"], params["session"], files)
        elif message["method"] == "agentfs/settled":
            review = self.oracle.reviews[message["params"]["id"]]
            review.is_over = True
            if review.unanswered:
                self.oracle.fail(f"{review.id} is over, and {review.unanswered} have no answer")
        elif message["method"] == "$/cancelRequest":
            self.oracle.disturb()  # what it asked for may still be done
        self._to_client.put(message)

    def _check_answered(self, message: Message) -> None:
        reply = self._replies.get(message["id"])
        if reply is None or reply.done:
            self.oracle.fail(f"an answer to nobody: {message}")
        reply.done = True
        call = reply.call
        answer = message.get("result")
        if "error" in message:
            if message["error"]["code"] != REQUEST_CANCELLED and call.method != "initialize":
                self.oracle.fail(f"{call.method} is answered {message['error']}")
            answer = {"status": "error", "error": {"code": "CANCELLED"}, "context": {}, "data": {}}
        reply.answer = answer if isinstance(answer, dict) else {}
        if call.asked is not None:
            for path in call.asked.paths:
                self.oracle.tells(call.asked.session, path, answer)
            self.oracle.answered(call.asked, reply.answer)
        elif call.method == "agentfs/read":
            text = (reply.answer.get("data") or {}).get("content")
            self.oracle.tells(call.params["session"], call.params["path"], text)
        review = self.oracle.reviews.get(call.params.get("id", ""))
        if review is not None:
            review.unanswered.discard(message["id"])
            if message["id"] in review.in_time and reply.answer.get("code") == "WITHDRAWN":
                self.oracle.fail(f"{review.id} was accepted before it was withdrawn: {reply.answer}")
            for params, answers in review.settles:
                if params is call.params:
                    answers.append(reply.answer)

    def _reach_client(self, message: Message) -> None:
        if "method" in message:
            self.editor.take(message)
        elif (reply := self._replies.pop(message["id"], None)) is not None:
            reply.then(reply.answer or {})


@contextmanager
def made_of_seeds(world: World) -> Iterator[None]:
    """Replace the time and random numbers that the server gets from the machine."""
    numbers = world.random_for("numbers")

    def record_incident(_: object, error: BaseException) -> str:
        if not world.store.is_down:
            world.oracle.found(Violation(f"an incident: {error!r}"), error)
        return "0"

    with ExitStack() as patched:

        def put(target: str, name: str, value: object) -> None:
            patched.enter_context(patch.object(sys.modules[target], name, value))

        put("agentfs_lsp.lsp.language_server", "SteadyClock", lambda: world.clock)
        for name, module in list(sys.modules.items()):
            if not name.startswith("agentfs_lsp."):
                continue
            if hasattr(module, "token_hex"):
                put(name, "token_hex", lambda length: numbers.randbytes(length).hex())
            if hasattr(module, "randbelow"):  # of `secrets`, as `choice` is there
                put(name, "randbelow", numbers.randrange)
                put(name, "choice", numbers.choice)
            if hasattr(module, "INLINE_BYTES") and not name.endswith(".observing"):
                put(name, "INLINE_BYTES", world.case.inline_bytes)
            if hasattr(module, "record_incident"):
                put(name, "record_incident", record_incident)
        # `observing` compares each version of documents it considers small, and only the last one of large
        # ones.
        patched.enter_context(patch("agentfs_lsp.api.exchange.Exchange.time_ms", lambda _: 0))
        yield
