"""The comparison servers' response to `agentfs/status`, of the real one's shape and size."""

STATUS = {
    "status": "success",
    "data": {
        "version": "0.1.0",
        "mode": "auto_edit",
        "roots": [{"name": "workspace", "uri": "file:///home/user/workspace"}],
        "switches": {},
        "rung": "message",
        "sessions": [{"session": "default", "mode": "auto_edit"}],
        "pending": [],
    },
    "text": "Mode auto_edit, nothing pending.",
    "stats": {"time_ms": 0},
    "context": {"cwd": ".", "params_input": {}},
}
