"""The use cases' world in memory: no disk, no editor, no thread, no real time."""
