"""Lands three files in a process that can be killed: one replaced, one created in new folders, one removed.

As a script, it lands them and prints what the answer would be: `landed`, `refused` or `unknown`.
"""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.fs.syscalls import Kernel
from agentfs_lsp.adapters.landing import transaction
from agentfs_lsp.domain.errors import DomainError, LandingUnknown
from agentfs_lsp.service.files.store import Draft, Root

BEFORE = {"a.py": b"old\n", "sub": b"/", "sub/gone.py": b"going\n"}
AFTER = {"a.py": b"new\n", "sub": b"/", "made": b"/", "made/deep": b"/", "made/deep/new.py": b"made\n"}
CONTENTS = {"made/deep/new.py": b"made\n", "a.py": b"new\n", "sub/gone.py": None}

BEGIN, END = "/begin", "/end"
"""Stat'ed before and after the landing, to mark it in a trace."""


def lay_out(base: Path) -> None:
    """Create the workspace before the landing, alone in `base`."""
    shutil.rmtree(base, ignore_errors=True)
    for name, content in BEFORE.items():
        path = base / "root" / name
        if content == b"/":
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def store_at(base: Path, *, special: bool = True) -> tuple[DiskStore, Root]:
    """A server's store for it; without `special` system calls, it uses their fallbacks."""
    store = DiskStore(StateFolder(str(base / "state")), Kernel(special, special, special))
    root = Root("root", str(base / "root"), "")
    store.set_roots([root])
    return store, root


def land(base: Path, *, special: bool = True, ends: bool = True) -> str:
    """Land the three; returns what an answer would say. Then the server `ends` as if killed."""
    store, root = store_at(base, special=special)
    drafts = drafts_of(store, root)
    os.access(BEGIN, os.F_OK)
    try:
        return answer_of(refusal(store, drafts))
    finally:
        os.access(END, os.F_OK)
        if ends:
            abandon(store)


def drafts_of(store: DiskStore, root: Root) -> list[Draft]:
    """The three changes to the current workspace."""
    locations = {store.resolve(root, name): content for name, content in CONTENTS.items()}
    return [
        Draft(
            location,
            None if content is None else (content,),
            store.read(location, 100) if store.stat(location) else None,
            True,
        )
        for location, content in locations.items()
    ]


def refusal(
    store: DiskStore, drafts: Sequence[Draft], between: Callable[[], object] = lambda: None
) -> DomainError | None:
    """Land the drafts, calling `between` once they are staged; returns the error, or None."""
    try:
        staged = store.stage(drafts)
        try:
            between()
            staged.commit()
        except BaseException:
            staged.discard()
            raise
    except DomainError as error:
        return error
    return None


def answer_of(why: DomainError | None) -> str:
    """`landed`, `refused` or `unknown`."""
    if why is None:
        return "landed"
    return "unknown" if isinstance(why, LandingUnknown) else "refused"


def abandon(store: DiskStore) -> None:
    """Act as if its process had been killed: the system releases its locks and handles."""
    if store._registry._fd is not None:
        os.close(store._registry._fd)
        store._registry._fd = None


def files_after_the_next_start(base: Path, *, special: bool = True) -> dict[str, bytes]:
    """The root's files after the next start. No temporary file, note or journal may remain."""
    store, _ = store_at(base, special=special)
    store.sweep()
    state = base / "state"
    left = [path for path in state.rglob("*") if path.is_file() and path.name != "landing.lock"]
    assert not left, left
    return files_in_root(base)


def files_in_root(base: Path) -> dict[str, bytes]:
    """By path; a folder is `/`."""
    root = base / "root"
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else b"/" for path in root.rglob("*")
    }


class OneAfterTheOther:
    """Replaces the landing's threads, to give traces a fixed order."""

    def __init__(self, *_: object) -> None:
        self.map = map

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return


if __name__ == "__main__":
    transaction.ThreadPoolExecutor = OneAfterTheOther  # type: ignore[assignment,misc]
    print(land(Path(sys.argv[1]), special=sys.argv[2] == "True"), flush=True)
