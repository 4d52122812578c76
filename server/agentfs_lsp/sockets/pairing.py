"""The code that a reviewer in a terminal and its server show to the user, who compares both
(docs/protocol.md#18-the-reviewers-socket).

Each end computes it from a nonce of its own, the other end's, and the reviewer's process: the reviewer knows
its own process, and the server has it from the system. A program in between that passes messages on is
another process, so the codes differ; and as the reviewer commits to its nonce before it knows the server's,
such a program cannot look for nonces that make them equal. It can only guess: once a turn, whose number the
server limits (`adapters/review/pairing.py`), because it knows whether it has guessed right before it asks.
"""

from __future__ import annotations

import hashlib
from typing import Final

ALPHABET: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without I, O, 0, and 1, which look like one another."""

NONCE_BYTES: Final = 16

LENGTH: Final = 6


def commitment(nonce: bytes) -> str:
    """What the reviewer sends before it sends its nonce."""
    return hashlib.sha256(b"agentfs commitment" + nonce).hexdigest()


def code(reviewers: bytes, servers: bytes, pid: int) -> str:
    """The code for these nonces and the reviewer's process, such as `K7M-2PX`."""
    digest = hashlib.sha256(b"agentfs code" + reviewers + servers + str(pid).encode()).digest()
    signs = "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:LENGTH])
    return f"{signs[: LENGTH // 2]}-{signs[LENGTH // 2 :]}"
