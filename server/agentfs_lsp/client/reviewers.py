"""Reviewers for `AgentFS.open`: the terminal, and two that ask nobody."""

from __future__ import annotations

import os

from agentfs_lsp.client.reviews import Accept, Decision, Reject, Review, Reviewer


def allow_all(review: Review) -> Decision:  # noqa: ARG001 - the signature of reviewers
    """Accept every change. What the settings deny stays denied."""
    return Accept()


def deny_all(review: Review) -> Decision:  # noqa: ARG001
    """Refuse every change that policy does not allow. As the reviewer of a client it is never called: the
    server knows that nobody can be asked, and says so."""
    return Reject("Nobody can be asked.")


def terminal() -> Reviewer:
    """A reviewer that shows each diff at this program's terminal, and asks the person there.

    It uses `/dev/tty`, whatever the program's input and output are used for. Only `y` accepts; any other text
    rejects, as the reason that the agent gets. What was typed before the question does not count. Where there
    is no terminal, this is `deny_all`."""
    # A program that asks nobody here needs no library for it.
    from agentfs_lsp.client.at_terminal import TTY, ask  # noqa: PLC0415

    try:
        os.close(os.open(TTY, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return deny_all
    return ask
