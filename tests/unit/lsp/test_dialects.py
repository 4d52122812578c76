"""Dialects: what models are told about the tools, and that it is true. tests/cases/guidance/ has the expected
guidance: one file per dialect and language."""

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema import Draft202012Validator

from agentfs_lsp.adapters.catalog import translator_for
from agentfs_lsp.api.dialects.definitions import FORMATS, define
from agentfs_lsp.api.dialects.dialect import Dialect, Files, Tool
from agentfs_lsp.api.dialects.guidance import guidance
from agentfs_lsp.api.dialects.table import DIALECTS
from agentfs_lsp.api.params import DialectName, EditParams, ReadParams, ToolsParams, WriteParams
from agentfs_lsp.api.parsing import parse
from agentfs_lsp.domain.errors import BadParameter
from agentfs_lsp.domain.settings.rules import OPERATIONS, Operation
from agentfs_lsp.domain.translation import NAMES, english, naming

CASES = Path(__file__).parents[2] / "cases" / "guidance"
REQUESTS = {"read": ReadParams, "write": WriteParams, "edit": EditParams}
TOOLS = [(dialect, tool) for dialect in DIALECTS.values() for tool in dialect.tools]

every_dialect = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
every_tool = pytest.mark.parametrize(
    ("dialect", "tool"), TOOLS, ids=[f"{dialect.name}-{tool.name}" for dialect, tool in TOOLS]
)


def files(dialect: Dialect, *operations: Operation, **changed: Any) -> dict[Operation, Files]:
    roots = ("/home/ada/tides",) if dialect.absolute_paths else ("tides",)
    one = {"closed": None, "named": (), "roots": roots, **changed}
    return {operation: Files(**one) for operation in operations or OPERATIONS}


def schema_of(dialect: Dialect, tool: Tool, **changed: Any) -> dict[str, Any]:
    defined = define(dialect, files(dialect, **changed), english, "anthropic")
    return next(one["input_schema"] for one in defined if one["name"] == tool.name)


def models_own(dialect: Dialect, tool: Tool) -> dict[str, Any]:
    """Its schema without what the host injects, which `agentfs/call` takes out of the arguments."""
    schema = schema_of(dialect, tool)
    properties = {name: one for name, one in schema["properties"].items() if name not in tool.injected}
    return {**schema, "properties": properties}


# --- the tables -------------------------------------------------------------------------------------------


def test_the_wire_names_the_dialects_and_formats_that_there_are() -> None:
    assert set(get_args(DialectName)) == set(DIALECTS)
    assert set(get_args(get_type_hints(ToolsParams)["format"])) == set(FORMATS)


@every_dialect
def test_a_dialect_has_a_tool_for_each_operation_and_names_it(dialect: Dialect) -> None:
    assert [tool.operation for tool in dialect.tools] == list(OPERATIONS)
    named = {**NAMES, **dialect.phrasing.names}
    assert named.keys() == NAMES.keys()
    for tool in dialect.tools:
        assert named[tool.operation.capitalize()] == tool.name


@every_tool
def test_arguments_are_params_of_the_request_with_its_bounds(dialect: Dialect, tool: Tool) -> None:
    """Whatever a tool accepts, its request accepts, with the same bounds."""
    known = {each.name: each for each in fields(REQUESTS[tool.operation])}
    for each in fields(tool.takes):
        if each.name in tool.told:
            continue
        same = known[tool.renamed.get(each.name, each.name)]
        assert each.type == same.type
        assert each.default == same.default
        assert {**each.metadata, "alias": None} == {**same.metadata, "alias": None}
    required = {each.name for each in known.values() if each.default is MISSING}
    assert required == {
        tool.renamed.get(each.name, each.name) for each in fields(tool.takes) if each.default is MISSING
    }


@every_tool
def test_no_argument_is_the_hosts(dialect: Dialect, tool: Tool) -> None:
    host = {"session", "agent", "explanation", "workDoneToken"}
    assert host.isdisjoint(each.name for each in fields(tool.takes))
    given = {"string": "x", "integer": 1, "boolean": True}
    least = {key: given[each["type"]] for key, each in models_own(dialect, tool)["properties"].items()}
    for name in host:
        with pytest.raises(BadParameter) as refused:
            parse(tool.takes, {**least, name: "x"})
        assert refused.value.name == name


