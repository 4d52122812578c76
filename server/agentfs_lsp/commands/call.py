"""`agentfs-lsp call`: runs an agent's tool or request from a shell (docs/protocol.md#16-the-agents-socket).

It uses the server of the editor that has the folder open, or else a server of its own, with the person at
the terminal as the reviewer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from math import isinf
from typing import Any, Final

from agentfs_lsp.adapters.catalog import language, terminal_locale, translator_for
from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser, positive
from agentfs_lsp.adapters.terminal.visible import terminal_encoding
from agentfs_lsp.api.dialects.table import DIALECTS
from agentfs_lsp.client import AgentFS, AgentFSError, Answer, TimedOut
from agentfs_lsp.commands.waiting import reviewer, telling
from agentfs_lsp.domain.text.escaping import escape_invisible
from agentfs_lsp.domain.translation import Translate

ERROR, USAGE, REFUSED, CONFLICT, NO_ANSWER = 1, 2, 3, 4, 5
"""Exit codes; 0 if there is a usable result."""

REQUESTS: Final = ("batch", "history", "status", "tools", "undo")
"""Requests that are no tools of a dialect."""

_READ_FIRST: Final = frozenset(
    translator_for(locale)("Read the file first.")
    for locale in ("en", "zh-cn")  # an editor's server has its own
)

_CODES: Final = {"USER_REJECTED": REFUSED, "ACCESS_DENIED": REFUSED, "TIMEOUT": REFUSED, "CONFLICT": CONFLICT}


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command; returns its exit code."""
    options = _parser(translate).parse_args(arguments)
    params = _params(options.json, translate)
    try:
        review = reviewer(translate, no_editor=True)
        with (
            AgentFS.connect(options.workspace, review, name=options.agent, settings=own_settings()) as fs,
            telling(fs, translate),
        ):
            if options.tool in REQUESTS:
                answer = fs.request(f"agentfs/{options.tool}", params, timeout_s=options.timeout)
            else:
                answer = fs.call(options.tool, params, options.dialect, timeout_s=options.timeout)
    except NotADirectoryError as error:
        raise CommandError(translate("'{path}' is not a folder.", path=options.workspace), USAGE) from error
    except TimedOut as error:
        raise CommandError(
            translate("Nobody decided in time. The request was withdrawn; nothing was changed."), NO_ANSWER
        ) from error
    except AgentFSError as error:
        raise CommandError(str(error), NO_ANSWER) from error
    _print(answer, as_text=options.text)
    if answer.text.startswith(tuple(_READ_FIRST)):
        sys.stdout.flush()
        told = translate(
            "Each call is a session of its own: add expected_hash to the arguments, with the hash that a "
            "Read without --text returns."
        )
        print(f"agentfs-lsp call: {told}", file=sys.stderr)
    return exit_code(answer)


def own_settings() -> dict[str, str]:
    """The settings of a server of one's own: it speaks the terminal's language."""
    return {"locale": language(terminal_locale())}


def exit_code(answer: Answer) -> int:
    """0 if there is a usable result, else what kept it from being one."""
    return 0 if answer.ok else _CODES.get(str(answer.code), ERROR)


def _print(answer: Answer, *, as_text: bool) -> None:
    """Programs get UTF-8, whatever the locale is, and a terminal its own encoding. What that lacks, or what
    would control the terminal, is escaped and not replaced: the output may be written back."""
    out = sys.stdout
    is_terminal = out.isatty()
    encoding = terminal_encoding() if is_terminal else "utf-8"
    if as_text:
        shown = escape_invisible(answer.for_model()) if is_terminal else answer.for_model()
    else:
        shown = json.dumps(answer.envelope, ensure_ascii=False, indent=2)
        if not _fits(shown, encoding) or (is_terminal and escape_invisible(shown) != shown):
            shown = json.dumps(answer.envelope, indent=2)
    shown = shown if shown.endswith("\n") else f"{shown}\n"
    out.flush()
    out.buffer.write(shown.encode(encoding, "backslashreplace"))


def _fits(shown: str, encoding: str) -> bool:
    try:
        shown.encode(encoding)
    except UnicodeEncodeError:  # a terminal's encoding, or half a surrogate pair
        return False
    return True


def _params(given: str, translate: Translate) -> dict[str, Any]:
    """Raises CommandError if the text, or standard input for "-", is not a JSON object."""
    try:
        text = sys.stdin.buffer.read() if given == "-" else given
        params = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except OverflowError as error:
        raise CommandError(translate("The number {number} is too large.", number=error), USAGE) from error
    except (ValueError, RecursionError) as error:
        raise CommandError(translate("The arguments are not JSON: {error}", error=error), USAGE) from error
    if not isinstance(params, dict):
        example = '{"path": "a.py"}'
        told = translate("The arguments must be a JSON object, such as {example}.", example=example)
        raise CommandError(told, USAGE)
    return params


def _no_number(name: str) -> None:
    """Python takes NaN and Infinity, and JSON does not."""
    raise ValueError(name)


def _finite(digits: str) -> float:
    """Python takes a number that is too large for infinity, which is none in JSON."""
    number = float(digits)
    if isinf(number):
        raise OverflowError(digits)
    return number


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "call",
        translate,
        description=translate(
            "Run a tool as an agent does, and print the response. If an editor with agentfs has the folder "
            "open, its user reviews changes there; otherwise, they are reviewed in this terminal. Each call "
            "is a session of its own: to change an existing file, pass the hash that a Read returned as "
            "expected_hash."
        ),
        epilog=translate(
            "Exit codes: 0 a usable result, 1 an error, 2 wrong arguments, 3 refused by the user or the "
            "policy, 4 a conflict, 5 no answer."
        ),
    )
    parser.arguments.add_argument(
        "tool",
        metavar="TOOL",
        help=translate(
            "Read, Write, Edit, or another dialect's tool; or {requests}", requests=", ".join(REQUESTS)
        ),
    )
    parser.arguments.add_argument(
        "json",
        metavar="JSON",
        nargs="?",
        default="{}",
        help=translate("the arguments as a JSON object; - reads them from standard input"),
    )
    options = parser.options
    options.add_argument(
        "--text",
        action="store_true",
        help=translate("print what a model should receive, not the whole response"),
    )
    options.add_argument(
        "--dialect",
        choices=tuple(DIALECTS),
        default="standard",
        help=translate("the dialect of the tool (default: %(default)s)"),
    )
    options.add_argument(
        "--agent",
        metavar="NAME",
        default="agentfs-lsp call",
        help=translate("the agent's name, as the user is shown it"),
    )
    options.add_argument(
        "--workspace",
        metavar="DIR",
        default=".",
        help=translate("the workspace folder (default: the current folder)"),
    )
    options.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=partial(positive, translate),
        help=translate("withdraw the request after so many seconds (default: never)"),
    )
    return parser
