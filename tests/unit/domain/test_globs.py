"""Which globs are refused, and what a list of them costs."""

import json

import pytest

from agentfs_lsp.domain import globs
from agentfs_lsp.domain.globs import FoldedGlobs, Spelled, fault_of
from agentfs_lsp.domain.settings.rules import MAX_ENTRIES


def test_a_list_of_globs_of_many_spellings_is_few_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A workspace's file may contain such a list: compiling each glob with all 8.3 names blocks the server
    for half a minute."""
    many = ["/".join([f"a{number}~*b*"] * 5) for number in range(MAX_ENTRIES)]
    assert len(json.dumps(many)) < 64 * 1024
    compiled = 0
    before = globs._compiled

    def counting(each: object) -> object:
        nonlocal compiled
        found = before(each)  # type: ignore[arg-type]
        compiled += len(found)
        return found

    monkeypatch.setattr(globs, "_compiled", counting)
    assert not any(map(fault_of, many))
    FoldedGlobs({glob: glob for glob in many}).match(Spelled.of("x~1"))
    assert compiled < 10 * MAX_ENTRIES


def test_a_long_list_still_meets_short_names() -> None:
    long_list = FoldedGlobs({f".credentials{number}/secret.json": "x" for number in range(MAX_ENTRIES)})
    assert long_list.match(Spelled.of("CREDEN~1/SECRET~1.JSO")) == "x"


@pytest.mark.parametrize(
    "glob", ["/", "a/", "/a", "...", ".a/..b", "~/x", "/home/ada/x", "*.{txt,md}", "a\\**", "**/", "**/a/**"]
)
def test_a_glob_is_refused_only_if_it_matches_nothing(glob: str) -> None:
    """These may be meant otherwise, but are names of files: `~`, `home/`, `a.{txt,md}`."""
    assert fault_of(glob) == (glob == "/")
