"""The keys of answers in docs/protocol.md are those a real server answers with: no more, no fewer, and those
that are always there always are."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import pytest

from agentfs_lsp.api.envelope import fail_with, told_of
from agentfs_lsp.domain.errors import LandingUnknown
from agentfs_lsp.domain.translation import english
from support.docs import keys, section, table, tables, text_of
from support.editor import AUTO, REVIEWING, Editor, editing

if TYPE_CHECKING:
    from pathlib import Path

    from support.docs import Row
    from support.wire import Message

DOCS = text_of("protocol.md")
FORMATS = ("openai", "anthropic", "mcp")
RULED = {"rules": [{"files": ["ruled.txt"], "write": "allow"}]}
LOST = LandingUnknown("a.txt", "closed")
UNKNOWN = fail_with(LOST, told_of(LOST, english), english, {"cwd": ".", "params_input": {}}, 1.0)

READ, WRITE, EDIT, BATCH, HISTORY, UNDO, TOOLS = (
    section(DOCS, title)
    for title in (
        "5 agentfs/read",
        "6 agentfs/write",
        "7 agentfs/edit",
        "10 agentfs/batch",
        "agentfs/history",
        "agentfs/undo",
        "agentfs/tools",
    )
)
REQUESTS = ("read", "write", "edit", "batch", "history", "undo", "status", "tools")
REVIEWED = section(DOCS, "9.4 What the answer says")
ENVELOPE = section(DOCS, "3 Envelope")

Answers = dict[str, list[Any]]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Answers of each request, of every kind there is, and what was told to a review client."""
    found: Answers = {name: [] for name in (*REQUESTS, "error", "proposal", "settled")}
    asyncio.run(_unreviewed(found, tmp_path_factory.mktemp("auto")))
    asyncio.run(_reviewed(found, tmp_path_factory.mktemp("review")))
    return found


async def _unreviewed(found: Answers, root: Path) -> None:
    (root / "a.txt").write_bytes(b"one  \ntwo\n")
    (root / "lossy.txt").write_bytes(b"one\xff\n")
    (root / "large.txt").write_bytes(b"line\n" * 100)
    async with editing(root, options={**AUTO, **RULED, "limits": {"max_file_bytes": 100}}) as editor:
        editor.open("unsaved.txt", "never saved\n")
        for path in ("a.txt", "lossy.txt", "unsaved.txt"):
            found["read"].append(await editor.read(path))
        found["read"].append(await editor.read("large.txt", start_line=2, limit=2))
        found["write"].append(await editor.write("new/b.txt", "1\n", dry_run=True))
        found["write"].append(await editor.write("new/b.txt", "1\n"))
        found["write"].append(await editor.write("ruled.txt", "1\n"))
        found["write"].append(await editor.write("new/b.txt", "\ufeff1\r\n2\r\n"))
        found["edit"].append(await editor.edit("a.txt", "one\ntwo", "1\n2"))
        found["edit"].append(await editor.edit("a.txt", "1", "one", dry_run=True))
        (root / "new/b.txt").write_bytes(b"1\n2\n\nthree\n")
        found["write"].append(await editor.write("new/b.txt", "one\n2\n", on_conflict="merge"))
        (root / "new/b.txt").write_bytes(b"one\n2\n\n3\n")
        found["edit"].append(await editor.edit("new/b.txt", "one", "1", on_conflict="merge"))
        for atomic in (True, False):
            found["batch"].append(await _batch(editor, atomic=atomic, old="absent", new="x"))
        found["error"].append(found["batch"].pop(0))
        found["batch"].append(await _batch(editor, old="2", new="two"))
        (root / "a.txt").write_bytes(b"zero\n\n" + (root / "a.txt").read_bytes())
        found["batch"].append(await _batch(editor, old="two", new="zwei", on_conflict="merge"))
        found["tools"] += [await editor.request("agentfs/tools", {"format": one}) for one in FORMATS]
        found["history"].append(await editor.request("agentfs/history", {"texts": True}))
        found["undo"].append(await editor.request("agentfs/undo"))
        undone = {"change_id": found["undo"][0]["data"]["undone"]}
        found["undo"].append(await editor.request("agentfs/undo", undone))
        (root / "a.txt").write_bytes(b"else\n")
        found["error"] += [await editor.edit("a.txt", "1", "one"), await editor.read(""), UNKNOWN]


