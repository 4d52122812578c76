"""The demo's last scene with Codex itself."""

from pathlib import Path

from support.demo import run_demo
from support.programs import INSTALLED


def test_codex_edits_and_the_terminal_reviews(tmp_path: Path) -> None:
    done = run_demo(tmp_path, "--codex", INSTALLED / ".bin" / "codex")
    assert done.returncode == 0, done.stdout + done.stderr
    scene = done.stdout.split("An agent in another program", 1)[1]
    assert "outside: Codex: “Low water had no test.”" in scene
    (file,) = tmp_path.glob("scratch/*/harbor/tides/test_levels.py")
    assert "def test_low_water" in file.read_text()
