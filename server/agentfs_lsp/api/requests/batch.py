"""agentfs/batch: docs/protocol.md#10-agentfsbatch."""

from __future__ import annotations

from dataclasses import fields, replace

from agentfs_lsp.api.answers.batch import batch_answer, batch_refusal
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.params import BatchParams, EditParams, OperationParams, Params, WriteParams
from agentfs_lsp.api.parsing import parse
from agentfs_lsp.api.results import Envelope
from agentfs_lsp.domain.errors import BadParameter, DomainError
from agentfs_lsp.service.batch import Batch, Step, batch
from agentfs_lsp.service.edit import Edit
from agentfs_lsp.service.write import Write

OF_THE_BATCH = frozenset({*(each.name for each in fields(Params)), "explanation", "dry_run"})
"""Parameters that apply to the whole batch, and are rejected in the params of an operation."""


async def batch_request(exchange: Exchange) -> Envelope:
    """Respond to agentfs/batch when all of it has landed or cannot land."""
    params = exchange.parse(BatchParams)
    steps = [Step(_operation(exchange, params, number, one)) for number, one in enumerate(params.operations)]
    await exchange.wait_until_prepared()
    command = Batch(
        steps,
        params.session,
        params.agent,
        params.explanation,
        atomic=params.atomic,
        dry_run=params.dry_run,
        timing=exchange.timing,
    )
    try:
        batched = await batch(exchange.ws, command, exchange.moment)
    except DomainError as error:
        return batch_refusal(exchange, command, error)
    return batch_answer(exchange, command, batched)


def _operation(
    exchange: Exchange, params: BatchParams, number: int, operation: OperationParams
) -> Write | Edit:
    """One operation as a command. Raises BadParameter with the operation's position."""
    try:
        return _command(exchange, params, operation)
    except BadParameter as error:
        error.name = f"operations[{number}].params.{error.name}"
        raise


def _command(exchange: Exchange, params: BatchParams, operation: OperationParams) -> Write | Edit:
    shape: type[WriteParams | EditParams] = WriteParams if operation.tool == "write" else EditParams
    for name in operation.params:
        if name in OF_THE_BATCH:
            own = sorted({each.name for each in fields(shape)} - OF_THE_BATCH)
            raise BadParameter(name, "unknown", tuple(own))
    own_params = parse(shape, operation.params)
    return replace(own_params, session=params.session, agent=params.agent).command(
        exchange.paths, exchange.timing
    )
