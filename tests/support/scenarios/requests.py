"""What agents request, without a review or with one that only accepts."""

from __future__ import annotations

from support.client import Editor
from support.editor import APPLY, ASK, AUTO, NO_ANSWER, REVIEW
from support.operations import edits, writes
from support.personas import pressing
from support.scenarios.steps import TEXT, configured, scenario
from support.transcripts import Transcript
from support.wire import Message

LATIN = "caf\u00e9\n".encode("latin-1")


@scenario
async def read(t: Transcript) -> None:
    options = {"limits": {"read_lines": 3}, "rules": [{"files": ["secrets/"], "read": "deny"}]}
    t.put({"a.py": TEXT, "windows.txt": "\ufeffone\r\ntwo\r\n", "latin.txt": LATIN})
    t.put({"empty.txt": "", "binary": b"a\0b", "secrets/key": "k\n", ".env": "A=1\n"})
    (t.root / "loop").symlink_to("loop")
    (t.root / "folder").mkdir()
    async with t.editing(options=options) as editor:
        await editor.read("a.py")
        await editor.read("a.py", start_line=4, session="chat-1", agent="Ada")
        await editor.read("a.py", start_line=2, limit=2, line_numbers=True)
        await editor.read("a.py", limit=0)
        await editor.read("a.py", start_line=9)
        for path in ("windows.txt", "latin.txt", "empty.txt", "binary", "nothing.py", "folder", "secrets"):
            await editor.read(path)
        for path in ("secrets/key", "../b.py", "/etc/hostname", "file:///a.py", "a\\b", "", "loop", "a.py/b"):
            await editor.read(path)
        rules = [{"files": ["*.txt"], "encoding": "iso88591"}]
        folders = [{"uri": t.root.as_uri(), "rules": rules}]
        await editor.tell("agentfs/fileEncodings", {"folders": folders})
        await editor.read("latin.txt")
        await editor.edit("latin.txt", "caf\u00e9", "\u2028".encode().decode("latin-1"), dry_run=True)
        editor.answers[ASK] = pressing("Deny")
        await editor.read(".env", agent="Ada")
        editor.answers[ASK] = pressing("Allow once")
        await editor.read(".env", agent="Ada", session="another")
        editor.answers[ASK] = pressing(None)
        await editor.edit("secrets/key", "k", "l")


@scenario
async def write(t: Transcript) -> None:
    t.put({"a.py": TEXT, "b.py": TEXT, "windows.txt": "one\r\ntwo\r\n", "latin.txt": LATIN})
    options = {**AUTO, "diff": {"max_lines": 6}, "limits": {"max_file_bytes": 200}}
    async with t.editing(options=options) as editor:
        await editor.write("src/util/new.py", "a = 1\n")
        await editor.write("a.py", "1\n")
        await editor.read("a.py")
        await editor.write("a.py", TEXT)
        await editor.write("a.py", TEXT.replace("two", "2"), dry_run=True)
        await editor.write("a.py", TEXT.replace("two", "2"), agent="Ada", explanation="Figures.")
        await editor.write("a.py", "1\n2\n3\n4\n5\n")
        t.put({"a.py": "another's\n"})
        conflict = await editor.write("a.py", "mine\n")
        there = conflict["context"]["conflict"]["actual"]["hash"]
        await editor.write("a.py", "mine\n", expected_hash=there)
        await editor.write("a.py", "one\n// ... rest of the code unchanged\n")
        await editor.write("a.py", "one\n", overwrite=False)
        await editor.write("empty.txt", "")
        await editor.write("empty.txt", "", allow_empty=True)
        await editor.write("no/folder.py", "1\n", create_dirs=False)
        await editor.write("nul.txt", "a\0")
        await editor.write("large.txt", "x" * 201)
        await editor.read("windows.txt")
        await editor.write("windows.txt", "one\n2\n")
        await editor.read("latin.txt")
        await editor.write("latin.txt", "tea\n")
        await editor.read("b.py")
        t.put({"b.py": TEXT.replace("one", "1")})
        await editor.write("b.py", TEXT.replace("five", "5"), on_conflict="merge")
        await editor.edit("b.py", "5", "five")
        await editor.read("b.py", session="chat-2")
        t.put({"b.py": "two\n"})
        await editor.write("b.py", TEXT, on_conflict="merge", session="chat-2")
        editor.answers[ASK] = pressing("Reject")
        await editor.write("key.py", "key = 'AKIAABCDEFGHIJKLMNOP'\n")
        await editor.write(".env", "A=1\n", agent="Ada", explanation="The figures\nof old.")


