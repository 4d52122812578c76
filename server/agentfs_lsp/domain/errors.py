"""Domain errors, as facts.

All errors are in one tree and one file. An error says what was found, not which code or text reports it:
one table in `api/messages/errors.py` does (docs/protocol.md#3-envelope), and a test checks that it
contains every class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, cast, dataclass_transform

from agentfs_lsp.domain.access import HIDDEN, Access
from agentfs_lsp.domain.revision import Expected


@dataclass_transform(eq_default=False)
class DomainError(Exception):
    """The root of the tree, never raised itself; each class below is a dataclass.

    `file`: the real absolute path of the file concerned, if there were several. `access`: what the answer may
    tell about the request's file, by default nothing. `proposal`: the proposal that the error ended
    (`service.proposal.proposal.Proposal`), or None."""

    file = ""
    access = HIDDEN
    proposal = cast("object", None)

    def __init_subclass__(cls) -> None:
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return repr(self)

    def forget_where(self) -> None:
        """Drop traceback and context once the error is no longer raised: whoever keeps it would also keep
        texts of large files and open handles. The errors before it are in their frames' reach as well."""
        self.proposal = None
        error: BaseException | None = self
        while error is not None:
            before = error.__context__
            error.__traceback__ = error.__context__ = error.__cause__ = None
            error = before


class error_access:  # noqa: N801 - named as contextlib names its own; a generator would slow down every read
    """Give errors raised in the context, including bugs, this `access`, unless they have their own."""

    __slots__ = ("_access",)

    def __init__(self, access: Access) -> None:
        self._access = access

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception) and access_of(error) is HIDDEN:
            error.access = self._access  # type: ignore[attr-defined]


@contextmanager
def error_file(absolute: str) -> Iterator[None]:
    """Attach this file to errors raised in the context, unless they have their own."""
    try:
        yield
    except DomainError as error:
        error.file = error.file or absolute
        raise


def access_of(error: Exception) -> Access:
    """What the answer to this error may tell about its file."""
    return getattr(error, "access", HIDDEN)


# --- parameters -------------------------------------------------------------------------------------------

ParameterProblem = Literal[
    "missing",
    "unknown",  # `fitting`: the known names
    "misspelt",  # `fitting`: the intended name
    "twice",  # `fitting`: its alias, also given, with another value
    "beside_and_in",  # given both next to and in the arguments, with different values
    "no_object",
    "kind",  # `kinds`: the accepted types
    "choice",  # `fitting`: the accepted words
    "small",  # `bound`: the smallest number
    "large",  # `bound`: the largest number
    "short",  # `bound`: the minimum number of characters
    "long",  # `bound`: the maximum number of characters
    "few",  # `bound`: the minimum number of entries
    "many",  # `bound`: the maximum number of entries
]

ParameterKind = Literal["string", "whole", "flag", "object", "list"]


class BadParameter(DomainError):
    """A parameter is missing, unknown, or invalid."""

    name: str
    problem: ParameterProblem
    fitting: tuple[str, ...] = ()
    kinds: tuple[ParameterKind, ...] = ()
    bound: int = 0


# --- paths (docs/protocol.md#4-paths-and-roots) -----------------------------------------------------------


class AbsolutePath(DomainError):
    """An absolute path where only relative paths are accepted. `outside`: the path is not inside a root."""

    path: str
    outside: bool


class MalformedPath(DomainError):
    """A malformed path; `reason` is one of a fixed set so that it can be translated."""

    path: str
    reason: Literal[
        "empty", "backslash", "control", "bidi", "uri", "too_long", "unstorable", "link_loop", "below_file"
    ]


class UnknownRoot(DomainError):
    """With several roots, a path must begin with a folder's name; this one begins with none of `names`."""

    path: str
    names: tuple[str, ...]


class AmbiguousRoot(DomainError):
    """Two roots share the name the path begins with."""

    path: str
    name: str


class NoRoot(DomainError):
    """No folder is open."""


class OutsideRoots(DomainError):
    """After resolving, the file is in no root. `roots`: their paths, for callers that use absolute ones."""

    path: str
    roots: tuple[str, ...] = ()


class FileMissing(DomainError):
    """The file does not exist."""

    path: str


class RootMissing(FileMissing):
    """The open folder no longer exists on disk; `path` is its name."""


class FolderMissing(DomainError):
    """A new file's folder does not exist and may not be created, according to the request or (`by_setting`)
    the user's settings."""

    path: str
    by_setting: bool = False


class IsDirectory(DomainError):
    """The path is a directory."""

    path: str


