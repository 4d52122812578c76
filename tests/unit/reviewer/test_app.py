"""The terminal reviewer, by its keys (docs/protocol.md#18-the-reviewers-socket)."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("textual", reason="the reviewer's package textual is not installed")

from agentfs_lsp.reviewer.connection import Refused
from agentfs_lsp.reviewer.rows import review_lines
from support.reviewer import FakeServer, Screen, file_of, reviewing
from support.wire import Message

ONE = file_of("a.py", "one\ntwo\n", "one\n2\n")
OTHER = file_of("b.py", "one\n", "1\n")
LONG = file_of("long.py", "", "".join(f"x{number} = {number}\n" for number in range(100)))


async def test_a_key_accepts_what_is_on_the_screen() -> None:
    async with reviewing() as (screen, server):
        await screen.shows("Nothing is waiting")
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("a")
        assert server.settled == [{"id": "p1", "decision": "accepted"}]
        server.settle("p1", "landed")
        await screen.shows("Edit a.py (+1/-1): it is on disk.")
        await screen.shows("Nothing is waiting")


@pytest.mark.parametrize("key", ["a", "r", "A", "e"])
async def test_a_key_that_was_typed_as_it_came_decides_nothing(key: str) -> None:
    async with reviewing() as (screen, server):
        await screen.press(key)
        server.propose("p1", ONE)
        await screen.press(key)
        await screen.shows("+ 2")
        await screen.until(lambda: screen.app._guard._since is not None)
        for _ in range(20):  # held down
            screen.wait(0.4)
            await screen.press(key)
        await screen.shows("This has just appeared. Look at it, then press the key again.")
        assert server.settled == []
        assert screen.app.focused is not None
        assert screen.app.focused.id == "diff"
        screen.wait()
        await screen.press("a")
        assert len(server.settled) == 1


async def test_a_text_that_is_being_typed_as_it_comes_decides_nothing() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.shows("+ 2")
        await screen.until(lambda: screen.app._guard._since is not None)
        for key in "lookintoitallofitisgood":
            screen.wait(0.4)
            await screen.press(key)
        assert server.settled == []
        assert screen.app.focused is not None
        assert screen.app.focused.id == "diff"


async def test_a_key_for_one_does_not_decide_on_the_next() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        server.propose("p2", OTHER)
        await screen.drawn("+ 2")
        await screen.press("a")
        server.settle("p1", "landed")
        await screen.press("a")
        await screen.shows("+ 1")
        await screen.press("a")
        assert [one["id"] for one in server.settled] == ["p1"]
        await screen.drawn("+ 1")
        await screen.press("a")
        assert [one["id"] for one in server.settled] == ["p1", "p2"]


async def test_a_decision_is_sent_once() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("a", "a", "r", "x", "e")
        assert len(server.settled) == 1


async def test_all_of_it_must_have_been_in_view() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", LONG)
        await screen.drawn("not all seen yet")
        seen = set()
        for _ in range(6):
            seen |= {line.split("= ")[1] for line in screen.text.split("\n") if "= " in line}
            assert server.settled == []
            await screen.press("a")
            screen.wait()
        assert "There is more" not in screen.text or server.settled
        await screen.press("a")
        assert seen == {str(number) for number in range(100)}
        assert len(server.settled) == 1


async def test_one_row_at_a_time_is_enough_to_see_all_of_it() -> None:
    async with reviewing(size=(80, 6)) as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("1-1/6 not all seen yet")
        for _ in range(5):
            await screen.press("a")
            assert server.settled == []
        await screen.press("a")
        assert len(server.settled) == 1


async def test_the_end_alone_is_not_all_of_it() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", LONG)
        await screen.drawn("not all seen yet")
        await screen.press("G")
        await screen.shows("x99 = 99")
        await screen.press("a")
        assert server.settled == []
        await screen.shows("There is more of this change.")


async def test_a_narrow_terminal_shows_all_of_it_or_takes_no_acceptance() -> None:
    for columns, is_seen in ((25, True), (6, False)):
        async with reviewing(size=(columns, 60)) as (screen, server):
            server.propose("p1", file_of("a.py", "", "abcdefghijklmnopqrstuvwxyz\n"))
            await screen.drawn("Edit a")
            rows = [line[6:] for line in screen.text.split("\n")]
            assert ("abcdefghijklmnopqrstuvwxyz" in "".join(rows)) == is_seen
            await screen.press("a")
            assert bool(server.settled) == is_seen


async def test_what_was_seen_stays_seen_in_another_size() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", LONG)
        await screen.drawn("not all seen yet")
        for _ in range(7):
            await screen.press("space")
        await screen.pilot.resize_terminal(60, 30)
        await screen.until(lambda: screen.app._guard._since is not None)
        await screen.press("a")
        assert server.settled == []  # it was drawn anew
        screen.wait()
        await screen.press("a")
        assert len(server.settled) == 1


async def test_a_resize_to_the_same_size_leaves_it_decidable() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.pilot.resize_terminal(80, 24)
        await screen.until(lambda: screen.app._guard._since is not None)
        screen.wait()
        await screen.press("a")
        assert len(server.settled) == 1


async def test_a_proposal_that_comes_meanwhile_changes_nothing_of_the_one_in_view() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        server.propose("p2", OTHER, title="Other")
        await screen.shows("2 Other")
        await screen.press("a")
        assert [one["id"] for one in server.settled] == ["p1"]


async def test_a_rejection_takes_a_reason() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("r", *"an aA?qx", "enter")
        assert server.settled == [{"id": "p1", "decision": "rejected", "feedback": "an aA?qx"}]


async def test_a_reason_is_optional_and_escape_goes_back() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("r", "x", "escape")
        assert server.settled == []
        await screen.press("r", "enter")
        assert server.settled == [{"id": "p1", "decision": "rejected"}]


@pytest.mark.parametrize("key", ["enter", "escape"])
async def test_a_reason_for_one_that_ends_meanwhile_is_no_keys_for_the_next(key: str) -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        server.propose("p2", OTHER)
        await screen.drawn("+ 2")
        await screen.press("r", "n", "o")
        server.settle("p1", "withdrawn")
        await screen.shows("it was withdrawn.")
        await screen.drawn("+ 1")
        await screen.press(*"ta bad a q", key, "a")
        assert server.settled == []
        assert screen.app.is_running
        await screen.drawn("+ 1")
        await screen.press("a")
        assert server.settled == [{"id": "p2", "decision": "accepted"}]


async def test_always_takes_two_presses() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("A")
        await screen.shows("Press A again")
        assert server.settled == []
        for _ in range(20):  # held down
            screen.wait(0.4)
            await screen.press("A")
        assert server.settled == []
        screen.wait()
        await screen.press("A")
        assert server.settled == [{"id": "p1", "decision": "accepted", "always": True}]


async def test_always_is_an_answer_to_the_question_on_the_screen() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("A", "x")
        await screen.shows("These files are decided together")
        screen.wait()
        await screen.press("A")
        assert server.settled == []
        await screen.shows("Press A again")


async def test_files_of_a_batch_are_decided_one_by_one() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE, OTHER, atomic=False, title="Batch")
        await screen.drawn("── b.py")
        await screen.press("f")
        await screen.shows("▸─ b.py")
        await screen.press("x")
        await screen.shows("── b.py · rejected by you".replace("──", "▸─"))
        await screen.press("A")
        await screen.shows("“Always” cannot be combined with a rejected file.")
        await screen.press("a")
        files = [{"uri": OTHER["uri"], "decision": "rejected"}]
        assert server.settled == [{"id": "p1", "decision": "accepted", "files": files}]


async def test_a_batch_of_rejected_files_is_rejected() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE, OTHER, atomic=False)
        await screen.drawn("── b.py")
        await screen.press("x", "f", "x", "a")
        assert server.settled == [{"id": "p1", "decision": "rejected"}]


async def test_a_rejected_file_has_a_reason_of_its_own() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE, OTHER, atomic=False)
        await screen.drawn("── b.py")
        await screen.press("X", *"mine", "escape")
        await screen.press("f", "X", *"Not now.", "enter")
        await screen.shows("▸─ b.py · rejected by you")
        await screen.press("a")
        files = [{"uri": OTHER["uri"], "decision": "rejected", "feedback": "Not now."}]
        assert server.settled == [{"id": "p1", "decision": "accepted", "files": files}]


async def test_files_that_are_all_rejected_keep_their_reasons() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE, OTHER, atomic=False)
        await screen.drawn("── b.py")
        await screen.press("x", "f", "X", *"Not now.", "enter", "a")
        files = [
            {"uri": ONE["uri"], "decision": "rejected"},
            {"uri": OTHER["uri"], "decision": "rejected", "feedback": "Not now."},
        ]
        assert server.settled == [{"id": "p1", "decision": "rejected", "files": files}]


async def test_an_atomic_batch_is_decided_as_one() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE, OTHER)
        await screen.drawn("── b.py")
        for key in "xX":
            await screen.press(key)
            await screen.shows("These files are decided together")
        await screen.press("a")
        assert server.settled == [{"id": "p1", "decision": "accepted"}]


async def test_the_marked_file_is_one_on_the_screen() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", LONG, OTHER, atomic=False)
        await screen.drawn("▸─ long.py")
        await screen.press("G")
        await screen.press("space")
        await screen.shows("b.py")
        await screen.press("f")
        await screen.shows("▸─ b.py")


async def test_marks_of_before_do_not_replace_those_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    going_on, is_over = threading.Event(), threading.Event()

    def late(*arguments: Any) -> Any:
        begun.append(number := len(begun))
        lines = review_lines(*arguments)
        if number == 1:
            going_on.wait(60)
            is_over.set()
        return lines

    monkeypatch.setattr("agentfs_lsp.reviewer.app.review_lines", late)
    async with reviewing() as (screen, server):
        server.propose("p1", OTHER, LONG, atomic=False)
        await screen.drawn("▸─ b.py")
        await screen.press("G")
        await screen.until(lambda: len(begun) > 1)
        await screen.press("g", "x")
        await screen.shows("▸─ long.py · new file · rejected by you")
        going_on.set()
        await screen.until(is_over.is_set)
        for _ in range(20):
            await screen.pilot.pause()
        assert "▸─ long.py · new file · rejected by you" in screen.text


# --- amending ---------------------------------------------------------------------------------------------


@contextmanager
def suspended() -> Iterator[None]:
    yield


def suspended_while(happens: Callable[[], None]) -> Callable[[], AbstractContextManager[None]]:
    """This happens while the text editor has the terminal."""

    @contextmanager
    def suspended() -> Iterator[None]:
        yield
        happens()

    return suspended


def editing(screen: Screen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    """The user's text editor is this program; `path` is the file."""
    program = tmp_path / "editor.py"
    program.write_text(f"import sys, pathlib\npath = pathlib.Path(sys.argv[-1])\n{script}\n")
    monkeypatch.setenv("VISUAL", f"'{sys.executable}' '{program}'")
    monkeypatch.setattr(screen.app, "suspend", suspended)


