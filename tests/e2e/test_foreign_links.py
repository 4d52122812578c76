"""Others' text is never a link in what the editor shows: VS Code runs the command in `[label](command:…)`
(docs/protocol.md#94-what-the-answer-says)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, Editor, editing
from support.personas import VSCODE, pressing
from support.vscode_links import links_in
from support.wire import Message

ASK, SHOW = "window/showMessageRequest", "window/showMessage"
COMMAND = "[Details](command:workbench.action.terminal.sendSequence?%22id%22)"
TITLED = """[Docs](HTTPS://x 'y') [Docs](https://evil.example "all is well")"""
IN_A_FILE = f"one\n{COMMAND}\n{TITLED}\n[two\nlines](file:///etc/passwd)\n"
NAME = f"{COMMAND}.md"


def shown(editor: Editor) -> Iterator[str]:
    """Every text sent for display."""
    for message in editor.received:
        params = message.get("params")
        match message.get("method"):
            case "window/showMessage" | "window/showMessageRequest":
                yield params["message"]
            case "workspace/applyEdit":
                yield params.get("label", "")  # Neovim gets none
                for annotation in params["edit"].get("changeAnnotations", {}).values():
                    yield from (annotation["label"], annotation["description"])
            case "$/progress":
                yield from (str(params["value"].get(key, "")) for key in ("title", "message"))
            case "agentfs/proposed":
                yield params["title"]


def assert_without_links(editor: Editor, *, said: str = r"[Details]\x28command:") -> None:
    texts = list(shown(editor))
    assert [link for text in texts for link in links_in(text)] == []
    assert any(said in text for text in texts)


async def test_a_proposal_in_a_message_holds_no_link(root: Path) -> None:
    async with editing(root, answers={ASK: pressing("Approve")}, name="code-server") as editor:
        words = {"agent": COMMAND, "explanation": TITLED}
        answer = await editor.write(NAME, IN_A_FILE, **words)
        question = await editor.seen(ASK)
        assert_without_links(editor)
    assert answer["data"]["landing"] == "disk"
    assert (root / NAME).read_text() == IN_A_FILE
    assert (
        r"""+[Docs]\x28HTTPS://x 'y') [Docs]\x28https://evil.example "all is well")""" in question["message"]
    )


async def test_the_pages_of_a_long_diff_hold_no_link(root: Path) -> None:
    (root / ".agentfs").write_text("in the diff file's way")
    long = "".join(f"{'x' * number}{COMMAND} {TITLED}\n" for number in range(40))
    async with editing(root, answers={ASK: pressing("Approve")}, name="code-server") as editor:
        answer = await editor.write("long.md", long)
        assert len(editor.all(ASK)) > 2
        assert_without_links(editor)
    assert answer["data"]["applied"]
    assert (root / "long.md").read_text() == long


@pytest.mark.parametrize("who", ["agent", "session"])
async def test_the_question_before_a_read_holds_no_link(root: Path, who: str) -> None:
    (root / f".env.{NAME}").write_text("TOKEN=1\n")
    async with editing(root, answers={ASK: pressing("Allow once")}) as editor:
        await editor.read(f".env.{NAME}", **{who: COMMAND})
        assert_without_links(editor)


async def test_what_is_wrong_with_settings_is_told_without_links(root: Path) -> None:
    (root / ".agentfs.toml").write_text(f'"{COMMAND}" = 1\npaths = "{COMMAND}"\n')
    async with editing(root, name="helix", options={"paths": COMMAND, COMMAND: 1}) as editor:
        await editor.read("missing.md")
        assert_without_links(editor)


async def test_labels_and_annotations_of_edits_hold_no_link(root: Path) -> None:
    (root / NAME).write_text("one\n")
    async with VSCODE.editing(root) as editor:
        editor.open(NAME)
        await editor.read(NAME)
        await editor.edit(NAME, "one", IN_A_FILE, agent=COMMAND, explanation=TITLED)
        (asked,) = editor.all(APPLY)
        assert_without_links(editor)
    (change,) = asked["params"]["edit"]["documentChanges"]
    assert COMMAND in change["edits"][0]["newText"]


async def test_titles_for_review_clients_and_texts_of_errors_hold_no_link(root: Path) -> None:
    (root / NAME).write_text("one\n")
    review: Message = {"experimental": {"agentfs": {"review": True}}}
    async with editing(root, capabilities=review) as editor:
        await editor.read(NAME)
        asked = editor.start("agentfs/edit", {"path": NAME, "old_string": "one", "new_string": "2"})
        proposed: Any = await editor.seen("agentfs/proposed")
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "rejected"})
        await asked
        missing = await editor.read(f"{NAME}.gone")
        assert_without_links(editor)
    assert proposed["files"][0]["path"] == NAME
    assert links_in(missing["text"]) == []
    assert r"\x28command:" in missing["text"]
