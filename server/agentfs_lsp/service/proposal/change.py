"""A computed change of one file, and the facts derived from it; one unified diff for several changes."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.access import HIDDEN, Access
from agentfs_lsp.domain.cached import cached
from agentfs_lsp.domain.diagnostics import Diagnostic, SyntaxProblem
from agentfs_lsp.domain.diff.hunks import counts, widen
from agentfs_lsp.domain.diff.line_ends import leaves_an_eol, splices_towards
from agentfs_lsp.domain.diff.unified import TRUNCATED, Preview, preview, whole
from agentfs_lsp.domain.errors import BytesJoined, Conflict, NulPutIn, ResultTooLarge, Unencodable
from agentfs_lsp.domain.revision import Expected, FileStat, hash_bytes
from agentfs_lsp.domain.splices import Splice, apply_splices, compose
from agentfs_lsp.domain.text.byte_order_mark import MARK, marked_like
from agentfs_lsp.domain.text.escaping import MAX_FINDINGS, Finding, find_suspicious
from agentfs_lsp.domain.text.lines import (
    count_lines,
    ends_between,
    first_eol,
    is_ended,
    line_of,
    normalize,
    with_eol,
    without_end,
)
from agentfs_lsp.domain.text.misreading import is_misread
from agentfs_lsp.domain.text.patching import patch
from agentfs_lsp.domain.text.textfile import MARKS, check_insertable, decode_as, encode, eol_of, mark_of
from agentfs_lsp.service.files.snapshot import hash_of_buffer
from agentfs_lsp.service.files.store import Blob
from agentfs_lsp.service.proposal.risks import Risks, Warned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentfs_lsp.domain.matching.levels import Level
    from agentfs_lsp.domain.settings.settings import Settings
    from agentfs_lsp.domain.text.patching import Pieces
    from agentfs_lsp.domain.text.textfile import TextFile
    from agentfs_lsp.service.files.snapshot import Snapshot

Operation = Literal["create", "update", "delete"]

_LONE_CR = re.compile(r"\r(?!\n)")


CorrectionKind = Literal[
    "line_ends",
    "byte_order_mark",
    "last_line_end",
    "charset",
    "final_newline",
    "trailing_blanks",
    "escapes",
    "formatted",
]


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction made to the agent's input before it was proposed."""

    kind: CorrectionKind
    detail: str


@dataclass(frozen=True, slots=True)
class Landing:
    """A change that landed. `seen` is the file's new revision (empty if deleted), without hash if the file is
    exactly what `change` produces; `text` is its new text, None in that case. `on_save` is the diff between
    the accepted and the saved text, if they differ."""

    change: FileChange
    where: Literal["disk", "editor"]
    seen: Expected
    text: str | None = None
    bytes_written: int = 0
    hard_links: int = 0
    owner_lost: bool = False
    created_dirs: tuple[str, ...] = ()
    on_save: str | None = None

    @classmethod
    def unsaved(cls, change: FileChange, stat: FileStat | None = None) -> Landing:
        """In the editor as it was accepted, whatever was typed beside it. `stat`: of the file on disk."""
        digest = hash_of_buffer(change.proposed_file)
        known = Expected(stat.mtime_ms if stat else None, stat.size if stat else None, digest)
        return cls(change, "editor", known, change.shown)

    @property
    def revision(self) -> Expected:
        """The file's new revision with its hash. Hashing a large file belongs on a thread."""
        if not self.seen or self.seen.hash is not None:
            return self.seen
        return self.seen._replace(hash=self.change.proposed_hash)


