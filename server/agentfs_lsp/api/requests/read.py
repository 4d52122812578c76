"""agentfs/read: docs/protocol.md#5-agentfsread."""

from __future__ import annotations

from collections.abc import Coroutine
from itertools import count
from typing import Any

from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.params import ReadParams
from agentfs_lsp.api.results import Envelope, ReadData, ReadStats
from agentfs_lsp.domain.text.lines import blocks_of_lines
from agentfs_lsp.domain.translation import sentences
from agentfs_lsp.service.read import Begin, Passage, Read, read
from agentfs_lsp.service.state.workspace import off_loop


def read_request(exchange: Exchange) -> Envelope | Coroutine[Any, Any, Envelope]:
    """Respond to agentfs/read, immediately if the file is small and no approval is required."""
    params = exchange.parse(ReadParams)
    command = Read(
        params.path,
        params.session,
        params.agent,
        params.start_line,
        params.limit,
        exchange.paths,
        exchange.timing,
    )
    passage = read(exchange.ws, command)
    if isinstance(passage, Passage):
        return _envelope(exchange, params, passage, _content(params, passage))
    return _later(exchange, params, passage)


async def _later(exchange: Exchange, params: ReadParams, begin: Begin) -> Envelope:
    found = await begin()
    to_number = len(found.content) if params.line_numbers else 0
    return _envelope(exchange, params, found, await off_loop(to_number, _content, params, found))


def _envelope(exchange: Exchange, params: ReadParams, passage: Passage, content: str) -> Envelope:
    data: ReadData = {
        "content": content,
        "truncated": passage.truncated,
        "source": passage.source,
        "dirty": passage.dirty,
        "bom": passage.bom,
        "eol": passage.eol,
        "final_newline": passage.final_newline,
    }
    if passage.hash is not None:
        data["hash"] = passage.hash
    if passage.lossy:
        data["fallback_encoding"] = "replace"
    stats: ReadStats = {
        "time_ms": exchange.time_ms(),
        "lines_read": passage.lines,
        "chars_read": len(passage.content),
        "encoding": passage.encoding,
    }
    if passage.total_lines is not None:
        stats["total_lines"] = passage.total_lines
    if passage.size_bytes is not None:
        stats["file_size_bytes"] = passage.size_bytes
    if passage.mtime_ms is not None:
        stats["file_mtime_ms"] = passage.mtime_ms
    text, partial = _text(exchange, params, passage), passage.truncated or passage.lossy
    return exchange.succeed(data, text, stats, partial=partial, access=passage.access)


def _content(params: ReadParams, passage: Passage) -> str:
    if not params.line_numbers:
        return passage.content
    text, numbers = passage.content, count(passage.start_line)
    return "".join(
        "".join(f"{number:4d} | {line}" for line, number in zip(lines, numbers, strict=False))
        for lines in blocks_of_lines(text, 0, len(text))
    )


def _text(exchange: Exchange, params: ReadParams, passage: Passage) -> str:
    """About the content; or for a caller that passes on nothing else, the content, and what it lacks."""
    if not exchange.phrasing.content_alone:
        return _about(exchange, params, passage)
    if passage.truncated or passage.lossy:
        return f"{passage.content}\n\n{_about(exchange, params, passage)}"
    return passage.content


def _about(exchange: Exchange, params: ReadParams, passage: Passage) -> str:
    translate, path = exchange.translate, exchange.shown(passage.access)
    last = passage.start_line + passage.lines - 1
    if passage.lines == 0:
        said = [translate("'{path}' is empty.", path=path)]
    else:
        said = [
            translate(
                "Read '{path}', lines {first} to {last}{of_total}.",
                path=path,
                first=passage.start_line,
                last=last,
                of_total=translate(" of {total}", total=passage.total_lines) if passage.total_lines else "",
            )
        ]
    if passage.truncated and not exchange.phrasing.ranges:
        said.append(translate("{Read} does not show the remaining lines. The user can raise agentfs.limits."))
    elif passage.truncated and not passage.content.endswith(("\n", "\r")):
        if params.limit is None:
            said.append(
                translate(
                    "Line {line} is truncated. To read the whole line, use start_line={line} and limit=1.",
                    line=last,
                )
            )
        else:
            said.append(
                translate(
                    "Line {line} is truncated because it alone exceeds agentfs.limits.max_file_bytes.",
                    line=last,
                )
            )
    elif passage.truncated:
        said.append(translate("More lines follow: continue with start_line={next}.", next=last + 1))
    if passage.dirty:
        said.append(translate("This is the editor's text, which has unsaved changes."))
    if passage.lossy and passage.source == "editor":
        said.append(translate("The editor shows '{path}' in an encoding that loses characters.", path=path))
        said.append(translate("Ask the user to reopen the file with its encoding."))
    elif passage.lossy:
        said.append(
            translate("Some bytes are not text in a known encoding and are shown as U+FFFD. Edits keep them.")
        )
        if passage.likely_encoding:
            said.append(
                translate(
                    "They look like {encoding}. The user can set agentfs.encoding.default to this encoding.",
                    encoding=passage.likely_encoding,
                )
            )
        else:
            said.append(translate("The user can set the file's encoding in agentfs.encoding.default."))
    return sentences(translate, said)
