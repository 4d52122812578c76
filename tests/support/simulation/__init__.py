"""A deterministic simulation of the whole server: a seed determines what its loop, threads, clock, disk,
editor and agents do (CONTRIBUTING.md)."""
