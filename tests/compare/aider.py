"""aider's editors, in aider's own environment (scripts/aider_edits.py)."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compare import installation
from compare.party import Edit, Party, PartyFailedError, ended, environment, whole_lines
from compare.verdicts import Outcome

SCRIPT = Path(__file__).parent / "scripts" / "aider_edits.py"


class Aider(Party):
    """Its SEARCH/REPLACE blocks, and its whole-file format."""

    name = "aider"
    about = (
        "its package's coders, which apply a model's answer to the files in the chat: `diff` (SEARCH/REPLACE "
        "blocks of whole lines) for edits, `whole` for whole files; without git. With git, aider commits "
        "before and after a change, so that what it wrote over can be found there"
    )
    has_read = False
    whole_lines = True

    @property
    def version(self) -> str:
        installation.aider()
        (found,) = installation.AIDER.glob("lib/*/site-packages/aider_chat-*.dist-info")
        return f"aider-chat {found.name.removesuffix('.dist-info').partition('-')[2]}"

    async def start(self) -> None:
        beside = self.root.parent
        with (beside / "log").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                installation.aider(),
                SCRIPT,
                cwd=self.root,
                env=environment(beside / "home"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=1 << 26,
            )
        await self._line()

    async def close(self) -> None:
        await ended(self._process)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def read(self, path: str) -> str:
        """It has no tool for that: it puts the file into the chat, and reads it again for each answer."""
        return (self.root / path).read_bytes().decode("utf-8", "replace")

    async def edit(self, edit: Edit) -> Outcome:
        return await self.change([edit])

    async def change(self, edits: Sequence[Edit]) -> Outcome:
        blocks = []
        for edit in edits:
            lines = whole_lines(self.known.get(edit.path, ""), edit)
            assert lines is not None, "the case is not for formats of whole lines"
            old, new = lines
            marks = ["<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE"]
            blocks += [edit.path, "<FENCE>", *marks, "</FENCE>", ""]
        return await self._apply("diff", [edit.path for edit in edits], "\n".join(blocks))

    async def write(self, path: str, content: str) -> Outcome:
        return await self._apply("whole", [path], f"{path}\n<FENCE>\n{content}</FENCE>\n")

    async def _apply(self, edit_format: str, paths: Sequence[str], answer: str) -> Outcome:
        files = [str(self.root / path) for path in paths if path in self.known]
        request = {"format": edit_format, "files": files, "answer": answer}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        answered: dict[str, Any] = json.loads(await self._line())
        return Outcome(answered["success"], answered["text"])

    async def _line(self) -> bytes:
        assert self._process.stdout is not None
        async with asyncio.timeout(300):
            line = await self._process.stdout.readline()
        if not line:
            raise PartyFailedError((self.root.parent / "log").read_text()[-300:] or "aider ended")
        return line
