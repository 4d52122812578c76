"""Resolves `..`, links, and letter case in a path (docs/protocol.md#4-paths-and-roots).

Textually, because RESOLVE_BENEATH refuses absolute links even if they end inside. The result is a name, not a
permission: it is opened beneath its root without following links (`confined`), so replacing a component
afterwards gains nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from itertools import takewhile

from agentfs_lsp.adapters.fs.confined import OpenBeneath, look
from agentfs_lsp.adapters.fs.os_errors import domain_error
from agentfs_lsp.domain.errors import IsDirectory, MalformedPath, OutsideRoots
from agentfs_lsp.domain.folding import fold_text
from agentfs_lsp.service.files.store import Hides, Location, Root, innermost, placed

_MAX_LINKS = 40
_MAX_LINK_PARTS = 256
"""Components of the targets of all links on one way, so that no link in a workspace takes long to follow."""
_MAX_PATH_BYTES = 4096
_MAX_NAME_BYTES = 255


def resolve(
    open_beneath: OpenBeneath,
    folder: int,
    roots: Sequence[Root],
    root: Root,
    relative: str,
    hides: Hides | None = None,
) -> Location:
    """Resolve `relative` from `root`, whose handle is `folder`, to a place in one of `roots`; the file and
    its parents may be missing. Raises OutsideRoots, IsDirectory, MalformedPath, SystemRefused, and what
    `hides` raises."""
    parts = _checked(relative)
    found = None
    if parts and ".." not in parts:
        found = placed(Location(root, "/".join(parts)), roots)
    is_hidden = _is_hidden(found, hides, last=True)
    if found is None or (not is_hidden and _crosses_link(open_beneath, folder, parts, relative)):
        found = innermost(_follow(roots, root, parts, relative, hides), roots)
        is_hidden = _is_hidden(found, hides, last=True)
    if found is not None and not is_hidden:
        real = as_listed(found.root.prefix, found.absolute)
        found = found if real == found.absolute else innermost(real, roots)
    if found is None:
        raise OutsideRoots(relative)
    if not found.relative:
        raise IsDirectory(relative)
    if len(found.relative) * 4 > _MAX_NAME_BYTES and any(
        len(os.fsencode(name)) > _MAX_NAME_BYTES for name in found.relative.split("/")
    ):
        raise MalformedPath(relative, "too_long")
    return found


def _is_hidden(place: Location | None, hides: Hides | None, *, last: bool) -> bool:
    return hides is not None and place is not None and place.relative != "" and hides(place, last)


def _follow(
    roots: Sequence[Root], root: Root, parts: Sequence[str], relative: str, hides: Hides | None
) -> str:
    """The real absolute path."""

    def stops(real: list[str], ahead: list[str], last: bool, in_link: bool) -> bool:
        if not in_link and innermost(_joined(real), roots) is None:
            raise OutsideRoots(relative)
        return _is_hidden(innermost(_joined([*real, *ahead]), roots), hides, last=last)

    try:
        return _joined(follow_links(root.path, parts, stops=stops))
    except OSError as error:
        # Reveal nothing about paths outside, not even how access failed.
        if innermost(error.filename, roots) is None:
            raise OutsideRoots(relative) from error
        if error.errno == errno.ELOOP:
            raise MalformedPath(relative, "link_loop") from error
        raise domain_error(error, relative) from error


def real_path(path: str) -> str:
    """Without links, if it has no more of them than Python follows, which is more than the system does."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError, RecursionError):
        return os.path.abspath(path)


