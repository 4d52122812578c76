"""No spelling of a protected name is judged less strictly than the listed one."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.folding import fold_path
from agentfs_lsp.domain.policy.protected import ASKED_FOR_CHANGES, ASKED_FOR_EVERYTHING, DENIED
from agentfs_lsp.domain.policy.verdict import Policy
from agentfs_lsp.domain.settings.rules import Operation
from agentfs_lsp.domain.settings.settings import Settings
from support.layers import layered

POLICY = Policy(Settings(), [])
STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}
IGNORED = "\u00ad\u200b\u200c\u200d\u2060\u206a\ufe0f\ufeff\U000e0020"

operations: st.SearchStrategy[Operation] = st.sampled_from(("read", "write", "edit"))
names = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=8).filter(
    lambda name: name not in {".", ".."}
)


def full_width(letter: str) -> str:
    return chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" and letter != "/" else letter


@st.composite
def spelled(draw: st.DrawFn, name: str) -> str:
    """Another spelling of `name` that some file system may accept."""
    letters = []
    for letter in name:
        turn = draw(st.sampled_from((str, str.upper, str.title, full_width)))
        letters.append(draw(st.sampled_from(("", "", "", *IGNORED))) + turn(letter))
    stream = draw(st.sampled_from(("", "", ":x", "::$INDEX_ALLOCATION", ":a.b:$DATA")))
    return "".join(letters) + draw(st.text("\u00a0. ", max_size=3)) + stream


@st.composite
def guarded(draw: st.DrawFn) -> tuple[str, str]:
    """A protected path as listed, and another spelling."""
    glob = draw(st.sampled_from((*DENIED, *ASKED_FOR_EVERYTHING, *ASKED_FOR_CHANGES)))
    filled = glob.removesuffix("/**").replace("*", draw(st.text("abz19-_", max_size=5)))
    above = draw(st.lists(names, max_size=2))
    below = draw(st.lists(names, max_size=2)) if glob.endswith("/**") else []
    variant = [draw(spelled(part)) for part in filled.split("/")]
    return "/".join([*above, filled, *below]), "/".join([*above, *variant, *below])


@given(guarded(), operations)
def test_no_spelling_of_a_guarded_path_is_judged_weaker(paths: tuple[str, str], operation: Operation) -> None:
    plain, variant = (POLICY.judge(operation, path, root="/r", mode="auto_edit") for path in paths)
    assert operation == "read" or plain.decision != "allow"
    assert STRICTNESS[variant.decision] >= STRICTNESS[plain.decision]


@given(st.text(st.characters(), max_size=40), operations)
def test_any_text_is_judged(path: str, operation: Operation) -> None:
    assert POLICY.judge(operation, path, root="/r", mode="manual").decision in STRICTNESS


odd_globs = st.text(
    st.sampled_from("aZ*?[]!^-#\\/. ~:\u017f\uff0a\u3164\ufe0f\uff01ß1") | st.characters(), max_size=12
)


@given(
    st.lists(odd_globs, max_size=4),
    st.text(st.sampled_from("aZs*[]!#/.~1\u3164 :\n"), max_size=8),
    operations,
)
def test_globs_that_are_taken_judge_any_path(globs: list[str], path: str, operation: Operation) -> None:
    rules = [{"files": globs, "read": "ask", "write": "allow", "edit": "deny"}]
    layers = layered(("changed", {"rules": rules, "protected": globs}))
    policy = Policy(layers.settings, [])
    assert policy.judge(operation, path, root="/r", mode="auto_edit").decision in STRICTNESS


@given(st.text(st.characters(), max_size=20))
def test_folding_twice_changes_nothing_more(path: str) -> None:
    assert fold_path(fold_path(path)) == fold_path(path)


@given(st.text(st.characters(), max_size=20), st.sampled_from(("NFC", "NFD", "NFKC", "NFKD")))
def test_unicode_forms_of_a_path_fold_alike(path: str, form: str) -> None:
    assert fold_path(unicodedata.normalize(form, path)) == fold_path(path)  # type: ignore[arg-type]
