"""Params as callers send them (docs/protocol.md#2-requests)."""

import pytest

from agentfs_lsp.api.params import ReadParams, StatusParams
from agentfs_lsp.api.parsing import parse
from agentfs_lsp.domain.errors import BadParameter


@pytest.mark.parametrize("raw", [None, {}, []])
def test_nothing_is_an_empty_object_and_so_is_what_lua_makes_of_one(raw: object) -> None:
    assert parse(StatusParams, raw) == StatusParams()
    with pytest.raises(BadParameter, match="path"):
        parse(ReadParams, raw)


@pytest.mark.parametrize("raw", [[{}], "", 0, False])
def test_what_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(BadParameter, match="no_object"):
        parse(StatusParams, raw)
