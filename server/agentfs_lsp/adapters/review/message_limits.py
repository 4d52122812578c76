"""How much of a message each editor is certain to show, and how it handles messages without an answer
(docs/protocol.md#92-the-message-rung).

The values were measured in the editors, in a terminal of 24 lines and 80 columns. An unknown editor gets
the minimum of all values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentfs_lsp.service.proposal.review import EditorTraits


@dataclass(frozen=True, slots=True)
class MessageLimits:
    """`rows` of `columns` fit, the choices not counted; the first row begins with `prefix` columns of the
    editor's own. `characters` are UTF-16 units.

    `joins_lines`: line ends become blanks. `scrolls_behind`: the diff's own window can be read to its end
    while the question is open. `shows_outside`: documents outside the root can be shown, and no second server
    starts for them. `loses_questions`: a question can be closed without an answer, and one that arrives while
    the user is asked something else is answered with an error. `keys_answer`: what is typed for something
    else when the question appears can answer it. `confirming_choices`: where that can be a yes, since numbers
    choose, so many choices has the page that confirms it. `shows_end`: of a message that does not fit the
    window it shows the end alone, and the window may be smaller than that of the table. `wraps_at_words`: a
    line too long for a row ends between words.
    """

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
    wraps_at_words: bool = False

    @property
    def last_line_columns(self) -> int:
        """What the last line may fill to take one row: Vim writes `: ` behind it, and a full row takes one
        more."""
        return self.columns - 3


# A notification is cut at 1,000 characters.
# Its buttons are clicked, or reached by keys that type no text.
_VSCODE = MessageLimits(
    100, 80, characters=1000, joins_lines=True, scrolls_behind=True, shows_outside=True, keys_answer=False
)
# The minibuffer grows to a quarter of the frame; one line of it is the answer's. Of a longer message it shows
# the end. eglot begins with "[eglot] Server reports (type=3): ". `C-g` leaves a question without an answer.
_EMACS = MessageLimits(4, 78, prefix=33, scrolls_behind=True, loses_questions=True, shows_end=True)
# A list of choices in the message area: the begin of a longer message scrolls away, and windows can't be
# scrolled meanwhile. A number and Enter choose.
_VIM = MessageLimits(16, 80, confirming_choices=12)
# In Vim a digit can choose without Enter.
_COC = replace(_VIM, confirming_choices=9)
# A popup in the middle, 80% of the screen wide. It is as high as if lines were wrapped between characters,
# and so hides the end of what is wrapped between words.
_HELIX = MessageLimits(16, 62, wraps_at_words=True)

_LEAST = MessageLimits(
    4, 62, characters=1000, prefix=33, joins_lines=True, confirming_choices=9, wraps_at_words=True
)
# eglot up to 1.9 does not tell its name; neither does an editor that shows less.
_UNNAMED = replace(_LEAST, loses_questions=True, shows_end=True)

_BY_NAME = {
    "Visual Studio Code": _VSCODE,
    "Visual Studio Code - Insiders": _VSCODE,
    "VSCodium": _VSCODE,
    "code-server": _VSCODE,
    "": _UNNAMED,
    "Eglot": _EMACS,
    "emacs": _EMACS,
    "Neovim": _VIM,
    "coc.nvim": _COC,
    "vim-lsp": _VIM,
    "helix": _HELIX,
}


def limits_of(traits: EditorTraits) -> MessageLimits:
    """The limits of this client; of one that shows no documents, none is beside the question to be read. One
    that reviews by itself lists its questions: no number answers them."""
    limits = _BY_NAME.get(traits.name, _LEAST)
    if traits.review:
        limits = replace(limits, confirming_choices=0)
    return limits if traits.show_document else replace(limits, scrolls_behind=False, shows_outside=False)
