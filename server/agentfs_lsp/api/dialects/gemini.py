"""The dialect `gemini`: read_file, write_file, and replace, with absolute paths inside a root
(docs/protocol.md#12-tool-catalog)."""

from __future__ import annotations

from dataclasses import dataclass

from agentfs_lsp.api.dialects import fewer_parameters as fewer
from agentfs_lsp.api.dialects.dialect import Dialect, Tool, names_of
from agentfs_lsp.api.messages.phrasing import Phrasing
from agentfs_lsp.domain import errors


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFileArguments:
    """read_file."""

    file_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFileArguments:
    """write_file. `modified_by_user` is a claim without effect on the decision."""

    file_path: str
    content: str
    allow_empty: bool = False
    modified_by_user: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceArguments:
    """replace."""

    file_path: str
    old_string: str
    new_string: str


_PATH = {"file_path": "path"}

_TOOLS = (
    Tool(name="read_file", operation="read", takes=ReadFileArguments, renamed=_PATH),
    Tool(
        name="write_file",
        operation="write",
        takes=WriteFileArguments,
        renamed=_PATH,
        told={
            "modified_by_user": lambda translate: translate(
                "The content is the user's version, not the original proposal."
            )
        },
    ),
    Tool(name="replace", operation="edit", takes=ReplaceArguments, renamed=_PATH),
)

GEMINI = Dialect(
    name="gemini",
    tools=_TOOLS,
    phrasing=Phrasing(
        names=names_of(_TOOLS),
        errors={**fewer.WITHOUT_RANGES, errors.SeveralMatches: fewer.several_matches},
        absolute=True,
        ranges=False,
        amended_text=True,
    ),
    absolute_paths=True,
)
