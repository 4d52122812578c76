"""What of the settings a user wrote is in force, and what the user is told of the rest."""

from __future__ import annotations

import pytest

from agentfs_lsp.domain.settings.groups import Approval
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.translation import english
from agentfs_lsp.lsp.configuration.layers import Changed, SettingsStore
from agentfs_lsp.lsp.configuration.messages import problem_text
from support.layers import stored, told

AUTO = {"approval": {"mode": "auto_edit"}}
STRICT = Settings(save="never")


def test_nothing_set_is_the_defaults() -> None:
    store = SettingsStore()
    assert (store.current, store.problems) == (Settings(), ())


def test_each_layer_is_put_over_the_ones_below_in_whatever_order_they_come() -> None:
    store = stored(
        ("changed", {"diff": {"max_lines": 3}}),
        ("configuration", {"diff": {"max_lines": 2, "max_bytes": 2}}),
        ("initialization", {"diff": {"max_lines": 1, "max_bytes": 1, "context": 1}}),
    )
    diff = store.current.diff
    assert (diff.max_lines, diff.max_bytes, diff.context, diff.max_line_chars) == (3, 2, 1, 2000)


def test_a_layer_replaces_its_own_last_answer_wholly() -> None:
    store = stored(("configuration", AUTO), ("configuration", {"diff": {"context": 1}}))
    assert store.current.approval.mode == "manual"
    assert store.current.diff.context == 1


@pytest.mark.parametrize("gone", [None, {}, []])
def test_a_section_that_is_gone_from_the_configuration_is_no_longer_in_force(gone: object) -> None:
    store = stored(("configuration", AUTO), ("configuration", gone))
    assert (store.current, store.problems) == (Settings(), ())


def test_a_list_replaces_a_list() -> None:
    store = stored(
        ("initialization", {"roots": [{"path": "/a", "name": "a"}, {"path": "/b", "name": "b"}]}),
        ("configuration", {"roots": [{"path": "/c", "name": "c"}]}),
    )
    assert [root.name for root in store.current.roots or ()] == ["c"]


@pytest.mark.parametrize(
    "nothing", [None, {}, [], {"approval": None}, {"approval": {"mode": None}}, {"approval": []}]
)
def test_null_and_absent_change_nothing(nothing: object) -> None:
    store = stored(("initialization", AUTO), ("configuration", nothing))
    assert store.current.approval.mode == "auto_edit"
    assert store.problems == ()


@pytest.mark.parametrize("raw", [AUTO, {"agentfs": AUTO}, {"agentfs": AUTO, "python": {"x": 1}}])
def test_a_pushed_change_carries_the_section_by_name_or_alone(raw: object) -> None:
    store = stored(("changed", raw))
    assert store.current.approval.mode == "auto_edit"
    assert store.problems == ()


@pytest.mark.parametrize("raw", [{"python": {"x": 1}}, {"gopls": {}, "tabs": 8}])
def test_a_push_of_other_programs_settings_has_none_of_ours(raw: object) -> None:
    store = stored(("changed", AUTO), ("changed", raw))
    assert (store.current, store.problems) == (Settings(), ())


def test_a_pushed_null_only_says_that_something_changed() -> None:
    store = stored(("changed", AUTO), ("changed", None))
    assert store.current.approval.mode == "auto_edit"
    assert stored(("changed", AUTO), ("changed", {"agentfs": None})).current == Settings()


def test_a_key_may_be_written_with_its_dot() -> None:
    assert stored(("configuration", {"approval.mode": "auto_edit"})).current.approval.mode == "auto_edit"


def test_a_wrong_value_is_told_and_the_one_below_stays() -> None:
    store = stored(
        ("initialization", {"diff": {"context": 7}}), ("configuration", {"diff": {"context": "many"}})
    )
    assert store.current.diff.context == 7
    (problem,) = store.problems
    assert problem.path == "diff.context"
    assert problem_text(problem, english) == (
        'agentfs.diff.context must be a whole number from 0 to 1000, not "many"; it is ignored.'
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
def test_a_wrong_setting_that_guards_something_is_taken_for_the_strictest(
    loose: object, wrong: object, key: str
) -> None:
    store = stored(("initialization", loose), ("configuration", wrong))
    current = store.current
    assert (current.approval, current.require_read, current.paths) == (Approval(), True, "relative")
    assert told(store) == [key]


def test_a_wrong_save_saves_nothing() -> None:
    store = stored(("configuration", {"save": "no"}))
    assert store.current.save == "never"
    assert problem_text(store.problems[0], english).endswith('not "no"; "never" is used.')


def test_a_right_value_above_a_wrong_one_is_in_force() -> None:
    store = stored(("initialization", {"approval": {"mode": "yolo"}}), ("changed", AUTO))
    assert store.current.approval.mode == "auto_edit"
    assert told(store) == ["approval.mode"]


@pytest.mark.parametrize("raw", [{"tabs": 1}, {"approval": {"mod": "x"}}, {"diff": {"a": {"b": 1}}}, {"": 1}])
def test_a_key_that_is_no_setting_is_told_and_ignored(raw: dict[str, object]) -> None:
    store = stored(("configuration", {**AUTO, **raw} if "approval" not in raw else raw))
    assert [problem.kind for problem in store.problems] == ["unknown"]
    assert store.current.faulty == ()


def test_the_client_librarys_own_keys_are_no_problem() -> None:
    assert stored(("configuration", {"trace": {"server": "verbose"}})).problems == ()


def test_each_problem_is_told_once() -> None:
    store = SettingsStore()
    heard: list[Changed] = []
    store.listen(heard.append)
    first = store.replace_layer("configuration", {"tabs": 1})
    again = store.replace_layer("configuration", {"tabs": 1})
    store.replace_layer("changed", {"tabs": 1})
    assert (len(first.problems), again.problems, len(store.problems)) == (1, (), 1)
    assert heard == [first]


def test_listeners_hear_of_what_changed_until_they_end_it() -> None:
    store = SettingsStore()
    heard: list[Changed] = []
    end = store.listen(heard.append)
    store.replace_layer("configuration", {})
    assert heard == []
    store.replace_layer("configuration", AUTO)
    assert [(one.before.approval.mode, one.after.approval.mode) for one in heard] == [("manual", "auto_edit")]
    assert heard[0].after is store.current
    end()
    store.replace_layer("configuration", {})
    assert len(heard) == 1


def test_a_value_of_any_depth_and_length_is_told_shortly() -> None:
    deep: object = []
    for _ in range(100_000):
        deep = [deep]
    store = stored(("configuration", {"locale": deep, "paths": "x" * 10_000, "deep": deep, "rules": deep}))
    assert set(told(store)) == {"locale", "paths", "deep", "rules[0]"}
    assert all(len(problem_text(problem, english)) < 300 for problem in store.problems)


@pytest.mark.parametrize(
    "root",
    [
        {"path": "/x\0", "name": "x"},
        {"uri": "file:///x%00", "name": "x"},
        {"path": "/x\ud800", "name": "x"},
    ],
)
def test_a_root_that_no_disk_can_have_is_told_and_names_nothing(root: object) -> None:
    """The server looks for it on the disk as soon as it is set, and must not fail over that."""
    store = stored(("initialization", {"roots": [root]}))
    assert store.current.roots is None
    assert [problem.path for problem in store.problems] == ["roots"]
