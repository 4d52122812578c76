"""The settings as JSON Schema, by which editors complete and check them.

Draft 7, which all programs for TOML and JSON know. A schema is coarser than the shapes: it tells no faulty
glob and no unknown encoding (docs/configuration.md#completion-and-checks-in-an-editor).
"""

from __future__ import annotations

from typing import Any

from agentfs_lsp.domain.policy.tightening import shape_in_workspace
from agentfs_lsp.domain.settings.formatters import Formatters
from agentfs_lsp.domain.settings.rules import MAX_ENTRIES, OPERATIONS, Globs, Paths, Rules, Switches
from agentfs_lsp.domain.settings.setting import InWorkspace, Setting
from agentfs_lsp.domain.settings.settings import SETTINGS
from agentfs_lsp.domain.settings.shapes import Encoding, Folder, NamedRoots, Seconds
from agentfs_lsp.domain.shapes import Choice, Flag, Shape, Whole

JsonSchema = dict[str, Any]

_IN_WORKSPACE: dict[InWorkspace, str] = {
    "lower": "The user's value applies if it is lower.",
    "strictest": "A workspace can only make this stricter.",
    "besides": "In addition to the user's.",
}


def schema_of_settings() -> JsonSchema:
    """Of the section `agentfs` of an editor's settings."""
    return _object_of("agentfs", {key: _of_setting(setting) for key, setting in SETTINGS.items()})


def schema_of_workspace() -> JsonSchema:
    """Of a workspace's `.agentfs.toml`."""
    settings = {key: one for key, one in SETTINGS.items() if one.in_workspace != "users"}
    return _object_of(
        ".agentfs.toml", {key: _in_workspace(key, setting) for key, setting in settings.items()}
    )


SCHEMAS = {"workspace": schema_of_workspace, "settings": schema_of_settings}
"""What `agentfs-lsp check-config --schema` prints."""


def _object_of(title: str, settings: dict[str, JsonSchema]) -> JsonSchema:
    """An object with these settings; the ones whose keys have two parts are in objects in it."""
    top: JsonSchema = {"$schema": "http://json-schema.org/draft-07/schema#", "title": title, **_closed({})}
    for key, schema in settings.items():
        group, _, name = key.rpartition(".")
        inside = top["properties"].setdefault(group, _closed({})) if group else top
        inside["properties"][name] = schema
    return top


def _of_setting(setting: Setting) -> JsonSchema:
    schema = _of_shape(setting.shape)
    if setting.default is None:
        schema = {"anyOf": [schema, {"type": "null"}]}
    default = list(setting.default) if isinstance(setting.default, tuple) else setting.default
    return {**schema, "description": setting.meaning, "default": default}


def _in_workspace(key: str, setting: Setting) -> JsonSchema:
    strictest = setting.in_workspace == "strictest"
    schema = {"const": setting.strictest} if strictest else _of_shape(shape_in_workspace(key))
    told = (setting.meaning, _IN_WORKSPACE.get(setting.in_workspace))
    return {**schema, "description": " ".join(filter(None, told))}


def _of_shape(shape: Shape) -> JsonSchema:
    schema: JsonSchema = {"type": "string"}
    match shape:
        case Choice(options):
            schema = {"enum": list(options)}
        case Flag():
            schema = {"type": "boolean"}
        case Whole(_, minimum, maximum):
            schema = {"type": "integer", "minimum": minimum, "maximum": maximum}
        case Seconds(minimum, maximum):
            schema = {"type": "number", "minimum": minimum, "maximum": maximum}
        case Globs(negations):
            schema = _list_of(schema if negations else schema | {"pattern": "^[^!]"})
        case Paths():
            schema = _list_of(schema)
        case Formatters():
            command = _list_of(schema | {"minLength": 1}) | {"minItems": 1}
            several = {"type": "array", "minItems": 1, "items": command}
            schema = {"type": "object", "additionalProperties": {"anyOf": [command, several]}}
        case Switches():
            schema = {"type": "object", "additionalProperties": {"type": "boolean"}}
        case Rules(permissions):
            members = {"files": _list_of(schema), "requires": schema}
            members |= {operation: {"enum": list(permissions)} for operation in OPERATIONS}
            schema = _list_of({**_closed(members, "files"), "minProperties": 2})
        case NamedRoots():
            ways = [_closed({where: schema, "name": schema}, where, "name") for where in ("path", "uri")]
            schema = {"type": "array", "items": {"anyOf": ways}}
        case Folder():
            schema = {"type": "string", "pattern": "^~?/"}
        case _:
            assert isinstance(shape, Encoding)
    return schema


def _list_of(entry: JsonSchema) -> JsonSchema:
    return {"type": "array", "items": entry, "maxItems": MAX_ENTRIES}


def _closed(properties: JsonSchema, *required: str) -> JsonSchema:
    """An object with no other members."""
    closed: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
    return closed | {"required": list(required)} if required else closed