async def _reviewed(found: Answers, root: Path) -> None:
    (root / "a.txt").write_bytes(b"one\ntwo\n")
    async with editing(root, **REVIEWING) as editor:
        editor.open("a.txt")
        await editor.read("a.txt")
        asked = _ask(editor)
        proposal = await editor.proposed()
        found["proposal"].append(proposal)
        found["status"].append(await editor.request("agentfs/status"))
        await _amend_and_format(editor, proposal)
        found["edit"].append(await asked)
        asked = _ask(editor)
        await editor.settle(await editor.proposed(2), "rejected", feedback="no")
        found["error"].append(await asked)
        found["settled"].append(await editor.seen("agentfs/settled", 2))


async def _batch(editor: Editor, *, old: str, new: str, on_conflict: str = "error", **params: Any) -> Message:
    """A piece of a file replaced, if it is there, and a file created with a byte-order mark."""
    edit = {"path": "a.txt", "old_string": old, "new_string": new, "on_conflict": on_conflict}
    write = {"path": f"{new}.txt", "content": "\ufeff1\n"}
    operations = [{"tool": "edit", "params": edit}, {"tool": "write", "params": write}]
    return await editor.request("agentfs/batch", {"operations": operations, **params})


def _ask(editor: Editor) -> Any:
    return editor.start("agentfs/edit", {"path": "a.txt", "old_string": "two", "new_string": "2"})


async def _amend_and_format(editor: Editor, proposal: Message) -> None:
    """The user accepts another text, and the editor formats it while saving."""
    uri = editor.uri("a.txt")
    files = [{"uri": uri, "decision": "amended", "text": "one\nTwo two\n"}]
    settled = {"id": proposal["id"], "decision": "amended", "feedback": "so", "files": files}
    assert editor.apply((await editor.request("agentfs/settle", settled))["apply"])
    report = {"id": proposal["id"], "files": [{"uri": uri, "applied": True, "saved": True}]}
    assert (await editor.request("agentfs/applied", report))["save"] == [uri]
    editor.change("a.txt", "one\ntwo, formatted\n")
    editor.save("a.txt")
    await editor.request("agentfs/saved", report)


def check(rows: list[Row], objects: list[Message]) -> None:
    """Each documented key occurs, each that occurs is documented, those that are always there always are."""
    told = dict(zip(keys(rows), rows, strict=True))
    assert set(told) == {key for each in objects for key in each}
    for key, row in told.items():
        if row.get("there") == "always":
            assert all(key in each for each in objects), key


def rows_of(text: str, kind: str) -> list[Row]:
    return [row for rows in tables(text) if kind in rows[0] for row in rows]


def data_of(envelopes: list[Message]) -> list[Message]:
    return [envelope["data"] for envelope in envelopes]


def stats_of(envelopes: list[Message]) -> list[Message]:
    return [envelope["stats"] for envelope in envelopes]


def test_what_a_read_answers(answers: Answers) -> None:
    check(rows_of(READ, "data key"), data_of(answers["read"]))
    check(rows_of(READ, "stats key"), stats_of(answers["read"]))


def test_what_a_write_answers(answers: Answers) -> None:
    check(rows_of(WRITE, "data key"), data_of(answers["write"]))
    check(rows_of(WRITE, "stats key"), stats_of(answers["write"]))
    kinds = {one["kind"] for envelope in answers["write"] for one in envelope["data"]["corrections"]}
    (told,) = (row["meaning"] for row in rows_of(WRITE, "data key") if "corrections" in row["data key"])
    assert all(f'`"{kind}"`' in told for kind in kinds)
    assert kinds == {"line_ends", "byte_order_mark"}


def test_what_an_edit_answers(answers: Answers) -> None:
    check(rows_of(WRITE, "data key") + rows_of(EDIT, "data key"), data_of(answers["edit"]))
    check(rows_of(WRITE, "stats key"), stats_of(answers["edit"]))


