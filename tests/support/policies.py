"""Random policies for property tests: users' settings and workspaces' files."""

import json

from hypothesis import strategies as st

from agentfs_lsp.domain.settings.rules import OPERATIONS, Operation
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.settings.settings import SETTINGS, Settings, value_of
from agentfs_lsp.service.files.store import Root
from support.layers import layered

ROOT = Root("r", "/r", "file:///r")

names = st.sampled_from(("a", "b", "src", "docs", "a.md", "B.md", "SOUL.md", ".env", ".git", "x.sql"))
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
globs = st.builds(
    lambda negation, anchor, path, end: f"{negation}{anchor}{path}{end}",
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/", "**/"]),
    st.lists(st.sampled_from(["*", "a*", "*.md", "?", "[ab]"]) | names, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "", "/", "/**"]),
)
switch_names = st.sampled_from(["memory", "net"])
permissions = st.sampled_from(["allow", "ask", "deny"])
rules = st.fixed_dictionaries(
    {"files": st.lists(globs, min_size=1, max_size=3)},
    optional={**dict.fromkeys(OPERATIONS, permissions), "requires": switch_names},
)
policy = st.fixed_dictionaries(
    {},
    optional={
        "rules": st.lists(rules, max_size=4),
        "switches": st.dictionaries(switch_names, st.booleans()),
        "files": st.lists(paths, max_size=3),
        "protected": st.lists(globs, max_size=3),
        "approval": st.fixed_dictionaries({"mode": st.sampled_from(["manual", "auto_edit"])}),
    },
)
modes: st.SearchStrategy[Mode] = st.sampled_from(("manual", "auto_edit"))
operations: st.SearchStrategy[Operation] = st.sampled_from(OPERATIONS)


def check_no_looser(users: Settings, inside: Settings) -> None:
    """Compare the effective settings in a workspace with the user's, key by key."""
    for key, setting in SETTINGS.items():
        mine, theirs = value_of(users, key), value_of(inside, key)
        match setting.in_workspace:
            case "strictest":
                assert theirs in (mine, setting.strictest)
            case "lower":
                assert isinstance(mine, int)
                assert isinstance(theirs, int)
                assert theirs <= mine
            case "users" | "besides":
                assert theirs == mine
            case "free":
                setting.shape.check(list(theirs) if isinstance(theirs, tuple) else theirs)
    assert inside.faulty == users.faulty


def settings_of(section: object) -> Settings:
    return layered(("initialization", section)).settings


def toml_of(section: dict[str, object]) -> bytes:
    """One-line JSON values are valid TOML, except objects."""

    def value(of: object) -> str:
        if isinstance(of, dict):
            return "{" + ", ".join(f"{key} = {value(one)}" for key, one in of.items()) + "}"
        if isinstance(of, list):
            return "[" + ", ".join(map(value, of)) + "]"
        return json.dumps(of)

    return "\n".join(f"{key} = {value(one)}" for key, one in section.items()).encode()
