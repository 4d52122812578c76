"""Texts in the user's language, with unchanged codes and keys (docs/protocol.md#17-texts)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.api.methods import AGENT_REQUESTS, USER_REQUESTS
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS
from support.editor import REVIEWING, editing
from support.sample import CHANGED, edited

QUESTION = "window/showMessageRequest"
METHODS = [*AGENT_REQUESTS, *EDITOR_REQUESTS, *USER_REQUESTS]


def shape_of(value: Any) -> Any:
    """The keys of a response, recursively."""
    return {key: shape_of(below) for key, below in value.items()} if isinstance(value, dict) else None


async def test_a_chinese_user_is_asked_in_chinese_and_approves_in_chinese(root: Path, file: Path) -> None:
    chosen = ["批准", "批准", "Approve", "拒绝"]
    answers = {QUESTION: lambda _: {"title": chosen.pop(0)}}
    async with editing(root, locale="zh-CN", answers=answers) as editor:
        landed = await edited(editor, agent="Ada", explanation="更短")
        dismissed = await editor.edit("a.py", "one", "1")
        rejected = await editor.edit("a.py", "one", "1")
        first, confirming, *_ = editor.all(QUESTION)
    assert file.read_text() == CHANGED
    assert confirming["params"]["message"].startswith("请再次选择“批准”以确认。\n")
    titles = [action["title"] for action in first["params"]["actions"]]
    assert titles == ["拒绝", "批准", "本次会话始终批准"]
    asked = first["params"]["message"]
    assert asked.startswith("agentfs: 编辑 a.py（+1/-1）\n请求者：Ada\n理由：更短\n")
    assert landed["text"] == "已更新“a.py”（+1/-1 行，12 字节）。"
    assert (landed["status"], landed["data"]["review"]["decision"]) == ("success", "accepted")
    assert dismissed["context"]["review"]["decision"] == "dismissed"
    assert rejected["error"] == {"code": "USER_REJECTED", "message": "询问已关闭，未获批准。"}
    assert rejected["text"] == "询问已关闭，未获批准。没有做任何更改。请询问用户如何继续。"


async def test_codes_and_keys_are_the_same_in_every_language(root: Path, file: Path) -> None:
    answered = []
    for locale in ("zh-CN", "en"):
        async with editing(root, locale=locale) as editor:
            answered.append(
                [
                    await editor.read("a.py"),
                    await editor.read("missing.py"),
                    await editor.write("/a.py", "x"),
                    await editor.edit("a.py", "four", "4"),
                    await editor.edit("a.py", "two", "2", dry_run=True),
                    await editor.request("agentfs/read", {"pth": "a.py"}),
                    await editor.request("agentfs/status"),
                ]
            )
    chinese, english = answered
    assert [shape_of(one) for one in chinese] == [shape_of(one) for one in english]
    assert [one.get("error", {}).get("code") for one in chinese] == [
        one.get("error", {}).get("code") for one in english
    ]
    assert [one["text"].isascii() for one in english] == [True] * len(english)
    assert [one["text"] for one in chinese] == [
        "已读取“a.py”第 1 至 3 行（共 3 行）。",
        "文件不存在: missing.py。请检查路径；新文件用 Write 创建。",
        "不允许使用绝对路径。请使用相对路径。",
        "无法找到 old_string 指定的文本。请重新读取文件，确保文本精确匹配。",
        "[试运行] 将更新“a.py”（+1/-1 行）。",
        "此请求没有参数“pth”；您是指 path 吗？",
        "模式 manual。没有待审的更改。",
    ]


SAID = {"text", "message", "reason", "title", "detail", "description", "prompt", "label"}
ENGLISH = re.compile(r"[A-Za-z']{2,} [a-z']{2,}")
QUOTED = re.compile(r"“[^”]*”|`[^`]*`|/\S+")


def said_in(value: Any, key: str = "") -> Iterator[str]:
    """Every sentence in a message, without quotations."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from said_in(below, name)
    elif isinstance(value, list):
        for below in value:
            yield from said_in(below, key)
    elif isinstance(value, str) and key in SAID:
        yield QUOTED.sub("", value)


async def test_nothing_that_a_chinese_user_or_model_reads_is_english(root: Path, file: Path) -> None:
    """Every request, valid and invalid, and all notifications."""
    options = {"switches": {"memory": True}, "nonsense": 1, "diff": {"context": "many"}}
    chinese = {"locale": "zh-CN", "options": options, **REVIEWING}
    async with editing(root, **chinese) as editor:
        (root / "b.py").write_bytes(b"caf\xe9\n" * 3000)
        for method, params in (
            *((method, {"unknown": 1}) for method in METHODS),
            *((method, {"id": "x"}) for method in METHODS),
            *((method, 5) for method in METHODS),
            ("agentfs/setSwitch", {"name": "other", "on": True}),
            ("agentfs/setApprovalMode", {"mode": "wild"}),
            ("workspace/executeCommand", {"command": "agentfs.nothing"}),
            ("agentfs/read", {"path": "b.py"}),
            ("agentfs/read", {"path": "a.py", "start_line": 9}),
            ("agentfs/edit", {"path": "a.py", "old_string": "x", "new_string": "y"}),
            ("agentfs/call", {"name": "Fly", "arguments": {}}),
            ("agentfs/tools", {"format": "mcp"}),
            ("agentfs/tools", {"dialect": "gemini"}),
        ):
            await editor.request(method, params)
        waiting = editor.start("agentfs/write", {"path": "c.py", "content": "AKIA" + "Q" * 16 + "\u202e\n"})
        proposal = await editor.proposed()
        for settled in ({"decision": "amended"}, {"decision": "rejected", "always": True}, {"files": [5]}):
            params = {"id": proposal["id"], "decision": "accepted", **settled}
            assert (await editor.request("agentfs/settle", params))["ok"] is False
        assert (await editor.request("agentfs/applied", {"id": proposal["id"]}))["ok"] is False
        await editor.settle(proposal)
        await waiting
        said = [one for message in editor.received for one in said_in(message)]
    assert len(said) > 100
    assert [one for one in said if ENGLISH.search(one)] == []


async def test_the_setting_wins_over_the_editors_language(root: Path, file: Path) -> None:
    options = {"locale": "zh-CN", "diff": {"context": "many"}}
    async with editing(root, locale="en-GB", options=options) as editor:
        warned = await editor.seen("window/logMessage")
        chinese = (await editor.read("a.py"))["text"]
        editor.notify("workspace/didChangeConfiguration", {"settings": {"agentfs": {"locale": "en"}}})
        english = (await editor.read("a.py"))["text"]
    assert warned["message"] == 'agentfs.diff.context 必须是 0 到 1000 之间的整数，而不是 "many"；已忽略。'
    assert chinese == "已读取“a.py”第 1 至 3 行（共 3 行）。"
    assert english == "Read 'a.py', lines 1 to 3 of 3."


@pytest.mark.parametrize("locale", ["fr", 5])
async def test_other_languages_get_english(root: Path, file: Path, locale: Any) -> None:
    async with editing(root, locale=locale) as editor:
        assert (await editor.read("a.py"))["text"] == "Read 'a.py', lines 1 to 3 of 3."