async def test_an_amended_text_is_shown_before_it_is_accepted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with reviewing() as (screen, server):
        editing(screen, monkeypatch, tmp_path, "path.write_text(path.read_text().replace('2', 'zwei'))")
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("e")
        await screen.press("a")
        assert server.settled == []
        await screen.drawn("+ zwei")
        await screen.press("a")
        files = [{"uri": ONE["uri"], "decision": "amended", "text": "one\nzwei\n"}]
        assert server.settled == [{"id": "p1", "decision": "accepted", "files": files}]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("sys.exit(3)", "The editor failed."),
        ("path.write_bytes(b'\\xff')", "The editor's text is not UTF-8."),
        ("path.unlink()", "No such file"),
    ],
)
async def test_without_a_text_of_the_editor_nothing_is_amended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, told: str
) -> None:
    async with reviewing() as (screen, server):
        editing(screen, monkeypatch, tmp_path, script)
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("e", "a")
        assert server.settled == []  # it may have been meant for the text editor
        await screen.drawn("+ 2")
        await screen.press("e")
        await screen.shows(told)
        await screen.drawn("+ 2")
        await screen.press("a")
        assert server.settled == [{"id": "p1", "decision": "accepted"}]


@pytest.mark.parametrize("outcome", ["withdrawn", "conflict", "rejected", "landed", "failed"])
async def test_what_was_amended_is_kept_when_its_proposal_ends_without_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, outcome: str
) -> None:
    async with reviewing(size=(160, 24)) as (screen, server):
        editing(screen, monkeypatch, tmp_path, "path.write_text('one\\nzwei\\n')")
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        monkeypatch.setattr(screen.app, "suspend", suspended_while(lambda: server.settle("p1", outcome)))
        await screen.press("e")
        await screen.shows("Your text is in ")
        await screen.shows("Edit a.py (+1/-1): ")
        (draft,) = map(Path, screen.app._drafts)
        assert str(draft) in screen.text
        assert draft.read_text() == "one\nzwei\n"
        assert (draft.parent.name, draft.name[-5:]) == ("drafts", "-a.py")
        assert draft.stat().st_mode & 0o777 == 0o600
        assert draft.parent.stat().st_mode & 0o777 == 0o700
        server.propose("p2", OTHER)
        await screen.drawn("+ 1")
        server.propose("p3", ONE)
        await screen.press("n")
        await screen.drawn("+ 2")
        assert f"Your text for an earlier proposal is in {draft}." in screen.text
        assert screen.app.keep_drafts() == [f"Your text is in {draft}."]


