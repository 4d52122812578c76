"""What a gauge's readings say about the water. Heights are metres above chart datum."""

from collections.abc import Sequence


def high_water(readings: Sequence[float]) -> float:
    """The highest reading."""
    return max(readings)


def low_water(readings: Sequence[float]) -> float:
    """The lowest reading."""
    return min(readings)


def tidal_range(readings: Sequence[float]) -> float:
    """How far the water rose."""
    return high_water(readings) - low_water(readings)
