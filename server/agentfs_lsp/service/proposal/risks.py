"""What a change brings into a file that the user must be asked about in every mode
(docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

from agentfs_lsp.domain.cached import cached
from agentfs_lsp.domain.policy.credentials import NewSecret, new_secrets, secrets_in
from agentfs_lsp.domain.text.escaping import MAX_FINDINGS, SEPARATORS
from agentfs_lsp.domain.text.lines import count_lines, ends_between
from agentfs_lsp.domain.text.misreading import as_utf_8, find_misread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentfs_lsp.domain.splices import Splice


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning for the reviewer; `line` is 1-based in the proposed text, 0 for the whole file."""

    kind: str
    line: int
    detail: str


@dataclass(frozen=True)
class Risks:
    """`before` is the file's text as shown, `splices` change it, and `hunks` are the same in whole lines.
    `encodings`: those of the file, as it is or will be, that are not Unicode's. `found`: what a secrets
    scanner found in the lines that are added."""

    before: str
    splices: Sequence[Splice]
    hunks: Sequence[Splice]
    encodings: Sequence[str]
    found: Sequence[Warned] = ()

    def __bool__(self) -> bool:
        return bool(self.secrets or self.has_separators or self.misread)

    @cached
    def secrets(self) -> tuple[Warned, ...]:
        """Likely secrets that are new to the file, by line, at most MAX_FINDINGS. Of a line with a secret of
        a known format, nothing else is told."""
        found = chain(new_secrets(self.before, self.splices), self._secrets_in_utf_8())
        first = set(islice(found, MAX_FINDINGS))
        lines = {one.line for one in first}
        known = [Warned("secret", line, what) for what, line in first]
        besides = [one for one in self.found if one.line not in lines]
        return tuple(sorted((*known, *besides), key=lambda it: it.line)[:MAX_FINDINGS])

    @cached
    def has_separators(self) -> bool:
        """Whether there are more LINE or PARAGRAPH SEPARATORs afterwards in any of the places that change."""
        return any(
            sum(map(one.text.count, SEPARATORS))
            > sum(self.before.count(separator, one.start, one.end) for separator in SEPARATORS)
            for one in self.splices
        )

    @cached
    def misread(self) -> tuple[Warned, ...]:
        """What programs that do not read the file in its encoding read in the new text, unlike the reviewer;
        at most MAX_FINDINGS."""
        return tuple(islice(self._misread(), MAX_FINDINGS))

    def _misread(self) -> Iterator[Warned]:
        for encoding in self.encodings:
            for before, after, line in self._beyond_ascii():
                for at, detail in find_misread(before, after, encoding):
                    yield Warned("misread", line + at, detail)

    def _secrets_in_utf_8(self) -> Iterator[NewSecret]:
        """Secrets that only programs see which read the file as UTF-8."""
        for encoding in self.encodings:
            for before, after, line in self._beyond_ascii():
                was, read = as_utf_8(before, encoding), as_utf_8(after, encoding)
                known = {(one.what, one.value) for one in (*secrets_in(was), *secrets_in(after))}
                for one in secrets_in(read):
                    if (one.what, one.value) not in known:
                        yield NewSecret(one.what, line + 1 + ends_between(read, 0, one.at))

    def _beyond_ascii(self) -> Iterator[tuple[str, str, int]]:
        """What each hunk replaces, its new text if it is not ASCII, and how many lines of the new text are
        before it."""
        shift, counted, line = 0, 0, 0
        for hunk in self.hunks:
            replaced = self.before[hunk.start : hunk.end]
            if not hunk.text.isascii():
                line += ends_between(self.before, counted, hunk.start)
                counted = hunk.start
                yield replaced, hunk.text, line + shift
            shift += count_lines(hunk.text) - count_lines(replaced)
