"""Bytes to text and back, so that what nobody touched stays byte for byte (docs/protocol.md#5-agentfsread).

SKELETON: the interface that the other modules build on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Eol = Literal["lf", "crlf", "cr", "mixed", "none"]


@dataclass(frozen=True, slots=True)
class TextFile:
    """A decoded file. `text` holds its own line ends and no mark; bytes that did not decode are lone
    surrogates U+DC80..U+DCFF (PEP 383) in it, which `shown` replaces by U+FFFD, one for one."""

    text: str
    encoding: str
    bom: bytes
    lossy: bool

    @property
    def shown(self) -> str:
        raise NotImplementedError


def decode(data: bytes, fallback_encoding: str) -> TextFile:
    raise NotImplementedError


def encode(text: str, like: TextFile) -> bytes:
    raise NotImplementedError


def eol_of(text: str) -> Eol:
    raise NotImplementedError
