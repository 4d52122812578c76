"""The schemas accept what the readers of settings accept, and say what is wrong with the rest."""

import json
import tomllib
from typing import Any

import pytest
from jsonschema import Draft7Validator

from agentfs_lsp.commands.config_schema import SCHEMAS
from agentfs_lsp.domain.settings.settings import SETTINGS
from agentfs_lsp.lsp.configuration.reading import read_layer, read_workspace_layer
from support.docs import examples, section, text_of

PATH, URI = {"path": "/a", "name": "a"}, {"uri": "file:///b", "name": "b"}
VALUES: tuple[object, ...] = (
    *(True, 0, 1, 2, 3.5, 5000, -1, 10**12, "", "manual", "auto_edit", "any", "relative", "always", "never"),
    *("utf-8", "en", "zh-cn", [], ["a", "b"], ["!a"], [1], {}, {"memory": True}, {"memory": 1}),
    *([PATH, URI], [{"name": "a"}], [{**PATH, "more": 1}], [{"files": ["a"]}], [{"read": "ask"}]),
    *([{"files": ["a"], "read": one}] for one in ("allow", "ask", "deny", "never")),
    *([{"files": ["a"], "requires": one}] for one in ("memory", 1)),
    *([{"files": ["a"], "edit": "ask", "more": 1}], [{"files": "a", "edit": "ask"}], ["a"] * 1001),
)


def _validator(which: str) -> Draft7Validator:
    schema = SCHEMAS[which]()
    Draft7Validator.check_schema(schema)
    return Draft7Validator(json.loads(json.dumps(schema)))


def _with(key: str, value: object) -> dict[str, Any]:
    group, _, name = key.rpartition(".")
    return {group: {name: value}} if group else {name: value}


@pytest.mark.parametrize("key", SETTINGS)
@pytest.mark.parametrize("which", SCHEMAS)
def test_a_value_is_valid_where_the_server_takes_it(which: str, key: str) -> None:
    validator = _validator(which)
    for value in VALUES:
        raw = _with(key, value)
        layer = read_layer(raw) if which == "settings" else read_workspace_layer(raw, "")
        # The schema knows no names of encodings. `switches` without entries sets nothing, whatever its kind.
        if not (key == "encoding.default" and isinstance(value, str)) and not (
            key == "switches" and value in ([], {})
        ):
            assert validator.is_valid(raw) == (not layer.problems), (raw, layer.problems)


def test_a_setting_that_does_not_exist_is_none() -> None:
    for which in SCHEMAS:
        assert not _validator(which).is_valid({"no_such": 1})
        assert not _validator(which).is_valid({"limits": {"no_such": 1}})


def test_the_settings_are_described_with_their_defaults() -> None:
    limits = SCHEMAS["settings"]()["properties"]["limits"]["properties"]
    assert limits["read_lines"]["default"] == 2000
    assert limits["read_lines"]["description"] == SETTINGS["limits.read_lines"].meaning


def test_the_documented_workspace_file_is_valid() -> None:
    (toml,) = examples(section(text_of("configuration.md"), "What a workspace can set"), "toml")
    assert _validator("workspace").is_valid(tomllib.loads(toml))
