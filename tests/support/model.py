"""A random model of the server's surroundings: files, users, programs and agents.

A real server process; one editor that types, saves, closes, reopens, refuses, applies in part or late, and
answers wrongly; other programs that write files; agents that write, edit, batch and undo. Each answer is
judged (`support/judge.py`), and no edit or landing may remove what users and other programs wrote.

After each of its steps, the editor sends a request; if its answer precedes the agent's, the server had seen
the step. A seed determines the decisions; their outcome also depends on the machine.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

from support.client import NO_ANSWER, Editor, RpcError
from support.editor import APPLY, PENDING, editing
from support.judge import ChangeRequest, Event, Judge, Place, Violation, plain, tokens
from support.personas import VSCODE, pressing, recorded
from support.random_work import FILES, MANNERS, SAVING, Written, written
from support.text_edits import apply_text_edits, path_of
from support.wire import Message

WAYS = ("review", "preview", "message", "auto_edit")
"""The ways of asking for a change, and `auto_edit` without."""

ASK = "window/showMessageRequest"
LIMIT_S = 0.25
"""The server's timeouts for landing and saving."""


class World:
    """The files, editor and agents of one seed."""

    def __init__(self, editor: Editor, way: str, seed: int, *, saves: bool) -> None:
        self.editor, self.way, self.saves = editor, way, saves
        self.random = Random(f"{way} {seed}")
        self.trace: list[str] = []
        self.disk: dict[str, Place] = {}
        self.buffers: dict[str, Place] = {}
        self.forfeit: set[str] = set()
        self.under_way: list[ChangeRequest] = []
        self.requests = 0
        self.answers: Counter[str] = Counter()
        self._count = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._defects: list[BaseException] = []
        self._known: dict[tuple[str, str], str] = {}
        self._landed: dict[str, list[ChangeRequest]] = {}
        self._before: dict[str, str] = {}
        self._adds_newline = self.random.random() < 0.25
        editor.answers[APPLY] = self._on_apply
        editor.answers[ASK] = self._on_question

    # --- what is there ------------------------------------------------------------------------------------

    def file(self, path: str) -> Path:
        return self.editor.root / path

    def note(self, path: str, *, ours: bool = True) -> None:
        """Record what disk and buffer hold. `ours` False: nobody in the model acted."""
        self._count += 1
        event = Event(self._count, known=not ours)
        for one in [path] if ours else [*self.disk]:
            self._look(one)
        document = self.editor.documents.get(self.editor.uri(path))
        self.buffers.setdefault(path, Place()).note(document.text if document else None, event)
        if ours:
            for asked in self.under_way:
                asked.disturbed = True
            self._prove(event)

    def _look(self, path: str) -> None:
        """Attribute new content on disk to the server."""
        try:
            self._seen_on_disk(path, self.file(path).read_bytes())
        except FileNotFoundError:
            self._seen_on_disk(path, None)

    def _seen_on_disk(self, path: str, data: bytes | None) -> None:
        place = self.disk.setdefault(path, Place())
        text = None if data is None else data.decode()
        if place.states and place.text != text:
            self._translate(f"the server writes {path}: {text!r}")
            self._check_kept(f"a landing in {path}", place.text, text)
        self._count += 1
        place.note(text, Event(self._count, known=True, by_server=True))

    def _check_kept(self, what: str, before: str | None, after: str | None) -> None:
        lost = {one for one in tokens(before) - tokens(after) if one[1] in "uo"}
        lost -= self._within_what_is_undone(before or "")
        if lost:
            self._defects.append(Violation(f"{what} loses {sorted(lost)}: {before!r} -> {after!r}"))

    def _within_what_is_undone(self, text: str) -> set[str]:
        """Tokens in or among lines inserted by a change that is to be undone: they may go with it."""
        undone = [f"<c{asked.undoes}." for asked in self.under_way if asked.undoes is not None]
        lines = text.splitlines()
        own = [any(one in line for one in undone) for line in lines]
        return {
            token
            for at, line in enumerate(lines)
            if own[at] or (any(own[max(at - 3, 0) : at]) and any(own[at : at + 4]))
            for token in tokens(line)
        }

    def _prove(self, event: Event, rounds: int = 3) -> None:
        """Several rounds, since the server may already have looked and be about to answer."""
        answer = self.editor.start("agentfs/status", {})

        def answered(done: asyncio.Future[Any]) -> None:
            if done.cancelled() or done.exception() is not None:
                return
            event.known = rounds == 1
            if rounds > 1:
                self._prove(event, rounds - 1)

        answer.add_done_callback(answered)

    def _translate(self, what: str) -> None:
        self.trace.append(f"{self._count}: {what}")

    def _go(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) and not isinstance(error, EOFError):
            self._defects.append(error)

    # --- the user, and other programs ---------------------------------------------------------------------

    def is_open(self, path: str) -> bool:
        return self.editor.uri(path) in self.editor.documents

    def text(self, path: str) -> str:
        return self.editor.documents[self.editor.uri(path)].text

    def token(self, whose: str) -> str:
        self._count += 1
        return f"<{whose}{self._count}>"

    def act(self, path: str) -> None:
        """An action that users and programs take at any time."""
        choices: list[Callable[[str], None]] = [self.write_outside]
        if self.file(path).exists() and self.random.random() < 0.3:
            choices.append(self.remove_outside)
        if self.is_open(path):
            choices += [self.type, self.type, self.save, self.close, self.take_line_out, self.reload]
        elif self.file(path).exists():
            choices += [self.open, self.open]
        self.random.choice(choices)(path)

    def open(self, path: str, text: str | None = None) -> None:
        if self.is_open(path) or (text is None and not self.file(path).exists()):
            return
        self._translate(f"opens {path}" + (f" as {text!r}" if text is not None else ""))
        shown = self.file(path).read_bytes().decode() if text is None else text
        self.editor.open(path, shown)
        self.note(path)

    def type(self, path: str) -> None:
        if not self.is_open(path):
            return
        lines = self.text(path).splitlines(keepends=True)
        at = self.random.randint(0, len(lines))
        eol = "\r\n" if "\r\n" in self.text(path) else "\n"
        if at and not lines[at - 1].endswith("\n"):
            lines[at - 1] += f" {self.token('u')}"
        else:
            lines.insert(at, f"{self.token('u')} typed{eol}")
        self._change(path, "".join(lines), "types in")

    def take_line_out(self, path: str) -> None:
        lines = self.text(path).splitlines(keepends=True)
        if lines:
            gone = lines.pop(self.random.randrange(len(lines)))
            self.forfeit |= tokens(gone)
            self._change(path, "".join(lines), "takes a line out of")

    def reload(self, path: str) -> None:
        """The editor reloads the file after another program wrote it."""
        if self.is_open(path) and self.file(path).exists():
            self._look(path)
            self.set_back(path, self.disk[path].text or "")

    def set_back(self, path: str, text: str) -> None:
        """The user undoes in the editor."""
        if self.is_open(path):
            self.forfeit |= tokens(self.text(path)) - tokens(text)
            self._change(path, text, "undoes in")

    def type_over(self, path: str) -> None:
        """The user types on a line that an agent inserted."""
        lines = self.text(path).splitlines(keepends=True) if self.is_open(path) else []
        theirs = [at for at, line in enumerate(lines) if any(one[1] == "c" for one in tokens(line))]
        if theirs:
            at = self.random.choice(theirs)
            lines[at] = f"{self.token('u')} {lines[at]}"
            self._change(path, "".join(lines), "types over a line in")

    def _change(self, path: str, text: str, what: str) -> None:
        self._translate(f"{what} {path}: {text!r}")
        self.editor.change(path, text)
        self.note(path)

    def save(self, path: str) -> None:
        if not self.is_open(path):
            return
        text = self.text(path)
        if self._adds_newline and text and not text.endswith("\n"):
            text += "\r\n" if "\r\n" in text else "\n"
        self._translate(f"saves {path}")
        self._replace(path, text)
        uri = self.editor.uri(path)
        self.editor.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        self.note(path)

    def close(self, path: str) -> None:
        if not self.is_open(path):
            return
        self._look(path)
        self.forfeit |= tokens(self.text(path)) - tokens(self.disk[path].text)
        self._translate(f"closes {path}")
        self.editor.close(path)
        self.note(path)

    def write_outside(self, path: str) -> None:
        """Another program appends to the file, or rewrites it with one line more or less."""
        data = self.file(path).read_bytes() if self.file(path).exists() else None
        text = (data or b"").decode()
        if data is not None and text.endswith("\n") and self.random.random() < 0.4:
            more = f"{self.token('o')} appended\n"
            with self.file(path).open("rb+") as file:
                self._seen_on_disk(path, file.read())
                file.write(more.encode())
                file.flush()
                file.seek(0)
                self._wrote(path, file.read().decode())
        else:
            lines = text.splitlines(keepends=True)
            if lines and self.random.random() < 0.3:
                self.forfeit |= tokens(lines.pop(self.random.randrange(len(lines))))
            at = self.random.randint(0, max(len(lines) - 1, 0))
            lines.insert(at, f"{self.token('o')} outside\n")
            self._replace(path, "".join(lines))
        self._translate(f"another program writes {path}: {self.disk[path].text!r}")
        self.note(path)

    def remove_outside(self, path: str) -> None:
        """Another program removes the file."""
        away = self.file(path).with_name(f".{uuid.uuid4().hex}")
        try:
            self.file(path).rename(away)
        except FileNotFoundError:
            return
        self._seen_on_disk(path, away.read_bytes())
        away.unlink()
        self._wrote(path, None)
        self._translate(f"another program removes {path}")
        self.note(path)

    def _replace(self, path: str, text: str) -> None:
        """Replace the file in one step, recording what it replaced."""
        file = self.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f".{uuid.uuid4().hex}")
        new.write_bytes(text.encode())
        if _exchange(new, file):
            self._seen_on_disk(path, new.read_bytes())
            new.unlink()
        else:
            self._seen_on_disk(path, None)
            new.rename(file)
        self._wrote(path, text)

    def _wrote(self, path: str, text: str | None) -> None:
        place = self.disk[path]
        by_agents = set().union(*(gone for asked in self.under_way for gone in asked.removed.values()))
        self.forfeit |= tokens(place.text) - tokens(text) - by_agents
        self._count += 1
        event = Event(self._count)
        place.note(text, event)
        self._prove(event)

    # --- the editor's part --------------------------------------------------------------------------------

    async def _on_question(self, params: Message) -> Any:
        await self._pause(0.3)
        if any(action["title"].startswith("Next (") for action in params["actions"]):
            return pressing("Approve")(params)
        wish = self.random.choices(["Approve", "Reject", None, NO_ANSWER, "odd"], [24, 1, 1, 1, 1])[0]
        self._translate(f"answers the question: {wish}")
        if wish == "odd":
            return {"title": "Approve everything"}
        return pressing(wish)(params)

    async def _pause(self, longest_s: float) -> None:
        if self.random.random() < 0.5:
            await asyncio.sleep(self.random.random() * longest_s)

    async def _on_apply(self, params: Message) -> Any:
        edit = params["edit"]
        if self.way == "review":
            return PENDING
        if "changeAnnotations" in edit:
            return await self._preview(edit)
        [change] = edit["documentChanges"]
        done, said = await self._apply(change)
        return self._as_said(done, said)

    def _as_said(self, done: bool, said: str) -> Any:
        match said:
            case "error":
                raise RpcError(-32603, "broken")
            case "odd":
                return self.random.choice([None, {}, {"applied": "yes"}])
            case "silent":
                return NO_ANSWER
            case "yes" | "no":
                return {"applied": said == "yes"}
            case _:
                return {"applied": done}

    async def _preview(self, edit: Message) -> Any:
        await self._pause(0.3)
        if self.random.random() < 0.1:
            self._translate("discards the preview")
            return {"applied": False}
        done = True
        said = "truth"
        for change in edit["documentChanges"]:
            ticked = [one for one in change["edits"] if self.random.random() < 0.85]
            if self.random.random() < 0.08:
                ticked = []
            if ticked:
                applied, said = await self._apply({**change, "edits": ticked})
                done = done and applied
        return self._as_said(done, said)

    async def _apply(self, change: Message) -> tuple[bool, str]:
        """Apply one document's edits, or do something similar; returns whether it did, and what the client
        says."""
        path = str(Path(path_of(change["textDocument"]["uri"])).relative_to(self.editor.root))
        random = self.random
        manner = random.choices(list(MANNERS), list(MANNERS.values()))[0]
        self._translate(f"is to apply to {path}: {manner}")
        if manner != "good":
            for asked in self.under_way:
                asked.disturbed = True
        said = "truth"
        for step in manner.split():
            match step:
                case "refuse":
                    return False, said
                case "yes" | "no" | "error" | "odd" | "silent":
                    said = step
                case "slow":
                    await asyncio.sleep(random.random() * 2 * LIMIT_S)
                case "good" | "part":
                    before = self.text(path) if self.is_open(path) else None
                    self._before[path] = before or ""
                    if not self._edit(path, change, whole=step == "good"):
                        return False, said
                case "undo":
                    if before is not None:
                        self.set_back(path, before)
                case "type" | "type_over" | "save" | "close":
                    getattr(self, step)(path)
            if random.random() < 0.5:
                await asyncio.sleep(0)
        return True, said

    def _edit(self, path: str, change: Message, *, whole: bool) -> bool:
        edits = change["edits"]
        if not whole:
            edits = [one for one in edits if self.random.random() < 0.5]
        document = self.editor.documents.get(change["textDocument"]["uri"])
        if document is None:
            if change["textDocument"]["version"] is not None or not self.file(path).exists():
                return False
            text = self.file(path).read_bytes().decode()
            after = apply_text_edits(text, edits, self.editor.encoding)
            self._translate(f"a tab of {path} comes up")
            self._check_kept(f"an edit of {path}", text, after)
            self.open(path, text=after)
            return True
        before = document.text
        if not edits or not self.editor.apply({"documentChanges": [{**change, "edits": edits}]}):
            return False
        self._translate(f"applies to {path}: {document.text!r}")
        self._check_kept(f"an edit of {path}", before, document.text)
        self.note(path)
        if self.saves and self.way != "review" and plain(before) == plain(self.disk[path].text):
            self.save(path)
        return True

    async def review(self, announced: Message) -> None:
        """A review client's turn (docs/protocol.md#91-review-clients)."""
        random, told = self.random, {"id": announced["id"]}
        await self._pause(0.2)
        decision = random.choices(["accepted", "rejected", "some"], [14, 1, 2])[0]
        params: Message = {**told, "decision": "accepted" if decision == "some" else decision}
        if decision == "some":
            file = random.choice(announced["files"])
            params["files"] = [{"uri": file["uri"], "decision": "rejected"}]
        self._translate(f"settles: {decision}")
        settled = await self.editor.request("agentfs/settle", params)
        if not settled.get("apply"):
            return
        reports = []
        for change in settled["apply"]["documentChanges"]:
            done, said = await self._apply(change)
            if said in ("error", "silent"):
                return
            report = {"truth": done, "yes": True, "no": False, "odd": not done}[said]
            reports.append({"uri": change["textDocument"]["uri"], "applied": report})
        answer = await self.editor.request("agentfs/applied", {**told, "files": reports})
        self._translate(f"is told of what it applied: {answer}")
        if answer.get("revert"):
            for change in answer["revert"]["documentChanges"]:
                await self._apply(change)
        if answer.get("save"):
            await self._save_all(told, answer["save"])

    async def _save_all(self, told: Message, uris: Iterable[str]) -> None:
        reports = []
        for uri in uris:
            path = str(Path(path_of(uri)).relative_to(self.editor.root))
            await self._pause(0.1)
            manner = self.random.choices(list(SAVING), list(SAVING.values()))[0]
            for step in manner.split():
                if step == "undo":
                    self.set_back(path, self._before[path])
                else:
                    getattr(self, step)(path)
            reports.append({"uri": uri, "saved": "save" in manner or self.random.random() < 0.3})
        if self.random.random() < 0.9:
            await self.editor.request("agentfs/saved", {**told, "files": reports})

    # --- agents -------------------------------------------------------------------------------------------

    async def step(self) -> None:
        """One or two concurrent requests of agents, with random events meanwhile, judged."""
        for path in sorted(self.disk):
            if self.random.random() < 0.3:
                self.act(path)
        sessions = ["one", "two"] if self.random.random() < 0.15 else ["one"]
        asked = [one for session in sessions if (one := await self._asking(session)) is not None]
        if not asked:
            return
        self.note(asked[0].paths[0], ours=False)
        self.under_way = asked
        for one in asked:
            one.began, one.disturbed = self._count, len(asked) > 1
        shown = len(self.editor.all("agentfs/proposed"))
        watching = asyncio.ensure_future(self._review_all(shown)) if self.way == "review" else None
        acts = [self._act_later() for _ in range(self.random.choice([0, 0, 1, 1, 2]))]
        try:
            await asyncio.gather(*(self._exchange(one) for one in asked))
        finally:
            if watching is not None:
                watching.cancel()
            await asyncio.gather(*acts)
            await self._rest()
            self.under_way = []
        if self._defects:
            raise self._defects[0]

    async def _rest(self) -> None:
        """Let the editor's pending work finish."""
        waiting = list(self.editor._tasks | self._tasks)
        if waiting:
            _, late = await asyncio.wait(waiting, timeout=5)
            for task in late:
                task.cancel()
        self.editor._tasks.clear()
        self._look_all()

    def _look_all(self) -> None:
        for path in sorted(self.disk):
            self._look(path)

    async def _act_later(self) -> None:
        await asyncio.sleep(self.random.random() * 2 * LIMIT_S)
        self.act(self.random.choice(sorted(self.disk)))

    async def _review_all(self, shown: int) -> None:
        while True:
            announced = await self.editor.seen("agentfs/proposed", shown + 1)
            shown += 1
            self._go(self.review(announced))

    async def _asking(self, session: str) -> ChangeRequest | None:
        random = self.random
        self.requests += 1
        number = self.requests
        kind = random.choices(["edit", "write", "batch", "undo"], [3, 3, 6, 2])[0]
        known = {"session": session, "explanation": f"n{number}"}
        if kind == "undo":
            undoable = self._landed.get(session)
            if not undoable:
                return None
            undone = undoable.pop()
            asked = ChangeRequest(number, "agentfs/undo", known, session, undone.paths, undoes=undone.number)
            for path in undone.paths:
                now = self.text(path) if self.is_open(path) else self._on_disk(path)
                asked.removed[path] = {one for one in tokens(now) if undone.is_of(one)}
            return asked
        count = 1 if kind != "batch" else random.randint(1, 4)
        operations: list[Written] = []
        paths: list[str] = []
        for path in random.sample(sorted(self.disk), min(count, len(self.disk))):
            content = await self._read(session, path)
            made = written(random, path, content, number, len(operations), kind)
            if made is not None:
                operations.append(made)
                paths.append(path)
        if not operations:
            return None
        removed = {path: one.removed for path, one in zip(paths, operations, strict=True)}
        if kind == "batch":
            wire = [{"tool": one.tool, "params": one.params} for one in operations]
            params = {**known, "operations": wire, "atomic": random.random() < 0.7}
            return ChangeRequest(number, "agentfs/batch", params, session, paths, removed)
        params = {**known, **operations[0].params}
        return ChangeRequest(number, f"agentfs/{operations[0].tool}", params, session, paths, removed)

    def _on_disk(self, path: str) -> str | None:
        self._look(path)
        return self.disk[path].text

    async def _read(self, session: str, path: str) -> str | None:
        if (session, path) in self._known and self.random.random() < 0.15:
            return self._known[session, path]
        answer = await self.editor.read(path, session=session)
        if answer["status"] == "error":
            return None
        self._known[session, path] = answer["data"]["content"]
        return self._known[session, path]

    async def _exchange(self, asked: ChangeRequest) -> None:
        self._translate(f"{asked.method} {asked.params}")
        future = self.editor.start(asked.method, asked.params)
        if self.way != "preview" and self.random.random() < 0.05:
            asked.disturbed = True
            asyncio.get_running_loop().call_later(self.random.random() * LIMIT_S, self.editor.cancel, future)
        try:
            answer = await future
        except RpcError as error:
            if error.code != -32800:
                raise
            answer = {"status": "error", "error": {"code": "CANCELLED"}, "context": {}, "data": {}}
        self._look_all()
        self._translate(f"is answered {answer}")
        await Judge(self, asked).check(answer)

    async def kept(self, change_id: str) -> dict[str, str | None]:
        """`judge.World`."""
        kept = await self.editor.request("agentfs/userHistory", {"change_id": change_id, "texts": True})
        return {file["path"]: file["after_text"] for file in kept["data"]["changes"][0]["files"]}

    def landed(self, asked: ChangeRequest) -> None:
        """The session knows the files as they landed; the change may be undone later."""
        self._known.clear()
        if asked.undoes is None:
            self._landed.setdefault(asked.session, []).append(asked)
        else:
            self._landed[asked.session] = []  # another undo would undo the undo