@pytest.mark.parametrize("is_accepted", [True, False])
async def test_what_the_user_decided_with_it_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_accepted: bool
) -> None:
    async with reviewing() as (screen, server):
        editing(screen, monkeypatch, tmp_path, "path.write_text('zwei')")
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("e")
        await screen.drawn("+ zwei")
        await screen.press(*(["a"] if is_accepted else ["r", "enter"]))
        server.settle("p1", "landed" if is_accepted else "rejected")
        await screen.shows("Nothing is waiting")
        assert screen.app.keep_drafts() == []


@pytest.mark.parametrize("answer_first", [True, False])
async def test_what_was_sent_and_does_not_land_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer_first: bool
) -> None:
    """The other one's decision counted, or the file has changed."""
    async with reviewing() as (screen, server):
        editing(screen, monkeypatch, tmp_path, "path.write_text('zwei')")

        def answer(_: object) -> Message:
            if answer_first:
                return {"ok": True, "apply": None}
            server.settle("p1", "landed")
            return {"ok": False, "code": "SETTLED", "reason": "It is settled."}

        server.answers["agentfs/settle"] = answer
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("e")
        await screen.drawn("+ zwei")
        await screen.press("a")
        if answer_first:
            server.settle("p1", "conflict")
        await screen.until(lambda: bool(list(screen.app._drafts)))
        (draft,) = map(Path, screen.app._drafts)
        assert draft.read_text() == "zwei"


