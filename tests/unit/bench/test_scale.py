"""The page about scale shows every figure at each size, and how much it grew."""

from pathlib import Path

from bench.scale import SUBJECTS, Subject, page


def _nothing(_: Path, __: int) -> dict[str, float]:
    return {}


def test_a_row_has_the_figures_and_their_growth() -> None:
    subject = Subject("Files", (10, 1_000, 100_000), _nothing)
    figures = [
        {"read, ms": 0.2, "memory, MB": 70},
        {"read, ms": 0.21, "memory, MB": 71},
        {"read, ms": 0.3, "memory, MB": 1400},
    ]

    text = page([(subject, figures)], "a machine")

    assert "Measured on a machine." in text
    assert "## Files\n\n| | 10 | 1,000 | 100,000 | growth |\n" in text
    assert "| read, ms | 0.2 | 0.21 | 0.3 | 1.50 |\n" in text
    assert "| memory, MB | 70 | 71 | 1,400 | 20.00 |\n" in text


def test_each_subject_grows_tenfold_or_more() -> None:
    for subject in SUBJECTS:
        first, *_, last = subject.sizes
        assert last >= 10 * first, subject.name