@scenario
async def edit(t: Transcript) -> None:
    t.put({"a.py": TEXT, "windows.txt": "one\r\ntwo\r\n", "tabs.py": "def f():\n\tone\n\ttwo\n"})
    t.put({"quotes.txt": "say \u201chi\u201d\n", "often.txt": "one\none\naaa\n", "gone.py": "one\n"})
    async with t.editing(options=AUTO) as editor:
        await editor.edit("nothing.py", "one", "1")
        await editor.edit("a.py", "one", "1")
        for path in ("a.py", "windows.txt", "tabs.py", "quotes.txt", "often.txt", "gone.py"):
            await editor.read(path)
        await editor.edit("a.py", "two", "2", dry_run=True)
        await editor.edit("a.py", "two", "2")
        await editor.edit("windows.txt", "one\ntwo\n", "1\n2\n")
        await editor.edit("a.py", "three  \nfour\n", "3\n4\n")
        await editor.edit("tabs.py", "    one\n    two\n", "    1\n    2\n")
        await editor.edit("quotes.txt", 'say "hi"', 'say "ho"')
        await editor.edit("often.txt", "one", "1")
        await editor.edit("often.txt", "one", "1", expected_count=3)
        await editor.edit("often.txt", "aa", "b", replace_all=True)
        await editor.edit("often.txt", "one", "1", replace_all=True)
        await editor.edit("a.py", "fiev", "5")
        await editor.edit("a.py", "FIVE", "5")
        await editor.edit("a.py", "   5 | five", "   5 | 5")
        await editor.edit("a.py", "five", "five")
        await editor.edit("a.py", "", "5")
        await editor.edit("a.py", "five", "5", expected_hash="sha256:0", expected_size_bytes=1)
        await editor.request("agentfs/edit", {"path": "a.py", "oldText": "five", "newText": "5"})
        both = {"path": "a.py", "oldText": "5", "old_string": "one", "newText": "1"}
        await editor.request("agentfs/edit", both)
        t.remove("gone.py")
        await editor.edit("gone.py", "one", "1")


@scenario
async def documents(t: Transcript) -> None:
    """Files open in an editor that does not save by itself."""
    t.put({"a.py": TEXT, "b.py": "one\n", "mixed.txt": "one\r\ntwo\n"})
    (t.root / "other.txt").hardlink_to(t.root / "mixed.txt")
    async with t.editing(options=AUTO) as editor:
        await editor.read("mixed.txt")
        await editor.edit("mixed.txt", "two", "2", dry_run=True)
        editor.open("mixed.txt", "one\ntwo\n")
        await editor.read("mixed.txt")
        await editor.edit("mixed.txt", "two", "2", dry_run=True)
        editor.open("a.py")
        await editor.read("a.py")
        await editor.edit("a.py", "one", "1")
        editor.save("a.py")
        editor.change("a.py", "mine\n" + TEXT)
        await editor.edit("a.py", "two", "2")
        await editor.read("a.py", limit=2)
        await editor.edit("a.py", "two", "2")
        place = {"line": 0, "character": 4}
        typed = {"range": {"start": place, "end": place}, "text": "!"}
        identifier = {"uri": editor.uri("a.py"), "version": 9}
        change = {"textDocument": identifier, "contentChanges": [typed]}
        await editor.tell("textDocument/didChange", change)
        await editor.read("a.py", limit=1)
        older = {"textDocument": {**identifier, "version": 3}, "contentChanges": [typed]}
        await editor.tell("textDocument/didChange", older)
        await editor.read("a.py")
        await editor.edit("a.py", "two", "2")
        whole = {"textDocument": {**identifier, "version": 10}, "contentChanges": [{"text": TEXT}]}
        await editor.tell("textDocument/didChange", whole)
        await editor.read("a.py", limit=1)
        editor.close("a.py")
        await editor.edit("a.py", "two", "2")
        editor.open("new.py", "a draft\n")
        await editor.read("new.py")
        await editor.edit("new.py", "draft", "text")
        editor.open("b.py")
        state = {"uri": editor.uri("b.py"), "dirty": True, "encoding": "utf-8"}
        await editor.tell("agentfs/documentState", state)
        await editor.read("b.py")
        editor.answers[APPLY] = lambda _: {"applied": False, "failureReason": "busy"}
        await editor.edit("b.py", "one", "1")
        editor.answers[APPLY] = lambda _: NO_ANSWER
        await configured(editor, **AUTO, landing_timeout_s=0.05)
        await editor.edit("b.py", "one", "1")


