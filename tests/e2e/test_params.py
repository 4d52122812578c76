"""Parameters and the envelope of every response: docs/protocol.md#2-requests, #3-envelope."""

import json
from typing import Any

import pytest

from support.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOOD: dict[str, dict[str, Any]] = {
    "agentfs/read": {"path": "here.txt"},
    "agentfs/write": {"path": "here.txt", "content": "x\n"},
    "agentfs/edit": {"path": "here.txt", "old_string": "a", "new_string": "b"},
    "agentfs/status": {},
}
CHANGES = ("agentfs/write", "agentfs/edit")
EVERY = tuple(GOOD)

NO_STRING = (1, 1.5, True, [], {}, ["a"])
NO_NUMBER = ("1", 1.5, True, [], {}, -1)
NO_FLAG = ("true", 0, 1, "", [], {})
NO_NAME = (*NO_STRING, "n" * 81)

WRONG: list[tuple[tuple[str, ...], str, tuple[object, ...]]] = [
    (EVERY, "session", (*NO_STRING, "")),
    (EVERY, "agent", NO_NAME),
    (("agentfs/read", *CHANGES), "path", (*NO_STRING, None)),
    (("agentfs/read",), "start_line", (*NO_NUMBER, 0)),
    (("agentfs/read",), "limit", NO_NUMBER),
    (("agentfs/read",), "line_numbers", NO_FLAG),
    (CHANGES, "explanation", NO_STRING),
    (CHANGES, "dry_run", NO_FLAG),
    (CHANGES, "expected_mtime_ms", ("1", 1.5, True, [])),
    (CHANGES, "expected_size_bytes", ("1", 1.5, True, [])),
    (CHANGES, "expected_hash", NO_STRING),
    (CHANGES, "on_conflict", (*NO_STRING, "ignore", "")),
    (("agentfs/write",), "content", (*NO_STRING, None)),
    (("agentfs/write",), "allow_empty", NO_FLAG),
    (("agentfs/write",), "create_dirs", NO_FLAG),
    (("agentfs/write",), "overwrite", NO_FLAG),
    (("agentfs/edit",), "old_string", (*NO_STRING, None)),
    (("agentfs/edit",), "new_string", (*NO_STRING, None)),
    (("agentfs/edit",), "replace_all", NO_FLAG),
    (("agentfs/edit",), "expected_count", (*NO_NUMBER, 0)),
]


@pytest.mark.parametrize(
    ("method", "name", "values"),
    [(method, name, values) for methods, name, values in WRONG for method in methods],
)
async def test_a_parameter_of_a_wrong_kind_is_named(
    auto: Editor, method: str, name: str, values: tuple[object, ...]
) -> None:
    for value in values:
        params = {**GOOD[method], name: value}
        answer = await auto.request(method, params)
        assert (answer["status"], answer["data"]) == ("error", {}), value
        assert answer["error"]["code"] == "INVALID_PARAM", value
        assert f"'{name}'" in answer["error"]["message"], value
        assert answer["context"]["params_input"] == params
    assert not (auto.root / "here.txt").exists()


@pytest.mark.parametrize("method", EVERY)
async def test_a_misspelt_parameter_never_passes_silently(auto: Editor, method: str) -> None:
    for name in (
        "dryrun",
        "dry-run",
        "startLine",
        "modified_by_user",
        "approved",
        "mode",
        "class",
        "",
        "_meta",
    ):
        answer = await auto.request(method, {**GOOD[method], name: True})
        assert answer["error"]["code"] == "INVALID_PARAM"
        assert f"'{name}'" in answer["error"]["message"]
    if method in CHANGES:
        assert "dry_run" in (await auto.request(method, {**GOOD[method], "dryrun": True}))["text"]
    assert not (auto.root / "here.txt").exists()


@pytest.mark.parametrize("method", ["agentfs/read", *CHANGES])
async def test_a_missing_parameter_is_named(auto: Editor, method: str) -> None:
    for name in GOOD[method]:
        params = {key: value for key, value in GOOD[method].items() if key != name}
        answer = await auto.request(method, params)
        assert answer["error"] == {"code": "INVALID_PARAM", "message": f"Parameter '{name}' is missing."}


async def test_null_for_what_may_be_left_out_is_leaving_it_out(auto: Editor) -> None:
    optional = {"session": None, "agent": None, "explanation": None, "dry_run": None, "expected_hash": None}
    answer = await auto.write(
        "null.txt", "x\n", **optional, create_dirs=None, overwrite=None, on_conflict=None
    )
    assert answer["status"] == "success"
    assert (await auto.read("null.txt", limit=None, start_line=None))["status"] == "success"


