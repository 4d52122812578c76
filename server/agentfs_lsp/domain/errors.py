"""Domain errors, as facts.

All errors are in one tree and one file. An error says what was found, not which code or text reports it:
one table in `api/messages/errors.py` does (docs/protocol.md#3-envelope), and a test checks that it
contains every class.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from agentfs_lsp.domain.access import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentfs_lsp.domain.access import Access
    from agentfs_lsp.domain.revision import Expected


@dataclass(eq=False)
class DomainError(Exception):
    """The root of the tree; never raised itself.

    `file`: the real absolute path of the file it is about, where it came up among several. `access`: what its
    answer may tell of the request's file, nothing unless somebody has looked. `proposal`: the one that it
    ended (`service.proposal.proposal.Proposal`), None for none.
    """

    file = ""
    access = HIDDEN
    proposal = cast("object", None)

    def __str__(self) -> str:
        return repr(self)

    def forget_where(self) -> None:
        """Let go of where it came up, once nobody raises it any more: whoever keeps it would keep all that
        was looked at there too, texts of large files and open handles."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        self.proposal = None


@contextmanager
def telling(access: Access) -> Iterator[None]:
    """What is raised in here, a defect too, may tell so much of its file, unless it came up where more was
    known of that."""
    try:
        yield
    except Exception as error:
        if access_of(error) is HIDDEN:
            error.access = access  # type: ignore[attr-defined]
        raise


def access_of(error: Exception) -> Access:
    """What the answer to this error may tell of its file."""
    return getattr(error, "access", HIDDEN)


# --- parameters -------------------------------------------------------------------------------------------


ParameterProblem = Literal[
    "missing",
    "unknown",  # `fitting`: the names there are
    "misspelt",  # `fitting`: the name that was meant
    "twice",  # `fitting`: the other name it was given by, with another value
    "beside_and_in",  # given beside the arguments and in them, with another value
    "no_object",
    "kind",  # `kinds`: of which it may be
    "choice",  # `fitting`: the words it may be
    "small",  # `bound`: the smallest number
    "large",  # `bound`: the largest number
    "short",  # `bound`: the fewest characters
    "long",  # `bound`: the most characters
    "few",  # `bound`: the fewest entries of a list
    "many",  # `bound`: the most entries of a list
]


ParameterKind = Literal["string", "whole", "flag", "object", "list"]


@dataclass(eq=False)
class BadParameter(DomainError):
    """A parameter is missing, unknown or of the wrong shape."""

    name: str
    problem: ParameterProblem
    fitting: tuple[str, ...] = ()
    kinds: tuple[ParameterKind, ...] = ()
    bound: int = 0


# --- paths (docs/protocol.md#4-paths-and-roots) -----------------------------------------------------------


@dataclass(eq=False)
class AbsolutePath(DomainError):
    """An absolute path where only relative ones are taken. `outside`: it is spelled as one in no root."""

    path: str
    outside: bool


@dataclass(eq=False)
class MalformedPath(DomainError):
    """A spelling that no path may have; `reason` is one of a closed set so that it can be translated."""

    path: str
    reason: Literal[
        "empty", "backslash", "control", "bidi", "uri", "too_long", "unstorable", "link_loop", "below_file"
    ]


@dataclass(eq=False)
class UnknownRoot(DomainError):
    """With several roots a path begins with a folder's name; this one begins with none of `names`."""

    path: str
    names: tuple[str, ...]


@dataclass(eq=False)
class AmbiguousRoot(DomainError):
    """Two roots share the name the path begins with."""

    path: str
    name: str


@dataclass(eq=False)
class NoRoot(DomainError):
    """No folder is open."""


@dataclass(eq=False)
class OutsideRoots(DomainError):
    """After resolving, the file lies in no root."""

    path: str


@dataclass(eq=False)
class FileMissing(DomainError):
    """There is no such file."""

    path: str


@dataclass(eq=False)
class RootMissing(FileMissing):
    """The folder that is open is not on the disk any more; `path` is its name."""


@dataclass(eq=False)
class FolderMissing(DomainError):
    """A new file's folder is not there, and is not to be created: the request or, `by_setting`, the user said
    so."""

    path: str
    by_setting: bool = False


@dataclass(eq=False)
class IsDirectory(DomainError):
    """The path is a directory."""

    path: str