# --- running -----------------------------------------------------------------------------------------------


async def run(root: Path, way: str, seed: int, go_on: Callable[[], bool]) -> World:
    """Run steps of one seed in `root` while `go_on`. Raises Violation, with the path to it in its notes."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    saves = Random(seed).random() < 0.6
    options: Message = {
        "landing_timeout_s": LIMIT_S,
        "save_timeout_s": LIMIT_S,
        "approval": {
            "timeout_s": 0.5 if way == "preview" else 4,  # a message waits until nobody types
            "mode": "auto_edit" if way == "auto_edit" else "manual",
        },
    }
    capabilities: Message = {"experimental": {"agentfs": {"review": way == "review", "save": saves}}}
    name = "test editor"
    if way == "preview":
        recording = recorded(VSCODE.name)
        capabilities, name = recording["capabilities"], recording["clientInfo"]["name"]
        saves = False
    async with editing(root, capabilities=capabilities, options=options, name=name) as editor:
        world = World(editor, way, seed, saves=saves)
        for path in (*FILES, "new.txt"):
            world.note(path)
        try:
            while go_on():
                await world.step()
        except BaseException as error:
            error.add_note(f"{way}, seed {seed}:\n" + "\n".join(world.trace[-60:]))
            raise
        return world


_AT_CWD, _EXCHANGE = -100, 2


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two files' names; False if the other is missing."""
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.renameat2(_AT_CWD, os.fsencode(one), _AT_CWD, os.fsencode(other), _EXCHANGE)
    return bool(done == 0)
