"""A change of one file, computed and ready to be shown: what it is made of and what it says of itself."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.access import HIDDEN, Access
from agentfs_lsp.domain.cached import cached
from agentfs_lsp.domain.diff.hunks import counts, widen
from agentfs_lsp.domain.diff.line_ends import first_eol, leaves_an_eol, splices_towards
from agentfs_lsp.domain.diff.unified import Preview, preview, whole
from agentfs_lsp.domain.errors import Conflict, DomainError, NulPutIn, ResultTooLarge, Unencodable
from agentfs_lsp.domain.policy.credentials import new_secrets
from agentfs_lsp.domain.revision import FileStat, hash_bytes
from agentfs_lsp.domain.splices import Splice, apply_splices, compose
from agentfs_lsp.domain.text.escaping import MOST_FINDINGS, SEPARATORS, find_suspicious
from agentfs_lsp.domain.text.lines import (
    count_lines,
    ends_between,
    is_ended,
    line_of,
    normalise,
    with_eol,
    without_end,
)
from agentfs_lsp.domain.text.patching import patch
from agentfs_lsp.domain.text.textfile import check_insertable, encode
from agentfs_lsp.service.files.store import Blob

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentfs_lsp.domain.matching.levels import Level
    from agentfs_lsp.domain.policy.credentials import NewSecret
    from agentfs_lsp.domain.revision import Expected
    from agentfs_lsp.domain.settings.settings import Settings
    from agentfs_lsp.domain.text.patching import Pieces
    from agentfs_lsp.domain.text.textfile import TextFile
    from agentfs_lsp.service.files.snapshot import Snapshot

Operation = Literal["create", "update", "delete"]

MARK = "\ufeff"
"""The byte-order mark where it gets into text: a file's own is kept beside its text, not in it."""


def reads_same(one: str, other: str) -> bool:
    """Whether two texts of a file are the same, line ends and a byte-order mark in front aside."""
    return normalise(one).removeprefix(MARK) == normalise(other).removeprefix(MARK)


@dataclass(frozen=True, slots=True)
class Correction:
    """Something put right in what the agent sent before it was proposed."""

    kind: Literal["line_ends", "byte_order_mark"]
    detail: str


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the reviewer should see; `line` is 1-based in the proposed text, 0 for the whole file."""

    kind: str
    line: int
    detail: str


@dataclass(frozen=True, slots=True)
class Landing:
    """How a change landed. `seen` is what the file now is (empty where it was deleted), perhaps less its hash
    where the file is just what `change` makes of it; so is `text`, what it reads, None there; `on_save` is
    the diff from what was accepted to what was saved, if it differs."""

    change: FileChange
    where: Literal["disk", "editor"]
    seen: Expected
    text: str | None = None
    bytes_written: int = 0
    hard_links: int = 0
    created_dirs: tuple[str, ...] = ()
    on_save: str | None = None

    @property
    def revision(self) -> Expected:
        """What the file now is, with its hash: of a large file, a thread's work."""
        if not self.seen or self.seen.hash is not None:
            return self.seen
        return replace(self.seen, hash=self.change.proposed_hash)


@contextmanager
def about(change: FileChange) -> Iterator[None]:
    """Errors that come up in here are about this change's file."""
    try:
        yield
    except DomainError as error:
        error.file = error.file or change.base.location.absolute
        raise


