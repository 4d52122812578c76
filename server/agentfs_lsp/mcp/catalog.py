"""The tools as MCP clients see them. The list is the same for every client and never changes: what settings
forbid is refused when it is called, so that no client has to wait for a server to list the tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

Definition = dict[str, Any]

FILE_TOOLS: Final = ("read", "edit", "write")
"""The tools of the dialect `mcp`."""

NAMES: Final = (*FILE_TOOLS, "batch", "undo", "history", "wait", "status")
"""All tools, in the order of the list."""

CHANGING: Final = frozenset({"edit", "write", "batch", "undo"})

_STRING: Final = {"type": "string"}
_BOOLEAN: Final = {"type": "boolean"}
_WHY: Final = {"type": "string", "description": "The reason for the change, shown to the user."}


def _object(required: Sequence[str] = (), **properties: Definition) -> Definition:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_OPERATION: Final = _object(
    ("tool", "params"),
    tool={"type": "string", "enum": ["write", "edit"]},
    params=_object(
        ("path",),
        path={"type": "string", "description": "The file's absolute path."},
        content={"type": "string", "description": "For write: the complete new text of the file."},
        old_string={"type": "string", "description": "For edit: the text to replace."},
        new_string={"type": "string", "description": "For edit: the replacement text."},
        replace_all={"type": "boolean", "description": "For edit: replace every occurrence."},
    ),
)

_OWN: Final[Mapping[str, tuple[str, Definition]]] = {
    "batch": (
        (
            "Apply several writes and edits in one review: all of them, or none. Read the files first, as "
            "for edit and write. Operations on the same file build on each other."
        ),
        _object(
            ("operations",),
            operations={"type": "array", "items": _OPERATION, "minItems": 1, "maxItems": 1000},
            atomic={**_BOOLEAN, "description": "False: what fails is skipped.", "default": True},
            dry_run={**_BOOLEAN, "description": "Only report what would change.", "default": False},
            explanation=_WHY,
        ),
    ),
    "undo": (
        (
            "Propose the reverse of a change that landed, by default of your last one. It is reviewed like "
            "any change."
        ),
        _object(
            change_id={**_STRING, "description": "The id of the change, from history."}, explanation=_WHY
        ),
    ),
    "history": (
        "List the changes that landed, newest first.",
        _object(
            path={**_STRING, "description": "Only changes of this file, or below this folder."},
            limit={"type": "integer", "minimum": 1, "maximum": 1000, "default": 50},
            before={**_STRING, "description": "Only changes older than the one with this id."},
        ),
    ),
    "wait": (
        (
            "Wait for the user's decision about a proposal that an earlier call left open. Returns the "
            "result of that call."
        ),
        _object(("id",), id={**_STRING, "description": "The proposal's id, such as p-1."}),
    ),
    "status": (
        "Show how changes are reviewed, the folders, and the proposals that wait.",
        _object(),
    ),
}


@dataclass(frozen=True)
class Catalog:
    """`root`: the workspace folder of the client."""

    root: str

    names = NAMES

    @cached_property
    def instructions(self) -> str:
        """What a client tells its model about this server; short, because some cut it."""
        return (
            f"Read and change the files of the workspace {self.root} with these tools only. read returns "
            "what the user sees in the editor, including unsaved text. Read a file before you change it, and "
            "use absolute paths. The user may review each change, and accept, amend, or reject it: wait for "
            "the result. If a result says that a proposal waits for the user, call wait with its id, and do "
            "not repeat the change. If the user amended the change, the file has the user's version: "
            "continue from it. If the user rejected it, follow the user's message; do not try another way. "
            "After a conflict, read the file again."
        )

    @cached_property
    def tools(self) -> list[Definition]:
        """The definitions, in a stable order."""
        found = {**_of_files(self.root), **{name: _own(name, *told) for name, told in _OWN.items()}}
        return [found[name] for name in NAMES]

    def unknown(self, tool: str, arguments: Mapping[str, Any]) -> list[str]:
        """The arguments that the tool does not have. Requests have others, which are the host's."""
        if tool in FILE_TOOLS:
            return []  # the server refuses them
        return [name for name in arguments if name not in _OWN[tool][1]["properties"]]


def _of_files(root: str) -> dict[str, Definition]:
    # Only a client that lists the tools needs these modules.
    from agentfs_lsp.api.dialects.definitions import define  # noqa: PLC0415
    from agentfs_lsp.api.dialects.dialect import Files  # noqa: PLC0415
    from agentfs_lsp.api.dialects.mcp import MCP  # noqa: PLC0415
    from agentfs_lsp.domain.settings.rules import OPERATIONS  # noqa: PLC0415
    from agentfs_lsp.domain.translation import english, naming  # noqa: PLC0415

    files = Files(closed=None, named=(), roots=(root,))
    defined = define(MCP, dict.fromkeys(OPERATIONS, files), naming(english, MCP.phrasing.names), "mcp")
    tools = {one["name"]: _own(one["name"], one["description"], one["inputSchema"]) for one in defined}
    for name in CHANGING.intersection(tools):
        tools[name]["inputSchema"]["properties"]["explanation"] = _WHY  # in `agentfs/call`, the host gives it
    return tools


def _own(name: str, description: str, schema: Definition) -> Definition:
    return {
        "name": name,
        "description": description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": name not in CHANGING,
            "destructiveHint": name in CHANGING,
            "idempotentHint": name not in CHANGING or name == "write",
            "openWorldHint": False,
        },
        # Claude Code hides other tools until its model searches for them.
        "_meta": {"anthropic/alwaysLoad": True},
    }
