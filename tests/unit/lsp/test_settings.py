"""Which of the user's settings apply, and what the user is told about the others."""

import pytest

from agentfs_lsp.domain.policy.tightening import Tightening
from agentfs_lsp.domain.settings.groups import Approval
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.translation import english
from agentfs_lsp.lsp.configuration.layers import LayerName, effective
from agentfs_lsp.lsp.configuration.messages import problem_text
from agentfs_lsp.service.files.store import Root
from support.layers import layered, told

AUTO = {"approval": {"mode": "auto_edit"}}
STRICT = Settings(save="never")


def test_each_layer_is_put_over_the_ones_below_in_whatever_order_they_come() -> None:
    layers = layered(
        ("changed", {"diff": {"max_lines": 3}}),
        ("configuration", {"diff": {"max_lines": 2, "max_bytes": 2}}),
        ("initialization", {"diff": {"max_lines": 1, "max_bytes": 1, "context": 1}}),
    )
    diff = layers.settings.diff
    assert (diff.max_lines, diff.max_bytes, diff.context, diff.max_line_chars) == (3, 2, 1, 2000)


def test_a_layer_replaces_its_own_last_answer_wholly() -> None:
    layers = layered(("configuration", AUTO), ("configuration", {"diff": {"context": 1}}))
    assert layers.settings.approval.mode == "manual"
    assert layers.settings.diff.context == 1


def test_a_list_replaces_a_list() -> None:
    layers = layered(
        ("initialization", {"roots": [{"path": "/a", "name": "a"}, {"path": "/b", "name": "b"}]}),
        ("configuration", {"roots": [{"path": "/c", "name": "c"}]}),
    )
    assert [root.name for root in layers.settings.roots or ()] == ["c"]


@pytest.mark.parametrize(
    "nothing", [None, {}, [], {"approval": None}, {"approval": {"mode": None}}, {"approval": []}]
)
def test_null_and_absent_change_nothing(nothing: object) -> None:
    layers = layered(("initialization", AUTO), ("configuration", nothing))
    assert layers.settings.approval.mode == "auto_edit"
    assert layers.problems == ()


@pytest.mark.parametrize("name", ["initialization", "configuration"])
def test_the_section_may_be_wrapped_in_its_name(name: LayerName) -> None:
    layers = layered((name, {"agentfs": {"switches": {"x": True}, "paths": "absolute"}}))
    assert layers.settings.switches == {"x": True}
    assert [problem.path for problem in layers.problems] == ["paths"]
    layers = layered((name, {"agentfs": AUTO, "require_read": False}))
    assert (layers.settings.approval.mode, layers.settings.require_read) == ("manual", False)
    assert [problem.path for problem in layers.problems] == ["agentfs"]


@pytest.mark.parametrize("raw", [{"python": {"x": 1}}, {"gopls": {}, "tabs": 8}])
def test_settings_pushed_for_other_programs_contain_none_of_ours(raw: object) -> None:
    layers = layered(("changed", AUTO), ("changed", raw))
    assert (layers.settings, layers.problems) == (Settings(), ())


def test_a_key_may_be_written_with_its_dot() -> None:
    assert layered(("configuration", {"approval.mode": "auto_edit"})).settings.approval.mode == "auto_edit"


def test_a_wrong_value_is_told_and_the_one_below_stays() -> None:
    layers = layered(
        ("initialization", {"diff": {"context": 7}}), ("configuration", {"diff": {"context": "many"}})
    )
    assert layers.settings.diff.context == 7
    (problem,) = layers.problems
    assert problem.path == "diff.context"
    assert problem_text(problem, english) == (
        'agentfs.diff.context must be a whole number from 0 to 1000, not "many"; ignored.'
    )


