"""`.editorconfig` properties of a file."""

import pytest

from agentfs_lsp.domain.editorconfig import properties_for


@pytest.mark.parametrize(
    ("glob", "path", "means"),
    [
        ("*", "a/b.py", True),
        ("*.py", "a/b.py", True),
        ("*.py", "a/b.pyc", False),
        ("/*.py", "b.py", True),
        ("/*.py", "a/b.py", False),
        ("lib/**.js", "lib/a/b.js", True),
        ("lib/*.js", "lib/a/b.js", False),
        ("a/**/z", "a/z", True),
        ("a/**/z", "a/b/c/z", True),
        ("*.{js,ts}", "x.ts", True),
        ("*.{js,t{s,sx}}", "x.tsx", True),
        ("{a,b}/c", "b/c", True),
        ("{single}", "{single}", True),
        ("file{1..12}", "file7", True),
        ("file{1..12}", "file13", False),
        ("[ab]?", "bz", True),
        ("[!ab]?", "bz", False),
        ("[a-f]x", "cx", True),
        ("[ab", "[ab", True),
        (r"\*", "*", True),
        (r"\*", "x", False),
        ("{a,b", "{a,b", True),
        ("Makefile", "sub/Makefile", True),
    ],
)
def test_sections_mean_files(glob: str, path: str, means: bool) -> None:
    found = properties_for([("", f"[{glob}]\ncharset = latin1\n")], path)
    assert found == ({"charset": "latin1"} if means else {})


def test_nearer_files_win_and_a_root_ends_the_search() -> None:
    files = [
        ("", "[*]\nend_of_line = crlf\ncharset = latin1\n"),
        ("a/b", "[*.py]\nend_of_line=LF ; as ever\n"),
        ("a", "ROOT = True\n[*]\nend_of_line = cr\nindent_size = 4\nindent_size = unset\n"),
        ("other", "[*]\ncharset = utf-16le\n"),
    ]
    assert properties_for(files, "a/b/x.py") == {"end_of_line": "lf"}
    assert properties_for(files, "a/x.py") == {"end_of_line": "cr"}
    assert properties_for(files, "x.py") == {"end_of_line": "crlf", "charset": "latin1"}


def test_later_sections_win_and_oddities_are_passed_over() -> None:
    text = "\ufeff# comment\r\nnonsense\r\n[*]\r\nA: 1\r\n[*.py]\r\n; comment\r\na = 2\r\n= 3\r\n"
    assert properties_for([("", text)], "x.py") == {"a": "2"}


def test_no_pattern_takes_long() -> None:
    path = "a" * 1_000
    for glob in ("*a" * 400 + "b", "{" * 500 + "a" + "}" * 500, "{a," * 300 + "}" * 300, "**?" * 300 + "b"):
        assert properties_for([("", f"[{glob}]\nx = 1\n")], path) == {}


def test_no_line_takes_long() -> None:
    blanks = " " * 1_000_000
    assert properties_for(
        [("", f"a{blanks}b\nc{blanks}={blanks}d # e\n[*]\nx ={blanks}y{blanks}# z\n")], "a"
    ) == {"x": "y"}


def test_many_sections_do_not_take_long_together() -> None:
    many = f"[{'*a' * 500}b]\nx = 1\n" * 1000
    assert properties_for([("", f"[*]\nx = 1\n{many}[*]\nx = 2\n")], "a" * 1000) == {"x": "1"}
