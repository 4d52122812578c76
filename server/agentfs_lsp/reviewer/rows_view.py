"""Rows that scroll, and which of them have been on the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from agentfs_lsp.adapters.terminal.diffview import DiffLine
from agentfs_lsp.reviewer.rows import Row, rows_of

Lines = Sequence[tuple[DiffLine, int | None]]


class RowsView(ScrollView, can_focus=True):
    """Rows that scroll, and which of them have been on the screen, none that is longer than that. `on_drawn`
    is called when some were."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_down", show=False),
        Binding("up,k", "scroll_up", show=False),
        Binding("pagedown,space", "page_down", show=False),
        Binding("pageup,b", "page_up", show=False),
        Binding("home,g", "scroll_home", show=False),
        Binding("end,G", "scroll_end", show=False),
    ]

    def __init__(self, ident: str) -> None:
        super().__init__(id=ident)
        self._lines: Lines = ()
        self._rows: list[Row] = []
        self._seen: set[int] = set()
        self._is_telling = False
        self.on_drawn: Callable[[], None] = lambda: None

    def show(self, lines: Lines, *, keep: bool = False) -> None:
        """Show these lines from the top. With `keep`, they are the last ones but for their marks: what has
        been seen of them still has, and nothing scrolls."""
        self._lines = lines
        self._lay_out(keep=keep)
        if not keep:
            self.scroll_to(y=0, animate=False, immediate=True)

    def _lay_out(self, *, keep: bool) -> None:
        unseen = {row.line for number, row in enumerate(self._rows) if number not in self._seen}
        seen = {row.line for row in self._rows} - unseen if keep else set()
        self._rows = rows_of(self._lines, self.size.width or 80)
        self._seen = {number for number, row in enumerate(self._rows) if row.line in seen}
        self.virtual_size = Size(self.size.width, len(self._rows))
        self.refresh()

    def on_resize(self, _: events.Resize) -> None:
        """Fit the rows to the new size."""
        self._lay_out(keep=True)

    def render_line(self, y: int) -> Strip:
        """One row; Textual asks for those that it draws."""
        at = self.scroll_offset.y + y
        if not 0 <= at < len(self._rows):
            return Strip.blank(self.size.width)
        row = Strip(self._rows[at].text.render(self.app.console))
        if self.app.screen is self.screen:  # nothing else covers it
            if row.cell_length <= self.size.width:
                self._seen.add(at)
            if not self._is_telling:
                self._is_telling = self.call_after_refresh(self._tell)
        return row.adjust_cell_length(self.size.width)

    def _tell(self) -> None:
        self._is_telling = False
        if self._seen:  # else they are others, which have not been drawn yet
            self.on_drawn()

    def action_page_down(self) -> None:
        """One row of the last page stays."""
        self._scroll(max(self.size.height - 1, 1))

    def action_page_up(self) -> None:
        self._scroll(-max(self.size.height - 1, 1))

    def action_scroll_down(self) -> None:
        self._scroll(1)

    def action_scroll_up(self) -> None:
        self._scroll(-1)

    def action_scroll_home(self) -> None:
        self._scroll(-len(self._rows))

    def action_scroll_end(self) -> None:
        self._scroll(len(self._rows))

    def _scroll(self, by: int) -> None:
        self.scroll_to(y=max(self.scroll_offset.y + by, 0), animate=False, immediate=True)

    def go_to_file(self, file: int) -> None:
        """Scroll to the beginning of a file."""
        row = next((number for number, row in enumerate(self._rows) if row.file == file), 0)
        self.scroll_to(y=row, animate=False, immediate=True)

    def unseen(self) -> int | None:
        """The first row that has not been on the screen."""
        return next((number for number in range(len(self._rows)) if number not in self._seen), None)

    def show_unseen(self) -> None:
        """Scroll on to what has not been on the screen, below a row that has, if there is room."""
        row = self.unseen()
        if row is not None:
            above = 1 if self.size.height > 1 else 0
            self.scroll_to(y=max(row - above, 0), animate=False, immediate=True)

    @property
    def files(self) -> list[int]:
        """The files on the screen, counted from 0."""
        top = self.scroll_offset.y
        shown = self._rows[top : top + max(self.size.height, 1)]
        return [one for one in dict.fromkeys(row.file for row in shown) if one is not None]

    @property
    def position(self) -> str:
        """What is on the screen, such as `1-18/40`."""
        top, count = self.scroll_offset.y, len(self._rows)
        return f"{min(top + 1, count)}-{min(top + self.size.height, count)}/{count}"
