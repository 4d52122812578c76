"""The port SecretScanner by detect-secrets, the extra `agentfs-lsp[secrets]`
(docs/adr/0033-detect-secrets.md).

Its detectors are called one by one, so that none of its global settings count: no file is read, nothing is
verified over the network, and no comment in the text switches it off. Its entropy detectors, which take
hashes for secrets, are left out.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

from agentfs_lsp.domain.text.escaping import MAX_FINDINGS
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.service.proposal.risks import Warned
from agentfs_lsp.service.proposal.scanner import UNSEARCHED, Added

SECONDS = 2.0
MAX_CHARACTERS = 1024 * 1024
"""Limits of the search of one change."""

PIECE, OVERLAP = 800, 300
"""Longer lines are searched in pieces: a pattern may take the square of that, while other threads wait."""

_SHORTEST = 8  # characters of a line that may have a secret
_OCCURRENCES = 20  # of a value in the text before, to find out whether that had the secret

_LEFT_OUT = {
    *("Base64 High Entropy String", "Hex High Entropy String", "Public IP (ipv4)"),  # no secrets, mostly
    # A line of blanks keeps their patterns busy for minutes.
    *("Cloudant Credentials", "IBM Cloud IAM Key", "IBM COS HMAC Credentials", "SoftLayer Credentials"),
}
_KINDS = {"Secret Keyword": "password", "Basic Auth Credentials": "password in a URL"}
"""What we call its kinds, if not by its own names."""

_CALL = re.compile(r"[\w.-]+[\[(]")
"""The beginning of what looks a secret up."""

_log = logging.getLogger(__name__)


class _Library(NamedTuple):
    detectors: Sequence[Any]
    is_false: Callable[[str], bool]
    """Whether a value is a placeholder, or a reference to a secret."""


class _Limit(Exception):
    """The text is too long, or the search takes too long."""


class DetectSecrets:
    """Imports the library with the first scan."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._loading = threading.Lock()
        self._library: _Library | None = None
        self._is_told = False

    def scan(self, path: str, lines: Added, before: str) -> Sequence[Warned]:
        found: list[Warned] = []
        try:
            with self._loading:
                if self._library is None:
                    if find_spec("detect_secrets") is None:
                        self._tell("secrets.scan is on, but agentfs-lsp[secrets] is not installed")
                        return ()
                    self._library = _load()
            for one in _Search(self._library, path, before, self._seconds).search(lines):
                found.append(one)
                if len(found) == MAX_FINDINGS:
                    break
        except _Limit:
            found.append(UNSEARCHED)
        except Exception as error:  # noqa: BLE001 - whatever it is, the user is asked instead
            self._tell(f"the search for secrets failed: {type(error).__name__}")  # its text may quote one
            found.append(UNSEARCHED)
        return found

    def _tell(self, what: str) -> None:
        if not self._is_told:
            self._is_told = True
            _log.warning("%s", what)


class _Search:
    """The search of one change."""

    def __init__(self, library: _Library, path: str, before: str, seconds: float) -> None:
        self._library = library
        self._path = path
        self._before = before
        self._deadline = time.monotonic() + seconds

    def search(self, lines: Added) -> Iterator[Warned]:
        """At most one per line. Raises _Limit."""
        length = 0
        for number, line in lines:
            length += len(line)
            if length > MAX_CHARACTERS:
                raise _Limit
            for kind, value in self._secrets_in(line):
                if not self._is_known(kind, value):
                    yield Warned("secret", number, _KINDS.get(kind, kind))
                    break

    def _secrets_in(self, line: str) -> Iterator[tuple[str, str]]:
        line = line.strip()
        for start in range(0, max(1, len(line) - OVERLAP), PIECE - OVERLAP):
            piece = line[start : start + PIECE]
            if len(piece) < _SHORTEST:
                continue
            for detector in self._library.detectors:
                if time.monotonic() > self._deadline:
                    raise _Limit
                for secret in detector.analyze_line(filename=self._path, line=piece, line_number=1):
                    value = secret.secret_value
                    if value and not self._library.is_false(value):
                        yield secret.type, value

    def _is_known(self, kind: str, value: str) -> bool:
        """Whether the text before had the secret."""
        before, at = self._before, self._before.find(value)
        for _ in range(_OCCURRENCES):
            if at < 0:
                return False
            start = max(before.rfind(end, 0, at) for end in "\r\n") + 1
            line = normalize(before[start : at + len(value) + PIECE]).split("\n")[0]
            if (kind, value) in self._secrets_in(line):
                return True
            at = before.find(value, at + len(value))
        return False


def _load() -> _Library:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class  # noqa: PLC0415
    from detect_secrets.filters import heuristic  # noqa: PLC0415
    from detect_secrets.plugins.base import BasePlugin  # noqa: PLC0415

    found = get_mapping_from_secret_type_to_class()
    # Whatever other code in this process has switched on, these verify nothing over the network.
    quiet = {"verify": BasePlugin.verify}
    detectors = [
        type(detector.__name__, (detector,), quiet)()
        for kind, detector in sorted(found.items())
        if kind not in _LEFT_OUT
    ]

    def is_false(value: str) -> bool:
        return bool(
            heuristic.is_templated_secret(value)
            or heuristic.is_prefixed_with_dollar_sign(value)
            or heuristic.is_not_alphanumeric_string(value)
            or heuristic.is_sequential_string(value)
            or _CALL.match(value)
        )

    return _Library(detectors, is_false)