# --- definitions ------------------------------------------------------------------------------------------


@every_tool
def test_the_schema_takes_what_the_call_takes(dialect: Dialect, tool: Tool) -> None:
    schema = models_own(dialect, tool)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    given = {"string": "x", "integer": 1, "boolean": True}
    full = {key: given[each["type"]] for key, each in schema["properties"].items()}
    cases = [full, {key: full[key] for key in schema["required"]}]
    cases += [{key: full[key] for key in full if key != left_out} for left_out in full]
    cases += [{**full, key: wrong} for key in full for wrong in (None, "y", -1, 0, True, 1.5, [], {})]
    cases.append({**full, "more": 1})
    for arguments in cases:
        try:
            parse(tool.takes, arguments)
            taken = True
        except BadParameter:
            taken = False
        optional = {key for key in full if key not in schema["required"] and arguments.get(key, 0) is None}
        if not optional:  # null means absent, which a definition need not mention
            assert validator.is_valid(arguments) == taken, arguments


@every_tool
def test_what_the_host_injects_is_optional_and_the_model_is_told(dialect: Dialect, tool: Tool) -> None:
    schema = schema_of(dialect, tool)
    expected = ("expected_mtime_ms", "expected_size_bytes")
    assert tool.injected == (expected if dialect.name == "standard" and tool.operation != "read" else ())
    for name in tool.injected:
        assert schema["properties"][name]["description"].startswith("Injected by the host")
        assert name not in schema["required"]


@every_dialect
def test_a_model_is_told_of_parent_folders_and_of_the_users_part(dialect: Dialect) -> None:
    """And of the old text what makes a match likely."""
    told = {one["name"]: str(one) for one in define(dialect, files(dialect), english, "anthropic")}
    for tool in dialect.tools[1:]:
        assert "may change the content before accepting it" in told[tool.name]
    assert "Missing folders are created" in told[dialect.tools[1].name]
    for said in ("MUST be unique", "2 to 5 lines of context", "without line numbers", "not escaped"):
        assert said in told[dialect.tools[2].name]


@every_dialect
@pytest.mark.parametrize("listed", OPERATIONS)
def test_texts_speak_only_of_tools_that_are_listed(dialect: Dialect, listed: Operation) -> None:
    translate = naming(english, {"Read": "<read>", "Write": "<write>", "Edit": "<edit>"})
    one = files(dialect, listed)
    told = str(define(dialect, one, translate, "anthropic")) + guidance(dialect, one, translate)
    assert set(re.findall("<(read|write|edit)>", told)) <= {listed}


# --- guidance ---------------------------------------------------------------------------------------------


@every_dialect
@pytest.mark.parametrize("locale", ["en", "zh-cn"])
def test_guidance(dialect: Dialect, locale: str) -> None:
    translate = naming(translator_for(locale), dialect.phrasing.names)
    expected = (CASES / f"{dialect.name}.{locale}.md").read_text("utf-8")
    assert guidance(dialect, files(dialect), translate) + "\n" == expected


@pytest.mark.parametrize("locale", ["en", "zh-cn"])
def test_guidance_for_some_files_in_several_folders(locale: str) -> None:
    dialect = DIALECTS["standard"]
    few = files(dialect, "read", "write", closed=("a/SOUL.md", "b/SOUL.md"), roots=("a", "b"))
    expected = (CASES / f"few-files.{locale}.md").read_text("utf-8")
    assert guidance(dialect, few, translator_for(locale)) + "\n" == expected


@every_dialect
def test_guidance_is_empty_where_there_is_no_tool(dialect: Dialect) -> None:
    assert guidance(dialect, {}, english) == ""


@every_dialect
def test_no_tool_asks_for_what_no_tool_can_do(dialect: Dialect) -> None:
    """If no file may be read, writes are blind; if files may only be read, no text mentions changes."""

    def description(operation: Operation, *there: Operation) -> str:
        (defined,) = define(dialect, files(dialect, *there), english, "anthropic")
        assert defined["name"] == next(one.name for one in dialect.tools if one.operation == operation)
        return str(defined["description"])

    assert "read first" not in description("write", "write")
    assert "before you change" not in description("read", "read")
