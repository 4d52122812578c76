"""Tide gauges of a harbour: levels and a daily report."""
