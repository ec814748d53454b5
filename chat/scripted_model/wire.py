"""A reply as the server-sent events of the Messages API, up to its ending."""
from __future__ import annotations

import itertools
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from typing import Any

import httpx2

from chat.scripted_model.reply import Reply

Json = dict[str, Any]
# Called before each event and, with None, at the end of the events; the number is that of the deltas sent before.
Pause = Callable[[int, Json | None], Awaitable[None]]


def input_json(value: Any) -> str:
    """Return the input of a tool use as it is streamed."""
    return json.dumps(value)


def events_of(reply: Reply, *, unique_id: str, model: str) -> Iterator[Json]:
    """Yield the events of a reply; without the stop reason if it has an `ending`."""
    start: Json = {"id": f"msg_{unique_id}", "type": "message", "role": "assistant", "model": model}
    start |= {"content": [], "stop_reason": None, "stop_sequence": None}
    start["usage"] = {"output_tokens": 1, **reply.usage}
    yield {"type": "message_start", "message": start}
    yield {"type": "ping"}
    sizes = itertools.cycle(reply.sizes or (1 << 30,))
    for index, block in enumerate(reply.blocks):
        yield from _block_events(block, index=index, sizes=sizes, fresh_id=f"toolu_{unique_id}_{index}")
    if not reply.ending:
        tokens = 1 + sum(len(json.dumps(block)) for block in reply.blocks) // 4
        delta = {"stop_reason": reply.stop_reason, "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": tokens}}
        yield {"type": "message_stop"}


def message_of(reply: Reply, *, unique_id: str, model: str) -> Json:
    """Return a reply as the message of a call that does not stream."""
    content = [
        {"id": f"toolu_{unique_id}_{index}", **block} if block["type"] == "tool_use" else block
        for index, block in enumerate(reply.blocks)
    ]
    tokens = 1 + sum(len(json.dumps(block)) for block in reply.blocks) // 4
    return {
        "id": f"msg_{unique_id}", "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": reply.stop_reason, "stop_sequence": None, "usage": {**reply.usage, "output_tokens": tokens},
    }  # fmt: skip


async def stream_reply(reply: Reply, *, events: Iterable[Json], pause: Pause) -> AsyncGenerator[bytes, None]:
    """Yield the body of a response: an error, or the events until the reply's ending.

    Raises httpx2.RemoteProtocolError where the connection breaks.
    """
    if reply.body is not None or reply.status != 200:
        error = {"type": "error", "error": reply.error, "request_id": "req_scripted"}
        yield reply.body if reply.body is not None else json.dumps(error).encode()
        return
    deltas = 0
    for event in events:
        await pause(deltas, event)
        if reply.ends_after and deltas == reply.ends_after:
            break
        deltas += event["type"] == "content_block_delta"
        yield encode(event)
    await pause(deltas, None)
    if reply.ending == "error":
        yield encode({"type": "error", "error": reply.error})
    if reply.ending == "drop":
        raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")


def encode(event: Json) -> bytes:
    """Return an event as bytes. The SDK drops events without an `event:` line."""
    kind: str = event["type"]
    try:
        data = json.dumps(event, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        data = json.dumps(event).encode()  # a lone surrogate can only be sent escaped
    return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"


def _block_events(block: Json, *, index: int, sizes: Iterator[int], fresh_id: str) -> Iterator[Json]:
    kind = block["type"]
    start: Json
    if kind == "text":
        start, text, delta, key = {"type": "text", "text": ""}, block["text"], "text_delta", "text"
    elif kind == "tool_use":
        start = {"type": "tool_use", "id": block.get("id", fresh_id), "name": block["name"], "input": {}}
        given = block["input"]
        text = given if isinstance(given, str) else input_json(given)
        if block.get("at_once"):
            start["input"], text = given, ""
        delta, key = "input_json_delta", "partial_json"
    elif kind == "thinking":
        start = {"type": "thinking", "thinking": "", "signature": ""}
        text, delta, key = block["thinking"], "thinking_delta", "thinking"
    else:
        start, text, delta, key = dict(block), "", "", ""
    yield {"type": "content_block_start", "index": index, "content_block": start}
    start_of_delta = 0
    while start_of_delta < len(text):
        size = next(sizes)
        piece = {"type": delta, key: text[start_of_delta : start_of_delta + size]}
        yield {"type": "content_block_delta", "index": index, "delta": piece}
        start_of_delta += size
    for citation in block.get("citations", ()) if kind == "text" else ():
        delta_of_citation = {"type": "citations_delta", "citation": citation}
        yield {"type": "content_block_delta", "index": index, "delta": delta_of_citation}
    if kind == "thinking":
        signature = {"type": "signature_delta", "signature": block.get("signature", "signed")}
        yield {"type": "content_block_delta", "index": index, "delta": signature}
    yield {"type": "content_block_stop", "index": index}
