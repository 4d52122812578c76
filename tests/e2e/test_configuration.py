"""The user's settings on the wire: docs/protocol.md#13-settings-and-policy."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.lsp.configuration.configuration import READ_AT_ONCE
from support.editor import AUTO, MANUAL, NO_ANSWER, REVIEW, Editor, Message, RpcError, editing

ASKS = {"workspace": {"configuration": True}}
REGISTERS = {"workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}}}
REFUSES = {"window/showMessageRequest": lambda _: {"title": "Reject"}}


def configured(section: Any) -> dict[str, Any]:
    return {"workspace/configuration": lambda _: [section], **REFUSES}


async def decision(editor: Editor, path: str) -> str:
    """How an unprotected change is decided; the user rejects whatever is shown."""
    answer = await editor.write(path, "x\n")
    return str({**answer["context"], **answer["data"]}["review"]["decision"])


async def mode(editor: Editor) -> str:
    return str((await editor.request("agentfs/status"))["data"]["mode"])


def shown(editor: Editor) -> list[str]:
    """The messages to the user."""
    return [one["params"]["message"] for one in editor.all("window/logMessage")]


async def test_the_default_is_manual(root: Path) -> None:
    async with editing(root, answers=REFUSES) as editor:
        assert await decision(editor, "a.py") == "rejected"
        assert await mode(editor) == "manual"
        assert shown(editor) == []


async def test_the_editors_answer_is_put_over_the_options(root: Path) -> None:
    options = {**AUTO, "diff": {"max_lines": 7}}
    answers = configured({"approval": {"mode": "manual"}})
    async with editing(root, capabilities=ASKS, options=options, answers=answers) as editor:
        assert await decision(editor, "a.py") == "rejected"
        asked = (await editor.seen("workspace/configuration"))["items"]
        assert asked == [{"section": "agentfs"}]
        diff = (await editor.write("b.py", "x\n" * 50, dry_run=True))["data"]["diff_preview"]
        assert diff.count("\n") <= 8


@pytest.mark.parametrize("nothing", [[None], [], None, {}, "x", RpcError(-32601, "unknown")], ids=str)
async def test_options_count_where_the_editor_has_nothing_to_say(root: Path, nothing: Any) -> None:
    def answer(_: Message) -> Any:
        if isinstance(nothing, RpcError):
            raise nothing
        return nothing

    answers = {"workspace/configuration": answer, **REFUSES}
    async with editing(root, capabilities=ASKS, options=AUTO, answers=answers) as editor:
        assert await decision(editor, "a.py") == "allowed"


async def test_a_change_waits_for_the_first_answer_and_a_read_does_not(root: Path) -> None:
    (root / "a.py").write_text("one\n")
    told: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    answers = {"workspace/configuration": lambda _: told, **REFUSES}
    async with editing(root, capabilities=ASKS, answers=answers) as editor:
        asked = editor.start("agentfs/write", {"path": "b.py", "content": "x\n"})
        assert (await editor.read("a.py"))["status"] == "success"
        assert not asked.done()
        told.set_result([AUTO])
        assert (await asked)["data"]["review"]["decision"] == "allowed"


async def test_an_answer_that_never_comes_leaves_it_at_manual(root: Path) -> None:
    """Even if the options say otherwise; a later response applies from then on."""
    told: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    answers = {"workspace/configuration": lambda _: told, **REFUSES}
    async with editing(root, capabilities=ASKS, options=AUTO, answers=answers) as editor:
        asked = [decision(editor, f"{number}.py") for number in range(3)]
        assert await asyncio.gather(*asked) == ["rejected"] * 3
        assert await decision(editor, "no-longer-waited-for.py") == "rejected"
        told.set_result([None])
        await until(editor, "auto_edit")
        assert await decision(editor, "b.py") == "allowed"


async def until(editor: Editor, wanted: str) -> None:
    """Wait until changes are allowed, or no longer."""
    allowed = "allowed" if wanted == "auto_edit" else "rejected"
    async with asyncio.timeout(120):
        number = 0
        while await decision(editor, f"{wanted}{number}.py") != allowed:
            number += 1


async def test_a_pushed_change_is_in_force_at_once(root: Path) -> None:
    async with editing(root, answers=REFUSES) as editor:
        for settings, expected in [
            ({"agentfs": AUTO}, "allowed"),
            ({"agentfs": {}}, "rejected"),
            (AUTO, "allowed"),
            (None, "allowed"),
            ({"agentfs": None}, "rejected"),
            ({"agentfs": AUTO, "python": {"x": 1}}, "allowed"),
            ({"approval": {"mode": "manual"}}, "rejected"),
        ]:
            editor.notify("workspace/didChangeConfiguration", {"settings": settings})
            assert await decision(editor, f"{len(editor.received)}.py") == expected, settings
        assert shown(editor) == []


async def test_an_editor_that_can_be_asked_is_asked_again_when_it_tells_of_a_change(root: Path) -> None:
    now: list[Any] = [None]
    answers = {"workspace/configuration": lambda _: list(now), **REFUSES}
    async with editing(root, capabilities=REGISTERS, answers=answers) as editor:
        [registration] = (await editor.seen("client/registerCapability"))["registrations"]
        assert registration["method"] == "workspace/didChangeConfiguration"
        for count, (section, expected) in enumerate([(AUTO, "auto_edit"), (None, "manual")], 2):
            now[0] = section
            editor.notify("workspace/didChangeConfiguration", {"settings": None})
            await editor.seen("workspace/configuration", count)
            await until(editor, expected)


async def test_what_is_pushed_counts_where_the_editor_answers_with_nothing(root: Path) -> None:
    async with editing(root, capabilities=ASKS, answers=configured(None)) as editor:
        editor.notify("workspace/didChangeConfiguration", {"settings": {"agentfs": AUTO}})
        assert await decision(editor, "a.py") == "allowed"
        await editor.seen("workspace/configuration", 2)
        assert await decision(editor, "b.py") == "allowed"


async def test_an_answer_to_an_older_question_does_not_undo_a_newer_one(root: Path) -> None:
    loop = asyncio.get_running_loop()
    told: list[asyncio.Future[Any]] = []

    def answer(_: Message) -> Any:
        told.append(loop.create_future())
        return told[-1]

    answers = {"workspace/configuration": answer, **REFUSES}
    async with editing(root, capabilities=ASKS, answers=answers) as editor:
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
        await editor.seen("workspace/configuration", 2)
        assert await mode(editor) == "manual"  # both were processed one request later
        told[1].set_result([MANUAL])
        assert await decision(editor, "a.py") == "rejected"
        told[0].set_result([AUTO])
        await editor.request("agentfs/status")
        assert await decision(editor, "b.py") == "rejected"


async def test_a_read_does_not_count_for_a_write_that_waits_for_the_settings(root: Path) -> None:
    (root / "a.py").write_text("one\n")
    answers = {"workspace/configuration": lambda _: NO_ANSWER}
    async with editing(root, capabilities=ASKS, answers=answers) as editor:
        asked = editor.start("agentfs/write", {"path": "a.py", "content": "two\n"})
        await editor.read("a.py")
        question = await editor.seen_message("workspace/configuration")
        editor.send({"jsonrpc": "2.0", "id": question["id"], "result": [AUTO]})
        assert (await asked)["error"]["message"] == "Read the file first."
    assert (root / "a.py").read_text() == "one\n"


async def test_wrong_settings_are_named_to_the_user_once_and_in_one_message(root: Path) -> None:
    wrong = {"approval": {"mode": "yolo"}, "diff": {"max_lines": "many"}, "tabs": 8}
    async with editing(root, options=wrong, answers=REFUSES) as editor:
        assert await decision(editor, "a.py") == "rejected"
        (told,) = shown(editor)
        assert told.startswith("agentfs: 3 problems in the settings. agentfs.approval.mode must be ")
        for key in ("agentfs.approval.mode", "agentfs.diff.max_lines", "agentfs.tabs"):
            assert told.count(key) == 1
        editor.notify("workspace/didChangeConfiguration", {"settings": {"agentfs": {"tabs": 8}}})
        await editor.request("agentfs/status")
        assert shown(editor) == [told]


FLOOD = {f"key{number}": number for number in range(3000)}
FIRST = " Unknown setting key0; ignored. Unknown setting key1; ignored."


async def test_thousands_of_unknown_keys_in_the_workspace_are_one_message_for_each_state(root: Path) -> None:
    file = root / ".agentfs.toml"
    file.write_text("".join(f"{key} = 1\n" for key in FLOOD))
    async with editing(root) as editor:
        await editor.read("missing.py")
        (told,) = shown(editor)
        assert told.startswith(f"{file}: 3000 problems.{FIRST}")
        assert told.endswith("; ignored. agentfs-lsp check-config lists the other 2997 too.")
        file.write_text("# the same\n" + file.read_text())
        await editor.read("missing.py")
        assert shown(editor) == [told]
        file.write_text(file.read_text().replace("key", "more"))
        await editor.read("missing.py")
        assert shown(editor) == [told, told.replace(" key", " more")]
        file.write_text(file.read_text() + "tabs = 8\n")
        await editor.read("missing.py")
        assert shown(editor)[2:] == [f"{file}: Unknown setting tabs; ignored."]


@pytest.mark.parametrize("size", [0, READ_AT_ONCE])
async def test_problems_of_many_workspace_files_are_one_message(root: Path, size: int) -> None:
    folders = [(f"r{number}", root / f"r{number}") for number in range(100)]
    for _, folder in folders:
        folder.mkdir()
        (folder / ".agentfs.toml").write_text("tabs = 8\nspaces = 4\n" + "#" * size)
    first, second, third, *_, last = (folder / ".agentfs.toml" for _, folder in folders)
    last.write_text("rules = [")
    async with editing(root, folders=folders) as editor:
        await editor.request("agentfs/read", {"path": str(root / "r0/missing.py")})
        (told,) = shown(editor)
    assert told.startswith(f"100 workspace files: 199 problems. {last} is not valid TOML")
    assert told.endswith(
        f" {first}: Unknown setting tabs; ignored. {second}: Unknown setting tabs; ignored."
        " There are 196 more."
    )
    assert str(third) not in told


async def test_what_was_told_of_a_workspaces_file_is_not_told_again(root: Path) -> None:
    file = root / ".agentfs.toml"
    async with editing(root) as editor:
        for state in ("tabs = 8\n", "rules = [", None, 'rules = "none"\n') * 3:
            if state is None:
                file.unlink()
            else:
                file.write_text(state)
            await editor.read("missing.py")
        assert [text.removeprefix(f"{file}")[:13] for text in shown(editor)] == [
            ": Unknown set",
            " is not valid",
            ": rules must ",
        ]
        file.write_text("tabs = 8\nspaces = 4\n")
        await editor.read("missing.py")
        assert shown(editor)[3:] == [f"{file}: Unknown setting spaces; ignored."]


async def test_who_keeps_rewriting_a_workspaces_file_does_not_flood_the_user(root: Path) -> None:
    async with editing(root) as editor:
        for number in range(7):
            (root / ".agentfs.toml").write_text(f"key{number} = 1\n")
            await editor.read("missing.py")
        assert len(shown(editor)) == 5


async def test_problems_that_require_approval_are_reported_first(root: Path) -> None:
    (root / ".agentfs.toml").write_text("".join(f"{key} = 1\n" for key in FLOOD) + 'rules = "none"\n')
    async with editing(root) as editor:
        await editor.read("missing.py")
        (told,) = shown(editor)
        assert "3001 problems. rules must be " in told
        assert "you will be asked before anything is read or changed. Unknown setting key0;" in told
        assert len(told) < 1000


async def test_allow_lets_nothing_through_that_is_shown_already(root: Path) -> None:
    answers = {"workspace/applyEdit": lambda _: NO_ANSWER}
    async with editing(root, capabilities=REVIEW, answers=answers) as editor:
        asked = editor.start("agentfs/write", {"path": "a.py", "content": "x\n"})
        proposal = await editor.proposed()
        editor.notify("workspace/didChangeConfiguration", {"settings": {"agentfs": AUTO}})
        assert (await editor.seen("agentfs/statusChanged"))["pending"] == 1
        assert await decision(editor, "b.py") == "allowed"
        assert not asked.done()
        await editor.settle(proposal, "rejected")
        assert (await asked)["error"]["code"] == "USER_REJECTED"


async def test_what_the_user_chose_holds_until_the_settings_mode_changes(root: Path) -> None:
    answers = {"workspace/applyEdit": lambda _: {"applied": False}}
    async with editing(root, capabilities=REVIEW, options=AUTO, answers=answers) as editor:
        assert await editor.request("agentfs/setApprovalMode", {"mode": "manual"}) == {"ok": True}
        assert await decision(editor, "a.py") == "dismissed"
        editor.notify("workspace/didChangeConfiguration", {"settings": {"diff": {"context": 1}}})
        assert await decision(editor, "b.py") == "dismissed"
        for wrong in [{}, {"mode": "yolo"}, {"mode": "auto_edit", "session": 5}, None]:
            refused = await editor.request("agentfs/setApprovalMode", wrong)
            assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM")
        assert await decision(editor, "c.py") == "dismissed"