@dataclass(eq=False)
class NotRegular(DomainError):
    """Neither a regular file nor a directory."""

    path: str
    kind: Literal["device", "fifo", "socket", "other"]


# --- the operating system ---------------------------------------------------------------------------------


@dataclass(eq=False)
class SystemRefused(DomainError):
    """The operating system refused: mode, owner, read-only file system, a folder that can't be written.
    `detail`: its own words where the reason is "system"."""

    path: str
    reason: Literal["system", "write_protected", "other_owner"]
    detail: str = ""


@dataclass(eq=False)
class SystemFailed(DomainError):
    """Any other I/O failure: disk full, quota, too many open files, an I/O error. `detail` as in
    SystemRefused."""

    path: str
    reason: Literal[
        "system", "unsteady", "temporary_lost", "landing_here", "landing_elsewhere", "later_version"
    ]
    detail: str = ""


# --- content (docs/protocol.md#5-agentfsread) -------------------------------------------------------------


@dataclass(eq=False)
class BinaryFile(DomainError):
    """NUL in the text."""

    path: str


@dataclass(eq=False)
class NulPutIn(DomainError):
    """The new text has NUL, which would make the file binary; `line` is 1-based in that text."""

    path: str
    line: int


@dataclass(eq=False)
class TooLarge(DomainError):
    """Over `limits.max_file_bytes`; sizes in bytes."""

    path: str
    size: int
    limit: int


@dataclass(eq=False)
class ResultTooLarge(DomainError):
    """The change would make the file larger than `limits.max_file_bytes`; sizes in bytes, or in characters
    where that is enough to know."""

    path: str
    size: int
    limit: int


@dataclass(eq=False)
class BadRange(DomainError):
    """`start_line` (1-based) is past the end of a file of `total_lines`."""

    start_line: int
    total_lines: int


@dataclass(eq=False)
class Unencodable(DomainError):
    """The file's encoding has no way to write `character`; `line` is 1-based, in the new text. `ascii_only`:
    the encoding is not known, so that nothing but ASCII can be put in."""

    character: str
    encoding: str
    line: int
    ascii_only: bool = False


@dataclass(eq=False)
class LossyReplace(DomainError):
    """A file whose bytes did not all decode can be replaced whole only with `expected_hash`."""

    path: str


@dataclass(eq=False)
class EmptyContent(DomainError):
    """Empty `content` without `allow_empty`."""


@dataclass(eq=False)
class TextLeftOut(DomainError):
    """The model wrote a marker such as "... rest unchanged" for text; `line` is 1-based in what came."""

    line: int
    marker: str


# --- matching (docs/protocol.md#7-agentfsedit) ------------------------------------------------------------


@dataclass(eq=False)
class EmptyOldString(DomainError):
    """`old_string` is empty: there is no place to look for."""


@dataclass(eq=False)
class NothingChanges(DomainError):
    """The edit would leave the file as it is."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The closest lines to what was looked for: where (1-based) and what stands there."""

    line: int
    text: tuple[str, ...]


@dataclass(eq=False)
class NoMatch(DomainError):
    """Found nowhere. `cause` is told only where it is certain; `near` is empty where reading is denied."""

    near: tuple[NearMiss, ...] = ()
    cause: Literal["line_numbers", "over_escaped", "letter_case", "drifted"] | None = None
    detail: str = ""


@dataclass(eq=False)
class SeveralMatches(DomainError):
    """Found at several places where one was asked for; `lines` are 1-based, at most the first twenty."""

    count: int
    lines: tuple[int, ...]
    level: str


@dataclass(eq=False)
class CountMismatch(DomainError):
    """`expected_count` places were announced, `count` found; `lines` as in SeveralMatches."""

    expected: int
    count: int
    lines: tuple[int, ...]


@dataclass(eq=False)
class OverlappingMatches(DomainError):
    """`replace_all` over places that overlap has no one meaning; `lines` as in SeveralMatches."""

    count: int
    lines: tuple[int, ...]


# --- the precondition (docs/protocol.md#8-lock) ----------------------------------------------------------


@dataclass(eq=False)
class NotRead(DomainError):
    """An existing file was to be changed that this session has not read."""

    path: str


