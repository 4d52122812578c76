"""Formatting a proposed text by the user's programs (docs/protocol.md#61-corrections)."""

import asyncio
from collections.abc import Callable

import pytest

from agentfs_lsp.domain.policy.verdict import Policy
from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.service.change_request import Submitted
from agentfs_lsp.service.programs import Program, ProgramFailed
from agentfs_lsp.service.state.workspace import InForce
from support.fakes.workspace import FakeWorkspace, edit_of, write_of


class FakePrograms:
    """Programs as functions, by their first word; `asked` has what each got."""

    def __init__(self, **programs: Callable[[str], str]) -> None:
        self.programs = programs
        self.asked: list[tuple[Program, str]] = []

    async def filter(self, program: Program, text: str) -> str:
        self.asked.append((program, text))
        await asyncio.sleep(0)
        return self.programs[program.words[0]](text)


def upper(text: str) -> str:
    """A formatter that wants capitals, and a final newline."""
    return text.rstrip("\n").upper() + "\n"


def fails(text: str) -> str:
    raise ProgramFailed("exit", 2)


@pytest.fixture
def programs(work: FakeWorkspace) -> FakePrograms:
    programs = FakePrograms(upper=upper, fails=fails, empties=lambda _: "\0", shout=lambda text: text + "!\n")
    work.ws.programs = programs
    work.set(correction__formatters={"*.txt": (("upper", "{path}"),)})
    return programs


def made(done: Submitted) -> tuple[list[tuple[str, str]], list[str]]:
    corrections = [(one.kind, one.detail) for one in done.change.corrections]
    return corrections, [f"{one.kind} {one.detail}" for one in done.change.warnings]


async def test_a_new_file_is_formatted(work: FakeWorkspace, programs: FakePrograms) -> None:
    work.reviewer.accepts()
    done = await work.write("a.txt", "a\nb")
    assert (work.store.bytes_of("a.txt"), made(done)) == (b"A\nB\n", ([("formatted", "upper")], []))
    ((program, text),) = programs.asked
    assert (program.words, text) == (("upper", work.path("a.txt")), "a\nb")
    assert program.roots == [work.path("").rstrip("/")]


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
async def test_a_formatted_file_stays_formatted_in_its_line_ends(
    work: FakeWorkspace, programs: FakePrograms, eol: str
) -> None:
    await work.put_and_read("a.txt", f"A{eol}B{eol}")
    assert await work.edited("a.txt", "B", "b\nc") == f"A{eol}B{eol}C{eol}".encode()
    assert await work.edited("a.txt", "B\nC\n", "d\n") == f"A{eol}D{eol}".encode()


async def test_a_file_that_was_not_formatted_stays(work: FakeWorkspace, programs: FakePrograms) -> None:
    await work.put_and_read("a.txt", "A\nb\n")
    assert await work.edited("a.txt", "A", "a") == b"a\nb\n"


async def test_a_failing_formatter_leaves_the_text_alone_and_warns(
    work: FakeWorkspace, programs: FakePrograms
) -> None:
    work.set(correction__formatters={"*": (("/bin/fails",), ("upper",))})
    programs.programs["/bin/fails"] = fails
    work.reviewer.accepts()
    done = await work.write("a.txt", "a\n")
    assert made(done) == ([("formatted", "upper")], ["formatter fails: exit 2"])
    assert work.store.bytes_of("a.txt") == b"A\n"
    await work.put_and_read("b.txt", "B\n")
    work.set(correction__formatters={"*": (("fails",),)})
    work.reviewer.accepts()
    assert made(await work.edit("b.txt", "B", "b")) == ([], ["formatter fails: exit 2"])


async def test_an_unwritable_result_is_a_failure(work: FakeWorkspace, programs: FakePrograms) -> None:
    work.set(correction__formatters={"*": (("empties",),)})
    work.reviewer.accepts()
    done = await work.write("a.txt", "a\n")
    assert (made(done), work.store.bytes_of("a.txt")) == (([], ["formatter empties: output"]), b"a\n")


async def test_the_longest_glob_decides(work: FakeWorkspace, programs: FakePrograms) -> None:
    work.set(correction__formatters={"src/*.txt": (("shout",),), "*.txt": (("upper",),), "*": (("fails",),)})
    work.reviewer.accepts()
    await work.write("src/a.txt", "a\n")
    assert [program.words for program, _ in programs.asked] == [("shout",)]


async def test_a_formatter_comes_before_editorconfig(work: FakeWorkspace, programs: FakePrograms) -> None:
    work.store.put(".editorconfig", "[*]\ntrim_trailing_whitespace = true\n")
    work.reviewer.accepts()
    assert made(await work.write("a.txt", "a \n")) == ([("formatted", "upper")], [])
    work.reviewer.accepts()
    assert made(await work.write("b.txt", "B \n")) == ([("trailing_blanks", "1")], [])


async def test_a_file_that_the_session_may_not_read_is_not_formatted(
    work: FakeWorkspace, programs: FakePrograms
) -> None:
    """How long it takes would tell something about the file."""
    work.store.put("a.txt", "A\n")
    settings = work.ws.settings
    rules = Policy(settings, ())
    work.ws.in_force = InForce(settings, rules)
    work.set(rules=(Rule(("a.txt",), read="deny", write="ask"),))
    work.reviewer.accepts()
    await work.write("a.txt", "b\n")
    assert (programs.asked, work.store.bytes_of("a.txt")) == ([], b"b\n")


async def test_a_batchs_files_are_formatted_last(work: FakeWorkspace, programs: FakePrograms) -> None:
    await work.put_and_read("a.txt", "A\n")
    work.reviewer.accepts()
    done = await work.batch(edit_of("a.txt", "A", "b"), edit_of("a.txt", "b", "c"), write_of("b.txt", "b"))
    assert (work.store.bytes_of("a.txt"), work.store.bytes_of("b.txt")) == (b"C\n", b"B\n")
    assert [[one.kind for one in step.made.corrections] for step in done.steps if step.made] == [
        [],
        ["formatted"],
        ["formatted"],
    ]


async def test_an_undo_and_what_the_user_makes_of_it_are_not_formatted(
    work: FakeWorkspace, programs: FakePrograms
) -> None:
    work.store.put("a.txt", "a\n")
    work.reviewer.accepts(amended={"b.txt": "mine\n"})
    await work.write("b.txt", "b\n")
    assert work.store.bytes_of("b.txt") == b"mine\n"
    await work.read("a.txt")
    await work.edited("a.txt", "a", "A")
    programs.asked.clear()
    work.reviewer.accepts()
    await work.undo()
    assert (programs.asked, work.store.bytes_of("a.txt")) == ([], b"a\n")


async def test_a_change_that_only_undoes_the_formatting_is_none(
    work: FakeWorkspace, programs: FakePrograms
) -> None:
    await work.put_and_read("a.txt", "A\n")
    done = await work.edit("a.txt", "A", "a")
    assert (done.unchanged, made(done)) == (True, ([("formatted", "upper")], []))


async def test_a_cancelled_change_ends_its_programs(work: FakeWorkspace, programs: FakePrograms) -> None:
    ended: list[str] = []

    async def endless(program: Program, text: str) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(text)
        return text

    programs.filter = endless  # type: ignore[method-assign]
    await work.put_and_read("a.txt", "A\n")
    running = asyncio.ensure_future(work.edit("a.txt", "A", "b"))
    for _ in range(20):
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert sorted(ended) == ["A\n", "b\n"]
