from .levels import high_water, tidal_range


def test_high_water_is_the_highest_reading() -> None:
    assert high_water([0.4, 1.9, 1.2]) == 1.9


def test_the_range_is_from_low_to_high() -> None:
    assert tidal_range([0.5, 2.0]) == 1.5
