"""How the server interprets recorded editors, and arbitrary clients."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.lsp.capabilities import ClientCapabilities, flatten
from agentfs_lsp.service.proposal.review import EditorTraits

RECORDED = Path(__file__).parents[2] / "editors" / "capabilities"
SUFFIX = "-client-capabilities.json"

# name, shows documents, encoding, answers configuration, registers its changes, watches files
EDITORS = {
    "emacs28-eglot1.9": ("", False, "utf-16", True, False, False),
    "emacs28-lsp8": ("emacs", False, "utf-16", True, False, False),
    "emacs30-eglot1.17.30": ("Eglot", True, "utf-32", True, False, False),
    "emacs30-lsp10": ("emacs", True, "utf-32", True, False, False),
    "hx-25.07": ("helix", True, "utf-32", True, False, True),
    "kate-25.04": ("", False, "utf-16", False, False, False),
    "nvim-0.7.2": ("Neovim", False, "utf-16", False, False, False),
    "nvim-0.11.4": ("Neovim", True, "utf-32", True, False, False),
    "nvim-0.12.4": ("Neovim", True, "utf-32", True, False, False),
    "vim9-coc0.0.82": ("coc.nvim", True, "utf-16", True, True, False),
    "vim9-vim-lsp": ("vim-lsp", False, "utf-16", True, False, False),
    "vscode-1.139": ("code-server", True, "utf-16", True, True, True),
}


def recorded(editor: str) -> dict[str, Any]:
    params: dict[str, Any] = json.loads((RECORDED / f"{editor}{SUFFIX}").read_text("utf-8"))
    return params


@pytest.mark.parametrize("editor", EDITORS)
def test_recorded_editors(editor: str) -> None:
    name, shows, encoding, pulls, registers, watches = EDITORS[editor]
    assert flatten(recorded(editor)) == ClientCapabilities(
        traits=EditorTraits(
            name=name,
            preview=editor == "vscode-1.139",
            show_document=shows,
            first_action_only=editor == "vim9-vim-lsp",
            ends_last_line=name == "Neovim",
            least_version=int(name == "Neovim"),
            ends_lines_at_cr=name == "code-server",
            tells_after_close=name == "code-server",
        ),
        locale="",
        position_encoding=encoding,  # type: ignore[arg-type]
        pulls_configuration=pulls,
        registers_configuration_changes=registers,
        registers_watched_files=watches,
        shows_one_line=name == "Neovim",
        messages_wait=name != "code-server",
        knows_agentfs=False,
    )


def test_every_recording_is_in_the_table() -> None:
    assert {path.name.removesuffix(SUFFIX) for path in RECORDED.glob("*.json")} == set(EDITORS)


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("Visual Studio Code", True),
        ("Visual Studio Code - Insiders", True),
        ("VSCodium", True),
        ("code-server", True),
        ("Visual Studio", False),
        ("visual studio code", False),
        ("Cursor", False),
        (None, False),
        (["code-server"], False),
    ],
)
def test_only_editors_known_to_ask_are_reviewed_by_preview(name: object, asks: bool) -> None:
    params = recorded("vscode-1.139")
    params["clientInfo"] = {"name": name}
    assert flatten(params).traits.preview is asks
    for told, prefers in [({"review": True}, False), ({"review": True, "preview": True}, asks)]:
        params["capabilities"]["experimental"] = {"agentfs": told}
        assert flatten(params).traits.preview is prefers
    del params["capabilities"]["workspace"]["workspaceEdit"]["changeAnnotationSupport"]
    assert flatten(params).traits.preview is False


@pytest.mark.parametrize(
    ("told", "review", "save", "knows"),
    [
        ({"review": True, "save": True}, True, True, True),
        ({"review": True}, True, False, True),
        ({"save": True}, False, True, True),
        ({"review": "yes", "save": 1}, False, False, True),
        ({}, False, False, True),
        (True, False, False, False),
        (None, False, False, False),
    ],
)
def test_review_and_save_are_as_the_client_said(told: object, review: bool, save: bool, knows: bool) -> None:
    client = flatten({"capabilities": {"experimental": {"agentfs": told}}})
    assert (client.traits.review, client.traits.save, client.knows_agentfs) == (review, save, knows)


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-8", "utf-16", "utf-32"], "utf-32"),
        (["utf-16", "utf-8"], "utf-8"),
        (["utf-16"], "utf-16"),
        ([], "utf-16"),
        (["utf-7", None, {}], "utf-16"),
        ("utf-32", "utf-16"),
        (None, "utf-16"),
    ],
)
def test_position_encoding(offered: object, chosen: str) -> None:
    params = {"capabilities": {"general": {"positionEncodings": offered}}}
    assert flatten(params).position_encoding == chosen


@pytest.mark.parametrize(("locale", "shown"), [("zh_CN", "zh-cn"), ("en-GB", "en-gb"), (None, ""), (3, "")])
def test_locale(locale: object, shown: str) -> None:
    assert flatten({"locale": locale}).locale == shown


NOTHING = flatten({})


@pytest.mark.parametrize("odd", [None, True, 0, "x", [], [{}], {"x": 1}])
def test_anything_of_another_shape_counts_as_not_there(odd: object) -> None:
    assert flatten(odd) == NOTHING
    for params in (
        {"capabilities": odd, "clientInfo": odd},
        {"capabilities": dict.fromkeys(("workspace", "window", "general", "experimental"), odd)},
        {"capabilities": {"workspace": dict.fromkeys(("workspaceEdit", "didChangeConfiguration"), odd)}},
        {"capabilities": {"window": {"showDocument": odd}}, "clientInfo": {"name": None}},
    ):
        assert flatten(params) == NOTHING
