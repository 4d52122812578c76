"""Tells the person at the terminal where a change waits for them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from agentfs_lsp.client import AgentFS, AgentFSError, Reviewer, deny_all, terminal
from agentfs_lsp.domain.translation import Translate

_LOOK_S: Final = 0.5
"""Seconds between two looks at whether a change waits in the editor."""


def reviewer(translate: Translate, *, no_editor: bool) -> Reviewer:
    """The person at the terminal, if there is one. `no_editor`: say that it is for want of an editor."""
    try:
        ask = terminal()
        if ask is deny_all or not no_editor:
            return ask
        from agentfs_lsp.client.at_terminal import ask as ask_saying  # noqa: PLC0415 - as `terminal` does
    except ImportError:  # the server in the editor's extension has no library for the terminal
        return deny_all
    note = translate("No editor with agentfs has this folder open: asking here.")
    return partial(ask_saying, note=note)


@contextmanager
def telling(fs: AgentFS, translate: Translate) -> Iterator[None]:
    """Around a request: once its change waits in the editor, say so, if a person may read it."""
    if not fs.is_editors or not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_S):
            try:
                pending = fs.status().data["pending"]
            except AgentFSError:  # the request itself says more
                return
            if pending and not ended.is_set():
                print(translate("Review the change in your editor."), file=sys.stderr, flush=True)
                return

    threading.Thread(target=look, name="agentfs-telling", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
