"""What agents may touch according to the settings (docs/protocol.md#12-tool-catalog)."""

from dataclasses import replace

from agentfs_lsp.domain.policy.verdict import Policy
from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.service.state.tool_scope import MAX_NAMED, FileScope, file_scopes
from agentfs_lsp.service.state.workspace import InForce
from support.fakes.workspace import FakeWorkspace


def names(found: FileScope) -> tuple[list[str] | None, list[str]]:
    closed = None if found.closed is None else [one.relative for one in found.closed]
    return closed, [one.relative for one in found.named]


async def test_a_closed_list_is_all_there_is(work: FakeWorkspace) -> None:
    work.set(files=("a.md", "b.md", "../c.md"), rules=(Rule(("b.md",), write="deny"),))
    found = file_scopes(work.ws)
    assert names(found["read"]) == (["a.md", "b.md"], [])
    assert names(found["write"]) == (["a.md"], [])


async def test_files_that_rules_name_are_named(work: FakeWorkspace) -> None:
    work.set(
        rules=(
            Rule(("/notes.md", "*.txt", "src/"), write="allow"),
            Rule(("memory.md",), requires="memory"),
            Rule(("other.md",), read="deny"),
        )
    )
    assert names(file_scopes(work.ws)["write"]) == (None, ["notes.md"])
    work.set(switches={"memory": True})
    assert names(file_scopes(work.ws)["write"]) == (None, ["notes.md", "memory.md"])


async def test_a_list_that_would_be_too_long_is_none(work: FakeWorkspace) -> None:
    work.set(rules=(Rule(tuple(f"{number}.md" for number in range(MAX_NAMED + 1)), write="allow"),))
    assert names(file_scopes(work.ws)["write"]) == (None, [])


async def test_what_a_root_says_of_itself_counts_there(work: FakeWorkspace) -> None:
    work.open_roots("work", "other")
    closed = replace(work.ws.settings, files=("a.md",))
    tightened = {"/home/other": InForce(closed, Policy(closed, ()))}
    work.ws.in_force = replace(work.ws.in_force, tightened=tightened)
    assert names(file_scopes(work.ws)["read"]) == (None, [])
    tightened["/home/work"] = tightened["/home/other"]
    assert names(file_scopes(work.ws)["read"]) == (["a.md", "a.md"], [])
