"""A model server on loopback, for real agents' programs: the test decides what the model does next.

It speaks the APIs of OpenAI (responses and chat completions), Anthropic (messages), and Google
(generateContent). A program sends it the whole conversation for each step, and waits: `Model.call` answers
with a tool call, and returns what the program says of its result in the next request.
"""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Events = list[tuple[str | None, Json]]
"""Server-sent events: their names, and their data."""

STEP_S = 60.0
"""Seconds to wait for a program's next request before failing."""

DONE = "Done."
_IDS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the model. `tool`: as the program offers it, with its namespace."""

    tool: str
    arguments: Mapping[str, Any]


Step = Call | None
"""What the model does: a call, or else the end of its turn."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a request tells the model. `results`: of its tool calls so far."""

    tools: list[str]
    results: list[str]


@dataclass(frozen=True, slots=True)
class _Api:
    hear: Callable[[Json], Heard]
    say: Callable[[Step], Events]


class Model:
    """The model of one program, which has one conversation."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._open: asyncio.Queue[tuple[Heard, asyncio.Future[Step]]] = asyncio.Queue()
        self._replying: asyncio.Future[Step] | None = None
        self._is_calling = False

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Make a call; returns its result as the model gets it."""
        assert not self._is_calling, "another call is under way"
        self._is_calling = True
        known = len((await self._listen()).results)
        self._reply(Call(tool, arguments))
        heard = await self._listen()
        self._is_calling = False
        assert len(heard.results) == known + 1, heard.results
        return heard.results[-1]

    async def end(self) -> None:
        """End the turn."""
        await self._listen()
        self._reply(None)

    async def _listen(self) -> Heard:
        """Wait until it is the model's turn."""
        if self._replying is None:
            async with asyncio.timeout(STEP_S):
                self._heard, self._replying = await self._open.get()
        return self._heard

    def _reply(self, step: Step) -> None:
        assert self._replying is not None
        self._replying.set_result(step)
        self._replying = None

    async def next_step(self, heard: Heard) -> Step:
        """What the model does, when the test says so. Programs also want a title and the like, and offer no
        tools for them."""
        if not heard.tools:
            return None
        replying = asyncio.get_running_loop().create_future()
        self._open.put_nowait((heard, replying))
        return await replying


@asynccontextmanager
async def scripted_model() -> AsyncIterator[Model]:
    """A server for one program."""
    serving: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        try:
            await _serve(model, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            serving.discard(task)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    model = Model(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    try:
        yield model
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving)


async def _serve(model: Model, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One request, and the end of the connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    path = head[0].split(" ")[1].partition("?")[0]
    api = next((api for end, api in _APIS.items() if path.endswith(end)), None)
    if api is None:
        status, kind, data = "404 Not Found", "application/json", b"{}"
    else:
        asked = json.loads(body)
        events = api.say(await model.next_step(api.hear(asked)))
        status, kind, data = "200 OK", "text/event-stream", b"".join(_event(*event) for event in events)
        if path.endswith("/chat/completions"):
            data += b"data: [DONE]\n\n"
        if path.endswith(":generateContent"):
            kind, data = "application/json", json.dumps(events[0][1]).encode()
    told = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(data)}",
        "Connection: close",
    ]
    writer.write("\r\n".join([*told, "", ""]).encode() + data)
    await writer.drain()


def _event(name: str | None, data: Json) -> bytes:
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(data)}\n\n".encode()


def _text(content: Any) -> str:
    """The text of a result, which is a string or in parts."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content)
    return str(content)


# --- OpenAI: responses --------------------------------------------------------------------------------------


def _hear_responses(asked: Json) -> Heard:
    tools = []
    for tool in asked.get("tools") or ():
        if tool["type"] == "namespace":
            tools += [f"{tool['name']}/{one['name']}" for one in tool["tools"]]
        else:
            tools.append(tool.get("name", tool["type"]))
    outputs = [item for item in asked["input"] if item.get("type") == "function_call_output"]
    return Heard(tools, [_text(item["output"]) for item in outputs])


def _say_responses(step: Step) -> Events:
    number = next(_IDS)
    if step is None:
        content = [{"type": "output_text", "text": DONE, "annotations": []}]
        item = {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
    else:
        namespace, _, name = step.tool.rpartition("/")
        call = {"call_id": f"call_{number}", "name": name, "arguments": json.dumps(step.arguments)}
        item = {"type": "function_call", "id": f"fc_{number}", **call}
        if namespace:
            item["namespace"] = namespace
    response = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": [item]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    events: list[tuple[str, Json]] = [
        ("response.created", {"response": {**response, "status": "in_progress", "output": []}}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": {**response, "usage": usage}}),
    ]
    return [(name, {"type": name, **data}) for name, data in events]


# --- OpenAI: chat completions -------------------------------------------------------------------------------


def _hear_chat(asked: Json) -> Heard:
    tools = [tool["function"]["name"] for tool in asked.get("tools") or ()]
    results = [_text(message["content"]) for message in asked["messages"] if message["role"] == "tool"]
    return Heard(tools, results)


def _say_chat(step: Step) -> Events:
    number = next(_IDS)
    delta: Json = {"role": "assistant", "content": DONE}
    if step is not None:
        function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        delta = {"role": "assistant", "content": None, "tool_calls": [call]}
    chunk = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    end = "stop" if step is None else "tool_calls"
    return [
        (None, {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
        (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]}),
    ]


# --- Anthropic: messages ------------------------------------------------------------------------------------


def _hear_messages(asked: Json) -> Heard:
    parts = [
        part
        for message in asked["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
    ]
    results = [_text(part["content"]) for part in parts if part["type"] == "tool_result"]
    return Heard([tool["name"] for tool in asked.get("tools") or ()], results)


def _say_messages(step: Step) -> Events:
    number = next(_IDS)
    usage = {"input_tokens": 1, "output_tokens": 1}
    begun = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
    }
    if step is None:
        block: Json = {"type": "text", "text": ""}
        delta, end = {"type": "text_delta", "text": DONE}, "end_turn"
    else:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": step.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
        end = "tool_use"
    events: list[tuple[str, Json]] = [
        ("message_start", {"message": {**begun, "stop_reason": None, "usage": usage}}),
        ("content_block_start", {"index": 0, "content_block": block}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": end, "stop_sequence": None}, "usage": usage}),
        ("message_stop", {}),
    ]
    return [(name, {"type": name, **data}) for name, data in events]


# --- Google: generateContent --------------------------------------------------------------------------------


def _hear_contents(asked: Json) -> Heard:
    tools = [one["name"] for tool in asked.get("tools") or () for one in tool.get("functionDeclarations", ())]
    parts = [part for content in asked["contents"] for part in content["parts"]]
    responses = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
    return Heard(tools, [_text(one.get("output", one.get("error", one))) for one in responses])


def _say_contents(step: Step) -> Events:
    part: Json = {"text": DONE}
    if step is not None:
        part = {"functionCall": {"name": step.tool, "args": step.arguments}}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [(None, {"candidates": [candidate], "usageMetadata": usage})]


_APIS = {
    "/responses": _Api(_hear_responses, _say_responses),
    "/chat/completions": _Api(_hear_chat, _say_chat),
    "/messages": _Api(_hear_messages, _say_messages),
    ":generateContent": _Api(_hear_contents, _say_contents),
    ":streamGenerateContent": _Api(_hear_contents, _say_contents),
}
