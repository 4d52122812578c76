"""Messages about landings that a crash interrupted (docs/protocol.md#10-agentfsbatch)."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator
from dataclasses import replace

from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.outgoing import INFO, WARNING
from agentfs_lsp.service.files.store import Recovered

PATHS_SHOWN = 5


def recovery_messages(recovered: Iterable[Recovered], translate: Translate) -> Iterator[tuple[int, str]]:
    """The types and texts of messages, one for each outcome of landings."""
    by_outcome: dict[str, Recovered] = {}
    for one in recovered:
        before = by_outcome.setdefault(one.outcome, one)
        if before is not one:
            together = os.path.dirname(one.kept_in) if one.outcome == "set_aside" else ""
            by_outcome[one.outcome] = replace(one, paths=(*before.paths, *one.paths), kept_in=together)
    return (_message(one, translate) for one in by_outcome.values())


def _message(recovered: Recovered, translate: Translate) -> tuple[int, str]:
    paths = ", ".join(map(escape_to_one_line, recovered.paths[:PATHS_SHOWN]))
    if len(recovered.paths) > PATHS_SHOWN:
        paths += " …"
    kept_in = escape_to_one_line(recovered.kept_in)
    texts = {
        "finished": translate(
            "agentfs: A change that a crash had interrupted was completed: {paths}", paths=paths
        ),
        "rolled_back": translate(
            "agentfs: A change that a crash had interrupted was rolled back: {paths}", paths=paths
        ),
        "set_aside": translate(
            "agentfs: A crash interrupted a change, which could not be completed because files were "
            "changed in the meantime: {paths}. The new and the previous contents are in {folder}.",
            paths=paths,
            folder=kept_in,
        ),
    }
    kind = WARNING if recovered.outcome == "set_aside" else INFO
    return kind, texts[recovered.outcome]