ConflictReason = Literal[
    "changed",  # other content than the session read
    "expected",  # not what the caller's expected_* say
    "exists",  # a new file, but it came to be in between
    "gone",  # the file is gone
    "wrong_encoding",  # the editor shows it in an encoding that loses characters
    "reviewing",  # changed while it was being reviewed
    "diff_changed",  # not the file itself, but the diff of it that the user looked at
    "out_of_sync",  # what the editor holds is not known with certainty
    "carriage_returns",  # the editor may not count lines as LSP does
    "overlap",  # the same lines were changed; `lines`: which, 1-based, of what is there now
]


@dataclass(eq=False)
class Conflict(DomainError):
    """Somebody else's work is in the way (docs/protocol.md#8-lock). `diff` is since the session's read."""

    path: str
    source: Literal["disk", "editor"]
    reason: ConflictReason
    expected: Expected | None = None
    actual: Expected | None = None
    diff: str | None = None
    lines: tuple[int, ...] = ()


# --- policy, review, landing (docs/protocol.md#9-review-and-landing) --------------------------------------


@dataclass(eq=False)
class PolicyDenied(DomainError):
    """A rule says no; `rule` is its glob or name as the user knows it."""

    path: str
    operation: Literal["read", "write", "edit"]
    rule: str


@dataclass(eq=False)
class ToolNotListed(DomainError):
    """The catalogue has no tool of this name now; `listed`: those it has."""

    name: str
    listed: tuple[str, ...]


@dataclass(eq=False)
class NobodyToAsk(DomainError):
    """A question is needed and the client can't put it to anybody."""

    reason: Literal["no_message", "busy", "too_long", "failed", "reading"]
    detail: str = ""


@dataclass(eq=False)
class Rejected(DomainError):
    """The user said no, or went away without a yes. `paths`: which of several files the no was for, where it
    was not for all. `surely_meant` is false where what was typed for something else can have said it."""

    decision: Literal["rejected", "dismissed"]
    feedback: str = ""
    paths: tuple[str, ...] = ()
    surely_meant: bool = True


@dataclass(eq=False)
class ReadRejected(DomainError):
    """The user was asked whether a protected file may be read, and did not allow it."""

    path: str


@dataclass(eq=False)
class ReviewTimedOut(DomainError):
    """Nobody answered within `approval.timeout_s`."""

    seconds: float


@dataclass(eq=False)
class ChangeUnknown(DomainError):
    """No change of this id is kept, or none that this session may see."""

    change_id: str


@dataclass(eq=False)
class NothingToUndo(DomainError):
    """No change of this session is kept."""


@dataclass(eq=False)
class LastUndecided(DomainError):
    """Which change is the session's last is not known: one of it has no answer yet. `change_id`: its
    proposal's; `paths`: its files, none while an undo looks for them."""

    change_id: str
    paths: tuple[str, ...]


@dataclass(eq=False)
class NotUndoable(DomainError):
    """A change that is kept, but not enough of it to undo it."""

    change_id: str
    reason: Literal[
        "texts",  # its texts found no room
        "elsewhere",  # some of its files are in a folder that is not open
        "bytes",  # it took out bytes that are no text, and no text holds them
    ]


WithdrawnReason = Literal["agent", "root_removed", "settings", "shutdown"]


@dataclass(eq=False)
class Withdrawn(DomainError):
    """The proposal was taken back before it was decided."""

    reason: WithdrawnReason


@dataclass(eq=False)
class TooManyPending(DomainError):
    """The session has `limit` proposals waiting already."""

    limit: int


@dataclass(eq=False)
class NotLanded(DomainError):
    """Accepted, but the editor did not do its part, and nothing changed. `detail`: its own words, where it
    gave any."""

    path: str
    reason: Literal["refused", "late", "unchanged", "closed", "undone"]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A file, as it is shown, that holds some of a change on disk or in its document."""

    path: str
    where: Literal["disk", "editor"]


UnknownReason = Literal["system", "changed_otherwise", "closed", "not_taken_back", "not_accepted"]


@dataclass(eq=False)
class LandingUnknown(DomainError):
    """It can't be told whether it landed. `detail` as in SystemRefused. `holding`: where some of it is, or
    may be. `otherwise`: what ended the review, and would be told if nothing of the change were there."""

    path: str
    reason: UnknownReason
    detail: str = ""
    holding: tuple[Held, ...] = ()
    otherwise: DomainError | None = None


@dataclass(eq=False)
class LeftUndone(DomainError):
    """One of several changes that was not come to: the request was cancelled, or another of them failed and
    they land together or not at all."""

    path: str
    reason: Literal["cancelled", "together"]