@dataclass(frozen=True)
class FileChange:
    """Pieces to replace in a file as it was seen.

    `path` is the file's name as it is shown; `splices` are offsets in `base.text.text`, as small as they
    came; `level` is the matching level of an edit, None for a write. A file to be deleted loses all its text.
    `merged`: where the change was brought into what others had made of the file since the session read it,
    the diff of that. `end_is_kept`: the editor keeps the line end of the last line, which the text is
    without. `access`: what the session may be told of the file.
    """

    path: str
    base: Snapshot
    operation: Operation
    splices: tuple[Splice, ...]
    settings: Settings
    tools: tuple[Literal["write", "edit"], ...] = ("edit",)
    """As what policy judges it: a batch may come to a file in both ways."""
    create_dirs: bool = True
    corrections: tuple[Correction, ...] = ()
    replacements: int = 0
    level: Level | None = None
    merged: str | None = None
    end_is_kept: bool = False
    access: Access = HIDDEN

    @cached
    def hunks(self) -> tuple[Splice, ...]:
        """The pieces widened to whole lines: what editors and people are handed."""
        return widen(self.base.text.shown, self.splices)

    @cached
    def proposed(self) -> str:
        """The whole text after the change, in the file's own line ends; undecodable bytes stay surrogates."""
        return apply_splices(self.base.text.text, self.splices)

    @cached
    def shown(self) -> str:
        """`proposed` as people and models read it: U+FFFD for what did not decode."""
        if not self.base.text.lossy:
            return self.proposed
        return apply_splices(self.base.text.shown, self.splices)

    @cached
    def proposed_pieces(self) -> Pieces:
        """What a landing on disk writes: the base's bytes wherever nothing is changed."""
        if self.operation == "delete":
            return ()
        patched = None
        if self.base.blob is not None and self.base.buffer is None:
            patched = patch(self.base.blob.data, self.base.text, self.splices)
        return (encode(self.proposed, self.base.text),) if patched is None else patched

    @cached
    def proposed_bytes(self) -> bytes:
        """`proposed_pieces` put together."""
        return b"".join(self.proposed_pieces)

    @cached
    def proposed_hash(self) -> str:
        """The name of `proposed_bytes`."""
        return hash_bytes(*self.proposed_pieces)

    @property
    def proposed_file(self) -> TextFile:
        """`proposed` with the file's encoding and mark."""
        return replace(self.base.text, text=self.proposed)

    @cached
    def proposed_size(self) -> int:
        """Bytes of the proposed text; of an editor's text that its file can't express, as UTF-8."""
        try:
            return sum(map(len, self.proposed_pieces))
        except UnicodeError:
            return len(self.proposed.encode("utf-8", "surrogatepass"))

    @cached
    def line_counts(self) -> tuple[int, int]:
        """Lines added and removed by the whole change."""
        return counts(self.base.text.shown, self.hunks)

    @cached
    def preview(self) -> Preview:
        """The unified diff, within the limits of `diff.*`."""
        limits = self.settings.diff
        return self.preview_within(limits.max_lines, limits.max_bytes, limits.max_line_chars)

    @cached
    def full_preview(self) -> str:
        """The unified diff, whole: what a reviewer without a diff editor is shown."""
        return whole(
            self.base.text.shown,
            self.hunks,
            self.path,
            operation=self.operation,
            context=self.settings.diff.context,
        )

    def preview_within(self, max_lines: int, max_bytes: int, max_line_chars: int) -> Preview:
        """The unified diff within other limits."""
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
        """What stands in the inserted text that eyes miss, and what else the landing touches."""
        links = self.base.blob.stat.links if self.base.blob else 1
        of_file = [Warned("hard_links", 0, str(links - 1))] if links > 1 else []
        of_file += [Warned("on_save", 0, what) for what in self.base.changed_by_save]
        text, shift, counted, line = self.base.text.text, 0, 0, 1
        found = list(self.secrets)
        for hunk in self.hunks:
            if len(found) == MOST_FINDINGS:
                break
            suspicious = find_suspicious(hunk.text)[: MOST_FINDINGS - len(found)]
            if suspicious:  # else nobody asks which line it is, and counting a large file's takes its time
                line += ends_between(text, counted, hunk.start)
                counted = hunk.start
                found += [Warned(kind, line + shift + at - 1, detail) for kind, at, detail in suspicious]
            shift += count_lines(hunk.text) - count_lines(text[hunk.start : hunk.end])
        return (*of_file, *sorted(found, key=lambda one: one.line))

    @cached
    def secrets(self) -> tuple[Warned, ...]:
        """What looks like a secret and stood nowhere in the file before, in the order of lines, at most
        MOST_FINDINGS; where there is any, the user is asked (docs/protocol.md#13-settings-and-policy)."""
        return _warned_of(new_secrets(self.base.text.shown, self.splices))

    @cached
    def secrets_written(self) -> tuple[Warned, ...]:
        """What looks like a secret in the whole proposed text, whatever the file held, as `secrets`."""
        return _warned_of(new_secrets("", (Splice(0, 0, self.proposed),)))

    @cached
    def puts_in_separators(self) -> bool:
        """Whether it has more LINE or PARAGRAPH SEPARATORs than what it replaces; the user is asked then
        (docs/protocol.md#13-settings-and-policy)."""
        text = self.base.text.text
        return any(
            sum(map(one.text.count, SEPARATORS))
            > sum(text.count(separator, one.start, one.end) for separator in SEPARATORS)
            for one in self.splices
        )

    @cached
    def has_separators(self) -> bool:
        """Whether there is one in the whole proposed text, whatever the file held."""
        return any(one in self.proposed for one in SEPARATORS)

    def describe(self) -> None:
        """Compute what an answer says of the change; for a thread, where that takes its time."""
        _ = self.preview, self.line_counts, self.warnings

    def check_places(self) -> None:
        """Raise Conflict when the editor may put it in another place."""
        if self.splices and self.base.buffer is not None and not self.base.buffer.places_certain:
            raise Conflict(self.path, "editor", "carriage_returns", actual=self.base.revision)

    def check(self) -> None:
        """Raise Conflict when the editor may put it in another place, Unencodable when the file's encoding
        can't express what is put in, NulPutIn for NUL in it, ResultTooLarge for a file that could never be
        changed again."""
        self.check_places()
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

    def _lines_before(self, number: int) -> int:
        """Line ends in the proposed text before the splice of this number."""
        before, splice = self.splices[:number], self.splices[number]
        text = apply_splices(self.base.text.text[: splice.start], before)
        return line_of(text, len(text)) - 1

    @property
    def extent(self) -> int:
        """How much text there is to look at, in bytes or code points."""
        return max(self.base.size, sum(len(splice.text) for splice in self.splices))

    @property
    def changes_nothing(self) -> bool:
        """Whether the file is so already."""
        return not self.splices and self.operation == "update"

    def reads_as(self, other: FileChange) -> bool:
        """Whether both make the same text of the file, line ends aside."""
        if self.splices == other.splices and self.base.text.text == other.base.text.text:
            return True  # told without putting large texts together, which takes as long as their landing
        return self._normalised == other._normalised

    @property
    def _normalised(self) -> str:
        """What the file will read, its line ends plain."""
        return normalise(self.shown) + "\n" * self.end_is_kept

    def result(self) -> Snapshot:
        """The file as it would be, for another change to build on. Raises Unencodable for an editor's text
        that its file can't express."""
        base, data, text = self.base, self.proposed_bytes, self.proposed_file
        if base.buffer is not None:
            buffer = replace(base.buffer, text=text.text)
            return replace(base, buffer=buffer, text=text, lost_eol=self.lost_eol)
        stat = base.blob.stat if base.blob else FileStat(0, len(data), 0, 0, 0, 1)
        return replace(base, blob=Blob(data, stat), disk=text, text=text, lost_eol=self.lost_eol)

    def followed_by(self, other: FileChange) -> FileChange:
        """This change and `other`, which is one of its `result`, as one of what this is of."""
        text = self.base.text.text
        composed = compose(self.splices, other.splices)
        return replace(
            self,
            splices=tuple(one for one in composed if text[one.start : one.end] != one.text),
            tools=tuple(dict.fromkeys((*self.tools, *other.tools))),
            corrections=(),
            replacements=0,
            level=None,
        )

    def onto(self, now: Snapshot) -> FileChange:
        """The same change on the same text seen again: perhaps opened or closed since, or its buffer's line
        ends made uniform by the editor. An encoding that an undo brings back stays."""
        now = now.to_be_written_as(self.base.text.encoding, self.base.text.bom)
        if now.text.text == self.base.text.text:
            return replace(self, base=now)
        ends = self.base.ended_by_save and now.buffer is None and not is_ended(self.shown)
        return self.amended(f"{self.shown}\n" if ends else self.shown, now)

    def ended_as_its_document(self) -> FileChange:
        """The change without a line end at the end of the text that it puts in, where the editor adds that by
        itself in saving: there would be two."""
        if not (self.base.ended_by_save and self.operation == "update" and is_ended(self.shown)):
            return self
        return self.amended(without_end(self.shown))

    @property
    def ends_past_document(self) -> bool:
        """Whether it ends the last line of an open document that is not ended, in an editor that keeps that
        line end apart: with one in its text too the editor would save two."""
        buffer = self.base.buffer
        return (
            buffer is not None
            and buffer.ends_last_line
            and self.operation == "update"
            and not is_ended(buffer.text)
            and is_ended(self.shown)
        )

    def with_end_kept(self) -> FileChange:
        """The change as the editor made it that keeps the line end of the last line to itself."""
        return replace(self.amended(without_end(self.shown)), end_is_kept=True)

    @property
    def lost_eol(self) -> str:
        """The line end that the file has or had before, where the change leaves none; else empty."""
        text = self.base.text.text
        if leaves_an_eol(text, self.splices):
            return ""
        return first_eol(text) if leaves_an_eol(text, ()) else self.base.lost_eol

    def in_its_line_ends(self) -> FileChange:
        """The change with the line end that the file had before it lost its last one, where that is known."""
        eol = self.base.lost_eol
        if not eol:
            return self
        ended = (replace(splice, text=with_eol(splice.text, eol)) for splice in self.splices)
        return replace(self, splices=tuple(ended))

    def amended(self, text: str, now: Snapshot | None = None) -> FileChange:
        """The change that makes the file read `text` instead, whatever line ends that has: a file that was to
        be deleted stays then, unless `text` is empty. A mark in front of `text` is none of it: the file keeps
        its own, or none."""
        base, text = now or self.base, text.removeprefix(MARK)
        kept = MARK if base.text.shown.startswith(MARK) else ""  # an editor that keeps the mark in the text
        splices = splices_towards(
            base.text.shown, kept + text, self.base.lost_eol or first_eol(self.proposed)
        )
        operation = "update" if self.operation == "delete" and text else self.operation
        return replace(self, base=base, splices=splices, operation=operation)


def _warned_of(secrets: Iterator[NewSecret]) -> tuple[Warned, ...]:
    first = set(islice(secrets, MOST_FINDINGS))
    return tuple(Warned("secret", line, what) for what, line in sorted(first, key=lambda it: it.line))
