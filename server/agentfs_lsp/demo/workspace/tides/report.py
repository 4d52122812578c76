"""The daily report: one line a gauge."""

from collections.abc import Mapping, Sequence

from .levels import high_water, low_water


def report(readings: Mapping[str, Sequence[float]]) -> str:
    """High and low water of every gauge, in the order given."""
    return "\n".join(
        f"{gauge:12} {high_water(levels):5.2f} {low_water(levels):5.2f}" for gauge, levels in readings.items()
    )
