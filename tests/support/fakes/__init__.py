"""In-memory ports for use cases: no disk, editor, threads or real time."""