@scenario
async def saving(t: Transcript) -> None:
    """Open files in an editor that saves what policy allows."""
    t.put({"a.py": TEXT})

    def apply_and_save(params: Message) -> object:
        applied = editor.apply(params["edit"])
        editor.save("a.py")
        return {"applied": applied}

    def apply_format_and_save(params: Message) -> object:
        applied = editor.apply(params["edit"])
        editor.change("a.py", editor.documents[editor.uri("a.py")].text.upper())
        editor.save("a.py")
        return {"applied": applied}

    async with t.editing(options=AUTO, capabilities=REVIEW) as editor:
        editor.open("a.py")
        await editor.read("a.py")
        editor.answers[APPLY] = apply_and_save
        await editor.edit("a.py", "one", "1")
        editor.answers[APPLY] = apply_format_and_save
        await editor.edit("a.py", "two", "2")
        editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
        await configured(editor, **AUTO, save_timeout_s=0.05)
        await editor.edit("a.py", "THREE", "3")


@scenario
async def merging(t: Transcript) -> None:
    t.put({"a.py": TEXT, "b.py": TEXT})
    async with t.editing(options=AUTO) as editor:
        for path in ("a.py", "b.py"):
            await editor.read(path)
        t.put({"a.py": TEXT.replace("one", "1"), "b.py": TEXT.replace("one", "1")})
        await editor.edit("a.py", "five", "5", on_conflict="merge")
        edit = {"path": "b.py", "old_string": "five", "new_string": "5\u200b", "on_conflict": "merge"}
        write = {"path": "c.py", "content": "\ufeffc = 3\n"}
        operations = [{"tool": "edit", "params": edit}, {"tool": "write", "params": write}]
        await editor.request("agentfs/batch", {"operations": operations})


@scenario
async def batch(t: Transcript) -> None:
    t.put({"a.py": TEXT, "b.py": TEXT, "open.py": TEXT})
    new = writes("src/c.py", "c = 3\n")
    missed = edits("b.py", "six", "6")
    async with t.editing(options=AUTO) as editor:

        async def ask(*operations: object, **more: object) -> None:
            await editor.request("agentfs/batch", {"operations": operations, **more})

        await ask(edits("a.py", "one", "1"))
        for path in ("a.py", "b.py"):
            await editor.read(path)
        await ask(edits("a.py", "one", "1"), edits("a.py", "1", "I"), new, dry_run=True)
        await ask(edits("a.py", "one", "1"), edits("a.py", "1", "I"), new, agent="Ada", explanation="Rome.")
        await ask(edits("a.py", "two", "2"), missed)
        await ask(edits("a.py", "two", "2"), missed, edits("b.py", "two", "2"), atomic=False)
        await ask(missed, edits("nothing.py", "one", "1"), atomic=False)
        await ask()
        await ask({"tool": "read", "params": {"path": "a.py"}})
        await ask(edits("a.py", "two", "2", session="chat-1"))
        await ask({"tool": "edit", "params": {"path": "a.py", "oldstring": "one"}})
        editor.open("open.py")
        await editor.read("open.py")
        await ask(edits("open.py", "one", "1"), edits("b.py", "three", "3"))
        editor.save("open.py")
        editor.answers[APPLY] = lambda _: {"applied": False}
        await ask(edits("open.py", "two", "2"), edits("b.py", "four", "4"))
        await ask(edits("open.py", "two", "2"), edits("b.py", "four", "4"), atomic=False)


@scenario
async def diagnostics(t: Transcript) -> None:
    t.put({"a.py": "def f():\n    return 1\n"})
    async with t.editing(options=AUTO) as editor:
        await editor.read("a.py")
        await editor.edit("a.py", "return 1", "return (1", dry_run=True)
        await editor.edit("a.py", "return 1", "return (1")
        await editor.write("a.js", "if (a) {\n  b();\n")
        operations = [writes("b.json", '{"a": [1, 2}\n'), edits("a.py", "return (1", "return 1")]
        await editor.request("agentfs/batch", {"operations": operations})
    async with t.editing(options={**AUTO, "diagnostics": {"syntax": False}}) as editor:
        await editor.write("a.js", "if (a) {\n")
    tells = {"experimental": {"agentfs": {"diagnostics": True}}}
    async with t.editing(options=AUTO, capabilities=tells) as editor:
        found = {"line": 1, "message": "“b” is not defined", "severity": "error", "source": "Pyright"}
        file = {"uri": editor.uri("b.py"), "before": [], "after": [found]}
        editor.answers["agentfs/diagnostics"] = lambda _: {"files": [file]}
        await editor.write("b.py", "b\n")


