"""The dialects: how the models of different hosts know the same three tools
(docs/protocol.md#12-tool-catalogue). One file a dialect; the table of all is `table.py`."""
