"""The sockets of a language server, for both ends of a connection (docs/protocol.md#16-the-agents-socket)."""