async def test_what_is_amended_and_undecided_at_the_end_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with reviewing() as (screen, server):
        editing(screen, monkeypatch, tmp_path, "path.write_text('zwei')")
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("e")
        await screen.drawn("+ zwei")
        server.lose()
        await screen.until(lambda: screen.app._exit)
        (told,) = screen.app.keep_drafts()
        assert Path(told.removeprefix("Your text is in ").removesuffix(".")).read_text() == "zwei"


async def test_an_interrupt_belongs_to_the_text_editor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    interrupts: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        async with reviewing() as (screen, server):
            editing(screen, monkeypatch, tmp_path, "import os, signal; os.kill(os.getppid(), signal.SIGINT)")
            server.propose("p1", ONE)
            await screen.drawn("+ 2")
            await screen.press("e")
            assert interrupts == []
            os.kill(os.getpid(), signal.SIGINT)
            await screen.until(lambda: bool(interrupts))
    finally:
        signal.signal(signal.SIGINT, before)


async def test_the_text_is_in_a_file_of_the_users_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    async with reviewing() as (screen, server):
        script = (
            f"pathlib.Path({str(told)!r}).write_text(f'{{path.parent.stat().st_mode & 0o777:o}} {{path}}')"
        )
        editing(screen, monkeypatch, tmp_path, script)
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("e")
        mode, path = told.read_text().split(" ")
        assert (mode, Path(path).name) == ("700", "a.py")
        assert not Path(path).exists()


