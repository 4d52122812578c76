"""`agentfs-lsp hook claude-code`: puts Claude Code's own Edit and Write through agentfs
(docs/protocol.md#mcp).

Claude Code runs it before each use of these tools. The change is made here, with its review, and the tool's
own is denied, with the result as the reason. Whatever fails here denies, too: otherwise, the tool would
write the file.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from agentfs_lsp.adapters.terminal.argparse_words import Parser, positive
from agentfs_lsp.client import AgentFS, Answer, RequestRefused, TimedOut, deny_all
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.jsonrpc.codec import INTERNAL_ERROR

BLOCK: Final = 2
"""The exit code that denies; the reason is on standard error."""

TIMEOUT_S: Final = 50
GRACE_S: Final = 5
"""Together shorter than Claude Code waits for a hook, by default 60 s; then it would let the tool write."""

_AGENT: Final = "Claude Code"
_OTHER_EDITS: Final = ("MultiEdit", "NotebookEdit")


_NOT_MADE: Final = "agentfs did not make this change:"
_UNKNOWN: Final = "It is not known whether agentfs made this change: read the file before you go on."


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command; returns its exit code."""
    options = _parser(translate).parse_args(arguments)
    limit = threading.Timer(options.timeout + GRACE_S, _give_up)
    limit.daemon = True
    limit.start()
    sent = threading.Event()
    try:
        reason = _reason(json.load(sys.stdin.buffer), options.timeout, sent)
        if reason is not None:
            decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
            print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}), flush=True)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - whatever it is, the tool must not write
        why = str(error) or type(error).__name__
        print(f"{_UNKNOWN} {why}" if sent.is_set() else f"{_NOT_MADE} {why}", file=sys.stderr)
        return BLOCK
    return 0


def _give_up() -> None:
    """End at once: Claude Code must not wait any longer, even if a server does not answer."""
    print(f"agentfs did not answer in time. {_UNKNOWN}", file=sys.stderr, flush=True)
    os._exit(BLOCK)


def _reason(event: Mapping[str, Any], timeout_s: float, sent: threading.Event) -> str | None:
    """Make the change; returns why the tool must not make it. None if the tool is none that edits. Sets
    `sent` while the change may have been made."""
    tool, given = event["tool_name"], event["tool_input"]
    if tool in _OTHER_EDITS:
        return f"{tool} is not available here: agentfs makes all changes. Use Edit or Write."
    if tool not in {"Edit", "Write"}:
        return None
    if sys.stdout is None:
        raise ValueError("Standard output, where the result goes, is closed.")
    until = time.monotonic() + timeout_s
    root = os.environ.get("CLAUDE_PROJECT_DIR") or event["cwd"]
    try:
        with AgentFS.connect(root, deny_all, name=_AGENT) as fs:
            answer = _change(fs, tool, given, _path(event, root), until, sent)
    except TimedOut:
        return f"Nobody decided within {timeout_s:.0f} s, so the change was not made."
    if answer.ok:
        return (
            "agentfs has handled this change; do not make it again. Read the file before you change it once "
            f"more. The result: {answer.for_model()}"
        )
    return answer.for_model()


def _path(event: Mapping[str, Any], root: str) -> str:
    """The file that the tool would change: it expands `~`, and else begins at its own working folder, which
    may be below the editor's. `root` may be spelled through a link, which the editor does not know."""
    path = str(event["tool_input"]["file_path"])
    if path == "~" or path.startswith("~/"):
        path = os.path.expanduser(path)
    path = os.path.join(event.get("cwd", ""), path)
    below = path.removeprefix(root.rstrip("/"))
    return os.path.realpath(root) + below if below != path and below.startswith("/") else path


def _change(
    fs: AgentFS, tool: str, given: Mapping[str, Any], path: str, until: float, sent: threading.Event
) -> Answer:
    """What the tool would do, on the file as it is now: the tool has seen it, in this or another process."""
    seen = fs.call("read", {"path": path, "limit": 1}, "mcp", timeout_s=until - time.monotonic())
    if tool == "Edit" and given["old_string"]:
        names = ("old_string", "new_string", "replace_all")
        arguments = {name: given[name] for name in names if name in given}
        return _sent(fs, "edit", {"path": path, **arguments}, until, sent)
    if not seen.ok and seen.code != "NOT_FOUND":
        return seen
    if seen.ok and tool == "Edit":
        raise ValueError("The file is not empty. Give the text to replace.")
    if seen.ok and seen.data.get("dirty"):
        raise ValueError("The editor has unsaved text of the file, which you have not seen. Use Edit.")
    content = given["new_string"] if tool == "Edit" else given["content"]
    arguments = {"path": path, "content": content, "allow_empty": True}
    return _sent(fs, "write", arguments, until, sent)


def _sent(
    fs: AgentFS, tool: str, arguments: Mapping[str, Any], until: float, sent: threading.Event
) -> Answer:
    sent.set()
    try:
        return fs.call(tool, arguments, "mcp", timeout_s=until - time.monotonic())
    except (TimedOut, RequestRefused) as error:
        if not (isinstance(error, RequestRefused) and error.code == INTERNAL_ERROR):
            sent.clear()  # nothing was changed
        raise


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "hook",
        translate,
        description=translate(
            "A PreToolUse hook for Claude Code: its own Edit and Write become changes that are reviewed in "
            "the editor. It reads the event from standard input. Without an editor that has the folder open, "
            "the changes are denied."
        ),
    )
    parser.arguments.add_argument("agent", choices=("claude-code",), help=translate("the agent's program"))
    parser.options.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=partial(positive, translate),
        default=TIMEOUT_S,
        help=translate(
            "deny after so many seconds without a decision; it must be less than the hook's own timeout "
            "(default: %(default)s)"
        ),
    )
    return parser
