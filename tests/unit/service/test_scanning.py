"""Which text of a change is searched for secrets, and what becomes of what is found
(docs/protocol.md#13-settings-and-policy)."""

from collections.abc import Sequence

import pytest

from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.service.proposal.risks import Warned
from agentfs_lsp.service.proposal.scanner import UNSEARCHED, Added
from support.fakes.workspace import FakeWorkspace, edit_of, write_of


class Scanner:
    """Finds lines with "hush", and notes what it was given."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, str]] = []
        self.before: str | None = None
        self.fails = False

    def scan(self, path: str, lines: Added, before: str) -> Sequence[Warned]:
        assert path in ("a.py", "b.py")
        self.lines, self.before = list(lines), before
        if self.fails:
            return [UNSEARCHED]
        return [Warned("secret", number, "password") for number, line in self.lines if "hush" in line]


@pytest.fixture
async def scanner(work: FakeWorkspace) -> Scanner:
    """a.py is read, changes are allowed, and added lines are searched."""
    work.set(approval__mode="auto_edit", secrets__scan=True)
    await work.put_and_read("a.py", "one\r\ntwo\r\nthree\r\n")
    work.ws.scanner = scanner = Scanner()
    work.reviewer.accepts()
    return scanner


async def test_only_lines_that_are_added_are_searched(work: FakeWorkspace, scanner: Scanner) -> None:
    await work.edit("a.py", "two", "2\n2b")
    assert [line for line in scanner.lines if line[1]] == [(2, "2"), (3, "2b")]
    assert scanner.before == "one\r\ntwo\r\nthree\r\n"
    await work.write("b.py", "new\n")
    assert [line for line in scanner.lines if line[1]] == [(1, "new")]


async def test_what_is_found_is_asked_about_and_named_by_kind_and_line(
    work: FakeWorkspace, scanner: Scanner
) -> None:
    submitted = await work.edit("a.py", "two", "hush")
    assert submitted.proposal is not None
    assert submitted.proposal.channel != "policy"
    assert submitted.change.warnings == (Warned("secret", 2, "password"),)
    quiet = await work.edit("a.py", "three", "3")
    assert quiet.proposal is not None
    assert (quiet.proposal.channel, quiet.change.warnings) == ("policy", ())
    dry = await work.edit("a.py", "3", "hush", dry_run=True)
    assert dry.change.warnings == (Warned("secret", 3, "password"),)


async def test_what_could_not_be_searched_is_asked_about(work: FakeWorkspace, scanner: Scanner) -> None:
    scanner.fails = True
    submitted = await work.edit("a.py", "two", "2")
    assert submitted.proposal is not None
    assert submitted.proposal.channel != "policy"
    assert submitted.change.warnings == (UNSEARCHED,)


async def test_a_batch_is_searched_file_by_file(work: FakeWorkspace, scanner: Scanner) -> None:
    done = await work.batch(edit_of("a.py", "two", "2"), write_of("b.py", "hush\n"))
    assert [one.warnings for one in done.changes] == [(), (Warned("secret", 1, "password"),)]


async def test_of_a_file_that_may_not_be_read_all_that_is_written_counts(
    work: FakeWorkspace, scanner: Scanner
) -> None:
    """Being asked tells nothing about what the file held."""
    work.store.put("b.py", "hush\nold\n")
    work.set(rules=(Rule(("b.py",), read="deny", write="allow"),))
    submitted = await work.write("b.py", "hush\nnew\n")
    assert submitted.proposal is not None
    assert submitted.proposal.channel != "policy"
    assert (scanner.lines[:2], scanner.before) == ([(1, "hush"), (2, "new")], "")


async def test_where_it_is_off_or_a_file_is_deleted_nothing_is_searched(
    work: FakeWorkspace, scanner: Scanner
) -> None:
    submitted = await work.write("b.py", "b\n")
    scanner.before = None
    await work.undo()
    assert scanner.before is None
    work.set(secrets__scan=False)
    submitted = await work.edit("a.py", "two", "hush")
    assert (scanner.before, submitted.change.warnings) == (None, ())
