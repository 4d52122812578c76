"""How much of a message each editor is certain to show, and how it handles messages without an answer
(docs/protocol.md#92-the-message-rung).

The values were measured in the editors, in a terminal of 24 lines and 80 columns. An unknown editor gets
the minimum of all values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from agentfs_lsp.service.proposal.review import EditorTraits


@dataclass(frozen=True, slots=True)
class MessageLimits:
    """`rows` of `columns` fit, not counting the choices; the first row starts with `prefix` columns of the
    editor's own. `characters` are UTF-16 units.

    `joins_lines`: line ends become spaces. `scrolls_behind`: the diff's window scrolls while the question is
    open. `shows_outside`: the editor can show documents outside the root without starting a second server.
    `loses_questions`: a question can close without an answer, and one asked during another may get an error.
    `keys_answer`: keys typed for something else may answer a question. `confirming_choices`: if that can
    approve, since numbers choose, how many choices the confirmation page has. `shows_end`: only the end of a
    message that doesn't fit is shown, and the window may be smaller than assumed here. `errors_hide`: the
    editor's error about a diff that it can't show hides the question that follows. `wraps_at_words`: long
    lines wrap between words. `marks_up`: messages may be shown as Markdown or HTML. `keeps_withdrawn`: a
    question that was withdrawn stays until it is answered, and the next one comes on top of it."""

    rows: int
    columns: int
    characters: int = 2400
    prefix: int = 0
    joins_lines: bool = False
    scrolls_behind: bool = False
    shows_outside: bool = False
    loses_questions: bool = False
    keys_answer: bool = True
    confirming_choices: int = 0
    shows_end: bool = False
    errors_hide: bool = False
    wraps_at_words: bool = False
    marks_up: bool = False
    keeps_withdrawn: bool = False

    @property
    def last_line_columns(self) -> int:
        """How much of the last line fits one row: Vim appends `: `, and a full row takes another one."""
        return self.columns - 3

    @property
    def ends_with_letter(self) -> bool:
        """Whether the end of the diff names the letter that confirms an approval: its window may be so small
        that the rest comes to the screen only by scrolling."""
        return self.scrolls_behind and self.shows_end


# A notification is cut at 1,000 characters. Its buttons are clicked, or reached by keys that type no text.
_VSCODE = MessageLimits(
    100, 80, characters=1000, joins_lines=True, scrolls_behind=True, shows_outside=True, keys_answer=False
)
# The minibuffer grows to a quarter of the frame, with one line for the answer, and shows the end of longer
# messages. eglot prefixes "[eglot] Server reports (type=3): ". `C-g` leaves a question unanswered.
_EMACS = MessageLimits(
    4, 78, prefix=33, scrolls_behind=True, loses_questions=True, shows_end=True, wraps_at_words=True
)
# agentfs.el lists questions in a buffer of its own, which takes half of the frame, indented by two columns.
_AGENTFS_EL = MessageLimits(5, 76)
# A list of choices in the message area: the start of a longer message scrolls away, and windows can't scroll
# meanwhile. A number and Enter choose.
_VIM = MessageLimits(16, 80, confirming_choices=12)
# In the command-line window (`q:`) no other window can be opened, and the error waits for a key.
_NEOVIM = replace(_VIM, errors_hide=True, keeps_withdrawn=True)
# In Vim a digit can choose without Enter.
_COC = replace(_VIM, confirming_choices=9)
# A centered popup, 80% of the screen wide. Its height assumes wrapping between characters, so it hides the
# end of what wraps between words. Any next question replaces an open one, which is never answered.
_HELIX = MessageLimits(16, 62, loses_questions=True, wraps_at_words=True)

_LEAST = MessageLimits(
    4,
    62,
    characters=1000,
    prefix=33,
    joins_lines=True,
    confirming_choices=9,
    wraps_at_words=True,
    marks_up=True,
)
# eglot up to 1.9 does not give its name; neither does an editor that shows less.
_UNNAMED = replace(_LEAST, loses_questions=True, shows_end=True)

_BY_NAME = {
    "Visual Studio Code": _VSCODE,
    "Visual Studio Code - Insiders": _VSCODE,
    "VSCodium": _VSCODE,
    "code-server": _VSCODE,
    "": _UNNAMED,
    "Eglot": _EMACS,
    "emacs": _EMACS,
    "Emacs": _AGENTFS_EL,
    "Neovim": _NEOVIM,
    "coc.nvim": _COC,
    "vim-lsp": _VIM,
    "helix": _HELIX,
}


def limits_of(traits: EditorTraits) -> MessageLimits:
    """The limits of this client. If it shows no documents, no diff can be read next to the question. A review
    client lists its questions, so no number answers them."""
    limits = _BY_NAME.get(traits.name, _LEAST)
    if traits.review:
        limits = replace(limits, confirming_choices=0)
    return limits if traits.show_document else replace(limits, scrolls_behind=False, shows_outside=False)


_LIKE_VSCODE = (
    *("visualstudiocode", "vscodium", "codeoss", "codeserver"),
    *("antigravity", "cursor", "kiro", "positron", "trae", "windsurf"),  # made from it
)


# Its overlay shows the start of a question and does not scroll; keys that are typed on go into its fields.
_CODEX = MessageLimits(14, 76, wraps_at_words=True)


def limits_of_mcp_client(name: str) -> MessageLimits | None:
    """The limits of an MCP client that shows only a part of a long question: Codex in a terminal of 24 lines,
    and VS Code and its derivatives in notifications. None for others."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain.startswith("codex"):
        return _CODEX
    return _VSCODE if plain.startswith(_LIKE_VSCODE) else None