@scenario
async def history(t: Transcript) -> None:
    t.put({"a.py": TEXT, "secret.py": "k\n"})
    rules = [{"files": ["secret.py"], "read": "deny"}]
    async with t.editing(options={**AUTO, "rules": rules}) as editor:

        async def ask(**params: object) -> Message:
            return await editor.request("agentfs/history", params)

        await ask()
        await editor.read("a.py", session="chat-1")
        first = await editor.edit("a.py", "one", "1", session="chat-1", agent="Ada", explanation="Figures.")
        await editor.write("src/b.py", "b = 2\n", session="chat-2")
        await editor.write("secret.py", "l\n")
        await ask()
        await ask(texts=True, limit=1)
        await ask(session="chat-1")
        await ask(path="src")
        await ask(change_id=first["data"]["change_id"], texts=True)
        await ask(change_id="none")
        newest = (await ask(limit=1))["data"]["changes"][0]["change_id"]
        await ask(before=newest)
        await editor.request("agentfs/userHistory", {"texts": True, "limit": 1})
        await configured(editor, history={"enabled": False})
        await ask(limit=1)


@scenario
async def undo(t: Transcript) -> None:
    t.put({"a.py": TEXT, "secret.py": "k\n"})
    rules = [{"files": ["secret.py"], "read": "deny"}]
    async with t.editing(options={**AUTO, "rules": rules}) as editor:

        async def ask(method: str = "agentfs/undo", **params: object) -> Message:
            return await editor.request(method, params)

        await ask()
        await ask(change_id="none")
        await editor.read("a.py")
        edited = await editor.edit("a.py", "one", "1")
        await ask(explanation="As it was.")
        await ask()
        await editor.edit("a.py", "five", "5")
        first = edited["data"]["change_id"]
        await ask(change_id=first)
        await ask(change_id=first)
        await editor.write("src/b.py", "b = 2\n")
        await ask()
        created = await editor.write("src/c.py", "c = 3\n")
        t.put({"src/c.py": "another's\n"})
        await ask(change_id=created["data"]["change_id"])
        t.put({"d.py": "d = 4"})
        await editor.read("d.py")
        await editor.write("d.py", "d = 4\n")
        editor.open("d.py")
        await ask()
        redacted = await editor.write("secret.py", "l\n")
        await ask(change_id=redacted["data"]["change_id"])
        await ask("agentfs/userUndo", change_id=redacted["data"]["change_id"])
        last = await editor.edit("a.py", "two", "2")
        await ask("agentfs/userUndo", change_id=last["data"]["change_id"])
        await _undo_together(t, editor)
        await editor.request("agentfs/setApprovalMode", {"mode": "manual"})
        editor.answers[ASK] = pressing("Approve")
        await ask()


async def _undo_together(t: Transcript, editor: Editor) -> None:
    """Several changes, by the user."""

    async def ask(*change_ids: object, **params: object) -> Message:
        return await editor.request("agentfs/userUndo", {"change_ids": change_ids, **params})

    async def changed(*params: str) -> str:
        await editor.read(params[0], session="chat-1")
        answer = await editor.edit(*params, session="chat-1")
        return str(answer["data"]["change_id"])

    t.put({"e.py": TEXT, "f.py": TEXT})
    changes = [
        await changed("e.py", "one", "1"),
        await changed("f.py", "one", "1"),
        await changed("e.py", "1", "I"),
    ]
    await ask(*changes, explanation="As they were.")
    await ask(*changes)
    changes = [await changed("e.py", "one", "1"), await changed("f.py", "one", "1")]
    t.put({"e.py": TEXT.replace("one", "mine"), "f.py": TEXT.replace("one", "mine")})
    await ask(*changes, "none")
    await ask(*changes)
    t.put({"f.py": TEXT.replace("one", "1")})
    await ask(*changes, leave_blocked=True)
    await ask()
    await ask(1)
    await ask(changes[0], change_id=changes[0])


@scenario
async def tools(t: Transcript) -> None:
    rules = [
        {"files": ["SOUL.md"], "write": "ask", "edit": "ask"},
        {"files": ["MEMORY.md"], "write": "allow", "edit": "allow", "requires": "memory"},
    ]
    options = {"rules": rules, "switches": {"memory": False}}
    knowing = {"experimental": {"agentfs": {}}}
    async with t.editing(options=options, capabilities=knowing) as editor:
        for params in (
            {},
            {"format": "anthropic"},
            {"format": "mcp"},
            {"dialect": "gemini"},
            {"dialect": "workspace"},
            {"dialect": "other"},
        ):
            await editor.request("agentfs/tools", params)
        await editor.request("agentfs/setSwitch", {"name": "memory", "on": True})
        await editor.request("agentfs/tools", {"dialect": "workspace"})
        await editor.request("agentfs/setSwitch", {"name": "other", "on": True})
        await configured(editor, files=["SOUL.md"])
        await editor.request("agentfs/tools", {"dialect": "workspace", "format": "anthropic"})
        folder = {"uri": t.root.as_uri(), "name": t.root.name}
        closed = {"event": {"removed": [folder], "added": []}}
        await editor.tell("workspace/didChangeWorkspaceFolders", closed)
        await editor.request("agentfs/tools")


