"""The reverse of recorded changes of one file, applied to the current file
(docs/protocol.md#11-history-and-undo).

It is computed from the recorded texts, and keeps later changes elsewhere in the file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.line_ends import splices_between, splices_towards
from agentfs_lsp.domain.errors import Conflict, ConflictReason, DomainError, Unencodable
from agentfs_lsp.domain.matching.splicing import shortened
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.splices import Splice, apply_splices
from agentfs_lsp.domain.text.byte_order_mark import both_marked_like, marked_like, reads_same
from agentfs_lsp.domain.text.lines import first_eol, is_ended, line_of, normalize, offset_of_line, without_end
from agentfs_lsp.domain.text.textfile import TextFile, decode_as, encode, eol_of
from agentfs_lsp.service.files.snapshot import REPLACEMENT, Snapshot
from agentfs_lsp.service.landing.last_line_end import fitted
from agentfs_lsp.service.landing.merging import splices_into
from agentfs_lsp.service.proposal.change import Correction, FileChange, Operation
from agentfs_lsp.service.proposal.record import RecordedFile


def reversal(path: str, steps: Sequence[RecordedFile], snapshot: Snapshot, settings: Settings) -> FileChange:
    """The reverse of these changes of one file, given newest first, as one change of the current file. Raises
    Conflict or Unencodable.

    Changes that follow each other directly are reversed as one, by their net effect: what came later to lines
    that they changed and changed back is none of theirs. If that overlaps with what came later, they are
    reversed one after the other, since some of them may have been undone already."""
    snapshot = _in_old_encoding(steps[-1]._replace(after=steps[0].after), snapshot)
    joined = _joined(steps)
    try:
        return _reversed_in_turn(path, joined, snapshot, settings)
    except Conflict:
        if len(joined) < len(steps):
            with suppress(DomainError):
                return _reversed_in_turn(path, steps, snapshot, settings)
        raise


def _joined(steps: Sequence[RecordedFile]) -> list[RecordedFile]:
    """The steps, newest first, with those that follow each other directly joined to one."""
    joined = [steps[0]]
    for older in steps[1:]:
        newer = joined[-1]
        if older.after != newer.before:
            joined.append(older)
            continue
        both = older._replace(after=newer.after, after_hash=newer.after_hash)
        joined[-1] = both._replace(operation=_operation(both.before, both.after))
    return joined


def _operation(before: str | None, after: str | None) -> Operation:
    if before is None and after is not None:
        return "create"
    return "delete" if after is None and before is not None else "update"


def _reversed_in_turn(
    path: str, steps: Sequence[RecordedFile], snapshot: Snapshot, settings: Settings
) -> FileChange:
    changes: list[FileChange] = []
    for step in steps:
        base = _result(changes[-1]) if changes else snapshot
        if step.before is None and step.after is None:  # created and deleted again
            continue
        try:
            changes.append(_REVERSES[step.operation](path, step, base, settings))
        except Conflict as conflict:
            lines = (_line_before(snapshot, base, line) for line in conflict.lines)
            conflict.lines = tuple(dict.fromkeys(lines)) if changes else conflict.lines
            conflict.actual = snapshot.revision if snapshot.exists else None
            raise
    change = fitted(_as_one(path, steps[-1], changes, snapshot, settings))
    change.check()
    return change


def _result(change: FileChange) -> Snapshot:
    """The file after the change, which may have deleted it."""
    if change.operation != "delete":
        return change.result() if change.base.exists or change.operation == "create" else change.base
    text = replace(change.base.text, text="")
    return change.base._replace(blob=None, disk=None, buffer=None, text=text, dirty=False)


def _as_one(
    path: str, oldest: RecordedFile, changes: Sequence[FileChange], snapshot: Snapshot, settings: Settings
) -> FileChange:
    """Changes that build on each other, the first on the snapshot, as one change of the snapshot."""
    if len(changes) == 1:
        return changes[0]
    result = _result(changes[-1]) if changes else snapshot
    shown = snapshot.text.shown
    if not snapshot.exists and result.exists:
        return _undo_deletion(path, oldest._replace(before=result.text.shown), snapshot, settings)
    if snapshot.exists and not result.exists:
        return _undo_creation(path, oldest._replace(after=shown), snapshot, settings)
    pieces = diff(shown, result.text.shown) if snapshot.exists else ()
    corrections = tuple(dict.fromkeys(each for change in changes for each in change.corrections))
    splices = tuple(shortened(shown, piece) for piece in pieces)
    return FileChange(path, snapshot, "update", splices, settings, corrections=corrections)


def _line_before(snapshot: Snapshot, later: Snapshot, line: int) -> int:
    """The line of the snapshot (1-based) that became this line of `later`."""
    shift = 0
    before, after = normalize(snapshot.text.shown), normalize(later.text.shown)
    start = offset_of_line(after, line)
    for piece in diff(before, after):
        if start < piece.start + shift:
            break
        if start < piece.start + shift + len(piece.text):
            return line_of(before, piece.start)
        shift += len(piece.text) - (piece.end - piece.start)
    return line_of(before, start - shift)


def _undo_creation(path: str, file: RecordedFile, snapshot: Snapshot, settings: Settings) -> FileChange:
    """Delete what was created, if it is unchanged."""
    if not snapshot.exists:
        return FileChange(path, snapshot, "update", (), settings)
    shown = snapshot.text.shown
    if snapshot.dirty:
        raise _conflict(path, snapshot, "changed")
    created = normalize(marked_like(shown, file.after or ""))
    later = diff(created, normalize(shown))
    if later:
        raise _conflict(path, snapshot, "overlap", (line_of(created, later[0].start),))
    splices = (Splice(0, len(shown), ""),) if shown else ()
    return FileChange(path, snapshot, "delete", splices, settings, tools=("write",))


def _undo_deletion(path: str, file: RecordedFile, snapshot: Snapshot, settings: Settings) -> FileChange:
    """Restore what was deleted, if nothing has taken its place."""
    before = file.before or ""
    if snapshot.exists:
        if reads_same(snapshot.text.shown, before):
            return FileChange(path, snapshot, "update", (), settings)
        raise _conflict(path, snapshot, "exists")
    base = snapshot._replace(text=TextFile("", file.encoding, file.bom, lossy=False))
    splices = (Splice(0, 0, before),) if before else ()
    made = settings.create_dirs
    return FileChange(path, base, "create", splices, settings, tools=("write",), create_dirs=made)


def _undo_update(path: str, file: RecordedFile, snapshot: Snapshot, settings: Settings) -> FileChange:
    """Go from after to before; merge if the file has changed since."""
    if not snapshot.exists:
        raise _conflict(path, snapshot, "gone")
    shown = snapshot.text.shown
    before, after = both_marked_like(shown, file.before or "", file.after or "")
    corrections: tuple[Correction, ...] = ()
    if snapshot.ended_by_save:
        if is_ended(after) and not is_ended(before):
            corrections = (Correction("last_line_end", ""),)
        before, after = without_end(before), without_end(after)
    if not shown and not without_end(after):
        after = shown  # Neovim saves an emptied document, which it reports as an empty line, as an empty file
    if shown == after:
        splices = tuple(shortened(shown, piece) for piece in diff(after, before))
    else:
        splices = splices_into(path, after, before, snapshot)
        if lines := _lines_left(before, after, shown, apply_splices(shown, splices)):
            raise _conflict(path, snapshot, "overlap", lines)
    return FileChange(path, snapshot, "update", splices, settings, corrections=corrections)


def _lines_left(before: str, after: str, shown: str, result: str) -> tuple[int, ...]:
    """The lines of `shown` (1-based) that the change brought and the result keeps, if these are at least half
    of them: they were moved since, and the merge takes them for somebody else's. Single ones may be."""
    were = set(_lines(before))
    brought = Counter(line for line in _lines(after) if line and line not in were)
    there, kept = Counter(_lines(shown)), Counter(_lines(result))
    left = {line for line, times in brought.items() if kept[line] and there[line] - kept[line] < times}
    if 2 * len(left) < max(1, len(brought)):
        return ()
    return tuple(number for number, line in enumerate(_lines(shown), start=1) if line in left)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in normalize(text).split("\n")]