def test_what_a_batch_answers(answers: Answers) -> None:
    check(rows_of(BATCH, "data key"), data_of(answers["batch"]))
    check(rows_of(BATCH, "stats key"), stats_of(answers["batch"]))
    results = [one for data in data_of(answers["batch"]) for one in data["results"]]
    check(rows_of(BATCH, "result key"), results)
    (failed,) = (one["context"]["batch"] for one in answers["error"] if "batch" in one["context"])
    assert [one["error"]["code"] for one in failed] == ["INVALID_PARAM", "CANCELLED"]


def test_what_tools_answers(answers: Answers) -> None:
    check(rows_of(TOOLS, "data key"), data_of(answers["tools"]))
    for name, row, data in zip(
        FORMATS, rows_of(TOOLS, "a definition"), data_of(answers["tools"]), strict=True
    ):
        assert row["format"] == f"`{name}`"
        assert set(re.findall(r'"(\w+)"', row["a definition"])) - {"function"} == {
            key for tool in data["tools"] for key in _keys_of(tool)
        } - {"function"}


def _keys_of(definition: Message) -> set[str]:
    """Those of a definition and of what it holds, its schema aside."""
    inner = (definition.get(name, {}) for name in ("function", "annotations"))
    return {*definition, *(key for each in inner for key in each)}


def test_what_a_history_answers(answers: Answers) -> None:
    check(rows_of(HISTORY, "data key"), data_of(answers["history"]))
    changes = [change for data in data_of(answers["history"]) for change in data["changes"]]
    told = table(HISTORY, "change key")
    check(told, changes)
    (files,) = (row["meaning"] for row in told if "`files`" in row["change key"])
    *known, before, proposed, after = changes[0]["files"][0]
    assert "{" + ", ".join(known) + "}" in files
    assert all(f"`{key}`" in HISTORY for key in (before, proposed, after))


def test_what_an_undo_answers(answers: Answers) -> None:
    check(rows_of(UNDO, "data key"), data_of(answers["undo"]))
    check(rows_of(UNDO, "stats key"), stats_of(answers["undo"]))
    done, again = data_of(answers["undo"])
    assert (done["unchanged"], again["unchanged"]) == (False, True)
    (files,) = (row["meaning"] for row in rows_of(UNDO, "data key") if "`files`" in row["data key"])
    assert "{" + ", ".join(done["files"][0]) + "}" in files


def test_what_a_status_answers(answers: Answers) -> None:
    rows = rows_of(section(DOCS, "agentfs/status"), "data key")
    check(rows, data_of(answers["status"]))
    told = {key: row["meaning"] for key, row in zip(keys(rows), rows, strict=True)}
    (status,) = data_of(answers["status"])
    for key in ("roots", "sessions", "pending"):
        assert "{" + ", ".join(status[key][0]) + "}" in told[key]


def test_the_envelope_and_its_context(answers: Answers) -> None:
    envelopes = [one for name in (*REQUESTS, "error") for one in answers[name]]
    assert keys(table(ENVELOPE, "key")) == list(answers["error"][0])
    check(table(ENVELOPE, "context key"), [envelope["context"] for envelope in envelopes])
    (conflict, *_) = (one["context"]["conflict"] for one in envelopes if "conflict" in one["context"])
    assert keys(table(ENVELOPE, "conflict key")) == list(conflict)


def test_what_is_said_of_a_review(answers: Answers) -> None:
    told = table(REVIEWED, "review key")
    check(
        told,
        [
            where["review"]
            for name in ("write", "edit", "error")
            for envelope in answers[name]
            for where in (envelope["data"], envelope["context"])
            if "review" in where
        ],
    )


def test_what_a_review_client_is_told_is_in_the_example(answers: Answers) -> None:
    (proposal,) = answers["proposal"]
    example = section(DOCS, "9.1 Review clients")
    assert all(f'"{key}": ' in example for key in (*proposal, *proposal["files"][0]))
    assert set(answers["settled"][0]) == {"id", "outcome"}
