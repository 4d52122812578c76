"""What the review channels ask with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agentfs_lsp.adapters.review.client import ClientReviews
from agentfs_lsp.adapters.review.diff_file import DiffFiles
from agentfs_lsp.adapters.review.questions import Screen
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.files.store import Clock
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.proposal.review import Editor


@dataclass(frozen=True, slots=True)
class Asking:
    """`check_unmoved` raises Conflict if one of the proposal's files has changed."""

    editor: Editor
    clock: Clock
    settings: Callable[[], Settings]
    translate: Callable[[], Translate]
    client_reviews: ClientReviews
    diff_files: DiffFiles
    screen: Screen
    check_unmoved: Callable[[Proposal], Awaitable[None]]
