"""A deterministic simulation of the whole server: one seed decides what its loop, threads, clock, disk,
editor and agents do (CONTRIBUTING.md)."""
