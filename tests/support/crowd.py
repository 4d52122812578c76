"""A crowd at one workspace: agents by the socket, by MCP, and in the editor, and a user who reviews, types,
and saves, while the editor's server and the agents' processes are killed.

All processes are real. Every change inserts a line with a token of its own and removes nothing, so that

- a token on disk or in the editor that no user approved is an unapproved change;
- a token that was on disk when an answer said so, and is gone later, is a lost one;
- a token whose answer said that nothing changed must never turn up.

What everyone does follows from the seed; what comes of it depends on the machine, too.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random

from agentfs_lsp.client import AsyncAgentFS, NoEditor, RequestRefused, ServerGone
from agentfs_lsp.sockets import discovery
from support.client import Editor, RpcError
from support.editor import REVIEWING
from support.judge import Violation
from support.mcp import initialize, legacy, line, modern
from support.outside import LAUNCHER, environment, serving
from support.text_edits import path_of
from support.wire import Message

FILES = ("a.py", "b.py", "c.py")
OPEN = "a.py"
"""The editor has it open, at times with unsaved text."""
PATIENCE_S = 120
KILLS = 0.04
"""How probable it is, at each moment, that something is killed."""


def tokens(text: str) -> set[str]:
    return {one for one in text.splitlines() if one.startswith("<")}


class Crowd:
    """`turns`: how many changes are tried. `sockets`: the fixture of this name, or a folder like it."""

    def __init__(self, seed: int, root: Path, sockets: Path, turns: int) -> None:
        self.root, self.sockets = root, sockets
        self.random = Random(seed)
        self.log = [f"seed {seed}"]
        self.turns = turns
        self.over = asyncio.Event()
        self.kills = self.answers = 0
        self.approved: set[str] = set()
        self.landed: dict[str, str] = {}
        self.denied: dict[str, str] = {}
        self.buffer = "open\n"
        self.editor: Editor | None = None
        self.programs: dict[str, asyncio.subprocess.Process] = {}
        self._count = 0
        for path in FILES:
            (root / path).write_text("open\n" if path == OPEN else f"first of {path}\n")

    async def play(self) -> None:
        """Until all turns are over. Raises Violation, with what happened in its notes."""
        everyone = [
            asyncio.ensure_future(work)
            for work in (
                self._edit(),
                self._by_socket("s1"),
                self._by_socket("s2"),
                self._by_mcp("m1", is_modern=False),
                self._by_mcp("m2", is_modern=True),
            )
        ]
        over = asyncio.ensure_future(self.over.wait())
        try:
            async with asyncio.timeout(PATIENCE_S + 5 * self.turns):
                done, _ = await asyncio.wait([*everyone, over], return_when=asyncio.FIRST_COMPLETED)
            for one in done - {over}:
                one.result()
                raise Violation("someone stopped")
        except (Violation, TimeoutError, ExceptionGroup) as error:
            error.add_note("\n".join(self.log[-60:]))
            raise
        finally:
            for one in (*everyone, over):
                one.cancel()
            await asyncio.gather(*everyone, return_exceptions=True)
            for program in self.programs.values():
                if program.returncode is None:
                    program.kill()
                    await program.wait()
        await self._end()

    async def _end(self) -> None:
        """What is left when a server has started again and has ended."""
        async with self._serving() as editor:
            await editor.request("agentfs/status")
        self.check("at the end")
        left = sorted(one.name for one in self.root.iterdir() if one.name not in FILES)
        if left not in ([], [".agentfs"]):
            raise Violation(f"left in the workspace: {left}")
        if discovery.find(self.root) is not None or list(self.sockets.glob("*.sock")):
            raise Violation(f"left of the sockets: {list(self.sockets.iterdir())}")

    # --- what must hold -----------------------------------------------------------------------------------

    def check(self, when: str) -> None:
        self.log.append(when)
        disk = {path: tokens((self.root / path).read_text()) for path in FILES}
        buffer = tokens(self.buffer)
        there = set[str]().union(buffer, *disk.values())
        if strange := {one for one in there if not one.startswith("<u")} - self.approved:
            raise Violation(f"{when}: unapproved {strange}")
        if lost := {one: path for one, path in self.landed.items() if one not in disk[path]}:
            raise Violation(f"{when}: lost {lost}")
        if risen := {one: why for one, why in self.denied.items() if one in there}:
            raise Violation(f"{when}: there in spite of the answer {risen}")

    def told(self, changed: dict[str, str], envelope: Message) -> None:
        """An answer to a change that inserts these tokens, each in its file."""
        data = envelope["data"]
        self.answers += 1
        if envelope["status"] == "error":
            if envelope["context"].get("landing") != "unknown":
                self.denied |= dict.fromkeys(changed, envelope["text"][:100])
        elif data.get("landing") == "disk" or data.get("applied"):
            self.landed |= changed
        self.check(f"{[*changed]}: {envelope['text'].splitlines()[0][:90]}")
        self.turns -= 1
        if self.turns <= 0:
            self.over.set()

    def moment(self, what: str) -> None:
        """Something may be killed now."""
        self.log.append(what)
        if self.random.random() >= KILLS:
            return
        self.kills += 1
        victims = [*self.programs, "server", "server"]
        victim = self.random.choice(victims)
        process = self.editor and self.editor.process if victim == "server" else self.programs[victim]
        if process is not None and process.returncode is None:
            self.log.append(f"kills {victim}")
            process.kill()

    # --- the editor ---------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _serving(self) -> AsyncIterator[Editor]:
        """An editor that still has its unsaved text."""
        async with serving(self.root, self.sockets, **REVIEWING) as editor:
            editor.open(OPEN, self.buffer)
            self.editor = editor
            try:
                yield editor
            finally:
                self.buffer = editor.documents[editor.uri(OPEN)].text
                self.editor = None

    async def _edit(self) -> None:
        while True:
            with suppress(EOFError, ConnectionError):  # killed as it starts
                async with self._serving() as editor, asyncio.TaskGroup() as group:
                    works = [
                        group.create_task(self._until_killed(work))
                        for work in (self._review(editor), self._type(editor), self._inside(editor))
                    ]
                    assert editor.listening is not None
                    await asyncio.wait([editor.listening])
                    await editor.process.wait()
                    for work in works:
                        work.cancel()

    async def _until_killed(self, work: Awaitable[None]) -> None:
        with suppress(EOFError, ConnectionError):
            await work

    async def _review(self, editor: Editor) -> None:
        number = 0
        async with asyncio.TaskGroup() as group:
            while True:
                number += 1
                announced = await editor.seen("agentfs/proposed", number)
                group.create_task(self._until_killed(self._decide(editor, announced["id"])))

    async def _decide(self, editor: Editor, ident: str) -> None:
        self.moment(f"proposed {ident}")
        with suppress(RpcError):
            proposal = await editor.request("agentfs/proposal", {"id": ident})
            if "files" not in proposal:
                return  # withdrawn meanwhile
            for _ in range(self.random.randrange(4)):
                await editor.request("agentfs/status")
            new = [tokens(one["proposed_text"]) - tokens(one["base_text"]) for one in proposal["files"]]
            decision = self.random.choices(("accepted", "rejected", "amended"), (6, 2, 2))[0]
            params: Message = {"id": ident, "decision": decision}
            if decision == "amended":
                params["files"] = [
                    {
                        "uri": one["uri"],
                        "decision": "amended",
                        "text": f"{one['proposed_text']}{self._token('u')}\n",
                    }
                    for one in proposal["files"]
                ]
            if decision != "rejected":
                self.approved |= set[str]().union(*new)
            self.log.append(f"{decision} {new}")
            settling = editor.start("agentfs/settle", params)
            self.moment("settles")
            settled = await settling
            if settled.get("apply"):
                await self._land(editor, ident, settled["apply"])

    async def _land(self, editor: Editor, ident: str, edit: Message) -> None:
        """The editor's part of it."""
        uris = [one["textDocument"]["uri"] for one in edit["documentChanges"]]
        done = editor.apply(edit)
        self.buffer = editor.documents[editor.uri(OPEN)].text
        self.moment("applied")
        report = [{"uri": uri, "applied": done} for uri in uris]
        applied = await editor.request("agentfs/applied", {"id": ident, "files": report})
        if applied.get("revert"):
            editor.apply(applied["revert"], pinned=False)
        for uri in applied.get("save", ()):
            editor.save(Path(path_of(uri)).name)
            self.moment("saved")
            await editor.request("agentfs/saved", {"id": ident, "files": [{"uri": uri, "saved": True}]})

    async def _type(self, editor: Editor) -> None:
        """Now and then a line, and now and then a save, but not over what the editor does not know."""
        document = editor.documents[editor.uri(OPEN)]
        while True:
            for _ in range(self.random.randrange(1, 30)):
                await editor.request("agentfs/status")
            editor.change(OPEN, f"{document.text}{self._token('u')}\n")
            self.buffer = document.text
            await editor.request("agentfs/status")
            disk = (self.root / OPEN).read_text()
            if self.random.random() < 0.5 and tokens(disk) <= tokens(document.text):
                editor.save(OPEN)

    async def _inside(self, editor: Editor) -> None:
        """An agent in the editor; at times it changes two files at once."""
        while True:
            paths = self.random.sample(FILES, self.random.choice((1, 1, 2)))
            changed, operations = {}, []
            for path in paths:
                read = await editor.request("agentfs/read", {"path": path, "session": "inside"})
                if read["status"] != "error":
                    token, params = self._change("i", path, read["data"]["content"])
                    changed[token] = path
                    operations.append({"tool": "edit", "params": params})
            self.moment(f"inside: {[*changed]}")
            batch = {"operations": operations, "atomic": True, "session": "inside"}
            self.told(changed, await editor.request("agentfs/batch", batch))

    # --- outside ------------------------------------------------------------------------------------------

    async def _by_socket(self, name: str) -> None:
        while True:
            try:
                async with AsyncAgentFS.attach(self.root, name=name) as fs:
                    while True:
                        await self._turn(name, fs)
            except (NoEditor, ServerGone, RequestRefused) as error:
                self.log.append(f"{name}: {type(error).__name__}")
                await asyncio.sleep(0)

    async def _turn(self, name: str, fs: AsyncAgentFS) -> None:
        path = self.random.choice(FILES)
        read = await fs.read(path)
        if not read.ok:
            return
        token, params = self._change(name, path, read.content or "")
        self.moment(f"{name}: {token}")
        editing = asyncio.ensure_future(fs.edit(path, params["old_string"], params["new_string"]))
        try:
            if self.random.random() < 0.1:
                await fs.status()
                editing.cancel()
            await asyncio.wait([editing])
        finally:
            editing.cancel()
            await asyncio.gather(editing, return_exceptions=True)
        if editing.cancelled():
            self.check(f"{name} cancelled {token}")
        else:
            self.told({token: path}, dict(editing.result().envelope))

    async def _by_mcp(self, name: str, *, is_modern: bool) -> None:
        while True:
            process = await asyncio.create_subprocess_exec(
                *[sys.executable, "-P", LAUNCHER, "mcp", "--hold", "1"],
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                cwd=self.root,
                env=environment(self.root, self.sockets),
                limit=1 << 24,
            )
            self.programs[name] = process
            program = _Mcp(process, is_modern=is_modern)
            with suppress(EOFError, ConnectionError):
                await program.start(name)
                while True:
                    await self._mcp_turn(name, program)
            await process.wait()
            self.log.append(f"{name}: ended")

    async def _mcp_turn(self, name: str, program: "_Mcp") -> None:
        path = self.random.choice(FILES)
        read = await program.call("read", {"path": path})
        if read["isError"]:
            return
        token, params = self._change(name, path, read["content"][0]["text"])
        self.moment(f"{name}: {token}")
        result = await program.call("edit", params)
        while pending := result["_meta"].get("agentfs-pending"):
            self.moment(f"{name} waits")
            result = await program.call("wait", {"id": pending})
        if envelope := result["_meta"].get("agentfs-envelope"):
            self.told({token: path}, envelope)
            return
        said = result["content"][0]["text"]
        if "othing has changed" in said and token in tokens((self.root / path).read_text()):
            raise Violation(f"{name} {token}: {said}")
        self.check(f"{name} {token}: {said[:90]}")

    # ------------------------------------------------------------------------------------------------------

    def _token(self, who: str) -> str:
        self._count += 1
        return f"<{who}.{self._count}>"

    def _change(self, who: str, path: str, content: str) -> tuple[str, Message]:
        """A line behind one that is there."""
        anchor, token = self.random.choice(content.splitlines()), self._token(who)
        return token, {"path": path, "old_string": anchor, "new_string": f"{anchor}\n{token}"}


class _Mcp:
    """A client of one process. Raises EOFError when it ends."""

    def __init__(self, process: asyncio.subprocess.Process, *, is_modern: bool) -> None:
        self._process, self._is_modern = process, is_modern
        self._count = 0

    async def start(self, name: str) -> None:
        if not self._is_modern:
            await self._ask(initialize(name=name))

    async def call(self, tool: str, arguments: Message) -> Message:
        self._count += 1
        make = modern if self._is_modern else legacy
        return await self._ask(make("tools/call", self._count, name=tool, arguments=arguments))

    async def _ask(self, message: Message) -> Message:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line(message))
        while read := await self._process.stdout.readline():
            answer = json.loads(read)
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise Violation(f"refused: {answer['error']}")
                result: Message = answer["result"]
                return result
        raise EOFError