async def test_a_text_that_the_server_refuses_stays_before_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with reviewing() as (screen, server):
        editing(screen, monkeypatch, tmp_path, "path.write_text('nul')")
        server.answers["agentfs/settle"] = {"ok": False, "code": "INVALID_PARAM", "reason": "It has NUL."}
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("e")
        await screen.drawn("+ nul")
        await screen.press("a")
        await screen.shows("It has NUL.")
        await screen.press("r", "enter")
        assert [one["decision"] for one in server.settled] == ["accepted", "rejected"]


# --- the rest ---------------------------------------------------------------------------------------------


async def test_next_and_previous_decide_nothing() -> None:
    async with reviewing() as (screen, server):
        for number in range(6):
            server.propose(f"p{number}", ONE, title=f"Title {number}")
        await screen.drawn("+ 2")
        for key in ("n", "tab", "n", "n", "n"):
            await screen.press(key)
        await screen.shows("▸ 6 Title 5")
        await screen.press("p", "shift+tab")
        await screen.shows("▸ 4 Title 3")
        await screen.press("a")
        assert server.settled == []  # it has just appeared


async def test_what_was_decided_about_files_is_kept_for_later() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE, OTHER, atomic=False)
        server.propose("p2", OTHER)
        await screen.drawn("── b.py")
        await screen.press("x")
        await screen.shows("rejected by you")
        await screen.press("n")
        await screen.until(lambda: "rejected by you" not in screen.text)
        await screen.press("n")
        await screen.shows("rejected by you")


async def test_help_shows_the_keys_and_covers_the_review() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("question_mark")
        assert "reject, with a reason for the agent" in screen.text
        await screen.press("a")
        assert server.settled == []
        await screen.press("escape")
        await screen.press("a")
        assert server.settled == []  # it has just been uncovered
        screen.wait()
        await screen.press("a")
        assert len(server.settled) == 1


CHANGES = [
    {
        "change_id": f"c{number}",
        "time": f"2026-11-2{number}T12:00:00Z",
        "agent": "Ada",
        "tool": "edit",
        "explanation": "Why [b]not[/b].",
        "files": [
            {
                "path": f"{number}.py",
                "operation": "update",
                "before_text": "1\n",
                "after_text": f"{number + 2}\n",
            }
        ],
    }
    for number in range(6)
]


def history(params: Message) -> Message:
    wanted = params.get("change_id")
    return {
        "status": "success",
        "data": {"changes": [c for c in CHANGES if wanted in (None, c["change_id"])]},
    }


async def with_history(screen: Screen, server: FakeServer) -> None:
    server.answers["agentfs/userHistory"] = history
    server.propose("p1", ONE)
    await screen.drawn("+ 2")
    await screen.press("h")
    await screen.shows("history: 1 of 6")


