"""The console of rich, with the width of the terminal that it prints to."""

from __future__ import annotations

import os

from rich.console import Console, ConsoleDimensions


class TerminalConsole(Console):
    """rich takes its width from the variable COLUMNS, from any of the standard streams, or 80 from a dumb
    terminal. A line made to fit one of these may be too long for this terminal, which would continue it in
    the first column, where text can imitate our lines."""

    @property  # type: ignore[misc]  # nobody sets it
    def size(self) -> ConsoleDimensions:
        """That of the terminal, at this moment; if the output is none or has no size, what rich takes."""
        try:
            columns, lines = os.get_terminal_size(self.file.fileno())
        except (OSError, ValueError):  # no terminal, or no file
            columns = lines = 0
        return ConsoleDimensions(columns, lines) if columns and lines else super().size