@pytest.mark.parametrize(
    ("loose", "wrong", "key"),
    [
        (AUTO, {"approval": {"mode": "yolo"}}, "approval.mode"),
        (AUTO, {"approval": {"mode": False}}, "approval.mode"),
        (AUTO, {"approval": "manual"}, "approval"),
        (AUTO, {"approval": ["manual"]}, "approval"),
        (AUTO, {"approval": False}, "approval"),
        ({"require_read": False}, {"require_read": "no"}, "require_read"),
        ({"paths": "any"}, {"paths": "absolute"}, "paths"),
        ({**AUTO, "paths": "any", "require_read": False}, "manual", "agentfs"),
        ({**AUTO, "paths": "any", "require_read": False}, 5, "agentfs"),
        ({**AUTO, "paths": "any", "require_read": False}, [AUTO], "agentfs"),
    ],
)
def test_a_wrong_setting_that_guards_is_the_strictest(loose: object, wrong: object, key: str) -> None:
    layers = layered(("initialization", loose), ("configuration", wrong))
    current = layers.settings
    assert (current.approval, current.require_read, current.paths) == (Approval(), True, "relative")
    assert told(layers) == [key]


def test_an_invalid_save_setting_means_never() -> None:
    layers = layered(("configuration", {"save": "no"}))
    assert layers.settings.save == "never"
    assert problem_text(layers.problems[0], english).endswith('not "no"; "never" is used.')


def test_a_right_value_above_a_wrong_one_is_in_force() -> None:
    layers = layered(("initialization", {"approval": {"mode": "yolo"}}), ("changed", AUTO))
    assert layers.settings.approval.mode == "auto_edit"
    assert told(layers) == ["approval.mode"]


@pytest.mark.parametrize("raw", [{"tabs": 1}, {"approval": {"mod": "x"}}, {"diff": {"a": {"b": 1}}}, {"": 1}])
def test_a_key_that_is_no_setting_is_told_and_ignored(raw: dict[str, object]) -> None:
    layers = layered(("configuration", {**AUTO, **raw} if "approval" not in raw else raw))
    assert [problem.kind for problem in layers.problems] == ["unknown"]
    assert layers.settings.faulty == ()


def test_the_client_librarys_own_keys_are_no_problem() -> None:
    assert layered(("configuration", {"trace": {"server": "verbose"}})).problems == ()


def test_a_problem_of_several_layers_is_one() -> None:
    layers = layered(("configuration", {"tabs": 1}), ("configuration", {"tabs": 1}), ("changed", {"tabs": 1}))
    assert told(layers) == ["tabs"]


def test_a_value_of_any_depth_and_length_is_described_briefly() -> None:
    deep: object = []
    for _ in range(100_000):
        deep = [deep]
    layers = layered(("configuration", {"locale": deep, "paths": "x" * 10_000, "deep": deep, "rules": deep}))
    assert set(told(layers)) == {"locale", "paths", "deep", "rules[0]"}
    assert all(len(problem_text(problem, english)) < 300 for problem in layers.problems)


@pytest.mark.parametrize(
    "root",
    [
        {"path": "/x\0", "name": "x"},
        {"uri": "file:///x%00", "name": "x"},
        {"path": "/x\ud800", "name": "x"},
    ],
)
def test_a_root_that_no_disk_can_have_is_told_and_names_nothing(root: object) -> None:
    """The server looks for it on disk as soon as it is set, and must not fail."""
    layers = layered(("initialization", {"roots": [root]}))
    assert layers.settings.roots is None
    assert [problem.path for problem in layers.problems] == ["roots"]


def test_layers_and_roots_determine_the_effective_settings() -> None:
    one, other = (Root(name, f"/{name}", f"file:///{name}") for name in ("one", "other"))
    layers = layered(("initialization", {"diff": {"context": 9}, "protected": ["*.sql"]}))
    said = {"/one": Tightening({"diff.context": 1, "require_read": True, "protected": ("*.md",)})}
    in_force = effective(layers, said, ["/state"])
    assert (in_force.settings.diff.context, in_force.at(one).settings.diff.context) == (9, 1)
    assert in_force.at(other) is in_force

    def decisions(path: str, root: Root) -> str:
        policy = in_force.at(root).policy
        return policy.judge("write", path, root=root.path, mode="auto_edit").decision

    assert [decisions("a.sql", one), decisions("a.md", one), decisions("a.md", other)] == [
        "ask",
        "ask",
        "allow",
    ]
    assert effective(layers, {}, ["/state"]).at(one).settings == layers.settings
