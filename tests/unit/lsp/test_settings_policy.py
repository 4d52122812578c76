"""Which parts of the user's policy apply, and what the user is told about the others."""

import pytest

from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.translation import english
from agentfs_lsp.lsp.configuration.messages import problem_text
from support.layers import layered, told

RULE = {"files": ["*.md", "!README.md"], "read": "allow", "write": "ask", "requires": "memory"}


def test_policy_is_read() -> None:
    layers = layered(
        ("initialization", {"rules": [RULE], "switches": {"memory": True, "other": True}}),
        ("changed", {"files": ["a/b.md", "./c"], "protected": ["x/", "!AGENTS.md"], "switches.other": False}),
    )
    assert layers.settings == Settings(
        rules=(Rule(("*.md", "!README.md"), "allow", "ask", None, "memory"),),
        switches={"memory": True, "other": False},
        files=("a/b.md", "c"),
        protected=("x/", "!AGENTS.md"),
    )
    assert layers.problems == ()


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("wrong", "rules"),
        ({"files": ["a"]}, "rules"),
        ([RULE, 1], "rules[1]"),
        ([{"files": ["a"]}], "rules[0]"),
        ([{"read": "deny"}], "rules[0]"),
        ([{"files": ["a"], "raed": "deny"}], "rules[0]"),
        ([{"files": ["a"], "read": "no"}], "rules[0].read"),
        ([{"files": ["a"], "read": ["deny"]}], "rules[0].read"),
        ([{"files": "a", "read": "deny"}], "rules[0].files"),
        ([{"files": ["a"], "requires": True}], "rules[0].requires"),
        ([{"files": ["a"], "requires": " "}], "rules[0].requires"),
        *(
            ([RULE, {"files": ["ok", glob], "read": "deny"}], "rules[1].files[1]")
            for glob in (
                "",
                " ",
                "/",
                "!",
                "#a",
                "[a",
                "a[b-a]",
                "a\\",
                "[[:alpha:]]",
                "[Z-a]",
                "a\nb",
                "./a/**",
                "a//b",
                "!a/./b",
                "a/../b",
                "a//",
                "..",
                5,
                None,
            )
        ),
        ([{"files": ["!a", "!b"], "read": "deny"}], "rules[0].files"),
        ([{"files": ["*a*b*c*d"], "read": "deny"}], "rules[0].files[0]"),
        ([{"files": ["**/a/**/b/**/c"], "read": "deny"}], "rules[0].files[0]"),
        ([{"files": ["a" * 1001], "read": "deny"}], "rules[0].files[0]"),
        ([RULE] * 1001, "rules"),
    ],
)
def test_rules_that_are_wrong_make_everything_asked_and_the_right_ones_stay(raw: object, path: str) -> None:
    layers = layered(("initialization", {"rules": raw, "switches": {"memory": True}}))
    assert layers.settings.faulty == ("rules",)
    assert len(layers.settings.rules) == (
        1 if isinstance(raw, list) and raw[0] == RULE and len(raw) < 9 else 0
    )
    assert told(layers) == [path]
    assert "you will be asked before anything" in problem_text(layers.problems[0], english)


def test_a_rule_says_what_is_wrong_in_it() -> None:
    layers = layered(("initialization", {"rules": [RULE, {"files": ["a"], "write": "never"}]}))
    assert problem_text(layers.problems[0], english) == (
        'agentfs.rules[1].write must be one of "allow", "ask", "deny", not "never". Until this '
        "is fixed, you will be asked before anything is read or changed."
    )
    layers = layered(("initialization", {"rules": [{"file": ["a"], "write": "ask"}]}))
    assert "agentfs.rules[0] must be {" in problem_text(layers.problems[0], english)


def test_a_wrong_list_of_protected_files_makes_everything_asked() -> None:
    layers = layered(("initialization", {"protected": ["a", 5, "b"]}))
    assert (layers.settings.protected, layers.settings.faulty) == (("a", "b"), ("protected",))
    assert told(layers) == ["protected[1]"]


@pytest.mark.parametrize("path", [5, "", "/a", "a*", "a/../b", "..", "a/", "a\\b", "a\nb", "."])
def test_a_wrong_path_is_in_no_closed_list(path: object) -> None:
    layers = layered(("initialization", {"files": ["a", path, "b"]}))
    assert (layers.settings.files, layers.settings.faulty) == (("a", "b"), ())
    assert told(layers) == ["files[1]"]


@pytest.mark.parametrize("files", ["a", {}, 5])
def test_an_invalid_closed_list_names_no_file(files: object) -> None:
    layers = layered(("initialization", {"files": ["a"]}), ("configuration", {"files": files}))
    assert layers.settings.files == ()
    assert problem_text(layers.problems[0], english).endswith("; it matches no file.")


def test_a_wrong_switch_is_off() -> None:
    layers = layered(("initialization", {"switches": {"a": True}}), ("changed", {"switches": {"a": "yes"}}))
    assert layers.settings.switches == {"a": False}
    assert problem_text(layers.problems[0], english).endswith(
        'must be true or false, not "yes"; false is used.'
    )
    layers = layers.answered("changed", {"switches": "on"})
    assert layers.settings.switches == {}


def test_a_switch_that_a_rule_requires_and_nobody_set_is_told() -> None:
    layers = layered(("initialization", {"rules": [RULE, RULE]}))
    assert told(layers) == ["switches.memory"]
    assert problem_text(layers.problems[0], english) == (
        "A rule requires the switch agentfs.switches.memory, which is not set; it counts as off."
    )


def test_a_switch_is_turned_until_the_settings_say_another_thing_of_it() -> None:
    layers = layered(("initialization", {"switches": {"a": True, "b": False}}))
    assert layers.with_switch("c", on=True) is None
    turned = layers.with_switch("a", on=False)
    assert turned is not None
    assert (layers.settings.switches["a"], turned.settings.switches["a"]) == (True, False)
    layers = turned.with_switch("b", on=True) or turned
    layers = layers.answered("configuration", {"diff": {"context": 1}})
    assert layers.settings.switches == {"a": False, "b": True}
    layers = layers.answered("changed", {"switches": {"a": False}})
    layers = layers.answered("changed", {"switches": {"a": True}})
    assert layers.settings.switches == {"a": True, "b": True}


def test_policy_that_a_later_layer_replaces_is_no_longer_wrong() -> None:
    layers = layered(("initialization", {"rules": 5}), ("configuration", {"rules": []}))
    assert (layers.settings.rules, layers.settings.faulty) == ((), ())
