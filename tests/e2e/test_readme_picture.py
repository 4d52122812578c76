"""The README's picture of the demo."""

import html
import re
from pathlib import Path

from support.demo import run_demo

PICTURE = Path(__file__).parents[2] / "docs/images/demo.svg"


def test_the_readme_shows_the_demo_as_it_is(tmp_path: Path) -> None:
    """`make picture` updates it."""
    now = tmp_path / "demo.svg"
    run_demo(tmp_path, "--clean", "--svg", now)
    assert "USER_REJECTED" in said_in(now)
    assert said_in(now) == said_in(PICTURE)


def said_in(picture: Path) -> str:
    """A picture's text, without spaces and what varies between runs."""
    text = "".join(html.unescape("".join(re.findall("<text[^>]*>([^<]*)", picture.read_text()))).split())
    text = re.sub(r"files.*?\(acopy", "files(acopy", text, count=1)
    return re.sub(r"process\d+|'/[^']*/harbor/", "", text)
