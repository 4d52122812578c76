"""agentfs/call in the dialects `gemini` and `workspace`: docs/protocol.md#12-tool-catalog, and the texts of
docs/protocol.md#17-texts."""

import os
import resource
from pathlib import Path
from typing import Any

import pytest

from support.calling import QUESTION, call, read
from support.editor import AUTO, REVIEWING, editing


@pytest.fixture
def file(root: Path) -> Path:
    path = root / "a.md"
    path.write_text("one\ntwo\n")
    return path


async def test_gemini_takes_absolute_paths_and_names_files_by_them(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        read = await call(editor, "gemini", "read_file", file_path=str(file))
        assert read["data"]["content"] == "one\ntwo\n"
        assert read["text"] == f"Read '{file}', lines 1 to 2 of 2."
        replaced = await call(
            editor, "gemini", "replace", file_path=file.as_uri(), old_string="two", new_string="2"
        )
        assert replaced["text"] == f"Updated '{file}' (+1/-1 lines, 6 bytes)."
        assert replaced["context"]["path_resolved"] == "a.md"
        new = root / "new" / "b.md"
        created = await call(editor, "gemini", "write_file", file_path=str(new), content="1\n")
        assert created["text"].startswith(f"Successfully created and wrote to new file: {new}.")
        again = await call(editor, "gemini", "write_file", file_path=str(new), content="2\n")
        assert again["text"] == f"Successfully overwrote file: {new}."
        relative = await call(editor, "gemini", "read_file", file_path="new/b.md")
        assert relative["data"]["content"] == "2\n"


@pytest.mark.parametrize(
    "outside", ["/etc/hostname", "{root}/../other.md", "{root}-state/x", "file:///etc/x"]
)
async def test_gemini_stays_inside_the_roots(root: Path, outside: str) -> None:
    (root.parent / "other.md").write_text("one\n")
    path = outside.replace("{root}", str(root))
    async with editing(root, options=AUTO) as editor:
        for name, more in (("read_file", {}), ("write_file", {"content": "two\n"})):
            answer = await call(editor, "gemini", name, file_path=path, **more)
            assert answer["error"]["code"] == "ACCESS_DENIED"
            said = f"File path must be within the root directory ({root}): "
            assert answer["error"]["message"].startswith(said)
    assert (root.parent / "other.md").read_text() == "one\n"


async def test_the_other_dialects_and_requests_take_no_absolute_path(root: Path, file: Path) -> None:
    async with editing(root) as editor:
        for answer in (
            await call(editor, "standard", "Read", path=str(file)),
            await call(editor, "workspace", "read", path=str(file)),
            await editor.read(str(file)),
        ):
            assert answer["error"]["message"] == "Absolute path not allowed. Use relative path."


async def test_gemini_names_a_file_where_two_folders_have_one_name(tmp_path: Path) -> None:
    folders = [("x", tmp_path / "1"), ("x", tmp_path / "2")]
    for _, path in folders:
        path.mkdir()
    async with editing(tmp_path / "1", folders=folders, options=AUTO) as editor:
        path = tmp_path / "2" / "a.md"
        answer = await call(editor, "gemini", "write_file", file_path=str(path), content="1\n")
        assert answer["text"] == f"Successfully created and wrote to new file: {path}."
        assert path.read_text() == "1\n"


async def test_modified_by_user_changes_the_text_and_never_the_review(root: Path) -> None:
    path = str(root / "a.md")
    async with editing(root, answers={QUESTION: lambda _: {"title": "Reject"}}) as editor:
        claimed = await call(
            editor, "gemini", "write_file", file_path=path, content="1\n", modified_by_user=True
        )
        assert claimed["error"]["code"] == "USER_REJECTED"
        assert "Confirm Write: a.md (+1/-0)" in editor.all(QUESTION)[0]["params"]["message"]
        assert len(editor.all(QUESTION)) == 1
        editor.answers[QUESTION] = lambda _: {"title": "Approve"}
        texts = [
            (await call(editor, "gemini", "write_file", file_path=path, content=text, modified_by_user=by))[
                "text"
            ]
            for text, by in (("1\n", True), ("2\n", False))
        ]
        assert len(editor.all(QUESTION)) == 5  # two of them are confirmations
    claim = "The content is the user's version, not the original proposal."
    assert texts == [
        f"Successfully created and wrote to new file: {path}. {claim}",
        f"Successfully overwrote file: {path}.",
    ]


TRUNCATED = "(Diff preview truncated. Use read to see the full content.)"
TRUNCATED_ZH = "（差异预览已截断。请使用 read 核对完整内容。）"
LOOSE = "The text was matched loosely (indentation). See diff_preview for what was replaced."
LOOSE_ZH = "文本按宽松规则匹配（indentation）；实际替换的内容见 diff_preview。"


@pytest.mark.parametrize(
    ("locale", "edited", "written"),
    [
        (
            "en",
            f"Replaced text in SOUL.md. {LOOSE} {TRUNCATED}",
            f"Wrote 800 bytes to new/(a). (Created directory: new/) {TRUNCATED}",
        ),
        (
            "zh-cn",
            f"成功替换了 SOUL.md 中的文本。{LOOSE_ZH}{TRUNCATED_ZH}",
            f"成功写入 800 字节到 new/(a)。（已创建目录：new/）{TRUNCATED_ZH}",
        ),
    ],
    ids=["en", "zh-cn"],
)
async def test_workspace_sentences_stay_apart(root: Path, locale: str, edited: str, written: str) -> None:
    (root / "SOUL.md").write_text("  one\n  two\n  three\n")
    options = {**AUTO, "diff": {"max_lines": 5}}
    async with editing(root, options=options, locale=locale) as editor:
        await read(editor, "SOUL.md")
        new = "1\n" + "2\n" * 30 + "3"
        loose = await call(editor, "workspace", "edit", path="SOUL.md", oldText="one\ntwo", newText=new)
        wrote = await call(editor, "workspace", "write", path="new/(a)", content="x\n" * 400)
    assert loose["text"] == edited
    assert wrote["text"] == written


async def test_errors_speak_of_the_dialects_own_tools(root: Path, file: Path) -> None:
    (root / "twice.md").write_text("one\none\n")
    (root / "large.md").write_text("line\n" * 3000)
    async with editing(root, options=AUTO) as editor:
        for path in ("a.md", "twice.md"):
            await read(editor, path)
        missing = await call(editor, "gemini", "read_file", file_path=str(root / "b.md"))
        assert missing["text"].endswith("To create a new file, use write_file.")
        several = {"file_path": str(root / "twice.md"), "old_string": "one", "new_string": "1"}
        assert (await call(editor, "gemini", "replace", **several))["text"] == (
            "old_string was found 2 times. Lines: 1, 2. Add context to make it unique."
        )
        large = await call(editor, "gemini", "read_file", file_path=str(root / "large.md"))
        assert (large["status"], large["data"]["truncated"]) == ("partial", True)
        assert "start_line" not in large["text"]
        left_out = "one\n# ... rest of the file unchanged ...\n"
        answer = await call(editor, "gemini", "write_file", file_path=str(file), content=left_out)
        assert "use replace to change" in answer["text"]
        empty_old = await call(editor, "workspace", "edit", path="a.md", oldText="", newText="1")
        assert empty_old["text"].startswith("oldText cannot be empty.")


WITH = {
    "standard": {
        "out": ("ACCESS_DENIED", "Path must be within project root."),
        "folder": ("IS_DIRECTORY", "Target path is a directory."),
        "large": ("EXECUTION_ERROR", "Disk full or IO error."),
        "empty": ("INVALID_PARAM", "Content cannot be empty."),
    },
    "gemini": {
        "out": ("ACCESS_DENIED", "File path must be within the root directory ({root}): ../out.md"),
        "folder": ("IS_DIRECTORY", "Path is a directory, not a file: {root}/folder"),
        "large": ("EXECUTION_ERROR", "Error writing to file {root}/large.md: File too large"),
        "empty": ("INVALID_PARAM", "Content cannot be empty."),
    },
}


@pytest.mark.parametrize(
    ("dialect", "name", "key"), [("standard", "Write", "path"), ("gemini", "write_file", "file_path")]
)
async def test_errors_are_those_that_models_know(root: Path, dialect: str, name: str, key: str) -> None:
    """The code is the request's own, and the text says more."""
    (root / "folder").mkdir()
    cases = {
        "out": ("../out.md", "1\n", "Use a file in an open folder"),
        "folder": ("folder", "1\n", "Specify a file in it."),
        "large": ("large.md", "1\n" * 100_000, "Try again after the cause is resolved."),
        "empty": ("empty.md", "", "Set allow_empty=true"),
    }
    async with editing(root, options=AUTO) as editor:
        most = resource.prlimit(editor.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(editor.process.pid, resource.RLIMIT_FSIZE, (100_000, most))
        for case, (path, content, more) in cases.items():
            answer = await call(editor, dialect, name, **{key: path}, content=content)
            code, message = WITH[dialect][case]
            assert answer["error"] == {"code": code, "message": message.replace("{root}", str(root))}
            assert answer["text"].startswith(answer["error"]["message"])
            assert more in answer["text"]
    assert [one.name for one in root.iterdir()] == ["folder"]


async def test_a_refusal_of_the_system_is_one_that_models_know(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state/agentfs"
    state.parent.mkdir()
    if os.geteuid() == 0:
        state.mkdir()
        os.chown(state, 12345, -1)
    else:
        state.symlink_to("/")
    async with editing(root, options=AUTO, state=state.parent) as editor:
        standard = await call(editor, "standard", "Write", path="a.md", content="1\n")
        gemini = await call(editor, "gemini", "write_file", file_path="a.md", content="1\n")
    why = "it belongs to another user"
    message = "Permission denied writing to file."
    assert standard["error"] == {"code": "PERMISSION_DENIED", "message": message}
    message = f"Error writing to file {root}/a.md: {why}"
    assert gemini["error"] == {"code": "PERMISSION_DENIED", "message": message}
    for answer in (standard, gemini):
        assert f"Permission denied for '{state}': {why}. Nothing was changed." in answer["text"]
    assert list(root.iterdir()) == []


async def test_a_read_that_the_system_refuses_does_not_speak_of_writing(root: Path) -> None:
    (root / "loop").symlink_to("loop")
    (root / "folder").mkdir()
    async with editing(root) as editor:
        for dialect, name, key in (("standard", "Read", "path"), ("gemini", "read_file", "file_path")):
            for path in ("loop", "folder", "x" * 300):
                assert "writ" not in (await call(editor, dialect, name, **{key: path}))["text"]


async def test_a_workspace_read_is_the_files_content_and_says_what_is_missing(root: Path) -> None:
    """Hosts pass on nothing but the text."""
    (root / "a.md").write_text("one\ntwo\n")
    (root / "large.md").write_text("line\n" * 3000)
    async with editing(root) as editor:
        whole = await call(editor, "workspace", "read", path="a.md")
        cut = await call(editor, "workspace", "read", path="large.md")
    assert whole["text"] == whole["data"]["content"] == "one\ntwo\n"
    assert cut["data"]["content"] == "line\n" * 2000
    assert cut["text"] == (
        f"{cut['data']['content']}\n\nRead 'large.md', lines 1 to 2000 of 3000. read does not show the "
        "remaining lines. The user can raise agentfs.limits."
    )


every_write = pytest.mark.parametrize(
    ("dialect", "name", "parameter"),
    [("standard", "Write", "path"), ("gemini", "write_file", "file_path"), ("workspace", "write", "path")],
)


@every_write
async def test_a_model_creates_and_empties_a_file_only_where_it_says_so(
    root: Path, file: Path, dialect: str, name: str, parameter: str
) -> None:
    async with editing(root, options=AUTO) as editor:
        await read(editor)
        for path in (root / "new.md", file):
            arguments = {parameter: path.name, "content": ""}
            before = path.read_bytes() if path.exists() else None
            refused = await call(editor, dialect, name, **arguments)
            assert refused["error"]["code"] == "INVALID_PARAM"
            assert refused["text"] == (
                "Content cannot be empty. Set allow_empty=true if the file is meant to be empty."
            )
            assert (path.read_bytes() if path.exists() else None) == before
            emptied = await call(editor, dialect, name, **arguments, allow_empty=True)
            assert (emptied["status"], emptied["data"]["applied"]) == ("success", True)
            assert path.read_bytes() == b""


@every_write
async def test_guidance_on_answers(root: Path, file: Path, dialect: str, name: str, parameter: str) -> None:
    long = "line\n" * 500
    async with editing(root, options=AUTO) as editor:
        asked = {parameter: "new/folder/b.md", "content": long}
        cut = await call(editor, dialect, name, **asked)
        assert (cut["status"], cut["data"]["applied"]) == ("partial", True)
        assert cut["data"]["diff_preview"].endswith("\n... (truncated)")
        assert "(Created directory: new/folder/)" in cut["text"]
        assert (root / "new" / "folder" / "b.md").read_text() == long
        again = await call(editor, dialect, name, **asked)
        assert (again["data"]["unchanged"], again["data"]["applied"]) == (True, True)
        editor.open("a.md", "one\ntwo\nunsaved\n")
        await read(editor)
        waiting = await call(editor, dialect, name, **{parameter: "a.md", "content": "1\n"})
        assert (waiting["status"], waiting["data"]["applied"]) == ("partial", False)
        assert "is in the editor, but not saved" in waiting["text"]


async def test_workspace_denies_absolute_paths_that_lie_outside(root: Path, file: Path) -> None:
    (root.parent / "other.md").write_text("one\n")
    outside = ["/etc/hostname", f"{root}/../other.md", f"{root}-state/x", "//etc/hostname", "/"]
    async with editing(root, options=AUTO) as editor:
        for path in outside:
            for name, more in (
                ("read", {}),
                ("write", {"content": "two\n"}),
                ("edit", {"oldText": "one", "newText": "1"}),
            ):
                answer = await call(editor, "workspace", name, path=path, **more)
                assert answer["error"]["code"] == "ACCESS_DENIED", (path, name)
                assert answer["text"] == "Access to files outside the workspace is not allowed"


async def amended(root: Path, dialect: str, name: str, arguments: Any, text: str, **options: Any) -> Any:
    """The response to a call whose change of a.md the user amended to `text`."""
    async with editing(root, options=options, **REVIEWING) as editor:
        await read(editor)
        asked = {"dialect": dialect, "name": name, "arguments": arguments}
        waiting = editor.start("agentfs/call", asked)
        proposal = await editor.proposed()
        files = [{"uri": proposal["files"][0]["uri"], "decision": "amended", "text": text}]
        await editor.settle(proposal, "amended", files=files)
        answer = await waiting
    assert answer["data"]["review"]["decision"] == "amended"
    return answer


async def test_gemini_is_told_the_text_that_the_user_made_of_it(root: Path, file: Path) -> None:
    path = {"file_path": str(file)}
    for name, arguments, text in (
        ("replace", {**path, "old_string": "two", "new_string": "2"}, "one\nTWO\n"),
        ("write_file", {**path, "content": "1\n", "modified_by_user": True}, "ONE\n"),
    ):
        answer = await amended(root, "gemini", name, arguments, text)
        said = "User modified the `content` to be: "
        if name == "replace":
            said = "The user accepted the change with amendments:\n"
        assert answer["text"].endswith(f" {said}{text}")
        assert file.read_text() == text
    assert "The content is the user's version, not the original proposal. " in answer["text"]


async def test_gemini_is_told_of_a_long_text_by_its_diff(root: Path, file: Path) -> None:
    arguments = {"file_path": str(file), "old_string": "two", "new_string": "2"}
    text = "one\n" * 3
    answer = await amended(root, "gemini", "replace", arguments, text, limits={"read_lines": 2})
    assert answer["text"].endswith("The user accepted the change with amendments. See review.amendments.")
    assert "+one" in answer["data"]["review"]["amendments"]


IN_CHINESE = [
    "成功写入 4 字节到 new.md",
    "成功替换了 a.md 中的文本",
    "文件不存在: b.md",
    "不允许访问工作区外的文件",
    "无法在 a.md 中找到指定文本。请确保文本精确匹配。",
    "找到 2 处匹配。请提供更多上下文使其唯一。",
    "替换后内容没有变化。",
    "询问已关闭，未获批准。",
]
IN_ENGLISH = [
    "Wrote 4 bytes to new.md",
    "Replaced text in a.md",
    "File does not exist: b.md",
    "Access to files outside the workspace is not allowed",
    "The text was not found in a.md. Make sure that it matches exactly.",
    "Found 2 matches. Give more context to make it unique.",
    "The replacement changes nothing.",
    "The question was closed without approval.",
]


@pytest.mark.parametrize(("locale", "texts"), [("zh-CN", IN_CHINESE), (None, IN_ENGLISH)])
async def test_workspace_answers_in_short_texts(root: Path, locale: str | None, texts: list[str]) -> None:
    """In the order of the table in docs/protocol.md#17-texts."""
    (root / "a.md").write_text("one\none\ntwo\n")
    approve, reject = ("批准", "拒绝") if locale else ("Approve", "Reject")
    titles = [*[approve] * 4, reject]  # each approval is confirmed
    answers = {QUESTION: lambda _: {"title": titles.pop(0)}}
    async with editing(root, answers=answers, locale=locale) as editor:
        await read(editor)
        told = [
            await call(editor, "workspace", "write", path="new.md", content="水\n"),
            await call(editor, "workspace", "edit", path="a.md", oldText="two", newText="2"),
            await call(editor, "workspace", "edit", path="b.md", oldText="two", newText="2"),
            await call(editor, "workspace", "read", path="../b.md"),
            await call(editor, "workspace", "edit", path="a.md", oldText="three", newText="3"),
            await call(editor, "workspace", "edit", path="a.md", oldText="one", newText="1"),
            await call(editor, "workspace", "edit", path="a.md", oldText="2", newText="2"),
            await call(editor, "workspace", "edit", path="a.md", oldText="2", newText="3"),
        ]
        assert titles == []
    for answer in told[2:]:
        assert answer["text"] == answer["error"]["message"]
    codes = [answer.get("error", {}).get("code", answer["status"]) for answer in told]
    assert codes == [
        *("success", "success", "NOT_FOUND", "ACCESS_DENIED"),
        *("INVALID_PARAM", "INVALID_PARAM", "INVALID_PARAM", "USER_REJECTED"),
    ]
    assert [answer["text"] for answer in told] == texts


async def test_what_the_user_wrote_is_in_the_short_text_too(root: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        arguments = {"path": "a.md", "content": "one\n"}
        asked = {"dialect": "workspace", "name": "write", "arguments": arguments}
        waiting = editor.start("agentfs/call", asked)
        await editor.settle(await editor.proposed(), "rejected", feedback="Put it into b.md.")
        assert (await waiting)["text"] == "The user rejected this change. “Put it into b.md.”"
