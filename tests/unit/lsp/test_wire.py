"""Params as callers send them (docs/protocol.md#2-requests)."""

import difflib
from collections.abc import Iterable

import pytest

from agentfs_lsp.api import parsing
from agentfs_lsp.api.params import ReadParams, StatusParams
from agentfs_lsp.api.parsing import parse
from agentfs_lsp.domain.errors import BadParameter


@pytest.mark.parametrize("raw", [None, {}, []])
def test_nothing_is_an_empty_object_and_so_is_luas_form_of_one(raw: object) -> None:
    assert parse(StatusParams, raw) == StatusParams()
    with pytest.raises(BadParameter, match="path"):
        parse(ReadParams, raw)


@pytest.mark.parametrize("raw", [[{}], "", 0, False])
def test_what_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(BadParameter, match="no_object"):
        parse(StatusParams, raw)


def test_a_key_of_megabytes_is_compared_with_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def counted(key: str, names: Iterable[str], n: int) -> list[str]:
        compared.append(key)
        return difflib.get_close_matches(key, names, n)

    monkeypatch.setattr(parsing, "get_close_matches", counted)
    for key, problem in (("sesion", "misspelt"), ("session_" * 500_000, "unknown")):
        with pytest.raises(BadParameter, match=problem):
            parse(StatusParams, {key: 1})
    assert compared == ["sesion"]
