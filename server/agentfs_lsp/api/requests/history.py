"""agentfs/history: docs/protocol.md#11-history-and-undo. agentfs/userHistory is the same for the user, who
may see every file (docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from functools import partial

from agentfs_lsp.api.answers.history import change_on_wire
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.params import HistoryParams
from agentfs_lsp.api.results import Envelope, History, LandedChange, Stats
from agentfs_lsp.domain.translation import Translate, sentences
from agentfs_lsp.service.history import Browse, Browsed, browse


async def history_request(exchange: Exchange, *, by_user: bool = False) -> Envelope:
    """Respond to agentfs/history. `session`, if given, is also a filter."""
    params = exchange.parse(HistoryParams)
    await exchange.wait_until_prepared()
    sent = exchange.params if exchange.raw is None else exchange.raw
    is_filter = isinstance(sent, dict) and sent.get("session") is not None
    command = Browse(
        None if by_user else params.session,
        params.path,
        params.session if is_filter else None,
        params.change_id,
        params.before,
        params.limit,
        params.texts,
    )
    show = partial(change_on_wire, texts=params.texts, namespace=exchange.namespace, by_user=by_user)
    browsed = await browse(exchange.ws, command, show)
    data: History = {"changes": [*browsed.changes], "more": browsed.more}
    stats: Stats = {"time_ms": exchange.time_ms()}
    return exchange.succeed(data, _text(exchange.translate, browsed), stats, partial=browsed.texts_left_out)


def _text(translate: Translate, browsed: Browsed[LandedChange]) -> str:
    changes = browsed.changes
    if not changes:
        return translate("No changes were found.")
    said = [translate("Found one change.", plural="Found {count} changes, newest first.", count=len(changes))]
    if browsed.more:
        last = changes[-1]["change_id"]
        said.append(translate("There are older changes: continue with before={id}.", id=last))
    if browsed.texts_left_out:
        said.append(
            translate("Some texts did not fit into the response. Request a single change by its change_id.")
        )
    return sentences(translate, said)
