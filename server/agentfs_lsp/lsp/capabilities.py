"""Converts the client's `initialize` params into the few facts that the server uses.

The params are raw JSON: missing values and values of the wrong type count as absent.
docs/protocol.md#9-review-and-landing defines which facts lead to which rung.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentfs_lsp.domain.text.positions import Encoding
from agentfs_lsp.lsp.raw import member
from agentfs_lsp.service.proposal.review import EditorTraits


@dataclass(frozen=True, slots=True)
class ClientCapabilities:
    """The facts about the connected client. `locale` is in lower case with hyphens, such as "zh-cn"."""

    traits: EditorTraits
    locale: str
    position_encoding: Encoding
    pulls_configuration: bool  # answers workspace/configuration
    registers_configuration_changes: bool  # sends didChangeConfiguration once that is registered
    registers_watched_files: bool  # reports changes on disk once that is registered
    shows_one_line: bool  # see Outgoing
    messages_wait: bool  # see Outgoing
    knows_agentfs: bool  # knows our notifications; others may show unknown ones to the user
    tells_diagnostics: bool = False  # see LspFoundInEditor
    keeps_user_settings: bool = False  # its answers hold no workspace's values of settings for users alone


def flatten(params: object) -> ClientCapabilities:
    """Read the params of `initialize`. Never raises."""
    workspace = member(params, "capabilities", "workspace")
    window = member(params, "capabilities", "window")
    agentfs = member(params, "capabilities", "experimental", "agentfs")
    name = _text(member(params, "clientInfo", "name"))
    review = member(agentfs, "review") is True
    return ClientCapabilities(
        traits=EditorTraits(
            name=name,
            review=review,
            save=member(agentfs, "save") is True,
            preview=name in _VS_CODE
            and (member(agentfs, "preview") is True or not review)
            and isinstance(member(workspace, "workspaceEdit", "changeAnnotationSupport"), dict),
            show_document=member(window, "showDocument", "support") is True,
            first_action_only=name in _CHOOSE_FIRST_ACTION_ONLY,
            ends_last_line=name in _NEOVIM,
            least_version=int(name in _NEOVIM),  # a changed buffer's is higher
            ends_lines_at_cr=name in _VS_CODE,
            tells_after_close=name in _VS_CODE,
        ),
        locale=_text(member(params, "locale")).lower().replace("_", "-"),
        position_encoding=_position_encoding(member(params, "capabilities", "general", "positionEncodings")),
        pulls_configuration=member(workspace, "configuration") is True,
        registers_configuration_changes=member(workspace, "didChangeConfiguration", "dynamicRegistration")
        is True,
        registers_watched_files=_watches(member(workspace, "didChangeWatchedFiles")),
        shows_one_line=name in _NEOVIM,
        messages_wait=name not in _VS_CODE and not review,  # those list questions
        tells_diagnostics=member(agentfs, "diagnostics") is True,
        keeps_user_settings=member(agentfs, "user_settings") is True,
        knows_agentfs=isinstance(agentfs, dict),
    )


def _watches(watching: object) -> bool:
    """Older clients watch every folder for a single name; clients that support relative patterns do not."""
    return member(watching, "dynamicRegistration") is member(watching, "relativePatternSupport") is True


def served(client: ClientCapabilities, methods: Sequence[str], commands: Sequence[str]) -> dict[str, Any]:
    """This server's capabilities (docs/protocol.md#1-start-and-transport)."""
    return {
        "positionEncoding": client.position_encoding,
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
        "executeCommandProvider": {"commands": list(commands)},
        "experimental": {"agentfs": {"version": "1", "methods": list(methods)}},
    }


# Others with `changeAnnotationSupport` apply annotated edits without asking, or claim they did. Others, such
# as Neovim and Emacs, treat a lone CR as content, though in LSP it ends a line.
_VS_CODE = frozenset({"Visual Studio Code", "Visual Studio Code - Insiders", "VSCodium", "code-server"})
_CHOOSE_FIRST_ACTION_ONLY = frozenset({"vim-lsp"})
_NEOVIM = frozenset({"Neovim"})

# UTF-32 first: its columns are Python's; others must be counted line by line.
_PREFERRED: tuple[Encoding, ...] = ("utf-32", "utf-8")


def _position_encoding(offered: object) -> Encoding:
    choices = offered if isinstance(offered, list) else ()
    return next((encoding for encoding in _PREFERRED if encoding in choices), "utf-16")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
