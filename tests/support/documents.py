"""An editor's document notifications, as params."""

from pathlib import Path
from typing import Any

from agentfs_lsp.adapters.documents import OpenDocument, OpenDocuments


def named(uri: str, **more: Any) -> dict[str, Any]:
    return {"uri": uri, **more}


def opening(uri: str, text: str, version: int = 1) -> dict[str, Any]:
    return {"textDocument": named(uri, languageId="x", version=version, text=text)}


def at(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    edges = ({"line": line, "character": character} for line, character in (start, end))
    return {"range": dict(zip(("start", "end"), edges, strict=True)), "text": text}


def changing(uri: str, version: Any, *changes: Any) -> dict[str, Any]:
    return {"textDocument": named(uri, version=version), "contentChanges": list(changes)}


def opened(documents: OpenDocuments, file: Path, text: str = "one\ntwo\n") -> OpenDocument:
    documents.opened(opening(file.as_uri(), text))
    document = documents.at(str(file))
    assert document is not None
    return document


UNCERTAIN = [
    at((1, 0), (0, 0), "reversed"),
    at((0, -1), (0, 0), "negative"),
    at((-1, 0), (0, 0), "negative"),
    at((0, 5), (0, 5), "inside of a character"),
    {"range": {"start": {"line": 0, "character": 0}}, "text": "no end"},
    {
        "range": {"start": {"line": "0", "character": 0}, "end": {"line": 0, "character": 0}},
        "text": "a string",
    },
    {"range": {"start": {"line": 0.5, "character": 0}, "end": {"line": 1, "character": 0}}, "text": "a half"},
    {"range": {"start": {"line": True, "character": 0}, "end": {"line": 1, "character": 0}}, "text": "true"},
    {"range": [], "text": "a list"},
    {"range": "everything", "text": ""},
    {"text": 5},
    {"text": None},
    {},
    "a string",
    None,
]