@dataclass(frozen=True)
class FileChange:
    """Replacements in one file, computed on a snapshot of it.

    `path` is the displayed path; `splices` are minimal, with offsets in `base.text.text`; `level` is an
    edit's matching level, None for a write. Deleting a file removes all its text. `merged` is the diff of
    what others changed since the session's read, if the change was merged into it. `end_is_kept`: the editor
    stores the last line end separately, so the text lacks it, or has it, unlike what was asked for. `hints`:
    warnings about what the agent sent, found before the text was corrected. `access`: what the session may be
    told about the file. `found`: what a secrets scanner found in what it adds."""

    path: str
    base: Snapshot
    operation: Operation
    splices: tuple[Splice, ...]
    settings: Settings
    tools: tuple[Literal["write", "edit"], ...] = ("edit",)
    """The operations policy judges; a batch may use both on one file."""
    create_dirs: bool = True
    corrections: tuple[Correction, ...] = ()
    hints: tuple[Warned, ...] = ()
    replacements: int = 0
    level: Level | None = None
    merged: str | None = None
    end_is_kept: bool = False
    access: Access = HIDDEN
    found: tuple[Warned, ...] = ()
    syntax: tuple[SyntaxProblem, ...] = ()
    """The syntax errors that it introduces (`diagnosing.py`)."""
    reported: tuple[Diagnostic, ...] = ()
    """What programs in the editor have found since it landed (`diagnosing.py`)."""

    @cached
    def absolute(self) -> str:
        """The file's real absolute path."""
        return self.base.location.absolute

    @property
    def uri(self) -> str | None:
        """The document's; None if the file was closed."""
        return self.base.buffer.uri if self.base.buffer else None

    @cached
    def hunks(self) -> tuple[Splice, ...]:
        """The splices widened to whole lines, for editors and people."""
        return widen(self.base.text.shown, self.splices)

    @cached
    def proposed(self) -> str:
        """The whole text after the change, in the file's line ends; undecodable bytes stay surrogates."""
        return apply_splices(self.base.text.text, self.splices)

    @cached
    def shown(self) -> str:
        """`proposed` for people and models: U+FFFD stands for undecodable bytes."""
        if not self.base.text.lossy:
            return self.proposed
        return apply_splices(self.base.text.shown, self.splices)

    @cached
    def proposed_pieces(self) -> Pieces:
        """The bytes to write: the base's bytes wherever nothing changes."""
        if self.operation == "delete":
            return ()
        patched = None
        if self.base.blob is not None and self.base.buffer is None:
            patched = patch(self.base.blob.data, self.base.text, self.splices)
        return (encode(self.proposed, self.base.text),) if patched is None else patched

    @cached
    def proposed_bytes(self) -> bytes:
        """`proposed_pieces`, joined."""
        return b"".join(self.proposed_pieces)

    @cached
    def proposed_hash(self) -> str:
        """The hash of `proposed_bytes`."""
        return hash_bytes(*self.proposed_pieces)

    @property
    def proposed_file(self) -> TextFile:
        """`proposed` with the file's encoding and byte-order mark."""
        return replace(self.base.text, text=self.proposed)

    @cached
    def proposed_size(self) -> int:
        """The size of the proposed text in bytes; as UTF-8 if the file's encoding can't express it."""
        try:
            return sum(map(len, self.proposed_pieces))
        except Unencodable:
            return len(self.proposed.encode("utf-8", "surrogatepass"))

    @cached
    def line_counts(self) -> tuple[int, int]:
        """Lines added and removed."""
        return counts(self.base.text.shown, self.hunks)

    @cached
    def preview(self) -> Preview:
        """The unified diff, within the `diff.*` limits; empty if the user wants none in answers."""
        limits = self.settings.diff
        if not limits.preview:
            return Preview("", truncated=False)
        return self.preview_within(limits.max_lines, limits.max_bytes, limits.max_line_chars)

    @cached
    def full_preview(self) -> str:
        """The complete unified diff, for reviewers without a diff editor."""
        base, context = self.base.text.shown, self.settings.diff.context
        return whole(base, self.hunks, self.path, operation=self.operation, context=context)

    def preview_within(self, max_lines: int, max_bytes: int, max_line_chars: int) -> Preview:
        """The unified diff within the given limits."""
        return preview(
            self.base.text.shown,
            self.hunks,
            self.path,
            operation=self.operation,
            max_lines=max_lines,
            max_bytes=max_bytes,
            max_line_chars=max_line_chars,
            context=self.settings.diff.context,
        )

    @cached
    def warnings(self) -> tuple[Warned, ...]:
        """Easily missed characters in the inserted text, and side effects of the landing."""
        links = self.base.blob.stat.links if self.base.blob else 1
        of_file = [Warned("hard_links", 0, str(links - 1))] if links > 1 else []
        of_file += [Warned("on_save", 0, what) for what in self.base.changed_by_save]
        text, shift, counted, line = self.base.text.text, 0, 0, 1
        found = list(self.risks.secrets)
        for hunk in self.hunks:
            if len(found) == MAX_FINDINGS:
                break
            suspicious = [*self._ends_at_cr(hunk.text), *find_suspicious(hunk.text)]
            suspicious = suspicious[: MAX_FINDINGS - len(found)]
            if suspicious:  # only warnings need line numbers, and counting lines in a large file is slow
                line += ends_between(text, counted, hunk.start)
                counted = hunk.start
                found += [Warned(kind, line + shift + at - 1, detail) for kind, at, detail in suspicious]
            shift += count_lines(hunk.text) - count_lines(text[hunk.start : hunk.end])
        found += self.risks.misread[: MAX_FINDINGS - len(found)]
        return (*of_file, *sorted((*found, *self.hints), key=lambda one: one.line))

    @property
    def hints_of_file(self) -> tuple[Warned, ...]:
        """`hints` without their lines, for a change in which these are elsewhere."""
        return tuple(replace(one, line=0) for one in self.hints)

    @property
    def review_warnings(self) -> tuple[Warned, ...]:
        """`warnings`, and what answers report as diagnostics."""
        return (*self.warnings, *(Warned("syntax", one.line, one.detail) for one in self.syntax))

    def _ends_at_cr(self, text: str) -> Iterator[Finding]:
        """The first line of a text to insert that ends at a CR, where the file's lines do not: editors and
        reviews show the end of a line, most programs read on."""
        if eol_of(self.base.text.text) != "cr" and (found := _LONE_CR.search(text)):
            yield Finding("control", line_of(text, found.start()), "U+000D")

    @cached
    def risks(self) -> Risks:
        """What the change brings into the file."""
        return Risks(self.base.text.shown, self.splices, self.hunks, self._misread_encodings, self.found)

    @cached
    def risks_written(self) -> Risks:
        """As `risks`, but of the whole proposed text, whatever the file held before."""
        whole = (Splice(0, 0, self.proposed),)
        return Risks("", whole, whole, self._misread_encodings, self.found)

    @property
    def _misread_encodings(self) -> tuple[str, ...]:
        """The encodings in which the file is or will be, if they are not Unicode's."""
        if self.base.text.lossy or self.operation == "delete":
            return ()
        told = self.base.buffer.encoding if self.base.buffer else None
        return tuple(dict.fromkeys(one for one in (self.base.text.encoding, told) if one and is_misread(one)))

    def describe(self) -> None:
        """Compute and cache what answers report about the change; slow for large files."""
        _ = self.preview, self.line_counts, self.warnings

    def check(self) -> None:
        """Validate the change. Raises Conflict if the editor might apply it at another position, Unencodable
        if the file's encoding can't express the new text, NulPutIn if that contains NUL, BytesJoined if the
        landed bytes would read as another text, and ResultTooLarge if the file would become too large to
        change again."""
        if self.splices and self.base.buffer is not None and not self.base.buffer.positions_reliable:
            raise Conflict(self.path, "editor", "carriage_returns", actual=self.base.revision)
        limit = self.settings.limits.max_file_bytes
        at_most = 4 * (len(self.base.text.text) + sum(len(splice.text) for splice in self.splices))
        if self.splices and at_most > limit and self.proposed_size > limit:
            raise ResultTooLarge(self.path, self.proposed_size, limit)
        for number, splice in enumerate(self.splices):
            if "\0" in splice.text:
                line = line_of(splice.text, splice.text.index("\0"))
                raise NulPutIn(self.path, self._lines_before(number) + line)
            try:
                check_insertable(splice.text, self.base.text)
            except Unencodable as unfit:
                unfit.line += self._lines_before(number)
                raise
        base = self.base.text
        if not self.splices or (base.tells_itself and not base.lossy):
            return
        begin = self.proposed[:4] if self.splices[0].start < 4 else ""
        with suppress(Unencodable):  # an editor's text
            if MARKS.get(mark_of(encode(begin, base)), base.encoding) != base.encoding:
                raise BytesJoined(self.path)
        if base.lossy:
            landed = decode_as(self.proposed_bytes, base.encoding, base.bom)
            if landed is None or landed.text != self.proposed:
                raise BytesJoined(self.path)

    def _lines_before(self, number: int) -> int:
        """Count the line ends in the proposed text before this splice."""
        before, splice = self.splices[:number], self.splices[number]
        text = apply_splices(self.base.text.text[: splice.start], before)
        return line_of(text, len(text)) - 1

    @property
    def extent(self) -> int:
        """How much text the change involves, in bytes or code points."""
        return max(self.base.size, sum(len(splice.text) for splice in self.splices))

    @property
    def changes_nothing(self) -> bool:
        """Whether the file already has the proposed content."""
        return not self.splices and self.operation == "update"

    @property
    def is_blind(self) -> bool:
        """Whether the session may not see the file that it replaces: nothing that depends on what the file
        held may decide its answer."""
        return self.tools == ("write",) and not self.access.seen

    def reads_as(self, other: FileChange) -> bool:
        """Whether both changes produce the same text, line ends aside."""
        if self.splices == other.splices and self.base.text.text == other.base.text.text:
            return True  # avoids joining large texts, which takes as long as their landing
        return self._normalized == other._normalized

    @property
    def _normalized(self) -> str:
        """The proposed text with LF line ends, the last as it was asked for."""
        text = normalize(self.shown)
        if not self.end_is_kept:
            return text
        return without_end(text) if is_ended(self.base.text.text) else f"{text}\n"

    def result(self) -> Snapshot:
        """The file after this change, as the base for another. Raises Unencodable if the editor's text does
        not fit the file's encoding."""
        base, data, text = self.base, self.proposed_bytes, self.proposed_file
        if base.buffer is not None:
            buffer = replace(base.buffer, text=text.text)
            return base._replace(buffer=buffer, text=text, lost_eol=self.lost_eol)
        stat = base.blob.stat if base.blob else FileStat(0, len(data), 0, 0, 0, 1)
        return base._replace(blob=Blob(data, stat), disk=text, text=text, lost_eol=self.lost_eol)

    def followed_by(self, other: FileChange) -> FileChange:
        """Combine this change with `other`, whose base is this change's `result`."""
        text = self.base.text.text
        composed = compose(self.splices, other.splices)
        return replace(
            self,
            splices=tuple(one for one in composed if text[one.start : one.end] != one.text),
            tools=tuple(dict.fromkeys((*self.tools, *other.tools))),
            corrections=tuple(dict.fromkeys((*self.corrections, *other.corrections))),
            hints=tuple(dict.fromkeys((*self.hints_of_file, *other.hints))),
            replacements=0,
            level=None,
        )

    def onto(self, now: Snapshot) -> FileChange:
        """The same change on a new snapshot of the same text: the file may have been opened or closed, or the
        editor may have unified its line ends. An encoding restored by undo is kept."""
        now = now.to_be_written_as(self.base.text.encoding, self.base.text.bom)
        if now.text.text == self.base.text.text:
            return replace(self, base=now)
        ends = self.base.ended_by_save and now.buffer is None and not is_ended(self.shown)
        moved = self.amended(f"{self.shown}\n" if ends else self.shown, now)
        return replace(moved, found=self.found)

    @property
    def lost_eol(self) -> str:
        """The file's line end, now or earlier, if the change leaves none; otherwise ""."""
        text = self.base.text.text
        if leaves_an_eol(text, self.splices):
            return ""
        return first_eol(text) if leaves_an_eol(text, ()) else self.base.lost_eol

    def in_its_line_ends(self) -> FileChange:
        """The change in the line ends the file had before losing its last one, if known."""
        eol = self.base.lost_eol
        if not eol:
            return self
        ended = (replace(splice, text=with_eol(splice.text, eol)) for splice in self.splices)
        return replace(self, splices=tuple(ended))

    def amended(self, text: str, now: Snapshot | None = None) -> FileChange:
        """The change that produces `text` instead, whatever its line ends. Amending a deletion with a
        non-empty text keeps the file. A leading byte-order mark in `text` is ignored: the file keeps its own,
        or none."""
        base, text = now or self.base, text.removeprefix(MARK)
        shown, lone_eol = base.text.shown, self.base.lost_eol or first_eol(self.proposed)
        splices = splices_towards(shown, marked_like(shown, text), lone_eol)
        operation = "update" if self.operation == "delete" and text else self.operation
        return replace(self, base=base, splices=splices, operation=operation, found=())


def preview_together(changes: Sequence[FileChange], settings: Settings) -> Preview:
    """Concatenate the changes' unified diffs within the `diff.*` limits of a single diff."""
    limits = settings.diff
    lines, size = limits.max_lines, limits.max_bytes
    shown: list[str] = []
    cut = False
    for change in changes:
        one = change.preview
        if one.text.count("\n") > lines or len(one.text.encode()) > size:
            one = change.preview_within(lines, size, limits.max_line_chars)
        shown.append(one.text)
        cut = cut or one.truncated
        if one.text.endswith(TRUNCATED):
            break
        lines -= one.text.count("\n")
        size -= len(one.text.encode())
    return Preview("".join(shown), cut)
