"""Tide gauges of a harbor: levels and a daily report."""
