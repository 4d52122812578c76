"""Neither a workspace's settings nor another spelling of a path widens what the user's settings allow."""

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.policy.tightening import tightened
from agentfs_lsp.domain.policy.verdict import Policy
from agentfs_lsp.domain.settings.rules import OPERATIONS, Operation
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.settings.settings import SETTINGS
from agentfs_lsp.lsp.configuration.workspace_file import read_file
from support.policies import ROOT, check_no_looser, modes, operations, paths, policy, settings_of, toml_of

STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}

VALUES = (True, False, 0, 1, 5000, "any", "always", "gbk", [], {})
any_setting = st.sampled_from(sorted(SETTINGS)).flatmap(
    lambda key: st.tuples(st.just(key), st.sampled_from(VALUES))
)
odd = st.lists(any_setting, max_size=4).map(dict)


@given(policy, policy, odd, paths, operations, modes)
def test_no_workspace_widens_what_the_user_allows(
    users: dict[str, object],
    workspaces: dict[str, object],
    more: dict[str, object],
    path: str,
    operation: Operation,
    mode: Mode,
) -> None:
    in_force = settings_of(users)
    said = read_file(ROOT, toml_of({**more, **workspaces})).tightening
    alone, together = (
        one.judge(operation, path, root="/r", mode=mode).decision
        for one in (Policy(in_force, []), Policy(in_force, [], said))
    )
    assert STRICTNESS[together] >= STRICTNESS[alone]
    for reachable in OPERATIONS:
        assert Policy(in_force, []).may_reach(reachable) >= Policy(in_force, [], said).may_reach(reachable)


@given(odd, odd)
def test_no_workspace_loosens_a_setting(users: dict[str, object], workspaces: dict[str, object]) -> None:
    in_force = settings_of(users)
    inside = tightened(in_force, read_file(ROOT, toml_of(workspaces)).tightening)
    check_no_looser(in_force, inside)


@given(policy, paths, operations, modes, st.sampled_from([str.upper, str.title, "{}.".format, "{}:x".format]))
def test_no_spelling_gains_by_itself(
    users: dict[str, object], path: str, operation: Operation, mode: Mode, respelled: object
) -> None:
    """Unless an allow rule is for that very spelling or excludes the other, it gets no more than the path."""
    in_force = settings_of(users)
    judge = Policy(in_force, []).explain
    other = respelled(path)  # type: ignore[operator]
    plain = judge(operation, path, root="/r", mode=mode)[0]
    voices = judge(operation, other, root="/r", mode=mode)
    if not any(voice.source == "rule" and voice.decision == "allow" for voice in voices):
        assert STRICTNESS[voices[0].decision] >= STRICTNESS[plain.decision]
