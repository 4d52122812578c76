"""What is made from the declared shapes is as they are now."""

from __future__ import annotations

import pytest

from generated import made
from support.docs import REPOSITORY

MADE = {str(path.relative_to(REPOSITORY)): text for path, text in made().items()}


@pytest.mark.parametrize("name", MADE)
def test_what_is_generated_is_up_to_date(name: str) -> None:
    assert (REPOSITORY / name).read_text("utf-8") == MADE[name], f"{name} is stale: run `make generated`"
