"""The table of review channels (docs/protocol.md#9-review-and-landing)."""

from typing import get_args

from agentfs_lsp.adapters.review.channels import CHANNELS
from agentfs_lsp.domain.settings.settings import settings_from
from agentfs_lsp.service.proposal.proposal import Rung
from agentfs_lsp.service.proposal.review import EditorTraits

NAMES = [channel.name for channel in CHANNELS]


def able(traits: EditorTraits, **settings: object) -> list[str]:
    return [one.name for one in CHANNELS if one.is_able(traits, settings_from(settings))]


def test_every_way_of_asking_an_editor_is_a_row() -> None:
    assert {*NAMES, "policy", "terminal"} == set(get_args(Rung))


def test_an_editor_is_asked_by_what_it_is_able_to() -> None:
    assert able(EditorTraits()) == ["message"]
    assert able(EditorTraits(preview=True)) == ["preview", "message"]
    assert able(EditorTraits(preview=True), **{"preview.enabled": False}) == ["message"]
    assert able(EditorTraits(review=True, preview=True)) == ["preview", "review", "message"]
    assert able(EditorTraits(review=True)) == ["review", "message"]