@scenario
async def call(t: Transcript) -> None:
    t.put({"a.md": TEXT, "often.md": "one\none\n", "private.md": "p\n"})
    rules = [{"files": ["private.md"], "read": "deny", "write": "deny", "edit": "deny"}]
    async with t.editing(options={**AUTO, "rules": rules}) as editor:

        async def run(dialect: str, name: str, /, **arguments: object) -> None:
            await editor.request("agentfs/call", {"dialect": dialect, "name": name, "arguments": arguments})

        for dialect, path, (old, new), (read_it, write_it, edit_it) in (
            ("standard", "path", ("old_string", "new_string"), ("Read", "Write", "Edit")),
            ("gemini", "file_path", ("old_string", "new_string"), ("read_file", "write_file", "replace")),
            ("workspace", "path", ("oldText", "newText"), ("read", "write", "edit")),
            ("mcp", "path", ("old_string", "new_string"), ("read", "write", "edit")),
        ):
            await run(dialect, read_it, **{path: "a.md"})
            await run(dialect, read_it, **{path: "often.md"})
            await run(dialect, write_it, **{path: f"new-{dialect}.md", "content": "new\n"})
            await run(dialect, edit_it, **{path: "a.md", old: "two", new: "2"})
            await run(dialect, edit_it, **{path: "a.md", old: "2", new: "two"})
            await run(dialect, edit_it, **{path: "a.md", old: "six", new: "6"})
            await run(dialect, edit_it, **{path: "a.md", old: "one", new: "one"})
            await run(dialect, edit_it, **{path: "often.md", old: "one", new: "1"})
            await run(dialect, edit_it, **{path: "private.md", old: "p", new: "q"})
            await run(dialect, read_it, **{path: "nothing.md"})
            await run(dialect, read_it, **{path: "/etc/hostname"})
            await run(dialect, write_it, **{path: "a.md"})
            await run(dialect, write_it, **{path: "a.md", "content": "", "session": "chat-1"})
            await run(dialect, "Remove", **{path: "a.md"})
        await run("gemini", "read_file", file_path=str(t.root / "a.md"))
        params = {
            "name": "Write",
            "arguments": {"path": "a.md", "content": "1\n"},
            "expected_hash": "sha256:0",
        }
        await editor.request("agentfs/call", {**params, "agent": "Ada", "explanation": "Figures."})
        await editor.request("agentfs/setApprovalMode", {"mode": "manual"})
        editor.answers[ASK] = pressing("Reject")
        for dialect, name in (("standard", "Write"), ("gemini", "write_file"), ("workspace", "write")):
            path = "file_path" if dialect == "gemini" else "path"
            await run(dialect, name, **{path: "new.md", "content": "1\n"})


@scenario
async def commands(t: Transcript) -> None:
    t.put({"a.py": TEXT})
    async with t.editing(options=AUTO) as editor:

        async def run(command: str, *arguments: object) -> None:
            await editor.request("workspace/executeCommand", {"command": command, "arguments": arguments})

        await run("agentfs.read", {"path": "a.py"})
        await run("agentfs.edit", {"path": "a.py", "old_string": "one", "new_string": "1"})
        await run("agentfs.write", {"path": "b.py", "content": "1\n"})
        operation = {"tool": "write", "params": {"path": "c.py", "content": "1\n"}}
        await run("agentfs.batch", {"operations": [operation]})
        await run("agentfs.history", {"limit": 1})
        await run("agentfs.undo")
        await run("agentfs.tools", {"format": "mcp"})
        await run("agentfs.call", {"name": "Read", "arguments": {"path": "a.py"}})
        await run("agentfs.manual")
        await run("agentfs.status")
        await run("agentfs.remove", {"path": "a.py"})
        await run("agentfs.read", {"path": "a.py"}, {"path": "b.py"})


@scenario
async def parameters(t: Transcript) -> None:
    """Every request with invalid params."""
    async with t.editing(options=AUTO) as editor:
        methods = editor.initialized["capabilities"]["experimental"]["agentfs"]["methods"]
        for method in methods:
            for params in (None, "a.py", {"nonsense": 1}, {"session": 1, "id": 1}, {"agent": "a" * 81}):
                await editor.request(method, params)