def with_edits_elsewhere(file: RecordedFile, accepted: str | None) -> RecordedFile:
    """The record of a change that landed after being accepted as `accepted` (None: not stored), with `before`
    extended by what came in elsewhere while it was saved, since the user may have typed that. Edits of the
    change's own lines are undone with it, and so is what a formatter moved between them and others: of a line
    that was moved, one half would stay."""
    if file.operation != "update" or accepted is None or accepted == file.after:
        return file
    old, after = file.before or "", file.after or ""
    back = splices_between(accepted, old)
    saved = splices_between(accepted, after)
    own = [any(piece.start < one.end and one.start < piece.end for one in back) for piece in saved]
    beside = _not_moved(accepted, saved, own)
    if not beside:
        return file
    pieces = sorted([*back, *beside], key=lambda piece: (piece.start, piece.end))
    kept = apply_splices(accepted, pieces)
    if eol_of(after) != "mixed":  # the save may have converted them all
        kept = apply_splices(old, splices_towards(old, kept, first_eol(after)))
    return file._replace(before=kept)


_WORD = re.compile(r"\w+")


def _not_moved(text: str, pieces: Sequence[Splice], own: Sequence[bool]) -> list[Splice]:
    """Those of the pieces that are not `own` and exchange no words with those that are, directly or through
    others. Words, not lines, as formatters also join what they move: two imports become one."""
    put = [Counter(_WORD.findall(piece.text)) for piece in pieces]
    removed = [Counter(_WORD.findall(text, piece.start, piece.end)) for piece in pieces]
    gains = [set(new - old) for new, old in zip(put, removed, strict=True)]
    losses = [set(old - new) for new, old in zip(put, removed, strict=True)]
    gaining, losing = _by_word(gains), _by_word(losses)
    moved = {number for number, is_own in enumerate(own) if is_own}
    waiting = list(moved)
    while waiting:
        number = waiting.pop()
        partners = {
            *(other for word in gains[number] for other in losing.pop(word, ())),
            *(other for word in losses[number] for other in gaining.pop(word, ())),
        }
        waiting += partners - moved
        moved |= partners
    return [piece for number, piece in enumerate(pieces) if number not in moved]


