"""The server's messages in the transcripts have the declared shapes, and the transcripts contain every key of
them."""

import typing
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from agentfs_lsp.api import results
from agentfs_lsp.api.methods import AGENT_REQUESTS, USER_REQUESTS
from agentfs_lsp.api.results import Envelope, Stats
from agentfs_lsp.lsp import results as editor_results
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS
from agentfs_lsp.lsp.results import NOTIFICATIONS
from generated import keys_of, options_of
from support.docs import REPOSITORY
from support.transcripts import blocks_of

TRANSCRIPTS = sorted((REPOSITORY / "tests" / "cases" / "transcripts").iterdir())

ANSWERS: dict[str, tuple[Any, Any]] = {
    "status": (results.StatusData, Stats),
    "read": (results.ReadData, results.ReadStats),
    "write": (results.WriteData, results.ChangeStats | Stats),
    "edit": (results.EditData, results.ChangeStats),
    "batch": (results.BatchData, results.LineStats),
    "history": (results.History, Stats),
    "userHistory": (results.History, Stats),
    "undo": (results.UndoData, results.LineStats),
    "userUndo": (results.UndoData, results.LineStats),
    "tools": (results.ToolsData, Stats),
    "call": (
        results.ReadData | results.WriteData | results.EditData,
        results.ReadStats | results.ChangeStats | Stats,
    ),
}
"""The data and stats of a successful envelope."""

EDITORS = {
    "proposal": editor_results.ProposalAnswer,
    "settle": editor_results.SettleAnswer,
    "applied": editor_results.AppliedAnswer,
    "saved": editor_results.SavedAnswer,
    "setApprovalMode": editor_results.Done | editor_results.Refusal,
    "setSwitch": editor_results.Done | editor_results.Refusal,
    "agents": editor_results.AgentsAnswer | editor_results.Refusal,
    "disconnect": editor_results.Done | editor_results.Refusal,
}


def misfits(value: Any, hint: Any, at: str) -> Iterator[str]:
    """Where a value does not have a type."""
    options = options_of(hint)
    if len(options) > 1:
        if all(any(True for _ in misfits(value, option, at)) for option in options):
            yield at
    elif typing.is_typeddict(hint):
        yield from _misfits_of_keys(value, hint, at)
    elif get_origin(hint) is Literal:
        if value not in get_args(hint):
            yield at
    elif get_origin(hint) is list:
        for number, each in enumerate(value if isinstance(value, list) else [value]):
            yield from misfits(each, get_args(hint)[0], f"{at}[{number}]")
    elif get_origin(hint) in (dict, Mapping):
        for key, each in value.items():
            yield from misfits(each, get_args(hint)[1], f"{at}.{key}")
    elif hint is not object and type(value) not in ((int, float) if hint is float else (hint,)):
        yield at


def _misfits_of_keys(value: Any, shape: Any, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield at
        return
    keys = {key.name: key for key in keys_of(shape)}
    yield from (f"{at}: {shape.__name__} has no {name}" for name in value.keys() - keys.keys())
    for name, key in keys.items():
        if name in value:
            yield from misfits(value[name], key.hint, f"{at}.{name}")
        elif key.required:
            yield f"{at}: no {name}"


Said = tuple[str, Any, Any]
"""Where in the transcripts, a value, and its declared type."""


def said() -> Iterator[Said]:
    """The server's messages of custom methods."""
    for file in TRANSCRIPTS:
        asked: dict[Any, str] = {}
        for by, message in blocks_of(file.read_text("utf-8")):
            if by == "client" and "id" in message and "method" in message:
                params = message.get("params")
                is_command = message["method"] == "workspace/executeCommand" and isinstance(params, dict)
                asked[message["id"]] = params["command"] if is_command else message["method"]
            elif by == "server" and message.get("method") == "workspace/applyEdit":
                yield f"{file.stem} applyEdit", message["params"]["edit"], editor_results.WorkspaceEdit
            elif by == "server" and message.get("method") in NOTIFICATIONS:
                yield f"{file.stem} {message['method']}", message["params"], NOTIFICATIONS[message["method"]]
            elif by == "server" and "result" in message and "method" not in message:
                method = asked.get(message["id"], "").removeprefix("agentfs").lstrip("./")
                yield from _answer(f"{file.stem} {method}", method, message["result"])


def _answer(at: str, method: str, result: Any) -> Iterator[Said]:
    if method in EDITORS:
        yield at, result, EDITORS[method]
    elif method in ANSWERS:
        yield at, result, Envelope
        data, stats = ANSWERS[method]
        is_error = result["status"] == "error"
        yield f"{at} data", result["data"], results.Nothing if is_error else data
        yield f"{at} stats", result["stats"], Stats if is_error else stats


def test_recorded_answers_have_the_declared_shapes() -> None:
    served = {*AGENT_REQUESTS, *EDITOR_REQUESTS, *USER_REQUESTS}
    methods = {method.removeprefix("agentfs/") for method in served}
    assert {*ANSWERS, *EDITORS} == methods, "add the shapes of the result to ANSWERS or EDITORS above"
    found = list(said())
    assert {at.split()[1].removeprefix("agentfs/") for at, *_ in found} >= {*ANSWERS, *EDITORS}
    assert [misfit for at, value, hint in found for misfit in misfits(value, hint, at)] == []


def keys_said(value: Any, hint: Any) -> Iterator[tuple[str, str]]:
    """The shapes and keys in a value."""
    for option in options_of(hint):
        if any(True for _ in misfits(value, option, "")):
            continue
        if typing.is_typeddict(option):
            for key in keys_of(option):
                if key.name in value:
                    yield option.__name__, key.name
                    yield from keys_said(value[key.name], key.hint)
        elif get_origin(option) is list:
            for each in value:
                yield from keys_said(each, get_args(option)[0])


def test_every_declared_key_is_said_in_a_transcript() -> None:
    shapes = [hint for one in (*ANSWERS.values(), EDITORS.values()) for hint in one] + [Envelope]
    shapes += [NOTIFICATIONS[f"agentfs/{name}"] for name in ("proposed", "settled", "statusChanged")]
    known = {(shape.__name__, key) for shape, key in _declared(shapes)}
    missing = known - {one for _, value, hint in said() for one in keys_said(value, hint)}
    assert not missing, "add a scenario with these keys to tests/support/scenarios/, and record it"


def _declared(hints: Any) -> set[tuple[Any, str]]:
    found: set[tuple[Any, str]] = set()
    for hint in hints:
        for option in options_of(hint):
            if typing.is_typeddict(option):
                found |= {(option, key.name) for key in keys_of(option)}
                found |= _declared(key.hint for key in keys_of(option))
            else:
                found |= _declared(get_args(option) if get_origin(option) is list else ())
    return found