def follow_links(
    start: str,
    parts: Sequence[str],
    crossed: dict[str, str] | None = None,
    stops: Callable[[list[str], list[str], bool, bool], bool] = lambda *_: False,
) -> list[str]:
    """The components of the real absolute path that `parts` lead to from the real folder `start`.

    Puts the links on the way and their targets into `crossed`. `..` is the parent of a link's target. From
    the first missing component on, the rest is taken literally. `stops` is asked before the disk
    is touched for the components up to the next `..`: with where they start, with them, whether they are the
    last, and whether a link's target is among them; if it agrees, they are taken literally too. Raises what
    it raises, and OSError whose `filename` is where it failed."""
    real = [part for part in start.split("/") if part]
    todo = list(reversed(parts))
    own = len(todo)  # how many of `parts` are left; the others are of a link's target
    ups = todo.count("..")
    ask = True
    links = link_parts = 0
    missing: int | None = None  # the depth of the first missing component
    while todo:
        if ask and todo[-1] != "..":
            ask = False
            ahead = [it for it in takewhile(lambda it: it != "..", reversed(todo)) if it not in {"", "."}]
            if stops(real, ahead, not ups, len(todo) > own):
                return [*real, *ahead]
        part = todo.pop()
        own = min(own, len(todo))
        if part in {"", "."}:
            continue
        if part == "..":
            ups -= 1
            ask = True
            real = real[:-1]
            missing = missing if missing is not None and len(real) > missing else None
            continue
        real.append(part)
        if missing is not None:
            continue
        here = _joined(real)
        try:
            mode = os.lstat(here).st_mode
        except FileNotFoundError:
            missing = len(real) - 1
            continue
        if stat.S_ISLNK(mode):
            ask = True
            links += 1
            real = real[:-1]
            target = _target(here) or part  # no longer a link: look at the name again
            further = target.split("/")
            link_parts += len(further)
            if links > _MAX_LINKS or link_parts > _MAX_LINK_PARTS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), here)
            if crossed is not None:
                crossed[here] = target
            real = [] if target.startswith("/") else real
            todo.extend(reversed(further))
            ups += further.count("..")
        elif todo and not stat.S_ISDIR(mode):
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), here)
    return real


def as_listed(top: str, absolute: str) -> str:
    """The real path with the names below `top` (a prefix) as their folders list them, where the file system
    ignores letter case: one file must not have two names here. Elsewhere, it costs two calls of the system,
    and another one for each missing component."""
    if not _has_both_cases(top, absolute):
        return absolute
    real = top
    for name in absolute[len(top) :].split("/"):
        real = os.path.join(real, _listed(real, name))
    return real


def _has_both_cases(top: str, path: str) -> bool:
    """Whether the deepest name that exists and has letters is found in the other case, too."""
    while len(path) > len(top):
        parent, slash, name = path.rpartition("/")
        other = name.swapcase() if name.isascii() else os.fsdecode(os.fsencode(name).swapcase())
        if other != name:
            if os.access(parent + slash + other, os.F_OK):
                return True
            if os.access(path, os.F_OK):
                return False
        path = parent
    return False


def _listed(folder: str, name: str) -> str:
    try:
        names = os.listdir(folder)
    except OSError:  # missing, or it may not be listed
        return name
    if name in names:
        return name
    folded, spelled = fold_text(name), os.path.join(folder, name)
    alike = (one for one in names if fold_text(one) == folded)
    return next((one for one in alike if _is_same(spelled, os.path.join(folder, one))), name)


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


def _target(link: str) -> str | None:
    try:
        return os.readlink(link)
    except OSError as error:
        if error.errno in {errno.EINVAL, errno.ENOENT}:
            return None
        raise


def _joined(real: Sequence[str]) -> str:
    return "/" + "/".join(real)


def _checked(relative: str) -> list[str]:
    """The components of a path, if a file system can store such names."""
    if "\0" in relative:
        raise MalformedPath(relative, "control")
    if relative.isascii() and len(relative) <= _MAX_NAME_BYTES:
        return [part for part in relative.split("/") if part not in {"", "."}]
    try:
        relative.encode()
        if len(os.fsencode(relative)) > _MAX_PATH_BYTES:
            raise MalformedPath(relative, "too_long")
    except UnicodeEncodeError as error:
        raise MalformedPath(relative, "unstorable") from error
    return [part for part in relative.split("/") if part not in {"", "."}]


def _crosses_link(open_beneath: OpenBeneath, folder: int, parts: Sequence[str], relative: str) -> bool:
    try:
        return stat.S_ISLNK(look(open_beneath, folder, "/".join(parts)).st_mode)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno == errno.ELOOP:
            return True
        raise domain_error(error, relative) from error
