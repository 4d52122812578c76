"""docs/editors.md: each editor gets what its recorded capabilities imply, and the examples work."""

import json
import re
import tomllib

import pytest

from agentfs_lsp.api.methods import AGENT_REQUESTS
from agentfs_lsp.lsp.capabilities import flatten
from agentfs_lsp.lsp.features.agents import COMMANDS
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS
from support.docs import codes, examples, section, table, text_of
from support.editor import recorded
from support.layers import layered

DOCS = text_of("editors.md")
ROWS = {row["editor"]: row for row in table(section(DOCS, "What you see, by editor"), "editor")}

RECORDINGS = {
    "vscode-1.139": "VS Code, Insiders, VSCodium, code-server without it",
    "nvim-0.11.4": "Neovim 0.11, 0.12",
    "nvim-0.12.4": "Neovim 0.11, 0.12",
    "nvim-0.7.2": "Neovim 0.7",
    "emacs30-eglot1.17.30": "Emacs, eglot 1.17 or lsp-mode 10",
    "emacs30-lsp10": "Emacs, eglot 1.17 or lsp-mode 10",
    "emacs28-eglot1.9": "Emacs, eglot 1.9 or lsp-mode 8",
    "emacs28-lsp8": "Emacs, eglot 1.9 or lsp-mode 8",
    "hx-25.07": "Helix",
    "vim9-coc0.0.82": "Vim with coc",
    "vim9-vim-lsp": "Vim with vim-lsp",
    "kate-25.04": "Kate 25.04",
}


@pytest.mark.parametrize(("recording", "editor"), RECORDINGS.items())
def test_the_rung_is_that_of_the_recorded_editor(recording: str, editor: str) -> None:
    traits = flatten(recorded(recording)).traits
    row = ROWS[editor]
    assert codes(row["rung"]) == ["preview" if traits.preview else "message"]
    if not traits.preview:
        assert ("in a window" in row["you see"]) == traits.show_document
        assert ("do not fit" in row["you see"]) == traits.first_action_only


def test_examples_of_settings_are_data() -> None:
    vscode, coc, kate = (json.loads(text) for text in examples(DOCS, "json"))
    assert vscode["glspc.server.command"] == coc["languageserver"]["agentfs"]["command"] == "agentfs-lsp"
    assert kate["servers"]["python"]["command"] == ["agentfs-lsp"]
    (helix,) = (tomllib.loads(text) for text in examples(DOCS, "toml"))
    assert helix["language-server"]["agentfs"]["command"] == "agentfs-lsp"
    options = vscode["glspc.server.initializationOptions"]
    assert layered(("initialization", options)).problems == ()


def test_every_request_and_command_in_the_examples_is_served() -> None:
    shown = "\n".join(text for name in ("ts", "lua", "elisp", "vim", "text") for text in examples(DOCS, name))
    assert set(re.findall(r"(?<!\.)\bagentfs/\w+", shown)) <= {*AGENT_REQUESTS, *EDITOR_REQUESTS}
    assert set(re.findall(r"\bagentfs\.\w+", shown)) <= set(COMMANDS)
    assert re.findall(r"(?<!\.)\bagentfs/\w+", shown)
