"""`agentfs-lsp undo`: undoes a change from the terminal (docs/protocol.md#11-history-and-undo).

It uses the same use case as agentfs/undo, with the person at the terminal as the reviewer. Unsaved text in
an editor is not known here. The landing lock separates it from running servers.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from rich.text import Text

from agentfs_lsp.adapters.clock import SteadyClock
from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.documents import OpenDocuments
from agentfs_lsp.adapters.terminal.argparse_words import CommandError, Parser, complain
from agentfs_lsp.adapters.terminal.question import YES, Line, NoTurn, Question
from agentfs_lsp.adapters.terminal.review import TerminalReviewer, UsersPolicy
from agentfs_lsp.adapters.terminal.visible import visible
from agentfs_lsp.api.messages.errors import ERRORS, error_text
from agentfs_lsp.api.messages.landing import folders_left_text
from agentfs_lsp.commands.place import Place, add_workspace, find_change, find_place
from agentfs_lsp.commands.printing import console, diff_lines
from agentfs_lsp.domain.errors import ChangeUnknown, DomainError, LandingUnknown, Rejected
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.translation import Translate, nothing_changed, sentences
from agentfs_lsp.lsp.sweeping import recovery_messages
from agentfs_lsp.service.files.store import Root
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.proposal.proposals import Proposals
from agentfs_lsp.service.state.sessions import Sessions
from agentfs_lsp.service.state.workspace import InForce, Workspace
from agentfs_lsp.service.undo import Undo, Undone, undo
from agentfs_lsp.sockets import discovery

SESSION = "terminal"


def run(arguments: Sequence[str], translate: Translate) -> int:
    """Run the command; returns its exit code."""
    options = _parser(translate).parse_args(arguments)
    asks = not options.yes
    if asks and not (sys.stdin.isatty() and sys.stdout.isatty()):
        return complain("undo", translate("Cannot ask without a terminal. Use --yes to undo without asking."))
    place = find_place(options.workspace, translate)
    agrees: Callable[[Proposal], bool] = partial(_ask, translate) if asks else lambda _: True
    before = signal.getsignal(signal.SIGINT)
    try:
        undone = asyncio.run(_undo(place, options.id, partial(_decide, agrees), translate))
    except DomainError as error:
        return _fail(error, translate, as_json=options.json)
    finally:
        signal.signal(signal.SIGINT, before)
        place.history.close()
    _tell(undone, translate, as_json=options.json)
    return 0


def _parser(translate: Translate) -> Parser:
    parser = Parser(
        "undo",
        translate,
        description=translate(
            "Undo a change that landed. Later changes in other parts of its files are kept. If they "
            "overlap, nothing is changed. The diff is shown first."
        ),
        epilog=translate(
            "agentfs-lsp history lists the changes. An undo is a change too, and can be undone."
        ),
    )
    parser.arguments.add_argument("id", metavar="ID", help=translate("the change's id, or how it begins"))
    options = parser.options
    options.add_argument("--yes", action="store_true", help=translate("do not show the diff and do not ask"))
    options.add_argument("--json", action="store_true", help=translate("print the result as JSON"))
    add_workspace(parser, translate)
    return parser


async def _undo(place: Place, typed: str, agrees: Callable[[Proposal], bool], translate: Translate) -> Undone:
    settings, clock, files = Settings(), SteadyClock(), DiskStore(place.state)
    root = Root("", place.root, "file://" + place.root)
    workspace = Workspace(
        files,
        OpenDocuments(),
        TerminalReviewer(agrees),
        Sessions(1, 0, 1),
        Proposals(clock, lambda: None, lambda _: None),
        clock,
        InForce(settings, UsersPolicy(settings, ())),
        place.history,
        roots=(root,),
        settings_known=True,
    )
    files.set_roots(workspace.roots)
    try:
        if files.interrupted():  # else a half-landed file would be taken for its content
            recovered = files.sweep()
            for _, text in recovery_messages(recovered, translate):
                print(text, file=sys.stderr)
            held_up = [path for one in recovered if one.outcome == "held_up" for path in one.paths]
            if any(path.startswith(f"{place.root.rstrip('/')}/") for path in held_up):
                raise CommandError(nothing_changed(translate, ""))
        change = find_change(place, typed, translate)
        return await undo(workspace, Undo(SESSION, change.id, by_user=True))
    finally:
        files.close()


def _decide(agrees: Callable[[Proposal], bool], proposal: Proposal) -> bool:
    """Once the undo is decided, Ctrl-C does nothing: the files are written anyway, so the undo has to be
    recorded, and told as it ends."""
    if not agrees(proposal):
        return False
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    task = asyncio.current_task()
    return not (task and task.cancelling())  # by Ctrl-C just before


def _ask(translate: Translate, proposal: Proposal) -> bool:
    """Show the diff and ask; only an explicit yes approves."""
    prompt = translate("Undo this change? [y/N]")
    question = Question(prompt, console(), sys.stdin.fileno(), discovery.ensure_folder, translate)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # the loop's would wait for the answer
    try:
        answer = question.ask(list(_lines(proposal))) or ""
    except NoTurn as error:
        raise CommandError(sentences(translate, (str(error), nothing_changed(translate, "")))) from error
    except KeyboardInterrupt:
        print()
        answer = ""
    finally:
        signal.signal(signal.SIGINT, before)
    return answer.lower() in YES


def _lines(proposal: Proposal) -> Iterator[Line]:
    for change in proposal.changes:
        yield Line(Text(f"{change.operation} {visible(change.path)}", "bold"))
        yield from diff_lines(change.full_preview)


def _tell(undone: Undone, translate: Translate, *, as_json: bool) -> None:
    changes = [landing.change for landing in undone.landings]
    if as_json:
        files = [{"path": change.path, "operation": change.operation} for change in changes]
        json.dump({"undone": undone.change.id, "unchanged": not changes, "files": files}, sys.stdout)
        print()
    elif not changes:
        print(translate("There is nothing left to undo in change {id}.", id=undone.change.id))
    else:
        left = folders_left_text(undone.folders_left, translate)
        print(sentences(translate, (translate("Undid change {id}.", id=undone.change.id), left)))


def _fail(error: DomainError, translate: Translate, *, as_json: bool) -> int:
    message, next_step = error_text(error, translate)
    if as_json:
        json.dump({"error": {"code": ERRORS[type(error)][0], "message": message}}, sys.stdout)
        print()
        return 1
    if isinstance(error, Rejected):  # by the person at the terminal
        message = ""
    if not isinstance(error, LandingUnknown):
        listing = (
            translate("agentfs-lsp history lists the changes.") if isinstance(error, ChangeUnknown) else ""
        )
        next_step = nothing_changed(translate, listing)  # error_text's is for an agent
    return complain("undo", sentences(translate, (message, next_step)))
