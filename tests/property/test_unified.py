"""Compared with real tools: `git apply` produces the new text, `diff -u` prints the same."""

import subprocess
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentfs_lsp.domain.diff import unified
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import Operation, preview

UNLIMITED = 1 << 62
line = st.sampled_from(["", "a", "b", "  }", "é中", "--- a/x", "@@ -1 +1 @@", "\\ No", "+", "-- \t"])
texts = st.builds(
    lambda lines, rest, eol: "".join(it + eol for it in lines) + rest,
    st.lists(line, max_size=25),
    st.sampled_from(["", "", "end"]),
    st.just("\n"),
)

ragged = st.lists(
    st.sampled_from(["a", "b", "中", "\n", "\r\n", "\r", "\u200d", "\ufe0f", "\u20e3", "\x07", "\u202e"]),
    max_size=12,
).map("".join)


def whole(old: str, new: str, operation: Operation = "update") -> str:
    return unified.whole(old, diff(old, new), "f.txt", operation=operation)


def git_applied(old: str | None, patch: str) -> str:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "f.txt"
        if old is not None:
            file.write_bytes(old.encode())
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            cwd=folder,
            input=patch.encode(),
            env={"GIT_CEILING_DIRECTORIES": str(Path(folder).parent), "PATH": "/usr/bin:/bin:/usr/local/bin"},
            check=True,
            capture_output=True,
        )
        return file.read_bytes().decode()


@settings(max_examples=40)
@given(texts, texts, st.booleans())
def test_git_makes_the_new_text_of_it(old: str, new: str, crlf: bool) -> None:
    if crlf:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    if old != new:
        assert git_applied(old, whole(old, new)) == new


@given(ragged, ragged, st.integers(0, 3))
def test_the_whole_diff_equals_the_diff_by_lines(old: str, new: str, context: int) -> None:
    hunks = diff(old, new)
    by_line = preview(
        old,
        hunks,
        "f.txt",
        max_lines=UNLIMITED,
        max_bytes=UNLIMITED,
        max_line_chars=UNLIMITED,
        context=context,
    )
    assert unified.whole(old, hunks, "f.txt", context=context) == by_line.text


@settings(max_examples=10)
@given(texts.filter(bool))
def test_git_creates_the_file_of_it(new: str) -> None:
    assert git_applied(None, whole("", new, "create")) == new


@pytest.mark.parametrize("seed", range(12))
def test_it_is_what_diff_prints(seed: int, tmp_path: Path) -> None:
    """If all lines differ, the shortest diff is unique, so the texts can be compared."""
    random = Random(seed)
    old = [f"line {number}" for number in range(80)]
    new = list(old)
    for number in sorted(random.sample(range(79), 6), reverse=True):
        new[number : number + random.choice([0, 1])] = [
            f"put {number} {n}" for n in range(random.choice([0, 1, 2]))
        ]
    ends = [random.choice(["", "\n"]), random.choice(["", "\n"])]
    before, after = "\n".join(old) + ends[0], "\n".join(new) + ends[1]
    (tmp_path / "old").write_text(before)
    (tmp_path / "new").write_text(after)
    command = ["diff", "-u", "--label", "a/f.txt", "--label", "b/f.txt", "old", "new"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert whole(before, after) == printed
