"""A dialect's tool definitions for a model: JSON Schema in each of the formats
(docs/protocol.md#12-tool-catalog).

`service/state/tool_scope.py` determines which tools are listed and which files they may access.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, get_args, get_type_hints

from agentfs_lsp.api.dialects.dialect import Dialect, Files, Tool
from agentfs_lsp.api.dialects.tool_texts import parameter_text, path_text, tool_text
from agentfs_lsp.domain.settings.rules import Operation
from agentfs_lsp.domain.translation import Translate, sentences

Definition = dict[str, Any]


def define(
    dialect: Dialect, files: Mapping[Operation, Files], translate: Translate, style: str
) -> list[Definition]:
    """The definitions of the tools whose operation is in `files`, in the format `style`."""
    shape, tools = FORMATS[style], [tool for tool in dialect.tools if tool.operation in files]
    return [
        shape(
            tool,
            tool_text(tool.operation, translate, ranges=dialect.phrasing.ranges, there=files.keys()),
            _schema(dialect, tool, files, translate),
        )
        for tool in tools
    ]


# --- the schema of a tool's arguments ---------------------------------------------------------------------


def _schema(
    dialect: Dialect, tool: Tool, files: Mapping[Operation, Files], translate: Translate
) -> Definition:
    hints, own = get_type_hints(tool.takes), fields(tool.takes)
    properties: Definition = {}
    for each in own:
        if each.name == tool.path_parameter:
            told = _path(dialect, files[tool.operation], translate)
        else:
            text = parameter_text(tool.renamed.get(each.name, each.name), translate)
            told = _property(each, hints[each.name], text)
        if (hint := tool.hints.get(each.name)) is not None:
            said = (told["description"], hint(translate, files.keys()))
            told["description"] = sentences(translate, said)
        properties[each.name] = told
    for name in tool.injected:
        properties[name] = {"type": "integer", "description": parameter_text(name, translate)}
    return {
        "type": "object",
        "properties": properties,
        "required": [each.name for each in own if each.default is MISSING],
        "additionalProperties": False,
    }


def _path(dialect: Dialect, files: Files, translate: Translate) -> Definition:
    text = path_text(translate, absolute=dialect.absolute_paths, roots=files.roots, named=files.named)
    choices = {} if files.closed is None else {"enum": list(files.closed)}
    return {"type": "string", **choices, "description": text}


_TYPES = {str: "string", int: "integer", bool: "boolean"}


def _property(each: Field[Any], hint: object, text: str) -> Definition:
    (kind,) = (one for one in (get_args(hint) or (hint,)) if one in _TYPES)
    told: Definition = {"type": _TYPES[kind], "description": text}
    if "least" in each.metadata:
        told["minimum"] = each.metadata["least"]
    if each.default not in (MISSING, None):
        told["default"] = each.default
    return told


# --- the formats ------------------------------------------------------------------------------------------


def _openai(tool: Tool, description: str, schema: Definition) -> Definition:
    function = {"name": tool.name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def _anthropic(tool: Tool, description: str, schema: Definition) -> Definition:
    return {"name": tool.name, "description": description, "input_schema": schema}


def _mcp(tool: Tool, description: str, schema: Definition) -> Definition:
    reads = tool.operation == "read"
    annotations: Definition = {"readOnlyHint": reads, "openWorldHint": False}
    if not reads:
        annotations |= {"destructiveHint": True, "idempotentHint": tool.operation == "write"}
    return {"name": tool.name, "description": description, "inputSchema": schema, "annotations": annotations}


FORMATS: Mapping[str, Callable[[Tool, str, Definition], Definition]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "mcp": _mcp,
}
"""The definition formats of the model vendors."""