class NotRegular(DomainError):
    """Neither a regular file nor a directory."""

    path: str
    kind: Literal["device", "fifo", "socket", "other"]


# --- the operating system ---------------------------------------------------------------------------------


class SystemRefused(DomainError):
    """The operating system denied access: mode, owner, read-only file system, or a folder that is not
    writable. `detail`: the system's message if the reason is "system"."""

    path: str
    reason: Literal["system", "write_protected", "other_owner"]
    detail: str = ""


class SystemFailed(DomainError):
    """Any other I/O failure: disk full, quota, too many open files, an I/O error. `detail` as in
    SystemRefused."""

    path: str
    reason: Literal[
        "system", "unsteady", "temporary_lost", "landing_here", "landing_elsewhere", "later_version"
    ]
    detail: str = ""


# --- content (docs/protocol.md#5-agentfsread) -------------------------------------------------------------


class BinaryFile(DomainError):
    """The text contains NUL."""

    path: str


class NulPutIn(DomainError):
    """The new text contains NUL, which would make the file binary; `line` is 1-based in that text."""

    path: str
    line: int


class TooLarge(DomainError):
    """Over `limits.max_file_bytes`; sizes in bytes."""

    path: str
    size: int
    limit: int


class ResultTooLarge(DomainError):
    """The change would make the file larger than `limits.max_file_bytes`; sizes in bytes, or in characters
    where that is enough to know."""

    path: str
    size: int
    limit: int


class BadRange(DomainError):
    """`start_line` (1-based) is past the end of a file of `total_lines`."""

    start_line: int
    total_lines: int


class Unencodable(DomainError):
    """The file's encoding cannot represent `character`; `line` is 1-based, in the new text. `ascii_only`: the
    encoding is not known, so the new text must be ASCII."""

    character: str
    encoding: str
    line: int
    ascii_only: bool = False


class LossyReplace(DomainError):
    """A file with undecodable bytes can be replaced whole only with `expected_hash`."""

    path: str


class BytesJoined(DomainError):
    """The file's own bytes would become characters that nobody was shown, or its byte-order mark."""

    path: str


class EmptyContent(DomainError):
    """Empty `content` without `allow_empty`."""


class TextLeftOut(DomainError):
    """The model wrote a placeholder such as "... rest unchanged"; `line` is 1-based in the new text."""

    line: int
    marker: str


# --- matching (docs/protocol.md#7-agentfsedit) ------------------------------------------------------------


class EmptyOldString(DomainError):
    """`old_string` is empty."""


class NothingChanges(DomainError):
    """The edit would not change the file."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The closest lines to the text to find: their position (1-based) and text."""

    line: int
    text: tuple[str, ...]


class NoMatch(DomainError):
    """No match. `cause` is set only if it is certain; `near` is empty if reading is denied."""

    near: tuple[NearMiss, ...] = ()
    cause: Literal["typography", "line_numbers", "over_escaped", "letter_case", "drifted"] | None = None
    detail: str = ""


class SeveralMatches(DomainError):
    """Several matches, where one is required; `lines` are 1-based, at most the first twenty."""

    count: int
    lines: tuple[int, ...]
    level: str


class CountMismatch(DomainError):
    """`expected_count` matches were expected, `count` found; `lines` as in SeveralMatches."""

    expected: int
    count: int
    lines: tuple[int, ...]


class TooManyMatches(DomainError):
    """More than `most` matches: too many to replace, or to count."""

    most: int


class OverlappingMatches(DomainError):
    """`replace_all` is ambiguous for overlapping matches; `lines` as in SeveralMatches."""

    count: int
    lines: tuple[int, ...]


# --- the precondition (docs/protocol.md#8-lock) ----------------------------------------------------------


class NotRead(DomainError):
    """This session has not read the existing file that it wants to change."""

    path: str


ConflictReason = Literal[
    "changed",  # content other than what the session read
    "expected",  # not what the request's expected_* say
    "exists",  # a new file, but one has been created meanwhile
    "gone",  # the file is gone
    "linked",  # its recorded path now leads through a link
    "wrong_encoding",  # the editor shows it in an encoding that loses characters
    "reviewing",  # changed during the review
    "opened",  # opened in the editor while its landing on disk waited
    "diff_changed",  # not the file, but the diff file that the user looked at
    "out_of_sync",  # the document is out of sync
    "carriage_returns",  # the editor may not count lines as LSP does
    "overlap",  # the same lines changed; `lines`: their 1-based numbers in the current file
]