async def test_the_history_shows_what_landed_and_decides_nothing() -> None:
    async with reviewing() as (screen, server):
        await with_history(screen, server)
        await screen.press("n")
        await screen.shows("+ 3")
        await screen.press("a", "r", "x", "A", "e", "p")
        await screen.shows("history: 1 of 6")
        assert server.settled == []
        await screen.press("q")
        await screen.shows("1 Edit a.py")
        assert screen.app.is_running


async def test_an_undo_comes_as_a_proposal() -> None:
    async with reviewing() as (screen, server):
        await with_history(screen, server)
        server.answers["agentfs/userUndo"] = {"text": "Undone."}
        await screen.press("n")
        await screen.shows("+ 3")
        await screen.press("u")
        await screen.shows("This has just appeared.")
        screen.wait(0.4)
        await screen.press("t")  # of a text that was meant for something else
        screen.wait(0.9)
        await screen.press("u")
        assert [method for method, _ in server.sent if method == "agentfs/userUndo"] == []
        screen.wait()
        await screen.press("u")
        await screen.shows("Undone.")
        asked = [params for method, params in server.sent if method == "agentfs/userUndo"]
        assert asked == [{"change_id": "c1", "agent": "you, in the terminal"}]


async def test_an_empty_history_says_so() -> None:
    async with reviewing() as (screen, server):
        answer = {"status": "success", "data": {"changes": []}, "text": "No changes were found."}
        server.answers["agentfs/userHistory"] = answer
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("h")
        await screen.shows("No changes were found.")
        await screen.press("a")
        assert len(server.settled) == 1


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("editor", "it is in the editor, unsaved."),
        ("conflict", "the file has changed, so it was not applied."),
        ("timed_out", "nobody decided in time."),
        ("failed", "it failed. Look at what the file holds now."),
    ],
)
async def test_what_became_of_a_proposal_is_told(outcome: str, words: str) -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.shows("+ 2")
        server.settle("p1", outcome)
        await screen.shows(words)


async def test_of_files_that_end_in_different_ways_each_is_told() -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE, OTHER, atomic=False)
        await screen.shows("── b.py")
        files = [{"path": "a.py", "outcome": "landed"}, {"path": "b.py", "outcome": "conflict"}]
        server.settle("p1", "landed", files=files)
        await screen.shows("b.py: the file has changed, so it was not applied. a.py: it is on disk.")


async def test_a_server_that_goes_ends_it() -> None:
    async with reviewing() as (screen, server):
        server.lose()
        await screen.until(lambda: not screen.app.is_running)
        assert screen.app.return_value == "The editor's server has ended or closed the connection."


async def test_what_the_server_refuses_is_told() -> None:
    def refuse(_: Message) -> Message:
        raise Refused("The server has ended.")

    async with reviewing() as (screen, server):
        server.answers["agentfs/settle"] = server.answers["agentfs/userHistory"] = refuse
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press("a")
        await screen.shows("The server has ended.")


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_leaving_decides_nothing(key: str) -> None:
    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.press(key)
        await screen.until(lambda: not screen.app.is_running)
        assert (server.settled, screen.app.return_value) == ([], None)


async def test_a_click_and_a_paste_decide_nothing() -> None:
    from textual import events

    async with reviewing() as (screen, server):
        server.propose("p1", ONE)
        await screen.drawn("+ 2")
        await screen.pilot.click("#keys", offset=(2, 0))
        screen.app.post_message(events.Paste("aaa\nr\n"))
        await screen.pilot.pause()
        assert server.settled == []


async def test_names_and_texts_of_others_are_no_markup() -> None:
    marked = "[bold red]x[/] [@click=app.quit]y[/]"
    async with reviewing() as (screen, server):
        file = file_of(f"{marked}.py", "", f"{marked}\n")
        server.propose("p1", file, title=marked, agent=marked, explanation=marked)
        text = await screen.drawn("+ [bold red]")
        del text
        assert screen.text.count("[bold red]x[/]") >= 5
        server.settle("p1", "rejected")
        await screen.shows(f"{marked}: rejected.")
