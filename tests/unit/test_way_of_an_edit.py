"""An edit's path through the code is as short as docs/architecture.md says."""

import re

import pytest

from support.docs import DOCS
from way_of_an_edit import way_of_an_edit


@pytest.mark.parametrize("reviewed", [False, True])
def test_the_way_of_an_edit_is_as_short_as_the_page_says(reviewed: bool) -> None:
    page = (DOCS / "architecture.md").read_text()
    allowed, accepted = re.findall(r"at most (\d+) functions in (\d+) modules", page)
    functions, modules = accepted if reviewed else allowed
    way = way_of_an_edit(reviewed=reviewed)
    assert ("service/landing/landing.py", "_write") in way
    assert len(way) <= int(functions), "\n".join(f"{module}: {name}" for module, name in way)
    assert len({module for module, _ in way}) <= int(modules)