class Conflict(DomainError):
    """The file changed (docs/protocol.md#8-lock). `diff` is the change since the session's read."""

    path: str
    source: Literal["disk", "editor"]
    reason: ConflictReason
    expected: Expected | None = None
    actual: Expected | None = None
    diff: str | None = None
    lines: tuple[int, ...] = ()


# --- policy, review, landing (docs/protocol.md#9-review-and-landing) --------------------------------------


class PolicyDenied(DomainError):
    """A rule denies the operation; `rule` is its glob or name as the user knows it."""

    path: str
    operation: Literal["read", "write", "edit"]
    rule: str


class ToolNotListed(DomainError):
    """The catalog currently has no tool with this name; `listed`: the listed tools."""

    name: str
    listed: tuple[str, ...]


class NobodyToAsk(DomainError):
    """A question is required, but the client cannot ask anybody. `occupied`: until another is answered."""

    reason: Literal["no_message", "busy", "occupied", "too_long", "failed", "reading"]
    detail: str = ""


class Rejected(DomainError):
    """The user rejected the change, or did not approve it. `paths`: the rejected files, if only some of
    several were rejected. `surely_meant`: false if keys meant for something else may have caused the
    rejection. `by_file`: what the user wrote about single files, by their paths; `feedback` has that, too."""

    decision: Literal["rejected", "dismissed"]
    feedback: str = ""
    paths: tuple[str, ...] = ()
    surely_meant: bool = True
    by_file: Mapping[str, str] = field(default_factory=dict)


class ReadRejected(DomainError):
    """The user did not allow reading a protected file, or was asked about an earlier read that was
    `cancelled`. `again_s`: the seconds for which the user is not asked again."""

    path: str
    again_s: int
    cancelled: bool = False


class ReviewTimedOut(DomainError):
    """Nobody answered within `approval.timeout_s`."""

    seconds: float


class ChangeUnknown(DomainError):
    """The history contains no change with this id that this session may see."""

    change_id: str


class NothingToUndo(DomainError):
    """This session has changed nothing, or its last change is not in the history (`unrecorded`)."""

    unrecorded: bool = False


class LastUndecided(DomainError):
    """The session's last change is not known because one is still in progress. `change_id`: its proposal's
    id; `paths`: its files, empty while an undo looks them up."""

    change_id: str
    paths: tuple[str, ...]


class NotUndoable(DomainError):
    """The recorded data is not sufficient to undo the change."""

    change_id: str
    reason: Literal[
        "texts",  # there was no room to store its texts
        "denied",  # the session may not read some of its files
        "elsewhere",  # some of its files are in a folder that is not open
        "bytes",  # it removed undecodable bytes, which no text holds
        "size",  # with others, it has more text than is undone together
    ]


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why a change, or what several changes did to a file, can't be undone. `paths`: the files' displayed
    paths, empty if they are not known."""

    paths: tuple[str, ...]
    error: DomainError


class UndoBlocked(DomainError):
    """Changes can't be undone together, for all of these reasons."""

    blocked: tuple[Blocked, ...]


WithdrawnReason = Literal["agent", "disconnected", "root_removed", "settings", "shutdown"]


class Withdrawn(DomainError):
    """The proposal was withdrawn before it was decided."""

    reason: WithdrawnReason


class TooManyPending(DomainError):
    """The session already has `limit` pending proposals, or questions before a read."""

    limit: int
    reads: bool = False


class NotLanded(DomainError):
    """The change was accepted, but the editor did not apply it, and nothing changed; with "unreported",
    nobody was asked. `detail`: the editor's message, if any."""

    path: str
    reason: Literal["refused", "late", "unchanged", "closed", "undone", "unreported"]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A file, by its displayed path, that contains some of a change on disk or in its document. "elsewhere":
    it is no longer there, and may have another name, which the session is not told."""

    path: str
    where: Literal["disk", "editor", "elsewhere"]


UnknownReason = Literal[
    "system", "changed_otherwise", "closed", "late", "ended", "not_rolled_back", "not_accepted"
]


class LandingUnknown(DomainError):
    """It is not known whether the change landed. `detail`: as in SystemRefused. `holding`: the files that
    contain or may contain some of it. `otherwise`: the error that ended the review, which would be reported
    if nothing of the change were there."""

    path: str
    reason: UnknownReason
    detail: str = ""
    holding: tuple[Held, ...] = ()
    otherwise: DomainError | None = None


class LeftUndone(DomainError):
    """One of several changes that was not attempted: the request was cancelled, or another change of an
    atomic batch failed."""

    path: str
    reason: Literal["cancelled", "together"]
