"""What Neovim does with TextEdits."""

from support.wire import Message


class Neovim:
    """A document: its lines, and separately the last one's `end`. `text` is what it reports: an empty
    text of an emptied document if it `reports_emptied`, as Neovim 0.7 does."""

    def __init__(self, text: str, *, fixeol: bool, reports_emptied: bool = False) -> None:
        self.end = "\n" if text.endswith("\n") or not text else ""
        self._adds = self.end or "\n" * fixeol
        self._lines = text.removesuffix("\n").split("\n")
        self._has_line = text != ""
        self._reports_emptied = reports_emptied
        self.text = self._joined

    def apply(self, edits: list[Message]) -> list[str]:
        """Apply edits, from the last on; columns are code points. Return what is reported after each."""
        reports, reaches_past = [], False
        for one in reversed(edits):
            (row, column), (last, end) = ((at["line"], at["character"]) for at in one["range"].values())
            if row >= len(self._lines):
                self._lines += one["newText"].split("\n")
            else:
                if last >= len(self._lines):
                    last, end, reaches_past = len(self._lines) - 1, len(self._lines[-1]), True
                put = self._lines[row][:column] + one["newText"] + self._lines[last][end:]
                self._lines[row : last + 1] = put.split("\n")
            self._has_line = True
            reports.append(self._joined)
        if reaches_past and self._adds and self._lines[-1] == "":
            self._has_line = len(self._lines) > 1
            self._lines = self._lines[:-1] or [""]
            if self.end:  # else it reports no difference
                reports.append("" if self._reports_emptied and not self._has_line else self._joined)
        self.text = reports[-1]
        return reports

    @property
    def saved(self) -> str:
        return "\n".join(self._lines) + self._adds if self._has_line else ""

    @property
    def _joined(self) -> str:
        return "\n".join(self._lines) + self.end
