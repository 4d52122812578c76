"""Whatever an agent sends to the real process and a workspace sets: with a user who rejects everything, no
file changes and no text is revealed that the user's settings do not allow."""

import asyncio
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentfs_lsp.domain.policy.verdict import Policy
from agentfs_lsp.domain.settings.rules import Operation
from support.editor import Editor, editing
from support.policies import policy, settings_of, toml_of

FILES = ("a", "b.md", "SOUL.md", ".env", "x.sql", "src/a.md", "docs/a/b.md", "A.md")
SPELLED = (*FILES, "new.md", "src/new", "a.MD", "soul.md", "./a", "src/../SOUL.md", "door/a.md", ".ENV")
WIDER: dict[str, Any] = {
    "session": "other",
    "mode": "auto_edit",
    "rules": [],
    "always": True,
    "expected_hash": "sha256:0",
    "dry_run": True,
    "workDoneToken": 1,
}

spelled = st.sampled_from(SPELLED)
more = st.lists(st.sampled_from(sorted(WIDER)), max_size=1).map(
    lambda keys: {key: WIDER[key] for key in keys}
)
reads = st.builds(lambda path, and_: ("agentfs/read", {"path": path, **and_}), spelled, more)
writes = st.builds(
    lambda path, and_: ("agentfs/write", {"path": path, "content": "overwritten\n", **and_}), spelled, more
)
edits = st.builds(
    lambda path, and_: ("agentfs/edit", {"path": path, "old_string": "canary", "new_string": "dog", **and_}),
    spelled,
    more,
)
undos = st.just(("agentfs/history", {"texts": True}))
plain = reads | writes | edits | undos
commands = plain.map(
    lambda one: (
        "workspace/executeCommand",
        {"command": one[0].replace("agentfs/", "agentfs."), "arguments": [one[1]]},
    )
)
calls = st.builds(
    lambda path, name: (
        "agentfs/call",
        {"dialect": "workspace", "name": name, "arguments": CALLED[name] | {"path": path}},
    ),
    spelled,
    st.sampled_from(("read", "write", "edit")),
)
CALLED: dict[str, dict[str, str]] = {
    "read": {},
    "write": {"content": "overwritten\n"},
    "edit": {"oldText": "canary", "newText": "dog"},
}
requests = st.lists(plain | commands | calls, min_size=1, max_size=6)


class Session:
    """One server for all examples, on its own loop."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.runner = asyncio.Runner()
        self.stack = contextlib.AsyncExitStack()
        self.editor: Editor = self.runner.run(
            self.stack.enter_async_context(
                editing(root, answers={"window/showMessageRequest": lambda _: None})
            )
        )

    def close(self) -> None:
        self.runner.run(self.stack.aclose())
        self.runner.close()

    def ask(self, section: object, asked: list[tuple[str, Any]]) -> list[Any]:
        async def all_of_it() -> list[Any]:
            pushed = {"settings": {"agentfs": section}}
            self.editor.notify("workspace/didChangeConfiguration", pushed)
            return [await self.editor.request(method, params) for method, params in asked]

        return self.runner.run(all_of_it())

    def lay_out(self, workspace: bytes) -> None:
        for name in FILES:
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"canary of {name}.\n")
        for path in [path for path in self.root.rglob("*") if path.is_file()]:
            if str(path.relative_to(self.root)) not in FILES:
                path.unlink()
        (self.root / ".agentfs.toml").write_bytes(workspace)

    def changed(self) -> list[str]:
        found = [path for path in self.root.rglob("*") if path.is_file() and path.parent.name != "door"]
        names = [str(path.relative_to(self.root)) for path in found]
        untouched = {name for name in FILES if (self.root / name).read_text() == f"canary of {name}.\n"}
        return [name for name in names if name not in untouched and name != ".agentfs.toml"]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    root = tmp_path_factory.mktemp("agent") / "root"
    (root / "src").mkdir(parents=True)
    (root / "door").symlink_to("src")
    one = Session(root)
    yield one
    one.close()


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(users=policy, workspaces=policy, asked=requests)
def test_no_request_and_no_workspace_goes_beyond_the_users_settings(
    session: Session, users: dict[str, Any], workspaces: dict[str, Any], asked: list[tuple[str, Any]]
) -> None:
    in_force = settings_of(users)
    judging = Policy(in_force, [])

    def allowed(operation: Operation, path: str) -> bool:
        verdict = judging.judge(operation, path, root=str(session.root), mode=in_force.approval.mode)
        return verdict.decision == "allow"

    session.lay_out(toml_of(workspaces))
    for answer in session.ask(users, asked):
        told = json.dumps([answer["data"], answer["text"], answer["context"].get("conflict")])
        for name in FILES:
            assert f"canary of {name}." not in told or allowed("read", name)
    for name in session.changed():
        assert allowed("write", name) or allowed("edit", name)
