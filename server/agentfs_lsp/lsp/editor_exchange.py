"""The frame around each request of the editor itself, which agents cannot send
(docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from agentfs_lsp.adapters.review.client import ClientReviews
from agentfs_lsp.adapters.review.conversation import Answer
from agentfs_lsp.api.messages.errors import ERRORS
from agentfs_lsp.api.messages.parameters import parameter_text
from agentfs_lsp.api.results import Nothing, Proposal
from agentfs_lsp.domain.errors import BadParameter
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.text.positions import Encoding
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.results import AgentsAnswer, Done, Refusal
from agentfs_lsp.lsp.review_params import BadReviewParams, review_params_text
from agentfs_lsp.service.state.workspace import Workspace

Result = Proposal | Done | AgentsAnswer | Refusal | Nothing


@dataclass(frozen=True, slots=True)
class EditorExchange:
    """The context of such a request."""

    params: object
    ws: Workspace
    reviews: ClientReviews
    encoding: Encoding
    translate: Translate
    set_mode: Callable[[Mode, str | None], None]
    set_switch: Callable[[str, bool], bool]
    """Whether the switch exists."""
    sent: asyncio.Future[None]
    """Done when a delayed response has been sent."""


EditorRequest = Callable[[EditorExchange], Result | Coroutine[Any, Any, Result]]


def refusal(answer: Answer, translate: Translate) -> Refusal:
    """A refusal on the wire, with the reason for the user."""
    assert answer.code is not None  # success is no refusal
    if answer.error is not None:
        reason = ERRORS[type(answer.error)][1](answer.error, translate)[0]
    elif answer.code == "UNKNOWN":
        reason = translate(
            "No such proposal is under review. It is still waiting for its file, has ended, or never existed."
        )
    elif answer.code == "SETTLED":
        reason = translate("Another reviewer has decided on this proposal.")
    else:
        reason = translate("The change could not be applied.")
    return {"ok": False, "code": answer.code, "reason": reason}


def answer_editor(request: EditorRequest, exchange: EditorExchange) -> Result | Coroutine[Any, Any, Result]:
    """Run the request so that any params get a response. They are checked before it waits for anything."""
    try:
        return request(exchange)
    except BadParameter as error:
        reason = parameter_text(error, exchange.translate)
    except BadReviewParams as error:
        reason = review_params_text(error, exchange.translate)
    return {"ok": False, "code": "INVALID_PARAM", "reason": reason}
