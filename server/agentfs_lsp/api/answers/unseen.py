"""The response to a change of a file that the session may not read. It reveals only that the change was
made, not even whether the text differs now. What became of it in an open document would tell that: an
editor saves only what differs (docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.messages.landing import hidden_amendments
from agentfs_lsp.api.results import Envelope, Review, Stats, WriteData
from agentfs_lsp.api.review import landed_facts
from agentfs_lsp.domain.translation import sentences
from agentfs_lsp.service.change_request import Submitted


def unseen_answer(exchange: Exchange, submitted: Submitted) -> Envelope:
    """The envelope, with all members of a change's `data`, but only the time in `stats`."""
    landing, proposal = submitted.landing, submitted.proposal
    in_editor = landing is not None and landing.change.base.buffer is not None
    applied = landing is not None and not in_editor
    data: WriteData = {
        "applied": applied,
        "operation": submitted.change.operation,
        "diff_preview": "",
        "diff_truncated": False,
        "warnings": [],
        "corrections": [],
        "unchanged": False,
    }
    if landing is not None and proposal is not None:
        data["landing"] = "editor" if in_editor else "disk"
        if exchange.ws.settings.history.enabled:
            data["change_id"] = proposal.id
        data["review"] = landed_facts(proposal, landing, texts=False)
    stats: Stats = {"time_ms": exchange.time_ms()}
    return exchange.succeed(
        data,
        _text(exchange, submitted, data.get("review"), in_editor=in_editor),
        stats,
        partial=not applied,
        access=submitted.access,
    )


def _text(exchange: Exchange, submitted: Submitted, review: Review | None, *, in_editor: bool) -> str:
    translate = exchange.translate
    path = exchange.shown(submitted.access)
    if submitted.landing is None:
        done = translate("[Dry Run] Would write '{path}'.", path=path)
    elif in_editor:
        done = translate("'{path}' is changed in the editor. Whether it is saved is not reported.", path=path)
    else:
        done = translate("Wrote '{path}'.", path=path)
    return sentences(
        translate,
        (
            done,
            *exchange.remarks,
            hidden_amendments(review, translate),
            translate("Reading this file is denied or requires approval, so its content is not reported."),
        ),
    )
