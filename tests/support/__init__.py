"""Shared by tests: a scripted editor connected to a real server process."""