def _by_word(words: Sequence[set[str]]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(words):
        for word in one:
            numbers[word].append(number)
    return numbers


def _in_old_encoding(file: RecordedFile, snapshot: Snapshot) -> Snapshot:
    """The file in its encoding from before the change, if its bytes read the same in that, or more like what
    the change left. The remaining bytes may suggest another encoding, but restored text must get its own."""
    there = snapshot.text
    if snapshot.blob is None:
        return snapshot
    if snapshot.buffer is not None:
        return snapshot.to_be_written_as(file.encoding, file.bom)
    was = decode_as(snapshot.blob.data, file.encoding, file.bom)
    if was is None or (was.encoding, was.bom) == (there.encoding, there.bom):
        return snapshot
    after = file.after or ""
    if was.text != there.text and _distance(after, was.shown) >= _distance(after, there.shown):
        return snapshot
    return snapshot._replace(text=was, disk=was)


def _distance(one: str, other: str) -> int:
    """How much two texts differ, in characters."""
    return sum(piece.end - piece.start + len(piece.text) for piece in diff(one, other))


_REVERSES = {"create": _undo_creation, "delete": _undo_deletion, "update": _undo_update}


def _conflict(path: str, snapshot: Snapshot, reason: ConflictReason, lines: tuple[int, ...] = ()) -> Conflict:
    source: Literal["disk", "editor"] = "editor" if snapshot.dirty else "disk"
    actual = snapshot.revision if snapshot.exists else None
    return Conflict(path, source, reason, actual=actual, lines=lines)


def is_restorable(file: RecordedFile) -> bool:
    """Whether the stored text is the complete original, with no U+FFFD standing for undecodable bytes."""
    before = file.before or ""
    if REPLACEMENT not in before:
        return True
    try:
        data = encode(before, TextFile(before, file.encoding, file.bom, lossy=False))
    except Unencodable:
        return False
    return hash_bytes(data) == file.before_hash