# --- the envelope -----------------------------------------------------------------------------------------


async def test_params_come_back_verbatim(auto: Editor) -> None:
    params = {
        "path": "half\ud83d.txt",
        "content": "\udc80 \u0000 \u2028 😀",
        "extra": {"deep": [1, 1.5, None, True, {"jsonrpc": "2.0", "_0": "", "": []}], "type_name": "x"},
    }
    answer = await auto.request("agentfs/write", params)
    assert answer["context"]["params_input"] == params


async def test_long_strings_come_back_cut_with_their_length(auto: Editor) -> None:
    just = "x" * 65536
    long, wide = just + "y", "中" * 30_000
    params = {"path": "long.txt", "content": long, "a": {"b": [just, wide]}, "k" * 70_000: 1}
    answer = await auto.request("agentfs/write", params)
    came = answer["context"]["params_input"]
    assert came["path"] == "long.txt"
    assert came["a"]["b"][0] == just
    for cut, whole in ((came["content"], long), (came["a"]["b"][1], wide)):
        assert len(cut.encode()) < 65536 + 100
        assert whole.startswith(cut[:10_000])
        assert str(len(whole)) in cut
    assert sum(map(len, came)) < 70_000
    assert len(answer["text"]) < 2000


async def test_the_name_an_agent_gives_itself_may_be_anything(auto: Editor) -> None:
    for agent in ("", "n" * 80, "中\u202e\x07😀", "half \ud800"):
        answer = await auto.write(
            "agent.txt", f"{len(agent)} {agent[:1]!r}\n", agent=agent, explanation=agent
        )
        assert answer["status"] == "success"
        assert answer["context"]["params_input"]["agent"] == agent
    session = "s\u202e" * 100
    await auto.read("agent.txt", session=session)
    assert (await auto.edit("agent.txt", "4", "four", session=session))["error"]["code"] == "INVALID_PARAM"
    status = await auto.request("agentfs/status", {})
    assert session in [one["session"] for one in status["data"]["sessions"]]


HUGE = "h" * 2_000_000
ECHOED: list[tuple[str, dict[str, Any]]] = [
    ("agentfs/read", {"path": HUGE}),
    ("agentfs/read", {"path": "a/" * 8000}),
    ("agentfs/read", {"path": "missing.txt", "session": HUGE}),
    ("agentfs/read", {"path": "missing.txt", HUGE: 1}),
    ("agentfs/write", {"path": HUGE, "content": "x"}),
    ("agentfs/write", {"path": "here.txt", "content": "x", "expected_hash": HUGE}),
    ("agentfs/write", {"path": "here.txt", "content": "x", "on_conflict": HUGE}),
    ("agentfs/edit", {"path": "here.txt", "old_string": HUGE, "new_string": "x"}),
    ("agentfs/edit", {"path": "here.txt", "old_string": "x", "oldText": HUGE, "new_string": "x"}),
    ("agentfs/batch", {"operations": [{"tool": HUGE, "params": {}}]}),
    ("agentfs/batch", {"operations": [{"tool": "write", "params": {HUGE: 1}}]}),
    ("agentfs/batch", {"operations": [{"tool": "write", "params": {"path": HUGE, "content": "x"}}] * 2}),
    (
        "agentfs/batch",
        {"atomic": False, "operations": [{"tool": "write", "params": {"path": HUGE, "content": "x"}}] * 2},
    ),
    ("agentfs/history", {"change_id": HUGE}),
    ("agentfs/history", {"before": HUGE}),
    ("agentfs/history", {"path": HUGE}),
    ("agentfs/undo", {"change_id": HUGE}),
    ("agentfs/userUndo", {"change_id": HUGE}),
    ("agentfs/tools", {"dialect": HUGE}),
    ("agentfs/call", {"name": HUGE, "arguments": {}}),
    ("agentfs/call", {"name": "Read", "arguments": {HUGE: 1}}),
    ("agentfs/call", {"name": "Edit", "arguments": {}, "expected_hash": HUGE}),
    ("agentfs/call", {"dialect": "gemini", "name": "read_file", "arguments": {"absolute_path": HUGE}}),
]


@pytest.mark.parametrize(("method", "params"), ECHOED)
async def test_a_huge_value_gets_a_short_answer(auto: Editor, method: str, params: dict[str, Any]) -> None:
    (auto.root / "here.txt").write_text("x\n")
    await auto.read("here.txt")
    answer = await auto.request(method, params)
    assert not answer["data"].get("applied")
    del answer["context"]["params_input"]
    assert len(json.dumps(answer)) < 50_000
    assert len(answer["text"]) < 20_000
