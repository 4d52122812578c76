"""The diff as a file next to the question, for editors that can show one
(docs/protocol.md#92-the-message-rung)."""

import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, CAN_SHOW, NO_ANSWER, Editor, editing, path_of
from support.mounts import small_disk
from support.personas import pressing
from support.sample import EDIT, TEXT, edited
from support.sharing import in_module, shared
from support.wire import Message

ASK, SHOW = "window/showMessageRequest", "window/showDocument"
CODE = "code-server"  # would use the preview if it declared support

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, capabilities=CAN_SHOW, name=CODE))


def answers(ask: Any, show: Any = {"success": True}) -> dict[str, Any]:  # noqa: B006 - not changed
    return {
        ASK: ask if callable(ask) else lambda _: ask,
        SHOW: show if callable(show) else lambda _: show,
    }


async def test_the_whole_diff_is_in_the_root_for_users_only(editor: Editor, root: Path, file: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    looked: dict[str, Any] = {}

    def look(params: Message) -> object:
        shown = root / ".agentfs" / "review"
        [diff] = shown.glob("*.diff")
        looked["text"] = diff.read_text()
        looked["modes"] = [stat.S_IMODE(path.stat().st_mode) for path in (diff, shown, shown.parent)]
        git = ["git", "status", "--porcelain", "--untracked-files=all"]
        looked["untracked"] = subprocess.run(git, cwd=root, capture_output=True, check=True).stdout
        looked["message"], looked["path"] = params["message"], diff
        return {"title": "Approve"}

    editor.answers |= answers(look)
    answer = await edited(editor)
    show = await editor.seen(SHOW)
    for path in (".agentfs/review/x.diff", ".agentfs"):
        denied = await editor.write(path, "x")
        assert denied["error"]["code"] == "ACCESS_DENIED"
    head, _, diff = looked["text"].partition("\n")
    assert head == "\ufeff# vim: set nomodeline:"
    assert diff == "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    assert looked["modes"] == [0o600, 0o700, 0o700]
    assert looked["untracked"] == b"?? a.py\n"
    assert path_of(show["uri"]) == str(looked["path"])
    assert f".agentfs/review/{looked['path'].name}" in looked["message"]
    assert "+2" not in looked["message"]
    assert answer["status"] == "success"
    assert sorted(path.name for path in root.iterdir()) == [".git", "a.py"]


async def test_a_folder_others_can_look_into_is_closed(editor: Editor, root: Path, file: Path) -> None:
    review = root / ".agentfs" / "review"
    review.mkdir(parents=True)
    review.chmod(0o755)
    modes: list[int] = []

    def look(_: object) -> None:
        modes.append(stat.S_IMODE(review.stat().st_mode))

    editor.answers |= answers(look)
    await edited(editor)
    assert modes == [0o700]


async def test_a_diff_of_any_length_needs_one_question_when_it_is_shown(editor: Editor, root: Path) -> None:
    long = "".join(f"line {number}\n" for number in range(2000))
    editor.answers |= answers(pressing("Approve"))
    answer = await editor.write("long.txt", long)
    question = await editor.seen(ASK)
    assert len(editor.all(ASK)) == 1
    assert [action["title"] for action in question["actions"]][1] == "Approve"
    assert "line 1999" not in question["message"]
    assert answer["data"]["applied"]
    assert (root / "long.txt").read_text() == long


async def test_a_diff_that_editors_ask_about_is_no_file(root: Path) -> None:
    """Emacs claims to show a file of 10,000,000 bytes, and asks later whether to."""
    approving = answers(pressing("Approve"))
    async with editing(root, capabilities=CAN_SHOW, answers=approving, name="Eglot") as editor:
        answer = await editor.write("big.txt", "evil\n" + f"{'a' * 99}\n" * 90_000)
        assert not editor.all(SHOW)
        assert not editor.all(ASK)
    assert answer["error"]["code"] == "ACCESS_DENIED"
    assert "too long" in answer["text"]
    assert not (root / "big.txt").exists()


def overwritten(path: Path) -> None:
    path.write_text("another")


def swapped(path: Path) -> None:
    path.unlink()
    path.write_text("another")


def overwritten_and_restored(path: Path) -> None:
    was = path.read_bytes()
    path.write_text("another")
    path.write_bytes(was)


def linked(path: Path) -> None:
    copy = path.with_suffix(".copy")
    path.rename(copy)
    path.symlink_to(copy)


def removed(path: Path) -> None:
    path.unlink()


def swapped_with_its_folder(path: Path) -> None:
    top = path.parent.parent
    top.rename(top.with_suffix(".gone"))
    path.parent.mkdir(parents=True)
    path.write_text("another")


def put_back(above: int) -> Callable[[Path], None]:
    def tamper(path: Path) -> None:
        """Another folder takes the place of one above the file, and goes."""
        folder = path.parents[above]
        kept, other = folder.with_suffix(".kept"), folder.with_suffix(".other")
        folder.rename(kept)
        path.parent.mkdir(parents=True)
        path.write_text("another")
        folder.rename(other)
        kept.rename(folder)

    return tamper


@pytest.mark.parametrize(
    "tampered",
    [
        *(overwritten, overwritten_and_restored, swapped, linked, removed, swapped_with_its_folder),
        *(put_back(0), put_back(1)),
    ],
)
async def test_a_tampered_diff_is_a_conflict(editor: Editor, root: Path, file: Path, tampered: Any) -> None:
    def approve(_: object) -> object:
        [diff] = (root / ".agentfs" / "review").glob("*.diff")
        tampered(diff)
        return {"title": "Approve"}

    editor.answers |= answers(approve)
    answer = await edited(editor)
    assert answer["error"]["code"] == "CONFLICT"
    assert answer["error"]["message"].startswith(
        "The diff file that was shown to the user, '.agentfs/review/"
    )
    assert answer["text"].endswith("Nothing was changed. Send the change again.")
    assert file.read_text() == TEXT


async def test_whatever_ends_the_question_the_file_goes(root: Path, file: Path) -> None:
    options = {"approval": {"timeout_s": 0.1}}
    endings: tuple[Any, ...] = (pressing("Reject"), None, NO_ANSWER)
    async with editing(root, capabilities=CAN_SHOW, options=options) as editor:
        editor.answers |= answers(None)
        await editor.read("a.py")
        for ending in endings:
            editor.answers[ASK] = ending if callable(ending) else lambda _, said=ending: said
            await editor.edit("a.py", "two", "2")
            assert not (root / ".agentfs").exists()


async def test_an_approved_diff_stays_until_the_edits_are_applied(
    editor: Editor, root: Path, file: Path
) -> None:
    """Neovim says that a file is gone, and waits for a key before it applies edits."""
    there: list[int] = []

    def apply(params: Message) -> object:
        there.append(len(list((root / ".agentfs/review").glob("*.diff"))))
        return {"applied": editor.apply(params["edit"])}

    editor.open(file)
    editor.answers |= answers(pressing("Approve")) | {APPLY: apply}
    answer = await edited(editor)
    assert answer["data"]["landing"] == "editor"
    assert there == [1]
    assert not (root / ".agentfs").exists()


async def test_a_cancelled_review_leaves_no_file(editor: Editor, root: Path, file: Path) -> None:
    editor.answers |= answers(NO_ANSWER)
    await editor.read("a.py")
    asked = editor.start("agentfs/edit", EDIT)
    await editor.seen(ASK)
    editor.cancel(asked)
    await editor.message(lambda message: message.get("id") == asked.request_id)
    assert asked.exception() is not None
    assert not (root / ".agentfs").exists()


async def test_where_it_is_not_shown_the_message_has_it_all(root: Path) -> None:
    long = "".join(f"line {number}\n" for number in range(40))
    options = {"landing_timeout_s": 0.1}
    async with editing(root, capabilities=CAN_SHOW, options=options) as editor:
        for number, show in enumerate([{"success": False}, None, {}, {"success": "yes"}, NO_ANSWER]):
            editor.answers |= answers(pressing("Approve"), show)
            answer = await editor.write(f"{number}.txt", long)
            asked = [message["params"]["message"] for message in editor.all(ASK)]
            assert len(asked) > 2
            assert "+line 39" in asked[-2]  # the last one is a confirmation
            assert answer["status"] == "success"
            editor.received.clear()


async def test_where_the_file_cannot_be_written_the_message_has_it_all(root: Path, file: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    for in_the_way in ("file", "link"):
        if in_the_way == "file":
            (root / ".agentfs").write_text("")
        else:
            (root / ".agentfs").symlink_to(outside)
        async with editing(root, capabilities=CAN_SHOW, answers=answers(pressing("Approve"))) as editor:
            await editor.read("a.py")
            answer = await editor.write("a.py", TEXT + in_the_way)
            assert editor.all(SHOW) == []
        assert answer["status"] == "success"
        (root / ".agentfs").unlink()
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("name", [".dir-locals.el", ".dir-locals-2.el"])
async def test_a_folder_with_variables_of_others_takes_no_diff(root: Path, name: str) -> None:
    """Emacs would apply them to the diff."""
    review = root / ".agentfs" / "review"
    review.mkdir(parents=True)
    (review / name).write_text("((nil . ((truncate-lines . t))))")
    approving = answers(pressing("Approve"))
    async with editing(root, capabilities=CAN_SHOW, answers=approving, name="Neovim") as editor:
        answer = await editor.write("a.py", "one\n")
        assert editor.all(SHOW) == []
    assert any("+one" in question["params"]["message"] for question in editor.all(ASK))
    assert answer["status"] == "success"
    assert (review / name).read_text() == "((nil . ((truncate-lines . t))))"


@pytest.mark.parametrize("entries", [3, 4, 5])
async def test_what_had_no_room_leaves_nothing(root: Path, entries: int) -> None:
    """The root itself, a.py, and the landing's temporary file or the diff's first folders."""
    with small_disk(root, f"64k,nr_inodes={entries}"):
        (root / "a.py").write_text(TEXT)
        async with editing(
            root, capabilities=CAN_SHOW, answers=answers(pressing("Approve")), name="Neovim"
        ) as editor:
            answer = await edited(editor)
            assert not editor.all(SHOW)
        assert answer["data"]["landing"] == "disk"
        assert [path.name for path in root.iterdir()] == ["a.py"]


async def test_a_start_removes_what_a_killed_server_left_and_no_more(root: Path, file: Path) -> None:
    review = root / ".agentfs" / "review"
    async with editing(root, capabilities=CAN_SHOW, answers=answers(NO_ANSWER)) as living:
        await living.read("a.py")
        living.start("agentfs/edit", EDIT)
        await living.seen(ASK)
        async with editing(root, capabilities=CAN_SHOW, answers=answers(NO_ANSWER)) as doomed:
            await doomed.read("a.py")
            gone = doomed.start("agentfs/edit", EDIT)
            await doomed.seen(ASK)
            doomed.process.kill()
            await doomed.ended()
        assert len(list(review.glob("*.diff"))) == 2
        (review / "mine.diff").write_text("not the server's")
        async with editing(root):
            pass
        [kept] = [path for path in review.glob("*.diff") if path.name != "mine.diff"]
        question = await living.seen(ASK)
        assert kept.name in question["message"]
    assert isinstance(gone.exception(), EOFError)
    assert [path.name for path in review.glob("*.diff")] == ["mine.diff"]
