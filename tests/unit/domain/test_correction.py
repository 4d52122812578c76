"""Markers for omitted text are rejected; code and prose that only look like them are not."""

import pytest

from agentfs_lsp.domain.diff.elision import Placeholder, find_placeholder

ORIGINAL = "def area(width, height):\n    return width * height\n"

MARKERS = [
    "// ... rest of the code unchanged",
    "// ...rest of the code unchanged...",
    "// rest of your code ...",
    "// Rest of the code remains the same",
    "// ... existing code ...",
    "// ...existing code...",
    "// … existing code …",
    "// ... other methods",
    "// ... (unchanged)",
    "// [rest of the file unchanged]",
    "// The rest of the file stays as is.",
    "# ... existing code ...",
    "# ... rest of file",
    "# ... same as before",
    "# ... remaining methods unchanged ...",
    "# ... keep existing imports",
    "# (rest of the function is unchanged)",
    "# existing code here",
    "# code omitted for brevity",
    "# ... unchanged ...",
    "#... rest of the implementation",
    "-- ... existing code ...",
    "; ... rest of the file ...",
    "% ... remaining sections unchanged",
    "/* remaining methods stay the same */",
    "/* ... existing styles ... */",
    "{/* ... existing code ... */}",
    "{/* rest of the component remains unchanged */}",
    "<!-- rest of file -->",
    "<!-- ... existing content ... -->",
    "<!-- The rest of the document remains the same -->",
    "(* ... rest of the module ... *)",
    " * ... remaining methods unchanged",
    "... (unchanged)",
    "... existing code ...",
    "... rest of the file remains the same ...",
    "[... rest of the file unchanged ...]",
    "(rest of the code unchanged)",
    "// ... 其余代码保持不变 ...",
    "# 其余代码不变",
    "<!-- 其余内容保持不变 -->",
    "// ... 省略 ...",
]

LEGITIMATE = [
    "...",
    "    ...",
    "def area(self) -> float: ...",
    "x[..., 0] = 1",
    "...args",
    "...rest",
    "...rest,",
    "{...props}",
    "{...rest}",
    "[...rest]",
    "(...rest)",
    "...(rest)",
    "...(existing code)",
    "f(...args, ...rest)",
    "const { a, ...rest } = props;",
    "// ...",
    "# ...",
    "# etc.",
    "# and so on ...",
    "# Loading existing users...",
    "// Checking existing code...",
    "# Fetch the remaining items ...",
    "# here...",
    "# the rest of the arguments are passed through unchanged",
    "# rest of the line",
    "# remaining items are handled below",
    "// existing methods remain unchanged for old callers",
    "# same as before",
    "# unchanged",
    "# other methods",
    "# existing file",
    "// keep the existing order",
    "# TODO: move the rest of the code to lib",
    "# The rest of the code assumes that the list is sorted",
    "// the other tests stay the same length",
    "/* Everything else is derived. */",
    "<!-- content -->",
    "<!-- rest -->",
    "The rest of the code is unchanged.",
    "... and the rest is history.",
    "He paused ... the rest of the text was gone ...",
    "(same file)",
    "[existing code]",
    "[existing code](docs/code.md)",
    "- existing files are kept as is",
    "* the rest of the bread",
    'print("// ... rest of the code unchanged")',
    "x = 1  # ... rest of the code unchanged",
    "#include <rest>",
    "#!/bin/sh",
    "# 其余参数见下文",
    "# 代码",
]


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_is_found_with_its_line(marker: str) -> None:
    content = f"def area(width, height):\r\n    {marker}  \r\nend\r\n"
    assert find_placeholder(content, ORIGINAL) == Placeholder(2, marker.strip())


@pytest.mark.parametrize("line", LEGITIMATE)
def test_code_and_prose_are_left_alone(line: str) -> None:
    assert find_placeholder(f"first\n{line}\nlast\n", ORIGINAL) is None


@pytest.mark.parametrize("original", ["", " \n\t\n"])
def test_where_there_was_no_text_none_is_left_out(original: str | None) -> None:
    assert find_placeholder("# ... existing code ...\n", original) is None


def test_the_first_of_several_is_told_and_line_separators_are_content() -> None:
    content = "a\u2028b\n\f\n# ... existing code ...\n// ... existing code ...\n"
    assert find_placeholder(content, ORIGINAL) == Placeholder(3, "# ... existing code ...")


def test_long_lines_cost_nothing_and_are_no_markers() -> None:
    assert find_placeholder("// ... " + "other " * 30 + "methods ...", ORIGINAL) is None
    assert find_placeholder("// ... " + "other " * 200_000 + "methods ...", ORIGINAL) is None
